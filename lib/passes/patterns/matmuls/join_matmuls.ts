// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { sameExtents } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { isTensorValue, type TensorValue, type TtnnValue } from "../../../ttnn/value.ts";
import type { TtnnFunction } from "../../../ttnn/function.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import { type PassContext, takeRoomForCopy } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { madeBy, proposed, withoutCasts } from "../matching.ts";

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
  return replacing({
    name: "join-matmuls",
    upstream,
    roots: ["ttnn.matmul", "ttnn.linear"],
    replace: (op, site) => {
      if ((op.operands[0]?.uses.size ?? 0) < FEWEST) return undefined;
      const { body, context } = site;
      const constants = InvariantValues.of(body);
      const search = { op, body, constants };
      const group = groupOf(search, (operand) => mayJoin(search, operand));
      if (group.length < FEWEST || group[0] !== op) return undefined;
      const ordered = byAttentionRole(group, body);
      for (const operand of ordered.flatMap((each) => each.operands.slice(1))) {
        if (constants.has(operand)) raiseConstant(operand, op, body);
      }
      const joined = join(site, ordered);
      if (upstream === "none" && isFasterApart(group, [...joined.values()], context)) return undefined;
      if (!takeRoomForCopy(group.flatMap((each) => each.operandType(1) ?? []), context)) return undefined;
      return joined;
    },
  });
}

/** µs below which waiting for the dispatcher is none. */
const LEAST_WAIT_US = 0.1;

/** Most time of a joined matmul with its slices, as a share of its parts' time: configs are not searched here. */
const MOST_OF_PARTS = 0.7;

/**
 * Whether t(joined matmul) + Σ t(slices) > {@linkcode MOST_OF_PARTS} · Σ t(single matmuls), and either the ops wait for the
 * dispatcher, which takes as long for a slice as for a matmul, or a slice begins within a tile, whose elements are then
 * moved one by one.
 */
function isFasterApart(
  group: readonly TtnnOp[],
  parts: readonly TensorValue[],
  context: PassContext,
): boolean {
  const slices = parts.flatMap(({ producer }) => producer ?? []);
  const product = slices[0]?.operands[0]?.producer;
  const joined = context.inSequence([...product === undefined ? [] : [product], ...slices].map(proposed));
  const cutsTiles = parts.slice(0, -1).some((part) => widthOf(part) % 32 !== 0);
  if (joined === undefined || joined.waited < LEAST_WAIT_US && !cutsTiles) return false;
  const apart = context.inSequence(group.map(proposed));
  return apart !== undefined && joined.microseconds > MOST_OF_PARTS * apart.microseconds;
}

/** Joins matmuls at the first of them; the slices in place of their results. */
function join(site: PassBuilder, ordered: readonly TtnnOp[]): ReadonlyMap<TensorValue, TensorValue> {
  const { anchor: op } = site;
  const side = op.read(MATMUL).transpose_b ? 0 : 1;
  const weights = concatenated(site, ordered.map((each) => each.tensorOperand(1)), side);
  const bias = op.operands.length < 3 ? [] : [concatenated(
    site,
    ordered.map((each) => each.tensorOperand(2)),
    (op.operandType(2)?.shape.length ?? 1) - 1,
  )];
  const results = ordered.map((each) => each.tensorResultAt(0));
  const { shape, dataType } = op.tensorResultAt(0).type;
  const width = results.reduce((sum, result) => sum + widthOf(result), 0);
  const product = site.op(
    op.name,
    [...op.operands.slice(0, 1), weights, ...bias],
    site.type(shape.with(-1, width), dataType),
    op.properties,
    op.attributes,
  );
  let to = 0;
  return new Map(
    results.map((result) => [result, site.slice(product, -1, { from: to, to: to += widthOf(result) })]),
  );
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

/** Whether a matmul has a weight of rank 2 and, if any, a bias of one row. */
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

function concatenated(
  site: PassBuilder,
  parts: readonly (TensorValue | undefined)[],
  dim: number,
): TensorValue {
  return site.inferred("ttnn.concat", parts.filter((part) => part !== undefined), { dim });
}

/** Query, key, value, or none of them. */
type AttentionRole = 0 | 1 | 2 | 3;

/** Ops that pass their first operand through, possibly permuted, scaled, normalised or reshaped. */
const CARRIERS: ReadonlySet<string> = new Set(
  [
    ..."concat layer_norm multiply neg pad permute repeat_interleave reshape rms_norm rotary_embedding".split(
      " ",
    ),
    ..."slice_static to_layout to_memory_config transpose typecast add".split(" "),
  ].map((name) => `ttnn.${name}`),
);

/** Ops that write operand 1 into a cache, operand 0. */
const CACHE_WRITES: ReadonlySet<string> = new Set([
  "ttnn.paged_update_cache",
  "ttnn.fill_cache",
  "ttnn.paged_fill_cache",
]);

/** Steps to follow a value before assuming that it is not part of attention. */
const FARTHEST = 24;

/**
 * Sorts ops by the attention operand that they produce: query, key, value, others; ties keep program order.
 */
function byAttentionRole(ops: readonly TtnnOp[], body: TtnnFunction): readonly TtnnOp[] {
  const roles = new Map(ops.map((op) => [op, roleOf(op.result, body, 0)]));
  return ops.toSorted((a, b) => (roles.get(a) ?? 3) - (roles.get(b) ?? 3));
}

function roleOf(value: TtnnValue, body: TtnnFunction, steps: number): AttentionRole {
  if (steps > FARTHEST) return 3;
  for (const user of value.uses.keys()) {
    const role = roleAt(user, value, body, steps);
    if (role !== 3) return role;
  }
  return 3;
}

function roleAt(user: TtnnOp, value: TtnnValue, body: TtnnFunction, steps: number): AttentionRole {
  const position = user.operands.indexOf(value);
  if (/^ttnn\.(?:paged_)?scaled_dot_product_attention/.test(user.name)) {
    return position === 0 || position === 1 || position === 2 ? position : 3;
  }
  const cache = user.operands[0];
  if (CACHE_WRITES.has(user.name) && position === 1 && cache !== undefined) {
    return roleOf(cache, body, steps + 1);
  }
  if (user.name === "ttnn.matmul") return factorRole(user, position);
  const result = user.results[0];
  return CARRIERS.has(user.name) && result !== undefined ? roleOf(result, body, steps + 1) : 3;
}

/** The role of a matmul's operand in decomposed attention: the second matmul reads a softmax. */
function factorRole(product: TtnnOp, position: number): AttentionRole {
  const [left, right] = product.operands;
  if (left === undefined || right === undefined || !isTensorValue(left)) return 3;
  if (left.type.shape.length < 3) return 3;
  if (position === 0) return 0;
  const weights = withoutCasts(left);
  const guarded = madeBy(weights, "where")?.tensorOperand(2);
  const isWeights = madeBy(guarded === undefined ? weights : withoutCasts(guarded), "softmax") !== undefined;
  return isWeights ? 2 : 1;
}
