// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { PAD } from "../../ops/attributes/movement.ts";
import { coreCount } from "../../layout/core_range.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { rowCount } from "../../layout/extents.ts";
import { physicalExtent, roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, gridVolume, isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import {
  fillFault,
  INNER_DIMENSIONS,
  paddedRowsBudget,
  padPlan,
  padsTwice,
} from "../../programs/data_movement/pad.ts";
import { programTensor } from "../../programs/program_tensor.ts";
import { inShards, shardExtent } from "../../programs/shard_spec.ts";
import { placeIn, placeOutput, refuseOpenShards, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  describeOperand,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type Verdict,
  viewOf,
} from "../verdict.ts";
import { demandTakenFormat, lacksSpec, operandAt } from "./program.ts";

function evaluatePad(query: ConstraintQuery): Verdict {
  const { op } = query;
  const input = operandAt(query, 0);
  const { padding } = readAttributes(op, PAD);
  if (padding.length % 2 !== 0 || padding.length > 2 * input.shape.length) {
    refuseConfig(query, "pad/rank", `${padding.length} amounts for rank ${input.shape.length}`);
  }
  // Without padding nothing is copied, for any requested memory.
  if (padding.every((amount) => amount === 0)) return viewOf(input);
  demandTakenFormat(query, "pad/format", "has a format that no pad takes");
  const outer = resultAt(query).shape.slice(0, -INNER_DIMENSIONS);
  const padsOuter = outer.some((extent, dim) => extent !== input.shape[dim]);
  if (isSharded(input.layout) && input.shape.length > 4 && padsOuter) {
    refuseOperand(query, 0, "pad/stages", "is padded one dimension at a time, in the shards it has");
  }
  const output = input.layout.tile === undefined
    ? paddedRows(query, input)
    : paddedTiles(query, input, padding);
  const [from, to] = [asProgramTensor(input), asProgramTensor(output)];
  const { isInPlace, keepsTiles } = padPlan(op, from, to);
  if (!keepsTiles && (padding.at(-2) ?? 0) > 0 && padsTwice(from, to)) {
    const fault = "cannot be padded before its columns and in its rows at once";
    refuseOperand(query, 0, "pad/front-and-rows", fault);
  }
  return isInPlace ? viewOf(output) : { outputs: [output] };
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
function paddedRows(query: ConstraintQuery, input: Tensor): Tensor {
  const { shape } = resultAt(query);
  checkRows(query, input, `${describeOperand(query, 0)} has`);
  const memory = paddedMemory(input, shape, query.hint);
  const output = memory === query.hint
    ? placeOutput(query, { whenNull: input.layout, page: "row_major" })
    : placeIn(query, { shape, dataType: input.layout.dataType, tile: undefined }, memory);
  checkRows(query, output, "the result has");
  checkLength(query, input, output);
  return output;
}

/** Rows of the result pass through L1 in full, except from height shards to height shards. */
function checkLength(query: ConstraintQuery, input: Tensor, { shape, layout }: Tensor): void {
  if (input.layout.memoryLayout === "height_sharded" && layout.memoryLayout === "height_sharded") return;
  const bytes = roundUp((shape.at(-1) ?? 1) * elementBytes(layout.dataType), query.chip.l1Alignment);
  const budget = paddedRowsBudget(query.chip);
  if (bytes > budget) {
    const fault = `rows of ${bytes} bytes exceed the ${budget} bytes of L1 per core that the kernel may take`;
    refuseLayout(query, "pad/long-row", fault);
  }
}

/** Rows of shards must be aligned on both sides. */
function checkRows(query: ConstraintQuery, { layout }: Tensor, what: string): void {
  const bytes = isSharded(layout) ? shardExtent(layout)[1] * elementBytes(layout.dataType) : 0;
  if (bytes % query.chip.l1Alignment !== 0) {
    refuseLayout(query, "pad/row", `${what} shards with rows of ${bytes} bytes, which are not aligned`);
  }
}

/**
 * Padding of tiled tensors, at the end only. If the tiles already hold the padding, the result stays in the operand's
 * memory unless it goes from shards to interleaved pages or back.
 */
function paddedTiles(query: ConstraintQuery, input: Tensor, padding: readonly number[]): Tensor {
  const { op, hint } = query;
  const { shape } = resultAt(query);
  if (padding.some((amount, at) => at % 2 === 0 && amount > 0)) {
    const fault = "a tiled operand is padded at the end only; use a row-major one";
    refuseLayout(query, "pad/front-of-tiles", fault);
  }
  const { layout } = input;
  const program = asProgramTensor(input);
  const { keepsTiles, fills } = padPlan(op, program, undefined);
  if (input.shape.length === 1 && !keepsTiles) {
    refuseLayout(query, "pad/line", "tiles are added to tensors of two dimensions or more");
  }
  const unfilled = fills ? fillFault(program) : undefined;
  if (unfilled !== undefined) refuseLayout(query, "pad/fill-shards", unfilled);
  const paged = { shape, dataType: layout.dataType, tile: layout.tile };
  const isOpen = lacksSpec(hint);
  if (
    keepsTiles &&
    (isOpen ? !isSharded(layout) : hint === undefined || isSharded(hint) === isSharded(layout))
  ) return placeIn(query, paged, layout);
  const cutsRows = layout.memoryLayout === "height_sharded" && isSharded(hint ?? layout) &&
    (input.shape.at(-2) ?? 1) % 32 !== 0 && (padding.at(-1) ?? 0) > 0 && !keepsTiles;
  if (cutsRows) refuseOperand(query, 0, "pad/shard-rows", "has rows that end within a tile");
  const memory = paddedMemory(input, shape, hint);
  const cores = coreCount(layout.coreRanges);
  if (
    !keepsTiles && padsTwice(program, programTensor(paged, memory)) &&
    Math.ceil(rowCount(input.shape) / cores) % DEFAULT_TILE.height !== 0
  ) {
    const fault = `is made wider first, in ${cores} shards that are no whole tiles`;
    refuseOperand(query, 0, "pad/shard-rows", fault);
  }
  if (isOpen && memory !== hint) refuseOpenShards(query);
  return memory === hint
    ? placeOutput(query, { whenNull: layout, page: pagesOf(layout) })
    : placeIn(query, paged, memory);
}

export const PAD_RULES: RulesOf<"pad"> = {
  /**
   * Rule of `pad`: tiled tensors at the end, row-major tensors on both sides; the operand's memory for NULL.
   */
  pad: defineRule({ strategy: { hints: "non_sharded" }, evaluate: evaluatePad }),
};
