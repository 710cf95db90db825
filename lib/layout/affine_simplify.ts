// SPDX-License-Identifier: Apache-2.0
import {
  affineAdd,
  affineBinary,
  affineConstant,
  type AffineExpression,
  affineMul,
  formatAffineExpression,
} from "./affine_expression.ts";

/** A product of dims, symbols and divisions with an integer factor. */
interface Term {
  readonly factors: readonly AffineExpression[];
  readonly coefficient: number;
}

/** Terms by the text of their factors; the constant term has the empty text. */
type Sum = Map<string, Term>;

/** Least and greatest value; `undefined` when unknown. */
type Bounds = readonly [number, number] | undefined;

/**
 * Simplifies an expression to a sum of products: like terms are collected, divisions and remainders lose what divides
 * evenly, nested ones are joined. The value is the same for all dims and symbols (for dims within `dimExtents` when
 * these are given).
 *
 * Terms are ordered: dims, symbols, products, divisions and remainders, the constant last.
 *
 * @param dimExtents when given, dim `i` is taken to be between 0 and `dimExtents[i] − 1`
 */
export function simplifyAffineExpression(
  expression: AffineExpression,
  dimExtents?: readonly number[],
): AffineExpression {
  return new Simplifier(dimExtents).simplify(expression);
}

class Simplifier {
  readonly #dimExtents: readonly number[] | undefined;

  constructor(dimExtents: readonly number[] | undefined) {
    this.#dimExtents = dimExtents;
  }

  simplify(expression: AffineExpression): AffineExpression {
    return sumToExpression(this.sumOf(expression));
  }

  /** The expression as a sum of terms. */
  sumOf(expression: AffineExpression): Sum {
    switch (expression.kind) {
      case "constant":
        return singleTerm([], expression.value);
      case "dim":
        if (this.#dimExtents?.[expression.index] === 1) return new Map();
        return singleTerm([expression], 1);
      case "symbol":
        return singleTerm([expression], 1);
      case "add":
        return joinRemainders(addSums(this.sumOf(expression.left), this.sumOf(expression.right), 1));
      case "mul":
        return multiplySums(this.sumOf(expression.left), this.sumOf(expression.right));
      default:
        return this.#divide(expression.kind, this.sumOf(expression.left), this.sumOf(expression.right));
    }
  }

  #divide(kind: "floordiv" | "ceildiv" | "mod", dividend: Sum, divisorSum: Sum): Sum {
    const divisor = constantOf(divisorSum);
    if (divisor === undefined) {
      return singleTerm([affineBinary(kind, sumToExpression(dividend), sumToExpression(divisorSum))], 1);
    }
    if (divisor === 1) return kind === "mod" ? new Map() : dividend;
    const quotient: Sum = new Map();
    const rest: Sum = new Map();
    for (const [key, term] of dividend) {
      const whole = Math.floor(term.coefficient / divisor);
      const remainder = term.coefficient - whole * divisor;
      // Only the constant may be split: a coefficient stays as it is unless the divisor divides it.
      if (remainder === 0 || key === "") addTerm(quotient, term.factors, whole);
      if (key === "") addTerm(rest, [], remainder);
      else if (remainder !== 0) addTerm(rest, term.factors, term.coefficient);
    }
    const bounds = this.#boundsOfSum(rest);
    if (bounds !== undefined && bounds[0] >= 0 && bounds[1] < divisor) {
      if (kind === "mod") return rest;
      if (kind === "floordiv") return quotient;
    }
    if (rest.size === 0) return kind === "mod" ? new Map() : quotient;
    if (kind === "mod") return this.#remainder(rest, divisor);
    return addSums(quotient, this.#quotient(kind, rest, divisor), 1);
  }

  #remainder(rest: Sum, divisor: number): Sum {
    const common = commonFactor(rest, divisor);
    const reduced = scaleSum(rest, 1 / common);
    const inner = divisor / common;
    const single = singleFactor(reduced);
    // (x mod (a * n)) mod n = x mod n
    if (single?.kind === "mod" && single.right.kind === "constant" && single.right.value % inner === 0) {
      return scaleSum(this.#divide("mod", this.sumOf(single.left), singleTerm([], inner)), common);
    }
    return singleTerm([affineBinary("mod", sumToExpression(reduced), affineConstant(inner))], common);
  }

  #quotient(kind: "floordiv" | "ceildiv", rest: Sum, divisor: number): Sum {
    const variable = new Map(rest);
    variable.delete("");
    const common = commonFactor(variable, divisor);
    const constant = (rest.get("")?.coefficient ?? 0) / common;
    const reduced = scaleSum(variable, 1 / common);
    addTerm(reduced, [], kind === "floordiv" ? Math.floor(constant) : Math.ceil(constant));
    const inner = divisor / common;
    if (inner === 1) return reduced;
    const single = singleFactor(reduced);
    // (x floordiv a) floordiv b = x floordiv (a * b)
    if (single?.kind === kind && single.right.kind === "constant") {
      return this.#divide(kind, this.sumOf(single.left), singleTerm([], single.right.value * inner));
    }
    return singleTerm([affineBinary(kind, sumToExpression(reduced), affineConstant(inner))], 1);
  }

