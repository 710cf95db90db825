// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../ops/op_book.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { PAD } from "../../ops/attributes/movement.ts";
import { coreCount } from "../../layout/core_range.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { rowCount } from "../../layout/extents.ts";
import { physicalExtent, roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, gridVolume, isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { fillFault } from "../../programs/data_movement/fill_pad.ts";
import { INNER_DIMENSIONS, paddedRowsBudget, padPlan, padsTwice } from "../../programs/data_movement/pad.ts";
import { programTensor } from "../../programs/program_tensor.ts";
import { inShards, shardExtent } from "../../programs/shard_spec.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptView,
  describeTensor,
  isRefusal,
  type OrRefusal,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { lacksSpec, missingOperand, operandAt } from "./program.ts";

function evaluatePad(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const { padding } = readAttributes(op, PAD);
  if (padding.length % 2 !== 0 || padding.length > 2 * input.shape.length) {
    return refuseConfig(op, "pad/rank", `${padding.length} amounts for rank ${input.shape.length}`);
  }
  // Without padding nothing is copied, for any requested memory.
  if (padding.every((amount) => amount === 0)) return acceptView(input, context);
  if (!definitionOf(op.name).takesFormats([input.layout.dataType], undefined)) {
    return refuseLayout(op, "pad/format", `${describeTensor(0, input)} has a format that no pad takes`);
  }
  const outer = op.results[0]?.shape.slice(0, -INNER_DIMENSIONS) ?? [];
  if (
    isSharded(input.layout) && input.shape.length > 4 &&
    outer.some((extent, dim) => extent !== input.shape[dim])
  ) {
    return refuseOperand(
      op,
      "pad/stages",
      0,
      input,
      "is padded one dimension at a time, in the shards it has",
    );
  }
  const output = input.layout.tile === undefined
    ? paddedRows(query, context, input)
    : paddedTiles(query, context, input, padding);
  if (isRefusal(output)) return output;
  const { isInPlace, keepsTiles } = padPlan(op, asProgramTensor(input), asProgramTensor(output));
  if (
    !keepsTiles && (padding.at(-2) ?? 0) > 0 && padsTwice(asProgramTensor(input), asProgramTensor(output))
  ) {
    const fault = `${describeTensor(0, input)} cannot be padded before its columns and in its rows at once`;
    return refuseLayout(op, "pad/front-and-rows", fault);
  }
  return isInPlace ? acceptView(output, context) : accept({ outputs: [output] }, context);
}

/**
 * Memory of the result: the requested one, or the operand's. From height shards to shards, wider rows stay on
 * the operand's cores regardless of the request, unless rows are added as well.
 */
function paddedMemory(
  { shape, layout }: Tensor,
  result: readonly number[],
  hint: TtnnLayout | undefined,
): TtnnLayout {
  const asked = hint ?? layout;
  if (layout.memoryLayout !== "height_sharded" || !isSharded(asked)) return asked;
  const [rows] = physicalExtent(shape, undefined);
  const [resultRows, columns] = physicalExtent(result, layout.tile);
  if (columns === shape.at(-1) || (hint !== undefined && rows !== resultRows)) return asked;
  return inShards(layout, layout, [Math.ceil(resultRows / gridVolume(layout)), columns]);
}

/** Padding of a row-major tensor, before and after. */
function paddedRows(query: ConstraintQuery, context: RuleContext, input: Tensor): OrRefusal<Tensor> {
  const { op, hint } = query;
  const shape = op.results[0]?.shape;
  if (shape === undefined) return missingOperand(op, 0);
  const unaligned = rowFault(query, input, `${describeTensor(0, input)} has`, context);
  if (unaligned !== undefined) return unaligned;
  const memory = paddedMemory(input, shape, hint);
  const output = memory === hint
    ? placeOutput(query, context, { whenNull: input.layout, page: "row_major" })
    : placeIn(op, context, { shape, dataType: input.layout.dataType, tile: undefined }, memory);
  if (isRefusal(output)) return output;
  return rowFault(query, output, "the result has", context) ?? lengthFault(query, input, output, context) ??
    output;
}

/** Rows of the result pass through L1 in full, except from height shards to height shards. */
function lengthFault(
  { op }: ConstraintQuery,
  input: Tensor,
  { shape, layout }: Tensor,
  { chip }: RuleContext,
): InvalidConstraints | undefined {
  if (input.layout.memoryLayout === "height_sharded" && layout.memoryLayout === "height_sharded") {
    return undefined;
  }
  const bytes = roundUp((shape.at(-1) ?? 1) * elementBytes(layout.dataType), chip.l1Alignment);
  const budget = paddedRowsBudget(chip);
  return bytes <= budget ? undefined : refuseLayout(
    op,
    "pad/long-row",
    `rows of ${bytes} bytes exceed the ${budget} bytes of L1 per core that the kernel may take`,
  );
}

/** Rows of shards must be aligned on both sides. */
function rowFault(
  { op }: ConstraintQuery,
  { layout }: Tensor,
  what: string,
  { chip }: RuleContext,
): InvalidConstraints | undefined {
  const bytes = isSharded(layout) ? shardExtent(layout)[1] * elementBytes(layout.dataType) : 0;
  return bytes % chip.l1Alignment === 0
    ? undefined
    : refuseLayout(op, "pad/row", `${what} shards with rows of ${bytes} bytes, which are not aligned`);
}

/**
 * Padding of tiled tensors, at the end only. If the tiles already hold the padding, the result stays in the operand's
 * memory unless it goes from shards to interleaved pages or back.
 */
function paddedTiles(
  query: ConstraintQuery,
  context: RuleContext,
  input: Tensor,
  padding: readonly number[],
): OrRefusal<Tensor> {
  const { op, hint } = query;
  const shape = op.results[0]?.shape;
  if (shape === undefined) return missingOperand(op, 0);
  const isInFront = padding.some((amount, at) => at % 2 === 0 && amount > 0);
  if (isInFront) {
    return refuseLayout(
      op,
      "pad/front-of-tiles",
      "a tiled operand is padded at the end only; use a row-major one",
    );
  }
  const { layout } = input;
  const { keepsTiles, fills } = padPlan(op, asProgramTensor(input), undefined);
  if (input.shape.length === 1 && !keepsTiles) {
    return refuseLayout(op, "pad/line", "tiles are added to tensors of two dimensions or more");
  }
  const unfilled = fills ? fillFault(asProgramTensor(input)) : undefined;
  if (unfilled !== undefined) return refuseLayout(op, "pad/fill-shards", unfilled);
  const paged = { shape, dataType: layout.dataType, tile: layout.tile };
  const isOpen = lacksSpec(hint);
  if (
    keepsTiles &&
    (isOpen ? !isSharded(layout) : hint === undefined || isSharded(hint) === isSharded(layout))
  ) {
    return placeIn(op, context, paged, layout);
  }
  const cutsRows = layout.memoryLayout === "height_sharded" && isSharded(hint ?? layout) &&
    (input.shape.at(-2) ?? 1) % 32 !== 0 && (padding.at(-1) ?? 0) > 0 && !keepsTiles;
  if (cutsRows) {
    return refuseLayout(op, "pad/shard-rows", `${describeTensor(0, input)} has rows that end within a tile`);
  }
  const memory = paddedMemory(input, shape, hint);
  const cores = coreCount(layout.coreRanges);
  if (
    !keepsTiles && padsTwice(asProgramTensor(input), programTensor(paged, memory)) &&
    Math.ceil(rowCount(input.shape) / cores) % DEFAULT_TILE.height !== 0
  ) {
    return refuseLayout(
      op,
      "pad/shard-rows",
      `${describeTensor(0, input)} is made wider first, in ${cores} shards that are no whole tiles`,
    );
  }
  if (isOpen && memory !== hint) {
    return refuseLayout(op, "output/no-shard-spec", "a sharded output needs a shard spec");
  }
  return memory === hint
    ? placeOutput(query, context, { whenNull: layout, page: pagesOf(layout) })
    : placeIn(op, context, paged, memory);
}

export const PAD_RULES: RulesOf<"pad"> = {
  /**
   * Rule of `pad`: tiled tensors at the end, row-major tensors on both sides; the operand's memory for NULL.
   */
  pad: defineRule({ strategy: { hints: "non_sharded" }, evaluate: evaluatePad }),
};
