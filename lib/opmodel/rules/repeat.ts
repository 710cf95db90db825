// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { REPEAT_INTERLEAVE } from "../../ops/attributes/movement.ts";
import { workerCores } from "../../device/chip_description.ts";
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { normalDim } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import {
  needsAlignedShards,
  repeatedDims,
  repeatsInShards,
  repeatsRows,
} from "../../programs/data_movement/repeat.ts";
import { inShards, type PagedTensor, shardExtent, shardsOverDevice } from "../../programs/shard_spec.ts";
import { DRAM_INTERLEAVED, placeIn, placeOutput, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { movedOrKept } from "./memory_move.ts";
import { checkPaddedBytes, demand, operandAt, wantsShards } from "./program.ts";

function evaluateRepeat(query: ConstraintQuery): Verdict {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const factors = repeatedDims(op, input.shape.length);
  const program = asProgramTensor(input);
  const { layout } = input;
  const { tile, dataType } = layout;
  const isNothing = factors.every((factor) => factor === 1);
  const paged = { shape: resultAt(query).shape, dataType, tile };
  const shards = (memory: TtnnLayout, tensor: PagedTensor) =>
    derivedShards(query, input, tensor, memory, factors);
  const output = hint === undefined
    ? placeIn(query, paged, !isSharded(layout) || isNothing ? layout : shards(layout, paged))
    : placeOutput(query, { whenNull: layout, page: pagesOf(layout), dataType, withoutSpec: shards });
  if (repeatsRows(program, factors)) checkPaddedBytes(query, output);
  if (!isNothing && needsAlignedShards(program, asProgramTensor(output), factors)) {
    const bytes = shardExtent(output.layout)[1] * elementBytes(dataType);
    if (bytes % query.chip.l1Alignment !== 0) {
      refuseLayout(query, "repeat/row", `its result is moved into shards with rows of ${bytes} bytes`);
    }
  }
  if (cutsRaggedRows(input, hint, factors)) {
    const fault = "has shards that do not divide its rows, which would be repeated in place";
    refuseOperand(query, 0, "repeat/ragged-columns", fault);
  }
  return movedOrKept(query, output, isNothing);
}

/**
 * Whether the backend would repeat a row-major operand within its shards although they do not divide its rows: it
 * decides that for rows rounded up to whole shards.
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
 * Shards that the backend derives for a result without a shard spec: the operand's shards scaled by the factors if
 * every core repeats its own shard; otherwise shards over the whole device.
 */
function derivedShards(
  query: ConstraintQuery,
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
    ? rowsOverDevice(query, tensor, memory)
    : shardsOverDevice(query.chip, tensor, memory);
}

/** Alignment in bytes of a row of such a shard. */
const SHARD_ROW_BYTES = 16;

/**
 * Row-major shards over the whole device, with rows of aligned bytes that divide the full row
 * (`ttnn:backend-0-81-1`): width shards as narrow as possible; block shards as small as possible, or rounded up to 32
 * rows and columns where these do not divide the row; blocks that still do not become interleaved in L1.
 */
function rowsOverDevice({ chip }: ConstraintQuery, tensor: PagedTensor, memory: TtnnLayout): TtnnLayout {
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

function evaluateRepeatInterleave(query: ConstraintQuery): Verdict {
  const { layout, shape } = operandAt(query, 0);
  demand(query, 0, "tiled", "repeat/rows");
  if (shape.length === 1 && (isSharded(layout) || wantsShards(query))) {
    refuseOperand(query, 0, "repeat/line", "must be interleaved: it becomes a column");
  }
  const { dim: asked, repeats } = readAttributes(query.op, REPEAT_INTERLEAVE);
  const isLast = normalDim(asked, shape.length) === shape.length - 1;
  const isNothing = repeats === 1;
  if (!isNothing && wantsShards(query) && isBlockFloat(layout.dataType)) {
    refuseOperand(query, 0, "repeat/format", "cannot be cast into shards");
  }
  if (!isNothing && isLast && wantsShards(query) && !isSharded(layout)) {
    refuseLayout(query, "repeat/columns", "columns of an interleaved tensor need an interleaved result");
  }
  const output = placeOutput(query, {
    whenNull: isSharded(layout) && !isNothing ? DRAM_INTERLEAVED : layout,
    dataType: layout.dataType,
  });
  return movedOrKept(query, output, isNothing);
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