  #boundsOfSum(sum: Sum): Bounds {
    let low = 0;
    let high = 0;
    for (const term of sum.values()) {
      let least = 1;
      let greatest = 1;
      for (const factor of term.factors) {
        const bounds = this.#boundsOfFactor(factor);
        // Products of factors that may be negative are not needed for layouts.
        if (bounds === undefined || bounds[0] < 0) return undefined;
        least *= bounds[0];
        greatest *= bounds[1];
      }
      low += term.coefficient * (term.coefficient >= 0 ? least : greatest);
      high += term.coefficient * (term.coefficient >= 0 ? greatest : least);
    }
    return [low, high];
  }

  #boundsOfFactor(factor: AffineExpression): Bounds {
    if (factor.kind === "dim") {
      const extent = this.#dimExtents?.[factor.index];
      return extent === undefined ? undefined : [0, extent - 1];
    }
    if (factor.kind === "mod" && factor.right.kind === "constant") return [0, factor.right.value - 1];
    if ((factor.kind === "floordiv" || factor.kind === "ceildiv") && factor.right.kind === "constant") {
      const bounds = this.#boundsOfSum(this.sumOf(factor.left));
      if (bounds === undefined) return undefined;
      const round = factor.kind === "floordiv" ? Math.floor : Math.ceil;
      return [round(bounds[0] / factor.right.value), round(bounds[1] / factor.right.value)];
    }
    return undefined;
  }
}

function singleTerm(factors: readonly AffineExpression[], coefficient: number): Sum {
  const sum: Sum = new Map();
  addTerm(sum, factors, coefficient);
  return sum;
}

function addTerm(sum: Sum, factors: readonly AffineExpression[], coefficient: number): void {
  const ordered = factors.toSorted(compareFactors);
  const key = ordered.map(formatAffineExpression).join(" * ");
  const total = (sum.get(key)?.coefficient ?? 0) + coefficient;
  if (total === 0) sum.delete(key);
  else sum.set(key, { factors: ordered, coefficient: total });
}

function addSums(a: Sum, b: Sum, scale: number): Sum {
  const sum = new Map(a);
  for (const term of b.values()) addTerm(sum, term.factors, term.coefficient * scale);
  return sum;
}

function multiplySums(a: Sum, b: Sum): Sum {
  const sum: Sum = new Map();
  for (const left of a.values()) {
    for (const right of b.values()) {
      addTerm(sum, [...left.factors, ...right.factors], left.coefficient * right.coefficient);
    }
  }
  return sum;
}

function scaleSum(sum: Sum, scale: number): Sum {
  return new Map(
    [...sum].map(([key, { factors, coefficient }]) => [key, { factors, coefficient: coefficient * scale }]),
  );
}

/** The value of a sum without dims and symbols. */
function constantOf(sum: Sum): number | undefined {
  if (sum.size === 0) return 0;
  const constant = sum.get("");
  return sum.size === 1 && constant !== undefined ? constant.coefficient : undefined;
}

function singleFactor(sum: Sum): AffineExpression | undefined {
  const [term] = sum.values();
  return sum.size === 1 && term?.coefficient === 1 && term.factors.length === 1 ? term.factors[0] : undefined;
}

function commonFactor(sum: Sum, divisor: number): number {
  let common = divisor;
  for (const term of sum.values()) {
    let other = Math.abs(term.coefficient);
    while (other !== 0) [common, other] = [other, common % other];
  }
  return common;
}

/** `k * x - (x floordiv n) * (k * n)` is `k * (x mod n)`. */
function joinRemainders(sum: Sum): Sum {
  for (const { factors, coefficient } of sum.values()) {
    const [factor] = factors;
    if (factors.length !== 1 || factor?.kind !== "floordiv" || factor.right.kind !== "constant") continue;
    const divisor = factor.right.value;
    const scale = -coefficient / divisor;
    if (!Number.isInteger(scale)) continue;
    const dividend = new Simplifier(undefined).sumOf(factor.left);
    const matches = [...dividend].every(([key, term]) =>
      sum.get(key)?.coefficient === term.coefficient * scale
    );
    if (!matches) continue;
    const joined = addSums(sum, dividend, -scale);
    addTerm(joined, factors, -coefficient);
    addTerm(joined, [affineBinary("mod", factor.left, factor.right)], scale);
    return joinRemainders(joined);
  }
  return sum;
}

function sumToExpression(sum: Sum): AffineExpression {
  const terms = [...sum.values()].sort(compareTerms);
  let expression: AffineExpression = affineConstant(0);
  for (const { factors, coefficient } of terms) {
    let product: AffineExpression | undefined;
    for (const factor of factors) product = product === undefined ? factor : affineMul(product, factor);
    expression = affineAdd(
      expression,
      product === undefined ? affineConstant(coefficient) : affineMul(product, affineConstant(coefficient)),
    );
  }
  return expression;
}

function compareTerms(a: Term, b: Term): number {
  return termRank(a) - termRank(b) || compareFactorLists(a.factors, b.factors);
}

function termRank(term: Term): number {
  const [factor] = term.factors;
  if (factor === undefined) return 4;
  if (term.factors.length > 1) return 2;
  return factorRank(factor);
}

function compareFactorLists(a: readonly AffineExpression[], b: readonly AffineExpression[]): number {
  for (const [position, left] of a.entries()) {
    const right = b[position];
    if (right === undefined) return 1;
    const order = compareFactors(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function factorRank(factor: AffineExpression): number {
  return factor.kind === "dim" ? 0 : factor.kind === "symbol" ? 1 : 3;
}

function compareFactors(a: AffineExpression, b: AffineExpression): number {
  const rank = factorRank(a) - factorRank(b);
  if (rank !== 0) return rank;
  if ((a.kind === "dim" || a.kind === "symbol") && (b.kind === "dim" || b.kind === "symbol")) {
    return a.index - b.index;
  }
  const left = formatAffineExpression(a);
  const right = formatAffineExpression(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
