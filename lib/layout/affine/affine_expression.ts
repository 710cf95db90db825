// SPDX-License-Identifier: Apache-2.0
import { LayoutError } from "../layout_error.ts";

/** Binary operators of affine expressions, as MLIR names them; subtraction is addition of a multiple of −1. */
export type AffineOperator = "add" | "mul" | "floordiv" | "ceildiv" | "mod";

/**
 * An expression of an MLIR affine map. Products and divisions by symbols (semi-affine expressions) are allowed, as in
 * `ttcore.device`.
 */
export type AffineExpression =
  | { readonly kind: "dim"; readonly index: number }
  | { readonly kind: "symbol"; readonly index: number }
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: AffineOperator; readonly left: AffineExpression; readonly right: AffineExpression };

/** `d<index>`. */
export function affineDim(index: number): AffineExpression {
  return { kind: "dim", index };
}

/** `s<index>`. */
export function affineSymbol(index: number): AffineExpression {
  return { kind: "symbol", index };
}

/** An integer. */
export function affineConstant(value: number): AffineExpression {
  return { kind: "constant", value };
}

/**
 * Builds a binary expression, folded as MLIR folds it on construction: constants are evaluated, a constant
 * operand of a sum or product is on the right, the identities `x + 0`, `x * 1`, `x * 0`, `x floordiv 1`, `x
 * mod 1` are simplified, and `(x + 1) + 2`, `(x * 2) * 3` have one constant.
 *
 * @throws {LayoutError} `affine/undefined` for a division or remainder by a constant that is not positive
 */
export function affineBinary(
  kind: AffineOperator,
  left: AffineExpression,
  right: AffineExpression,
): AffineExpression {
  if (left.kind === "constant" && right.kind === "constant") {
    return affineConstant(applyOperator(kind, left.value, right.value));
  }
  if ((kind === "add" || kind === "mul") && left.kind === "constant") return affineBinary(kind, right, left);
  if (right.kind === "constant") {
    const { value } = right;
    if (kind === "add" && value === 0) return left;
    if (kind === "mul" && value === 1) return left;
    if (kind === "mul" && value === 0) return affineConstant(0);
    // (x + 1) + 2 and (x * 2) * 3 have one constant.
    if ((kind === "add" || kind === "mul") && left.kind === kind && left.right.kind === "constant") {
      return affineBinary(kind, left.left, affineConstant(applyOperator(kind, left.right.value, value)));
    }
    if (kind === "floordiv" || kind === "ceildiv" || kind === "mod") {
      checkDivisor(kind, value);
      if (value === 1) return kind === "mod" ? affineConstant(0) : left;
    }
  }
  return { kind, left, right };
}

/** `left + right`. */
export function affineAdd(left: AffineExpression, right: AffineExpression): AffineExpression {
  return affineBinary("add", left, right);
}

/** `left * right`. */
export function affineMul(left: AffineExpression, right: AffineExpression): AffineExpression {
  return affineBinary("mul", left, right);
}

/** The summands of nested sums, innermost first; iterative, because maps of many dims nest as deep. */
function summands(expression: AffineExpression): readonly AffineExpression[] {
  const right: AffineExpression[] = [];
  let left = expression;
  for (; left.kind === "add"; left = left.left) right.push(left.right);
  return [left, ...right.reverse()];
}

/**
 * Value of an expression.
 *
 * @throws {LayoutError} `affine/rank` when a dim or symbol has no value, `affine/undefined` for a division by a value
 * that is not positive
 */
export function evaluateAffineExpression(
  expression: AffineExpression,
  dims: readonly number[],
  symbols: readonly number[],
): number {
  switch (expression.kind) {
    case "constant":
      return expression.value;
    case "dim":
    case "symbol": {
      const value = (expression.kind === "dim" ? dims : symbols)[expression.index];
      if (value === undefined) {
        throw new LayoutError(
          "affine/rank",
          `Cannot evaluate an affine expression: ${expression.kind} ${expression.index} has no value`,
        );
      }
      return value;
    }
    case "add":
      return summands(expression).reduce(
        (sum, summand) => sum + evaluateAffineExpression(summand, dims, symbols),
        0,
      );
    default:
      return applyOperator(
        expression.kind,
        evaluateAffineExpression(expression.left, dims, symbols),
        evaluateAffineExpression(expression.right, dims, symbols),
      );
  }
}

/** The text that MLIR prints (`AsmPrinter::printAffineExpr`): `d0 * 64 + d1`, `(d0 + s0) floordiv 8`, `d0 - d1`. */
export function formatAffineExpression(expression: AffineExpression): string {
  return formatWithin(expression, false);
}

function formatWithin(expression: AffineExpression, insideProduct: boolean): string {
  switch (expression.kind) {
    case "constant":
      return String(expression.value);
    case "dim":
      return `d${expression.index}`;
    case "symbol":
      return `s${expression.index}`;
    case "add": {
      const [first = expression, ...others] = summands(expression);
      const text = others.reduce(
        (sum, summand) => sum + addedText(summand),
        formatWithin(first, false),
      );
      return insideProduct ? `(${text})` : text;
    }
    default: {
      const { kind, left, right } = expression;
      const isNegation = kind === "mul" && right.kind === "constant" && right.value === -1;
      const text = isNegation
        ? `-${formatWithin(left, true)}`
        : `${formatWithin(left, true)} ${kind === "mul" ? "*" : kind} ${formatWithin(right, true)}`;
      return insideProduct ? `(${text})` : text;
    }
  }
}

/** The continuation of a sum: ` + d1`, ` - 2`. */
function addedText(summand: AffineExpression): string {
  if (summand.kind === "constant" && summand.value < 0) return ` - ${-summand.value}`;
  if (summand.kind === "mul" && summand.right.kind === "constant" && summand.right.value < 0) {
    const factor = summand.right.value;
    const subtracted = formatWithin(summand.left, true);
    return ` - ${factor === -1 ? subtracted : `${subtracted} * ${-factor}`}`;
  }
  return ` + ${formatWithin(summand, false)}`;
}

function applyOperator(kind: AffineOperator, left: number, right: number): number {
  switch (kind) {
    case "add":
      return left + right;
    case "mul":
      return left * right;
    default:
      checkDivisor(kind, right);
      if (kind === "floordiv") return Math.floor(left / right);
      if (kind === "ceildiv") return Math.ceil(left / right);
      return left - Math.floor(left / right) * right;
  }
}

function checkDivisor(kind: AffineOperator, value: number): void {
  if (value > 0) return;
  throw new LayoutError(
    "affine/undefined",
    `Cannot compute ${kind} by ${value}: the divisor must be positive`,
  );
}
