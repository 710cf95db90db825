// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../ops/attributes/matmul.ts";
import { sameExtents } from "../../layout/extents.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import type { TensorValue, TtnnValue } from "../../ttnn/value.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import { InvariantValues, raiseConstant } from "../invariant_values.ts";
import { mayCopy } from "../graph_pass.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { byAttentionRole } from "./attention_roles.ts";
import { PassBuilder } from "../pass_builder.ts";

/** Least number of matmuls, as in upstream: query, key and value, but not the two of a gated feed-forward. */
const FEWEST = 3;

/**
 * Merges several matmuls of one tensor with parameters into one matmul with the concatenated parameters,
 * sliced afterwards (tt-mlir: shared left-hand side of matmuls), in the order query, key, value. The
 * parameters are concatenated once, at load.
 */
export const joinMatmuls: RewritePattern = joiningPattern(
  "none",
  ({ constants }, operand) => constants.has(operand),
);

/**
 * As {@linkcode joinMatmuls}, for arbitrary operands, as in upstream: without argument types, the
 * concatenation runs in every inference.
 */
export const joinMatmulsAsUpstream: RewritePattern = joiningPattern(
  "only-upstream",
  ({ constants, op, body }, operand) =>
    constants.has(operand) || operand.producer === undefined || body.isBefore(operand.producer, op),
);

/** The search for a group of matmuls. */
interface Search {
  /** The first matmul in program order. */
  readonly op: TtnnOp;
  readonly body: TtnnFunction;
  readonly constants: InvariantValues;
}

function joiningPattern(
  upstream: RewritePattern["upstream"],
  mayJoin: (search: Search, operand: TtnnValue) => boolean,
): RewritePattern {
  return {
    name: "join-matmuls",
    upstream,
    roots: ["ttnn.matmul", "ttnn.linear"],
    rewrite: (op, body, context) => {
      if ((op.operands[0]?.uses.size ?? 0) < FEWEST) return false;
      const search = { op, body, constants: new InvariantValues(body) };
      const group = groupOf(search, (operand) => mayJoin(search, operand));
      const [first] = group;
      if (group.length < FEWEST || first !== op) return false;
      if (!mayCopy(group.flatMap((each) => each.operandType(1) ?? []), context)) return false;
      return join(new PassBuilder(body, op, context), byAttentionRole(group, body), search.constants);
    },
  };
}

/** Joins matmuls at the first of them. */
function join(site: PassBuilder, ordered: readonly TtnnOp[], constants: InvariantValues): boolean {
  const { anchor: op, body, context } = site;
  for (const operand of ordered.flatMap((each) => each.operands.slice(1))) {
    if (constants.has(operand)) raiseConstant(operand, op, body);
  }
  const isTransposed = op.read(MATMUL).transpose_b;
  const weights = joined(site, ordered.map((each) => each.tensorOperand(1)), isTransposed ? 0 : 1);
  const bias = op.operands.length < 3 ? [] : [joined(
    site,
    ordered.map((each) => each.tensorOperand(2)),
    (op.operandType(2)?.shape.length ?? 1) - 1,
  )];
  const results = ordered.flatMap((each) => each.tensorResult ?? []);
  const type = results[0]?.type;
  const input = op.operands[0];
  if (type === undefined || input === undefined) return false;
  const width = results.reduce((sum, result) => sum + widthOf(result), 0);
  const product = body.insertBefore(op, {
    name: op.name,
    operands: [input, weights, ...bias],
    resultTypes: [tensorType(context.chip, type.shape.with(-1, width), type.dataType)],
    properties: op.properties,
    attributes: op.attributes,
  }).tensorResultAt(0);
  let from = 0;
  for (const result of results) {
    const to = from + widthOf(result);
    body.replaceAllUses(result, site.slice(product, -1, { from, to }));
    from = to;
  }
  return true;
}

function widthOf({ type }: TensorValue): number {
  return type.shape.at(-1) ?? 1;
}

/** All matmuls that can be joined with one on its first operand, in order. */
function groupOf(
  { op, body }: Search,
  mayJoin: (operand: TtnnValue) => boolean,
): readonly TtnnOp[] {
  const [input] = op.operands;
  if (input === undefined || !isJoinable(op, mayJoin)) return [];
  return [...input.uses.keys()].filter((other) => isJoinable(other, mayJoin) && isEquivalent(op, other)).sort(
    (
      a,
      b,
    ) => body.isBefore(a, b) ? -1 : 1,
  );
}

/** A matmul with rank-2 operands whose bias, if any, is a row. */
function isJoinable(op: TtnnOp, mayJoin: (operand: TtnnValue) => boolean): boolean {
  const [weight, bias] = [op.tensorOperand(1), op.operandType(2)];
  const result = op.tensorResult;
  if (result === undefined || weight?.type.shape.length !== 2 || op.operands[0] === weight) return false;
  const isRow = bias === undefined ||
    sameExtents(bias.shape.slice(0, -1), bias.shape.slice(0, -1).map(() => 1));
  return isRow && (bias === undefined || bias.shape.at(-1) === widthOf(result)) &&
    op.operands.slice(1).every(mayJoin);
}

function isEquivalent(a: TtnnOp, b: TtnnOp): boolean {
  const same = (key: string): boolean => a.properties.get(key) === b.properties.get(key);
  const [left, right] = [a.tensorResult, b.tensorResult];
  const keys = new Set([...a.properties.keys(), ...b.properties.keys()]);
  return a.name === b.name && a.operands[0] === b.operands[0] && a.operands.length === b.operands.length &&
    left !== undefined && right !== undefined && left.type.dataType === right.type.dataType &&
    [...keys].every(same) &&
    a.attributes.get("ttcore.weight_dtype") === b.attributes.get("ttcore.weight_dtype") &&
    [1, 2].every((index) => a.operandType(index)?.dataType === b.operandType(index)?.dataType) &&
    a.operandType(2)?.shape.length === b.operandType(2)?.shape.length;
}

function joined(site: PassBuilder, parts: readonly (TensorValue | undefined)[], dim: number): TensorValue {
  const tensors = parts.filter((part) => part !== undefined);
  const [first] = tensors;
  if (first === undefined) throw new RangeError("nothing to join");
  const extent = tensors.reduce((sum, { type }) => sum + (type.shape[dim] ?? 0), 0);
  const properties = { dim: dim };
  return site.tensor("ttnn.concat", tensors, {
    shape: first.type.shape.with(dim, extent),
    dataType: first.type.dataType,
  }, properties);
}
