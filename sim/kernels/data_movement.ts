// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../device.ts";
import { cyclesOf, FREE, type KernelCost } from "../kernel.ts";
import { inDram, type PricedOp, type PricedTensor, sameShards } from "../priced_op.ts";
import { dramReadCycles, dramWriteCycles } from "../dram.ts";
import { issueCycles, transferCycles } from "../noc.ts";
import { streamingCost } from "./streaming.ts";

/** Ops that copy pages without changing them inside: concat, slice, pad, repeat, heads, copies. */
export function pageCopy(op: PricedOp, device: Device): KernelCost {
  const output = op.outputs.find((tensor) => tensor !== undefined);
  if (output === undefined) return FREE;
  const reads = op.inputs.filter((tensor): tensor is PricedTensor => tensor !== undefined);
  const writes = op.outputs.filter((tensor): tensor is PricedTensor => tensor !== undefined);
  const units = writes.reduce((sum, tensor) => sum + tensor.pages, 0);
  const moved = writes.reduce((sum, tensor) => sum + tensor.bytes, 0);
  const read = reads.map((tensor) => shrink(tensor, moved / Math.max(1, reads.length)));
  return streamingCost({
    units,
    reads: read,
    writes,
    computePerUnit: device.tensix.eltwiseTileOverhead,
    flops: 0,
  }, device);
}

/** Ops that move elements inside tiles: permute, transpose, reshape that is no view. */
export function elementShuffle(op: PricedOp, device: Device): KernelCost {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) return FREE;
  return streamingCost({
    units: Math.max(1, output.tiles),
    reads: [input],
    writes: [output],
    computePerUnit: device.tensix.untilizeTile,
    flops: 0,
  }, device);
}

/** Rows picked by index: embedding, gather. Each index is one read of a row. */
export function rowGather(op: PricedOp, device: Device): KernelCost {
  const output = op.outputs[0];
  const table = op.inputs.find((tensor, index) => index > 0 && tensor !== undefined) ?? op.inputs[0];
  if (output === undefined || table === undefined) return FREE;
  return streamingCost({
    units: Math.max(1, output.tiled ? Math.ceil(output.extent[0] / 32) : output.pages),
    reads: [{ ...output, placement: table.placement }],
    writes: [output],
    computePerUnit: device.tensix.tilizeTile * Math.ceil(output.extent[1] / 32),
    flops: 0,
  }, device);
}

/** The part of a tensor that is really read. */
function shrink(tensor: PricedTensor, bytes: number): PricedTensor {
  if (bytes >= tensor.bytes) return tensor;
  return { ...tensor, bytes, pages: Math.max(1, Math.ceil(bytes / Math.max(1, tensor.pageBytes))) };
}

/**
 * A tensor from one layout to another: interleaved to sharded and back, shards to other shards, tilize and untilize,
 * format changes.
 */
export function relayout(input: PricedTensor, output: PricedTensor, device: Device): KernelCost {
  if (input.placement === "host" || output.placement === "host") return hostTransfer([input, output], device);
  const sameForm = input.tiled === output.tiled && input.dataType === output.dataType;
  if (sameForm && sameShards(input, output)) return FREE;
  const conversion = input.tiled !== output.tiled
    ? (output.tiled ? device.tensix.tilizeTile : device.tensix.untilizeTile)
    : input.dataType !== output.dataType
    ? device.tensix.eltwiseTileOverhead
    : 0;
  const cores = output.placement === "l1_sharded"
    ? output.shardCores
    : input.placement === "l1_sharded"
    ? input.shardCores
    : 0;
  if (cores === 0) {
    return streamingCost({
      units: Math.max(1, input.tiled || output.tiled ? output.tiles : output.pages),
      reads: [input],
      writes: [output],
      computePerUnit: conversion,
      flops: 0,
    }, device);
  }
  const local = sameForm ? 0 : Math.ceil(output.tiles / cores) * conversion;
  const pull = output.placement === "l1_sharded";
  const moved = pull ? input : output;
  const pages = Math.ceil(moved.pages / cores);
  const transfer = {
    kind: pull ? "read" : "write",
    transactionBytes: moved.pageBytes,
    transactions: pages,
  } as const;
  const noc = sameShards(input, output) ? 0 : transferCycles(device, transfer);
  const floor = (inDram(input) ? dramReadCycles(device, input.bytes, "interleaved") : 0) +
    (inDram(output) ? dramWriteCycles(device, output.bytes) : 0);
  const busy = Math.max(noc, floor);
  return {
    ...FREE,
    cycles: cyclesOf(device, device.dispatch.kernelFloor) + Math.max(busy, local) +
      Math.min(busy, local) / pages,
    read: pull ? busy : 0,
    compute: local,
    write: pull ? 0 : busy,
    cores,
    dramBytes: [input, output].filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: moved.bytes,
    programs: 1,
  };
}

/** Tensors over PCIe between host and device. */
export function hostTransfer(tensors: readonly PricedTensor[], device: Device): KernelCost {
  const bytes = tensors.reduce((largest, tensor) => Math.max(largest, tensor.bytes), 0);
  return {
    ...FREE,
    dramBytes: bytes,
    hostMicroseconds: device.dispatch.untracedHost +
      issueCycles(device, { kind: "write", transactionBytes: bytes, transactions: 1 }) / device.clock.aiclk,
  };
}
