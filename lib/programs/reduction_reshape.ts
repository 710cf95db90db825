// SPDX-License-Identifier: Apache-2.0

/** The reshape with which a reduction drops the dimensions that it does not keep (`ttnn-0.81.1`). */

import type { ChipDescription } from "../device/chip_description.ts";
import { boundingBox } from "../layout/core_range.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import { sameExtents, volume } from "../layout/extents.ts";
import { physicalUnits } from "../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { fillPadding } from "./fill_pad.ts";
import { largestDivisor } from "./matmul_blocking.ts";
import type { StreamProgram } from "./program.ts";
import { bytesPerTile, type ProgramTensor } from "./program_tensor.ts";
import { interleavedTiles, reducedLayout, StepFault } from "./reduced_layout.ts";
import { typecast } from "./reduction_moves.ts";
import { shardTransfer } from "./relayout.ts";
import { reshapeTiles } from "./reshape.ts";
import type { ShapedLayout } from "./shard_spec.ts";
import { asProgramTensor, type StepChain, type StepTensor } from "./step_chain.ts";

/**
 * The tensor without its reduced dimensions. Nothing runs where every tile stays; else elements find new tiles, block
 * floats as bf16. Shards are kept on one rectangle of cores, of block floats through interleaved memory and back; on
 * other cores the result is interleaved.
 *
 * @throws {StepFault} if shards would cut a row that does not fill its tiles
 */
export function dropDimensions(
  chain: StepChain,
  tensor: StepTensor,
  shape: readonly number[],
  chip: ChipDescription,
): StepTensor {
  if (sameExtents(tensor.shape, shape)) return tensor;
  if (keepsTiles(tensor.shape, shape)) return wholeRow({ ...tensor, shape });
  const { layout } = tensor;
  const isBlock = isBlockFloat(layout.dataType);
  const onRectangle = layout.coreRanges.length === 1;
  if (!isSharded(layout) || (onRectangle && !isBlock)) return reshaped(chain, tensor, shape, chip);
  const gathered = chain.make({
    shape: tensor.shape,
    layout: interleavedTiles(
      { shape: tensor.shape, dataType: layout.dataType },
      layout.bufferType,
      chip,
    ),
  });
  chain.run({
    ...shardTransfer(asProgramTensor(tensor), asProgramTensor(gathered)),
    circularBuffers: [],
  });
  chain.free(tensor);
  const dropped = reshaped(chain, gathered, shape, chip);
  if (!onRectangle) return dropped;
  const target = wholeRow({
    shape,
    layout: reducedLayout({ shape, dataType: layout.dataType }, layout, layout, chip),
    buffer: undefined,
  });
  const result = chain.make({ shape, layout: target.layout });
  chain.run({ ...shardTransfer(asProgramTensor(dropped), asProgramTensor(result)), circularBuffers: [] });
  chain.free(dropped);
  return result;
}

/** Whether every element stays in its tile. */
function keepsTiles(from: readonly number[], to: readonly number[]): boolean {
  if (volume(from) === 1) return true;
  const [height, newHeight] = [from.at(-2) ?? 1, to.at(-2) ?? 1];
  return (from.at(-1) ?? 1) === (to.at(-1) ?? 1) &&
    (height === newHeight || (height % 32 === 0 && newHeight % 32 === 0));
}

/** A tensor of one dimension that does not fill its tiles lies in one shard. */
function wholeRow(tensor: StepTensor): StepTensor {
  const { shape: [length = 1, ...others], layout } = tensor;
  const isCut = tensor.shape.length === 1 && others.length === 0 && isSharded(layout) && length % 32 !== 0 &&
    layout.shardShape[1] !== Math.ceil(length / 32);
  if (isCut) throw new StepFault("ragged-row", `a row of ${length} elements does not fill its shards`);
  return tensor;
}

function reshaped(
  chain: StepChain,
  tensor: StepTensor,
  shape: readonly number[],
  chip: ChipDescription,
): StepTensor {
  const { dataType } = tensor.layout;
  if (isBlockFloat(dataType)) {
    const wide = typecast(chain, tensor, "bf16", chip);
    chain.free(tensor);
    const moved = reshaped(chain, wide, shape, chip);
    for (const program of fillPadding(asProgramTensor(moved), chip)) chain.run(program);
    const narrow = typecast(chain, moved, dataType, chip);
    chain.free(moved);
    return narrow;
  }
  const result = chain.make(reshapedTensor(tensor, shape, chip));
  chain.run(reshapeProgram(asProgramTensor(tensor), asProgramTensor(result), chip));
  chain.free(tensor);
  return result;
}

function reshapedTensor(
  { layout }: StepTensor,
  shape: readonly number[],
  chip: ChipDescription,
): ShapedLayout {
  const kept = reducedLayout({ shape, dataType: layout.dataType }, layout, layout, chip);
  return wholeRow({ shape, layout: inWholeBlocks(kept, shape), buffer: undefined });
}

/** Blocks of equal size, on as many cores of their rectangle as divide the tensor. */
function inWholeBlocks(layout: TtnnLayout, shape: readonly number[]): TtnnLayout {
  const box = boundingBox(layout.coreRanges);
  if (layout.memoryLayout !== "block_sharded" || box === undefined) return layout;
  const { start, end } = box;
  const [rows, columns] = physicalUnits(shape, DEFAULT_TILE);
  const down = largestDivisor(rows, end.y - start.y + 1);
  const across = largestDivisor(columns, end.x - start.x + 1);
  return {
    ...layout,
    gridShape: [down, across],
    shardShape: [rows / down, columns / across],
    coreRanges: [{ start, end: { x: start.x + across - 1, y: start.y + down - 1 } }],
  };
}

/** Bytes that the map of a run of elements takes. */
const MAP_ENTRY_BYTES = 16;

/** The program, with the page of its map that is largest: an entry per run of elements of the fullest tile. */
function reshapeProgram(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): StreamProgram {
  const rows = Math.min(32, output.shape.at(-2) ?? 1);
  const columns = Math.min(32, output.shape.at(-1) ?? 1);
  const staysInRow = (input.shape.at(-1) ?? 1) === (output.shape.at(-1) ?? 1);
  const runs = rows * (staysInRow ? Math.ceil(columns / 16) : columns);
  const tile = bytesPerTile(input);
  return {
    ...reshapeTiles(input, output, chip),
    circularBuffers: [
      { name: "page_map", bytes: (runs + runs % 16) * MAP_ENTRY_BYTES },
      { name: "in0", bytes: tile },
      { name: "out", bytes: tile, kind: "scratch" },
    ],
  };
}
