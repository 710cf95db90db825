// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { dramReadCycles, dramWriteCycles } from "./dram.ts";
import { FREE, type KernelCost, microsecondsOf, smoothMax, workers } from "./kernel.ts";
import { issueCycles, transferCycles } from "../network/noc.ts";
import { inDram, type PricedOp, type PricedTensor, sameShards } from "./priced_op.ts";
import { streamingCost, wholeTensor } from "./streaming.ts";

/**
 * A tensor from one layout to another: interleaved to sharded and back, shards to other shards, tilize and untilize,
 * format changes.
 */
export function relayout(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  if (input.placement === "host" || output.placement === "host") return hostTransfer([input, output], device);
  const sameForm = input.tiled === output.tiled && input.dataType === output.dataType;
  if (sameForm && sameShards(input, output)) return FREE;
  const sharded = input.placement === "l1_sharded" || output.placement === "l1_sharded";
  if (!sharded) return pageConversion(input, output, device);
  if (input.tiled !== output.tiled) return shardConversion(input, output, device);
  return shardTransfer(input, output, device);
}

/** Tilize, untilize, typecast or copy between interleaved buffers: one row of tiles (or page) is a unit of work. */
function pageConversion(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  if (input.tiled === output.tiled) {
    return streamingCost({
      units: Math.max(1, output.pages),
      reads: [wholeTensor(input)],
      writes: [wholeTensor(output)],
      computePerUnit: input.dataType === output.dataType ? 0 : device.tensix.eltwiseTile,
      flops: 0,
    }, device);
  }
  const tiled = input.tiled ? input : output;
  const rowsOfTiles = Math.max(1, Math.ceil(tiled.extent[0] / 32));
  // Few and wide rows are tilized column by column.
  const rows = output.tiled && rowsOfTiles * 4 < workers(device)
    ? Math.max(rowsOfTiles, tiled.tiles)
    : rowsOfTiles;
  const tilesPerRow = Math.max(1, tiled.tiles / rows);
  // The tiled side waits tile by tile, the row-major side once per row of tiles; where padding has to be added or taken
  // off, once per row of elements.
  const rowMajor = input.tiled ? output : input;
  const sticks = isPadded(rowMajor) ? Math.max(1, Math.min(32, rowMajor.extent[0] / rowsOfTiles)) : 1;
  return streamingCost({
    units: rows,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    computePerUnit: output.tiled
      ? tilesPerRow * device.tensix.tilizeTile
      : device.tensix.untilizeRow + tilesPerRow * device.tensix.untilizeTile,
    readBarriers: output.tiled ? sticks : tilesPerRow,
    writeBarriers: output.tiled ? tilesPerRow : sticks,
    flops: 0,
  }, device);
}

/** Whether the last two extents do not fill whole tiles. */
function isPadded({ shape }: PricedTensor): boolean {
  return (shape.at(-1) ?? 1) % 32 !== 0 || (shape.at(-2) ?? 1) % 32 !== 0;
}

/** Tilize or untilize of shards, in place or towards interleaved memory. */
function shardConversion(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  const cores = Math.max(1, output.placement === "l1_sharded" ? output.shardCores : input.shardCores);
  const tiles = Math.ceil(Math.max(input.tiles, output.tiles) / cores);
  const tiled = input.tiled ? input : output;
  const rows = tiled.placement === "l1_sharded"
    ? Number(tiled.shardShape[0] ?? 1)
    : Math.ceil(tiled.extent[0] / 32 / cores);
  const compute = output.tiled
    ? tiles * device.tensix.tilizeTile
    : rows * device.tensix.untilizeRow + tiles * device.tensix.untilizeTile;
  const transfer = shardTransfer(
    input.placement === "l1_sharded" ? { ...output, placement: "l1_sharded" } : input,
    output,
    device,
  );
  const moved = input.placement === "l1_sharded" && output.placement === "l1_sharded" ? 0 : transfer.cycles;
  return {
    ...transfer,
    cycles: Math.max(device.stream.startup + compute, moved) + Math.min(compute, moved) / Math.max(1, tiles),
    compute,
    cores,
  };
}

/**
 * Pages from or to shards: the cores with the shards read or write what they need, page by page without waiting in
 * between, while all of them share DRAM (derived:cost-model). Congestion on the network is added where flows are known.
 *
 * @param stages whether rows of elements from DRAM go through a staging buffer, one by one, as `interleaved_to_sharded`
 *   has them
 */
export function shardTransfer(
  input: PricedTensor,
  output: PricedTensor,
  device: Device,
  stages = true,
): KernelCost {
  const pull = output.placement === "l1_sharded";
  const [shards, pages] = pull ? [output, input] : [input, output];
  const cores = Math.max(1, shards.shardCores);
  const pageBytes = Math.max(1, Math.min(pages.pageBytes, shards.pageBytes));
  const perCore = shards.shardBytes === 0 ? shards.bytes / cores : shards.shardBytes;
  const transactions = Math.ceil(perCore / pageBytes);
  const kind = pull ? "read" : "write";
  const transfer = { kind, transactionBytes: pageBytes, transactions } as const;
  // Between shards both data movement threads of a core read one half each.
  const own = input.placement === "l1_sharded" && pull
    ? transferCycles(device, { ...transfer, transactions: Math.ceil(transactions / 2) })
    : transferCycles(device, transfer);
  const copied = stages ? 0 : transactions * device.stream.shortCopy;
  const staged = stages && pull && !pages.tiled && inDram(pages)
    ? transactions * device.stream.readBarrier
    : 0;
  const floor = Math.max(
    inDram(input) ? dramReadCycles(device, input.bytes, "interleaved") : 0,
    inDram(output) ? dramWriteCycles(device, output.bytes) : 0,
    input.placement === "l1_interleaved" || output.placement === "l1_interleaved"
      ? Math.max(input.bytes, output.bytes) / device.stream.l1ChipBytesPerCycle
      : 0,
    // A source core sends its whole shard through its own port.
    input.placement === "l1_sharded" && pull
      ? issueCycles(device, {
        kind: "write",
        transactionBytes: pageBytes,
        transactions: input.shardBytes / pageBytes,
      }) / 2
      : 0,
  );
  const busy = smoothMax(own + staged + copied, floor, device.stream.sharingOverlap);
  const compute = input.dataType === output.dataType || !output.tiled
    ? 0
    : Math.ceil(output.tiles / cores) * device.tensix.eltwiseTile;
  return {
    ...FREE,
    cycles: device.stream.startup + Math.max(busy, compute) +
      Math.min(busy, compute) / Math.max(1, transactions),
    read: pull ? busy : 0,
    compute,
    write: pull ? 0 : busy,
    cores,
    dramBytes: [input, output].filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: pages.bytes,
    programs: 1,
  };
}

/** Tensors over PCIe between host and device. */
export function hostTransfer(tensors: readonly PricedTensor[], device: Device): KernelCost {
  const bytes = tensors.reduce((largest, tensor) => Math.max(largest, tensor.bytes), 0);
  const cycles = issueCycles(device, {
    kind: "write",
    transactionBytes: Math.max(1, bytes),
    transactions: 1,
  });
  return {
    ...FREE,
    dramBytes: bytes,
    hostMicroseconds: device.dispatch.untracedHost + microsecondsOf(device, cycles),
  };
}

/** `to_layout`, `to_memory_config`, `typecast` of sharded tensors and their device programs. */
export function layoutChange(op: PricedOp, device: Device): KernelCost {
  const [input] = op.inputs;
  const [output] = op.outputs;
  return input === undefined || output === undefined ? FREE : relayout(input, output, device);
}
