// SPDX-License-Identifier: Apache-2.0
import { elementBytes } from "../../layout/data_type.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import { physicalExtent } from "../../layout/make_layout.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import { permutationOf, permuteIsView, reshapeIsView, reshapeKeepsPages } from "../../ops/view_shapes.ts";
import { isExchange, permuteStages } from "../../programs/data_movement/permute_chain.ts";
import { movesWhole, reshapedLayout, reshaping } from "../../programs/data_movement/reshape.ts";
import { type ShapedLayout, shardExtent, shardMisfit } from "../../programs/shard_spec.ts";
import { intern, placeIn, placeOutput, refuseOpenShards } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type LayoutStrategy, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  describeOperand,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type Verdict,
  viewOf,
} from "../verdict.ts";
import { movedOrKept, onHost } from "./memory_move.ts";
import { demandTakenFormat, lacksSpec, operandAt } from "./program.ts";

function evaluateReshape(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const { op, hint } = query;
  const shape = op.results[0]?.shape;
  if (shape === undefined || volume(shape) !== volume(input.shape)) {
    refuseConfig(
      query,
      "reshape/volume",
      `${input.shape.join("x")} does not have as many elements as ${shape?.join("x") ?? "its result"}`,
      "tt-metal:reshape",
    );
  }
  if (input.layout.bufferType === "system_memory") return onHost(query);
  if (lacksSpec(hint) && !isSharded(input.layout)) refuseOpenShards(query, "reshape/no-shard-spec");
  if (sameExtents(shape, input.shape) && hint === undefined) return viewOf(input);
  if (hint !== undefined && movesWhole(asProgramTensor(input), shape)) {
    return movedOrKept(
      query,
      placeOutput(query, { whenNull: input.layout, page: pagesOf(input.layout) }),
    );
  }
  return isReshapeView(input, shape, hint ?? input.layout)
    ? reshapeView(query, input, shape)
    : reshapeCopy(query, input, shape);
}

/** Whether the operand's buffer is the result, for any requested location in memory of the same kind. */
function isReshapeView({ shape, layout }: Tensor, result: readonly number[], asked: TtnnLayout): boolean {
  return reshapeKeepsPages(shape, result, layout.tile !== undefined) &&
    isSharded(layout) === isSharded(asked) && layout.bufferType === asked.bufferType;
}

/** A view. Refuses shards that do not divide rows, and those of the single row of a vector. */
function reshapeView(query: ConstraintQuery, input: Tensor, shape: readonly number[]): Verdict {
  const { dataType, tile } = input.layout;
  const output = placeIn(query, { shape, dataType, tile }, input.layout);
  if (isSharded(output.layout)) {
    const [, width] = physicalExtent(shape, tile);
    const shard = shardExtent(output.layout)[1];
    const isDivided = shape.length > 1 && (tile !== undefined || width % shard === 0);
    if (shard !== width && !isDivided) refuseWidth(query, shard, width);
  }
  return viewOf(output);
}

function refuseWidth(query: ConstraintQuery, shard: number, width: number): never {
  refuseLayout(query, "reshape/shard-width", `shards of ${shard} columns do not divide ${width}`);
}

/** A vector cannot be tilized into several width shards. */
function checkVector(query: ConstraintQuery, shape: readonly number[], layout: TtnnLayout): void {
  // Block-float formats pass through an unsharded copy.
  if (shape.length > 1 || layout.memoryLayout !== "width_sharded" || layout.dataType === "bfp_bf8") return;
  const [, width] = physicalExtent(shape, layout.tile);
  const shard = shardExtent(layout)[1];
  if (shard !== width) refuseWidth(query, shard, width);
}

function reshapeCopy(query: ConstraintQuery, input: Tensor, shape: readonly number[]): Verdict {
  const { dataType, tile } = input.layout;
  demandTakenFormat(query, "reshape/format", "cannot be copied");
  const made = { shape, dataType, tile };
  const derived = reshapedLayout(input, shape, query.hint);
  const wanted = holdsAllRows(derived, shape)
    ? { ...derived, memoryLayout: "width_sharded" as const, gridShape: derived.gridShape.toReversed() }
    : derived;
  checkVector(query, shape, wanted);
  checkRowsOfShards(query, input.layout);
  if (endsInterleaved(query, wanted)) {
    const output = placeIn(query, made, { ...wanted, bufferType: "l1", memoryLayout: "interleaved" });
    const launched = reshaping(asProgramTensor(input), asProgramTensor(output), query.chip, true);
    return { outputs: [output], launched: () => launched };
  }
  const output = wanted === query.hint
    ? placeOutput(query, { whenNull: wanted, page: pagesOf(input.layout) })
    : placeIn(query, made, wanted);
  checkRowsOfShards(query, output.layout);
  return { outputs: [output] };
}

/**
 * Whether a reshape that is asked for shards ends in interleaved L1 all the same: shards on several rectangles of
 * cores, or row-major blocks that are not aligned.
 */
function endsInterleaved({ chip }: ConstraintQuery, wanted: TtnnLayout): boolean {
  if (!isSharded(wanted)) return false;
  const isAligned = wanted.memoryLayout !== "block_sharded" ||
    rowBytesOfShards(wanted) % chip.l1Alignment === 0;
  return wanted.coreRanges.length > 1 || !isAligned;
}

/** Bytes of a row of a row-major shard; 0 for all other layouts. */
function rowBytesOfShards(layout: TtnnLayout): number {
  return layout.tile === undefined && isSharded(layout)
    ? shardExtent(layout)[1] * elementBytes(layout.dataType)
    : 0;
}

