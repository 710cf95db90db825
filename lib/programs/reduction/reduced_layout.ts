// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { boxExtent, coreCount } from "../../layout/core_range.ts";
import { sameExtents, volume } from "../../layout/extents.ts";
import { physicalUnits } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { recutShards, reshapeSteps } from "../data_movement/reshape.ts";
import type { ChainStep } from "../launch_sequence.ts";
import {
  deviceMemory,
  interleavedCopy,
  isInShards,
  layoutOf,
  type ProgramTensor,
  programTensor,
} from "../program_tensor.ts";
import { shardMisfit } from "../shard_spec.ts";

/** Result layouts of reductions (`ttnn:backend-0-81-1`). */

/** Why a chain of programs cannot run, as an exception. */
export class StepFault extends Error {
  /** Stable name of the rule, without the family. */
  readonly rule: string;

  constructor(rule: string, fault: string) {
    super(fault);
    this.name = "StepFault";
    this.rule = rule;
  }
}

/**
 * The layout of a reduction's result: memory layout and buffer type of the requested memory, on its cores, or
 * the operand's if it has no shard spec; shards are computed anew. A result whose rows fit one height shard
 * becomes width sharded.
 *
 * @throws {StepFault} if there are no cores, or for blocks no single rectangle of cores
 */
export function reducedLayout(tensor: TensorShape, asked: TtnnLayout, operand: TtnnLayout): TtnnLayout {
  if (!isSharded(asked)) return asked;
  const source = asked.ignorePhysicalLayout ? operand : asked;
  if (!isSharded(source) || source.bufferType !== asked.bufferType) {
    throw new StepFault("no-shard-spec", "a sharded result of an operand in other memory needs a shard spec");
  }
  const { memoryLayout } = asked;
  const { dataType, shape } = tensor;
  const layout = { ...source, dataType, tile: DEFAULT_TILE, memoryLayout, ignorePhysicalLayout: false };
  const [rows, columns] = physicalUnits(shape, DEFAULT_TILE);
  if (memoryLayout === "block_sharded") {
    if (source.coreRanges.length !== 1) {
      throw new StepFault("block-cores", "blocks need one rectangle of cores");
    }
    const [down, across] = boxExtent(source.coreRanges);
    return {
      ...layout,
      gridShape: [down, across],
      shardShape: [Math.ceil(rows / down), Math.ceil(columns / across)],
    };
  }
  const cores = coreCount(source.coreRanges);
  return memoryLayout === "height_sharded" && Math.ceil(rows / cores) === rows
    ? { ...layout, memoryLayout: "width_sharded", gridShape: [1, cores], shardShape: [rows, columns] }
    : recutShards(layout, shape);
}

/** The requested shards for a tiled tensor. @throws {StepFault} if they cannot hold it */
export function fitting({ shape, dataType }: TensorShape, asked: TtnnLayout): TtnnLayout {
  const layout = { ...asked, dataType, tile: DEFAULT_TILE };
  const misfit = isSharded(layout) ? shardMisfit(layout, shape, DEFAULT_TILE) : undefined;
  if (misfit !== undefined) {
    throw new StepFault("step-shards", `an intermediate of ${shape.join("x")}: ${misfit}`);
  }
  return layout;
}

/** The reshape by which a reduction drops dimensions (`ttnn:backend-0-81-1`). */

/** Steps of a reshape, and the reshaped tensor. */
export interface Dropped {
  readonly tensor: ProgramTensor;
  readonly steps: readonly ChainStep[];
}

/**
 * The tensor without its reduced dimensions. No program runs if every element stays in its tile. Sharded
 * results need one rectangle of cores; otherwise the result is interleaved.
 *
 * @throws {StepFault} if shards would split a row that does not fill its tiles
 */
export function dropDimensions(
  tensor: ProgramTensor,
  shape: readonly number[],
  chip: ChipDescription,
): Dropped {
  if (sameExtents(tensor.shape, shape)) return { tensor, steps: [] };
  const { dataType } = tensor;
  const layout = layoutOf(tensor);
  if (keepsTiles(tensor.shape, shape)) {
    return { tensor: wholeRow(programTensor({ shape, dataType }, layout)), steps: [] };
  }
  const onCores = isInShards(tensor) && tensor.coreRanges.length > 1;
  const target = onCores
    ? interleavedCopy({ ...tensor, shape }, deviceMemory(tensor))
    : wholeRow(programTensor({ shape, dataType }, keptLayout(layout, shape)));
  // The reshape does not free its operand.
  const steps = reshapeSteps(tensor, target, chip, onCores).map((step) => ({
    ...step,
    frees: step.frees?.filter((freed) => freed !== tensor) ?? [],
  }));
  return { tensor: target, steps };
}

/** Whether every element stays in its tile. */
function keepsTiles(from: readonly number[], to: readonly number[]): boolean {
  if (volume(from) === 1) return true;
  const [height, newHeight] = [from.at(-2) ?? 1, to.at(-2) ?? 1];
  return (from.at(-1) ?? 1) === (to.at(-1) ?? 1) &&
    (height === newHeight || (height % 32 === 0 && newHeight % 32 === 0));
}

/**
 * A tensor of one element, or of one dimension that does not fill its tiles, is in a single shard of that
 * size.
 */
function wholeRow(tensor: ProgramTensor): ProgramTensor {
  const { shape, shardShape } = tensor;
  const [length = 1] = shape;
  const isRagged = shape.length < 2 && length % 32 !== 0;
  if (isRagged && isInShards(tensor) && shardShape[1] !== Math.ceil(length / 32)) {
    throw new StepFault("ragged-row", `a row of ${length} elements does not fill its shards`);
  }
  return tensor;
}

/** New shards on the same cores; equal blocks on as many of them as divide the tensor. */
function keptLayout(layout: TtnnLayout, shape: readonly number[]): TtnnLayout {
  const kept = reducedLayout({ shape, dataType: layout.dataType }, layout, layout);
  return kept.memoryLayout === "block_sharded" ? recutShards(kept, shape) : kept;
}
