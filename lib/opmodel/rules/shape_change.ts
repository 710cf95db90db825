// SPDX-License-Identifier: Apache-2.0
import { elementBytes } from "../../layout/data_type.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import { physicalExtent } from "../../layout/make_layout.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import { permutationOf, permuteIsView, reshapeIsView, reshapeKeepsPages } from "../../ops/view_shapes.ts";
import { keepsPlace } from "../../programs/data_movement/memory_move.ts";
import { isExchange, permuteStages } from "../../programs/data_movement/permute_chain.ts";
import { movesWhole, reshapedLayout, reshaping } from "../../programs/data_movement/reshape.ts";
import { type ShapedLayout, shardExtent, shardMisfit } from "../../programs/shard_spec.ts";
import { intern, placeIn, placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  defineRule,
  type LayoutStrategy,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  acceptView,
  describeTensor,
  isRefusal,
  type OrRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { onHost } from "./memory_move.ts";
import { lacksSpec, operandAt } from "./program.ts";

function evaluateReshape(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const { op, hint } = query;
  const shape = op.results[0]?.shape;
  if (shape === undefined || volume(shape) !== volume(input.shape)) {
    return refuseConfig(
      op,
      "reshape/volume",
      `${input.shape.join("x")} does not have as many elements as ${shape?.join("x") ?? "its result"}`,
      "tt-metal:reshape",
    );
  }
  if (input.layout.bufferType === "system_memory") return onHost(query, input, context);
  if (lacksSpec(hint) && !isSharded(input.layout)) {
    return refuseLayout(op, "reshape/no-shard-spec", "a sharded output needs a shard spec");
  }
  if (sameExtents(shape, input.shape) && hint === undefined) return acceptView(input, context);
  const program = asProgramTensor(input);
  if (hint !== undefined && movesWhole(program, shape)) {
    const output = placeOutput(query, context, { whenNull: input.layout, page: pagesOf(input.layout) });
    if (isRefusal(output)) return output;
    return keepsPlace(program, asProgramTensor(output))
      ? acceptView(output, context)
      : accept({ outputs: [output] }, context);
  }
  return isReshapeView(input, shape, hint ?? input.layout)
    ? reshapeView(query, input, shape, context)
    : reshapeCopy(query, input, shape, context);
}

/** Whether the operand's buffer is the result, for any requested location in memory of the same kind. */
function isReshapeView({ shape, layout }: Tensor, result: readonly number[], asked: TtnnLayout): boolean {
  return reshapeKeepsPages(shape, result, layout.tile !== undefined) &&
    isSharded(layout) === isSharded(asked) && layout.bufferType === asked.bufferType;
}

function reshapeView(
  query: ConstraintQuery,
  input: Tensor,
  shape: readonly number[],
  context: RuleContext,
): RuleAnswer {
  const { dataType, tile } = input.layout;
  const output = placeIn(query.op, context, { shape, dataType, tile }, input.layout);
  return isRefusal(output) ? output : viewFault(query, output) ?? acceptView(output, context);
}

/** Refusals of views: shards that do not divide rows, and the single row of a vector. */
function viewFault(query: ConstraintQuery, { shape, layout }: Tensor): RuleAnswer | undefined {
  if (!isSharded(layout)) return undefined;
  const [, width] = physicalExtent(shape, layout.tile);
  const shard = shardExtent(layout)[1];
  const isDivided = shape.length > 1 && (layout.tile !== undefined || width % shard === 0);
  return shard === width || isDivided ? undefined : refuseWidth(query, shard, width);
}

function refuseWidth({ op }: ConstraintQuery, shard: number, width: number): RuleAnswer {
  return refuseLayout(op, "reshape/shard-width", `shards of ${shard} columns do not divide ${width}`);
}

/** A vector cannot be tilized into several width shards. */
function vectorFault(
  query: ConstraintQuery,
  shape: readonly number[],
  layout: TtnnLayout,
): RuleAnswer | undefined {
  // Block-float formats pass through an unsharded copy.
  if (shape.length > 1 || layout.memoryLayout !== "width_sharded" || layout.dataType === "bfp_bf8") {
    return undefined;
  }
  const [, width] = physicalExtent(shape, layout.tile);
  const shard = shardExtent(layout)[1];
  return shard === width ? undefined : refuseWidth(query, shard, width);
}

function reshapeCopy(
  query: ConstraintQuery,
  input: Tensor,
  shape: readonly number[],
  context: RuleContext,
): RuleAnswer {
  const { dataType, tile } = input.layout;
  if (!definitionOf(query.op.name).takesFormats([dataType], undefined)) {
    return refuseLayout(query.op, "reshape/format", `${describeTensor(0, input)} cannot be copied`);
  }
  const made = { shape, dataType, tile };
  const derived = reshapedLayout(input, shape, query.hint);
  const wanted = holdsAllRows(derived, shape)
    ? { ...derived, memoryLayout: "width_sharded" as const, gridShape: derived.gridShape.toReversed() }
    : derived;
  const fault = vectorFault(query, shape, wanted) ?? rowFaultOfShards(query, input.layout, context);
  if (fault !== undefined) return fault;
  if (endsInL1(wanted, context)) {
    const output = placeIn(query.op, context, made, {
      ...wanted,
      bufferType: "l1",
      memoryLayout: "interleaved",
    });
    if (isRefusal(output)) return output;
    const launched = reshaping(asProgramTensor(input), asProgramTensor(output), context.chip, true);
    return accept({ outputs: [output], launched: () => launched }, context);
  }
  const output = wanted === query.hint
    ? placeOutput(query, context, { whenNull: wanted, page: pagesOf(input.layout) })
    : placeIn(query.op, context, made, wanted);
  if (isRefusal(output)) return output;
  return rowFaultOfShards(query, output.layout, context) ?? accept({ outputs: [output] }, context);
}

/**
 * Whether the result stays interleaved: requested shards on several rectangles of cores, or row-major blocks
 * that are not aligned.
 */
function endsInL1(wanted: TtnnLayout, { chip }: RuleContext): boolean {
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
function rowFaultOfShards(
  { op }: ConstraintQuery,
  layout: TtnnLayout,
  { chip }: RuleContext,
): RuleAnswer | undefined {
  const bytes = rowBytesOfShards(layout);
  return bytes % chip.l1Alignment === 0 ? undefined : refuseLayout(
    op,
    "reshape/row-alignment",
    `shards with rows of ${bytes} bytes are not aligned to ${chip.l1Alignment}`,
  );
}

/** Whether the first height shard of a tensor holds all of it. */
function holdsAllRows(layout: TtnnLayout, shape: readonly number[]): boolean {
  return layout.memoryLayout === "height_sharded" &&
    shardExtent(layout)[0] >= physicalExtent(shape, layout.tile)[0];
}

function evaluatePermute(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const { op, hint } = query;
  const order = permutationOf(op, input.shape.length);
  if (order === undefined) {
    return refuseConfig(
      op,
      "permute/permutation",
      `its dimensions are not a permutation of the ${input.shape.length} of ${describeTensor(0, input)}`,
      "tt-metal:permute",
    );
  }
  const request = { operand: input, order, isTranspose: op.name === "ttnn.transpose" };
  const stages = permuteStages(request, hint, context.chip);
  const [first, ...more] = stages;
  const last = stages.at(-1);
  if (more.length === 0 && (first?.action === "move" || first?.action === "clone")) {
    return movedAsItIs(query, input, first.action, context);
  }
  const fault = rowFault(query, input, order, context) ?? stageFault(query, stages.slice(0, -1));
  if (fault !== undefined) return fault;
  const output = hint !== undefined && !lacksSpec(hint)
    ? placeOutput(query, context, { whenNull: hint, page: pagesOf(input.layout) })
    : placeDerived(query, input, last?.layout ?? input.layout, context);
  return acceptOne(output, context);
}

/** Intermediate tensors must fit their shards. */
function stageFault({ op }: ConstraintQuery, stages: readonly ShapedLayout[]): RuleAnswer | undefined {
  for (const { shape, layout } of stages) {
    if (!isSharded(layout) || holdsNarrowRows(layout)) continue;
    const misfit = shardMisfit(layout, shape, layout.tile);
    if (misfit !== undefined) {
      return refuseLayout(op, "permute/shards", `an intermediate tensor: ${misfit}`);
    }
  }
  return undefined;
}

function placeDerived(
  { op }: ConstraintQuery,
  { shape, layout: { dataType, tile } }: Tensor,
  memory: TtnnLayout,
  context: RuleContext,
): OrRefusal<Tensor> {
  const made = { shape: op.results[0]?.shape ?? shape, dataType, tile };
  return isSharded(memory) && holdsNarrowRows(memory)
    ? intern(made.shape, memory, context)
    : placeIn(op, context, made, memory);
}

/**
 * Whether a layout has row-major height shards, which the backend makes wider than the tensor if its columns
 * are no whole tiles.
 */
function holdsNarrowRows({ tile, memoryLayout }: TtnnLayout): boolean {
  return tile === undefined && memoryLayout === "height_sharded";
}

/** Only unit dimensions move: the operand itself, moved or copied to other memory. */
function movedAsItIs(
  query: ConstraintQuery,
  input: Tensor,
  action: "move" | "clone",
  context: RuleContext,
): RuleAnswer {
  const output = placeOutput(query, context, { whenNull: input.layout, page: pagesOf(input.layout) });
  if (isRefusal(output)) return output;
  if (keepsPlace(asProgramTensor(input), asProgramTensor(output))) return acceptView(output, context);
  if (action === "clone" && (isSharded(input.layout) || isSharded(output.layout))) {
    return refuseLayout(
      query.op,
      "transpose/clone",
      `${
        describeTensor(0, input)
      } keeps its shards if no dimension moves, so the output must have equal ones`,
    );
  }
  return accept({ outputs: [output] }, context);
}

/** Refuses shards of rows that are not aligned, as requested of a row-major operand. */
function rowFault(
  { op, hint }: ConstraintQuery,
  input: Tensor,
  order: readonly number[],
  { chip }: RuleContext,
): RuleAnswer | undefined {
  if (input.layout.tile !== undefined) return undefined;
  // A transpose with its own program does not check this.
  if (hint === undefined || lacksSpec(hint) || (op.name === "ttnn.transpose" && isExchange(order))) {
    return undefined;
  }
  const bytes = rowBytesOfShards(hint);
  return bytes % chip.l1Alignment === 0 ? undefined : refuseLayout(
    op,
    "permute/row-alignment",
    `the output has rows of ${bytes} bytes, which are not aligned to ${chip.l1Alignment}`,
  );
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
