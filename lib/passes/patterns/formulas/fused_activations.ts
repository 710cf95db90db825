// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { sameType, type TensorValue, type TtnnValue } from "../../../ttnn/value.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";
import { attributeText } from "../../../ir/mod.ts";
import type { Properties, TtnnOp } from "../../../ttnn/op.ts";
import type { PassContext } from "../../graph_pass.ts";
import { InvariantValues } from "../../invariant_values.ts";
import { predictedMicroseconds, proposedWith } from "../matching.ts";

/** Activations that upstream lets matmul kernels apply to a block before writing it (tt-mlir:ttnn-fusing). */
const ACTIVATIONS: readonly string[] = ["sigmoid", "silu", "gelu"];

/** Fuses an activation into the matmul or linear whose only reader it is. */
export const fuseActivation: RewritePattern = {
  name: "fuse-activation",
  upstream: "level-0",
  roots: ACTIVATIONS.map((name) => `ttnn.${name}`),
  rewrite: (op, body) => {
    const [input] = op.operands;
    const product = input?.producer;
    if (product?.name !== "ttnn.matmul" && product?.name !== "ttnn.linear") return false;
    const [result] = op.results;
    if (input?.onlyUser !== op || result === undefined || !sameType(input.type, result.type)) return false;
    if (product.read(MATMUL).activation !== undefined) return false;
    product.set({ activation: op.name.slice("ttnn.".length) });
    body.replaceAllUses(result, input);
    body.erase(op);
    return true;
  },
};

/**
 * Binary ops whose kernel applies further functions to operands and result (tt-mlir:ttnn-fusing, October
 * 2026).
 */
const BINARIES: readonly string[] = ["ttnn.add", "ttnn.multiply", "ttnn.subtract"];

/** The functions that those kernels apply. */
const UNARIES: ReadonlySet<string> = new Set(
  "abs exp gelu log log1p neg relu relu6 rsqrt sigmoid silu sqrt tanh".split(" ").map((name) =>
    `ttnn.${name}`
  ),
);

/** Properties of a binary op with the functions of its operands. */
const OF_OPERANDS = ["input_tensor_a_activations", "input_tensor_b_activations"] as const;

/** {@linkcode OF_OPERANDS} and the property with the functions of the result. */
const ALL_FUNCTIONS: ReadonlySet<string> = new Set(["activations", ...OF_OPERANDS]);

/**
 * Fuses a function of a binary op's result, or of an operand, into the binary op if it has no other readers
 * and the fused op is predicted to take no longer: a row-broadcast operand is recomputed for every tile.
 */
export const fuseUnary: RewritePattern = {
  name: "fuse-unary",
  option: "enable-eltwise-activation-fusion",
  upstream: "none",
  roots: BINARIES,
  keepsFunctions: true,
  rewrite: (op, body, context) => {
    const next = op.tensorResult?.onlyUser;
    if (next !== undefined && isFunction(next)) {
      const properties = { activations: listed([...elements(op, "activations"), functionText(next)]) };
      const [made] = next.results;
      if (made !== undefined && pays({ op, unary: next, operands: op.operands, properties }, context)) {
        op.set(properties);
        body.replaceAllUses(made, op.result);
        body.erase(next);
        return true;
      }
    }
    return OF_OPERANDS.some((key, index) => {
      const operand = op.operands[index];
      const unary = operand?.producer;
      const [source] = unary?.operands ?? [];
      if (operand === undefined || unary === undefined || source === undefined) return false;
      if (!isFunction(unary) || operand.onlyUser !== op || operand.useCount > 1) return false;
      // Constant operands are computed at load.
      if (InvariantValues.of(body).has(operand)) return false;
      const properties = { [key]: listed([functionText(unary), ...elements(op, key)]) };
      if (!pays({ op, unary, operands: op.operands.with(index, source), properties }, context)) return false;
      op.set(properties);
      body.setOperand(op, index, source);
      return true;
    });
  },
};

/**
 * Takes the functions that a compiler fused into a binary op apart again: patterns match formulas, and
 * {@linkcode fuseUnary} puts together what is left of them.
 */
export const takeBackUnary: RewritePattern = {
  ...fuseUnary,
  name: "take-back-unary",
  rewrite: (op, body, context) => {
    const before = new PassBuilder(body, op, context);
    const applied = (value: TensorValue, functions: readonly string[]): TensorValue =>
      functions.reduce((made, name) => before.op(name, [made], made.type), value);
    const [ofResult, ...ofOperands] = [...ALL_FUNCTIONS].map((key) => functionsIn(op, key));
    const { tensorResult: result, tensorOperands } = op;
    const isKnown = ofResult !== undefined && ofOperands.every((functions) => functions !== undefined);
    if (!op.appliesFunctions || !isKnown || result === undefined || tensorOperands.length > 2) return false;
    const operands = tensorOperands.map((operand, index) => applied(operand, ofOperands[index] ?? []));
    const properties = new Map(
      [...op.properties].map(([key, text]) => [key, ALL_FUNCTIONS.has(key) ? listed([]) : text]),
    );
    const made = before.op(op.opName, operands, result.type, properties, op.attributes);
    body.replaceAllUses(result, applied(made, ofResult));
    body.erase(op);
    return true;
  },
};

/** The functions that a property lists, as ops; `undefined` if one has parameters or is none that kernels apply. */
function functionsIn(op: TtnnOp, key: string): readonly string[] | undefined {
  const named = elements(op, key).map((text) => `ttnn.${/\bop_type\s*=\s*(\w+)\s*>$/.exec(text)?.[1]}`);
  return named.every((name) => UNARIES.has(name)) ? named : undefined;
}

/** Whether an op is one of the functions and keeps the type. */
function isFunction(op: TtnnOp): boolean {
  const [input, result] = [op.tensorOperand(0), op.tensorResult];
  return UNARIES.has(op.name) && input !== undefined && result !== undefined &&
    sameType(input.type, result.type);
}

function functionText(op: TtnnOp): string {
  return `#ttnn.unary_with_param<op_type = ${op.name.slice("ttnn.".length)}>`;
}

/** The functions that an op lists already. */
function elements(op: TtnnOp, key: string): readonly string[] {
  const attribute = op.attribute(key);
  return attribute?.kind === "array" ? attribute.elements.map(attributeText) : [];
}

function listed(functions: readonly string[]): string {
  return `[${functions.join(", ")}]`;
}

/** A binary op with a fused function. */
interface Proposed {
  readonly op: TtnnOp;
  readonly unary: TtnnOp;
  readonly operands: readonly TtnnValue[];
  readonly properties: Properties;
}

function pays({ op, unary, operands, properties }: Proposed, context: PassContext): boolean {
  const apart = [op, unary].map((each) => predictedMicroseconds(each, context));
  const together = context.microseconds(
    proposedWith(op, { operands: operands.map(({ type }) => type), properties }),
  );
  const total = apart.reduce((sum, us) => (sum === undefined || us === undefined ? undefined : sum + us), 0);
  return together !== undefined && total !== undefined && together <= total;
}
