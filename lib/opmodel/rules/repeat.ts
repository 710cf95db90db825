// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { REPEAT_INTERLEAVE } from "../../ops/attributes/movement.ts";
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { normalDim } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { keepsPlace } from "../../programs/data_movement/memory_move.ts";
import {
  needsAlignedShards,
  repeatedDims,
  repeatsInShards,
  repeatsRows,
} from "../../programs/data_movement/repeat.ts";
import { inShards, type PagedTensor, shardExtent, shardsOverDevice } from "../../programs/shard_spec.ts";
import { DRAM_INTERLEAVED, placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { accept, acceptView, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { missingOperand, operandAt, paddedBytesFault, wantsShards } from "./program.ts";

function evaluateRepeat(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const result = op.results[0];
  if (result === undefined) return missingOperand(op, 0);
  const factors = repeatedDims(op, input.shape.length);
  const program = asProgramTensor(input);
  const { layout } = input;
  const { tile } = layout;
  const { dataType } = layout;
  const isNothing = factors.every((factor) => factor === 1);
  const paged = { shape: result.shape, dataType, tile };
  const shards = (memory: TtnnLayout, tensor: PagedTensor) =>
    derivedShards(context, input, tensor, memory, factors);
  const output = hint === undefined
    ? placeIn(op, context, paged, !isSharded(layout) || isNothing ? layout : shards(layout, paged))
    : placeOutput(query, context, { whenNull: layout, page: pagesOf(layout), dataType, withoutSpec: shards });
  if (isRefusal(output)) return output;
  const fault = repeatsRows(program, factors) ? paddedBytesFault(op, input, output) : undefined;
  if (fault !== undefined) return fault;
  if (!isNothing && needsAlignedShards(program, asProgramTensor(output), factors, context.programRules)) {
    const bytes = shardExtent(output.layout)[1] * elementBytes(dataType);
    if (bytes % context.chip.l1Alignment !== 0) {
      return refuseLayout(op, "repeat/row", `its result is moved into shards with rows of ${bytes} bytes`);
    }
  }
  if (cutsRaggedRows(input, hint, factors)) {
    return refuseLayout(
      op,
      "repeat/ragged-columns",
      `${describeTensor(0, input)} has shards that do not divide its rows, which would be repeated in place`,
    );
  }
  return isNothing && keepsPlace(program, asProgramTensor(output))
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

/**
 * Whether the backend would repeat a row-major operand within its shards although they do not divide its rows: it decides
 * that for rows rounded up to whole shards.
 */
function cutsRaggedRows(input: Tensor, hint: TtnnLayout | undefined, factors: readonly number[]): boolean {
  const { layout, shape } = input;
  const [, columns] = shardExtent(layout);
  if (layout.tile !== undefined || !isSharded(layout) || (shape.at(-1) ?? 1) % columns === 0) return false;
  const padded = { ...input, shape: [...shape.slice(0, -1), roundUp(shape.at(-1) ?? 1, columns)] };
  const isDerived = hint === undefined || hint.ignorePhysicalLayout;
  const { memoryLayout, coreRanges } = hint ?? layout;
  return repeatsInShards(asProgramTensor(padded), factors, {
    memoryLayout,
    coreRanges: isDerived ? undefined : coreRanges,
  });
}

/**
 * Shards that the backend derives for a result without a shard spec: the operand's shards scaled by the factors if every
 * core repeats its own shard; otherwise shards over the whole device.
 */
function derivedShards(
  context: RuleContext,
  input: Tensor,
  tensor: PagedTensor,
  memory: TtnnLayout,
  factors: readonly number[],
): TtnnLayout {
  const { memoryLayout } = memory;
  if (repeatsInShards(asProgramTensor(input), factors, { memoryLayout, coreRanges: undefined })) {
    const [rows, columns] = shardExtent(input.layout);
    const across = factors.at(-1) ?? 1;
    const down = factors.slice(0, -1).reduce((product, factor) => product * factor, 1);
    return inShards(input.layout, tensor, [rows * down, columns * across]);
  }
  return tensor.tile === undefined
    ? rowsOverDevice(context.chip, tensor, memory)
    : shardsOverDevice(context.chip, tensor, memory);
}

/** Alignment in bytes of a row of such a shard. */
const SHARD_ROW_BYTES = 16;

/**
 * Row-major shards over the whole device, with rows of aligned bytes that divide the full row
 * (`ttnn:backend-0-81-1`): width shards as narrow as possible; block shards as small as possible, or rounded up to 32
 * rows and columns where these do not divide the row; blocks that still do not become interleaved in L1.
 */
function rowsOverDevice(chip: ChipDescription, tensor: PagedTensor, memory: TtnnLayout): TtnnLayout {
  const columns = tensor.shape.at(-1) ?? 1;
  const bytes = elementBytes(tensor.dataType);
  const divides = (width: number) => width * bytes % SHARD_ROW_BYTES === 0 && columns % width === 0;
  if (memory.memoryLayout === "width_sharded") {
    const width = Array.from({ length: columns }, (_, index) => index + 1)
      .find((width) => divides(width) && width * workerCores(chip) >= columns);
    return shardsOverDevice(chip, tensor, memory, width === undefined ? undefined : [1, width]);
  }
  const plain = shardsOverDevice(chip, tensor, memory, [1, 1]);
  if (memory.memoryLayout !== "block_sharded" || divides(shardExtent(plain)[1])) return plain;
  const rounded = shardsOverDevice(chip, tensor, memory, [32, 32]);
  return divides(shardExtent(rounded)[1]) ? rounded : { ...DRAM_INTERLEAVED, bufferType: "l1" };
}

function evaluateRepeatInterleave(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  const { layout, shape } = input;
  if (layout.tile === undefined) {
    return refuseLayout(op, "repeat/rows", `${describeTensor(0, input)} must be tiled`);
  }
  if (shape.length === 1 && (isSharded(layout) || wantsShards(query))) {
    return refuseLayout(
      op,
      "repeat/line",
      `${describeTensor(0, input)} must be interleaved: it becomes a column`,
    );
  }
  const { dim: asked, repeats } = readAttributes(op, REPEAT_INTERLEAVE);
  const dim = normalDim(asked, shape.length);
  const isNothing = repeats === 1;
  if (!isNothing && wantsShards(query) && isBlockFloat(layout.dataType)) {
    return refuseLayout(op, "repeat/format", `${describeTensor(0, input)} cannot be cast into shards`);
  }
  if (!isNothing && dim === shape.length - 1 && wantsShards(query) && !isSharded(layout)) {
    return refuseLayout(
      op,
      "repeat/columns",
      "columns of an interleaved tensor need an interleaved result",
    );
  }
  const output = placeOutput(query, context, {
    whenNull: isSharded(layout) && !isNothing ? DRAM_INTERLEAVED : layout,
    dataType: layout.dataType,
  });
  if (isRefusal(output)) return output;
  return isNothing && keepsPlace(asProgramTensor(input), asProgramTensor(output))
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

export const REPEAT_RULES: RulesOf<"repeat" | "repeat_interleave"> = {
  /**
   * Rule of `repeat`: repeats pages, or rows if tiles do not end at the extent; sharded results are divided
   * over the device.
   */
  repeat: defineRule({ strategy: { hints: "null_and_sharded" }, evaluate: evaluateRepeat }),
  /** Rule of `repeat_interleave`: NULL gives DRAM interleaved for a sharded operand. */
  repeat_interleave: defineRule({ evaluate: evaluateRepeatInterleave }),
};