/** Row-major shards are gathered before and scattered after the op, which requires aligned rows. */
function checkRowsOfShards(query: ConstraintQuery, layout: TtnnLayout): void {
  const bytes = rowBytesOfShards(layout);
  const { l1Alignment } = query.chip;
  if (bytes % l1Alignment !== 0) {
    const fault = `shards with rows of ${bytes} bytes are not aligned to ${l1Alignment}`;
    refuseLayout(query, "reshape/row-alignment", fault);
  }
}

/** Whether the first height shard of a tensor holds all of it. */
function holdsAllRows(layout: TtnnLayout, shape: readonly number[]): boolean {
  return layout.memoryLayout === "height_sharded" &&
    shardExtent(layout)[0] >= physicalExtent(shape, layout.tile)[0];
}

function evaluatePermute(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const { op, hint } = query;
  const order = permutationOf(op, input.shape.length);
  if (order === undefined) {
    refuseConfig(
      query,
      "permute/permutation",
      `its dimensions are not a permutation of the ${input.shape.length} of ${describeOperand(query, 0)}`,
      "tt-metal:permute",
    );
  }
  const request = { operand: input, order, isTranspose: op.name === "ttnn.transpose" };
  const stages = permuteStages(request, hint, query.chip);
  const [first, ...more] = stages;
  const last = stages.at(-1);
  if (more.length === 0 && (first?.action === "move" || first?.action === "clone")) {
    return movedAsItIs(query, input, first.action);
  }
  checkRows(query, input, order);
  checkStages(query, stages.slice(0, -1));
  const output = hint !== undefined && !lacksSpec(hint)
    ? placeOutput(query, { whenNull: hint, page: pagesOf(input.layout) })
    : placeDerived(query, input, last?.layout ?? input.layout);
  return { outputs: [output] };
}

/** Intermediate tensors must fit their shards. */
function checkStages(query: ConstraintQuery, stages: readonly ShapedLayout[]): void {
  for (const { shape, layout } of stages) {
    if (!isSharded(layout) || holdsNarrowRows(layout)) continue;
    const misfit = shardMisfit(layout, shape, layout.tile);
    if (misfit !== undefined) refuseLayout(query, "permute/shards", `an intermediate tensor: ${misfit}`);
  }
}

function placeDerived(
  query: ConstraintQuery,
  { shape, layout: { dataType, tile } }: Tensor,
  memory: TtnnLayout,
): Tensor {
  const made = { shape: query.op.results[0]?.shape ?? shape, dataType, tile };
  return isSharded(memory) && holdsNarrowRows(memory)
    ? intern(query, made.shape, memory)
    : placeIn(query, made, memory);
}

/**
 * Whether a layout has row-major height shards, which the backend makes wider than the tensor if its columns
 * are no whole tiles.
 */
function holdsNarrowRows({ tile, memoryLayout }: TtnnLayout): boolean {
  return tile === undefined && memoryLayout === "height_sharded";
}

/** Only unit dimensions move: the operand itself, moved or copied to other memory. */
function movedAsItIs(query: ConstraintQuery, { layout }: Tensor, action: "move" | "clone"): Verdict {
  const output = placeOutput(query, { whenNull: layout, page: pagesOf(layout) });
  const verdict = movedOrKept(query, output);
  const copiesShards = verdict.aliasedOperand === undefined && action === "clone" &&
    (isSharded(layout) || isSharded(output.layout));
  if (copiesShards) {
    const fault = "keeps its shards if no dimension moves, so the output must have equal ones";
    refuseOperand(query, 0, "transpose/clone", fault);
  }
  return verdict;
}

/** Refuses shards of rows that are not aligned, as requested of a row-major operand. */
function checkRows(query: ConstraintQuery, input: Tensor, order: readonly number[]): void {
  const { op, hint, chip } = query;
  if (input.layout.tile !== undefined || hint === undefined || lacksSpec(hint)) return;
  // A transpose with its own program does not check this.
  if (op.name === "ttnn.transpose" && isExchange(order)) return;
  const bytes = rowBytesOfShards(hint);
  if (bytes % chip.l1Alignment !== 0) {
    const fault = `the output has rows of ${bytes} bytes, which are not aligned to ${chip.l1Alignment}`;
    refuseLayout(query, "permute/row-alignment", fault);
  }
}

/** Whether a scalar is reshaped, which the compiler does not treat as a view (`tt-mlir:greedy-2026-10`). */
function isOfScalar({ operands: [operand] }: OpSignature): boolean {
  return operand?.shape.length === 0;
}

export const SHAPE_CHANGE_RULES: RulesOf<"reshape" | "permute" | "transpose"> = {
  reshape: defineRule({
    strategy: (op): LayoutStrategy => ({
      hints: reshapeIsView(op, true) && !isOfScalar(op) ? "null" : "non_sharded",
      inputs: ["not_width_sharded"],
      exploresReshards: false,
    }),
    evaluate: evaluateReshape,
  }),
  permute: defineRule({
    strategy: (op): LayoutStrategy => ({
      hints: permuteIsView(op, true) ? "null" : "non_sharded",
      inputs: ["not_width_sharded"],
      exploresReshards: false,
    }),
    evaluate: evaluatePermute,
  }),
  /** Rule of `transpose`, a permute that swaps two dimensions. */
  transpose: defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_width_sharded"], exploresReshards: false },
    evaluate: evaluatePermute,
  }),
};
