// SPDX-License-Identifier: Apache-2.0
import { readInteger, readIntegers } from "../../lib/opmodel/attribute_values.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";
import type { PricedOp, PricedTensor } from "./priced_op.ts";
import { streamingCost, wholeTensor } from "./streaming.ts";

/** Rows of 16 elements in a tile: two in each row of its faces. */
const HALF_ROWS = 64;

/** Bytes of rows that a slice reads before it waits (tt-metal slice program factory, `max_read_size`). */
const SLICE_BUFFER_BYTES = 4096;

/** Ops that copy pages without changing them inside: concat, slice, pad, repeat, copies. */
export function pageCopy(op: PricedOp, device: Device): KernelCost {
  const writes = op.outputs.filter(isTensor);
  const reads = op.inputs.filter(isTensor);
  if (writes.length === 0) return FREE;
  const moved = writes.reduce((sum, tensor) => sum + tensor.bytes, 0);
  const available = reads.reduce((sum, tensor) => sum + tensor.bytes, 0);
  // Slices of rows wait once for as many rows as fit a buffer.
  const [first] = writes;
  const barriers = op.name.includes("slice") && first !== undefined && !first.tiled
    ? Math.min(1, first.pageBytes / SLICE_BUFFER_BYTES)
    : 1;
  return streamingCost({
    units: Math.max(1, writes.reduce((sum, tensor) => sum + tensor.pages, 0)),
    // A slice reads only what it keeps; a repeat reads its input again.
    reads: reads.map((tensor) => ({ tensor, bytes: moved * tensor.bytes / Math.max(1, available) })),
    writes: writes.map(wholeTensor),
    computePerUnit: 0,
    readBarriers: barriers,
    readerWorkPerUnit: barriers < 1 ? device.stream.shortCopy : 0,
    writeBarriers: barriers,
    flops: 0,
  }, device);
}

/** Transposition of the last two dimensions: every tile is turned by the unpacker and moved to its new place. */
export function transposeTiles(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  return streamingCost({
    units: Math.max(1, output.tiles),
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    computePerUnit: device.tensix.transposeTile,
    flops: 0,
  }, device);
}

/**
 * Elements that change tiles without order: permutations of the last two dimensions with others. Rows of 32 elements move one by one; the reader issues one transaction for each.
 */
export function rowShuffle(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  const bytesPerRow = Math.max(1, input.bytes / Math.max(1, input.tiles * 32));
  return streamingCost({
    units: Math.max(1, output.tiled ? output.tiles : output.pages),
    reads: [{ tensor: input, bytes: Math.max(input.bytes, output.bytes), transactionBytes: bytesPerRow }],
    writes: [wholeTensor(output)],
    computePerUnit: device.tensix.transposeTile,
    flops: 0,
  }, device);
}

/** `permute` and `transpose`: whole tiles or rows where the last dimensions stay, turned tiles where they swap. */
export function permute(op: PricedOp, device: Device): KernelCost {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) return FREE;
  const rank = input.shape.length;
  const order = permutationOf(op, rank);
  const last = order.at(-1);
  const before = order.at(-2);
  if (last === rank - 1 && before === rank - 2) return pageCopy(op, device);
  if (last === rank - 2 && before === rank - 1) return transposeTiles(input, output, device);
  if (!input.tiled && last === rank - 1) return pageCopy(op, device);
  return rowShuffle(input, output, device);
}

/** Order of the input's dimensions in the output, from `permutation` or `dim0` and `dim1`. */
function permutationOf(op: PricedOp, rank: number): readonly number[] {
  const order = Array.from({ length: rank }, (_, axis) => axis);
  const permutation = readIntegers(op.attributes, "permutation");
  if (permutation !== undefined) return permutation;
  const wrap = (axis: number) => axis < 0 ? axis + rank : axis;
  const first = wrap(readInteger(op.attributes, "dim0") ?? -2);
  const second = wrap(readInteger(op.attributes, "dim1") ?? -1);
  return order.map((axis) => axis === first ? second : axis === second ? first : axis);
}

/** `reshape`: free when it is a view; otherwise rows of elements find new tiles. */
export function reshape(op: PricedOp, device: Device): KernelCost {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined || isView(input, output)) return FREE;
  return input.tiled || output.tiled ? reshapeTiles(input, output, device) : pageCopy(op, device);
}

/** `reshape` of tiles: the reader copies every half row of 16 elements from its old tile to its new one. */
export function reshapeTiles(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  const volume = (tensor: PricedTensor) => tensor.shape.reduce((product, extent) => product * extent, 1);
  const filled = Math.min(1, volume(input) / Math.max(1, output.tiles * 1024));
  return streamingCost({
    units: Math.max(1, output.tiles),
    reads: [{ tensor: input, bytes: Math.max(input.bytes, output.bytes) }],
    writes: [wholeTensor(output)],
    computePerUnit: 0,
    readerWorkPerUnit: HALF_ROWS * filled * device.stream.shortCopy,
    flops: 0,
  }, device);
}

/** Whether a reshape keeps the buffer as it is (tt-metal:reshape). */
function isView(input: PricedTensor, output: PricedTensor): boolean {
  if (input.placement !== output.placement || input.shape.at(-1) !== output.shape.at(-1)) return false;
  if (input.tiled !== output.tiled) return false;
  const height = (tensor: PricedTensor) => tensor.shape.at(-2) ?? 1;
  return !input.tiled || height(input) === height(output) ||
    (height(input) % 32 === 0 && height(output) % 32 === 0);
}

/** Rows picked by index: embedding, gather. Each index is one read of a row; tiled results are tilized on the way. */
export function rowGather(op: PricedOp, device: Device): KernelCost {
  const output = op.outputs[0];
  const table = op.inputs.find((tensor, index) => index > 0 && tensor !== undefined) ?? op.inputs[0];
  if (output === undefined || table === undefined) return FREE;
  const rowBytes = table.tiled ? Math.max(1, table.bytes / Math.max(1, table.extent[0])) : table.pageBytes;
  return streamingCost({
    units: Math.max(1, output.tiled ? Math.ceil(output.extent[0] / 32) : output.pages),
    reads: [{ tensor: table, bytes: output.bytes, transactionBytes: rowBytes }],
    writes: [wholeTensor(output)],
    computePerUnit: output.tiled ? device.tensix.tilizeTile * Math.ceil(output.extent[1] / 32) : 0,
    flops: 0,
  }, device);
}

/** Splitting and merging of attention heads: whole tiles find new places. */
export function heads(op: PricedOp, device: Device): KernelCost {
  return pageCopy(op, device);
}

/**
 * `move`: a buffer copied to another address of the same memory, to close gaps. Shards stay in their core and are
 * copied by the data movement threads.
 */
export function move(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  if (input.placement !== "l1_sharded" || output.placement !== "l1_sharded") {
    return streamingCost({
      units: Math.max(1, output.pages),
      reads: [wholeTensor(input)],
      writes: [wholeTensor(output)],
      computePerUnit: 0,
      flops: 0,
    }, device);
  }
  const read = output.shardBytes / device.tensix.localCopyBytesPerCycle;
  return { ...FREE, cycles: device.stream.startup + read, read, cores: output.shardCores, programs: 1 };
}

function isTensor(tensor: PricedTensor | undefined): tensor is PricedTensor {
  return tensor !== undefined;
}
