// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../device.ts";
import { dramReadCycles, dramWriteCycles } from "../dram.ts";
import { cyclesOf, type KernelCost, pipelineCycles, workers } from "../kernel.ts";
import { issueCycles, transferCycles } from "../noc.ts";
import { inDram, type PricedTensor } from "../priced_op.ts";

/** An op that streams units of work (tiles, tile rows, sticks) through reader, compute and writer of each core. */
export interface StreamingWork {
  /** Units of work in the whole op, split as evenly as `split_work_to_cores` does. */
  readonly units: number;
  /** Cores at most; the worker grid when absent. */
  readonly maxCores?: number;
  /** Tensors read through the NoC, page by page. */
  readonly reads: readonly PricedTensor[];
  /** Tensors written through the NoC, page by page. */
  readonly writes: readonly PricedTensor[];
  /** Compute cycles of one unit. */
  readonly computePerUnit: number;
  /** Pages that the reader and writer issue before they wait, default 1. */
  readonly pagesPerBarrier?: number;
  readonly flops: number;
}

/** Times an op that streams units of work, cores in lock step with the chip's DRAM. */
export function streamingCost(work: StreamingWork, device: Device): KernelCost {
  const cores = Math.max(1, Math.min(work.units, work.maxCores ?? workers(device)));
  const units = Math.ceil(work.units / cores);
  const share = units / Math.max(1, work.units);
  const read = sum(
    work.reads,
    (tensor) => pageCycles(device, tensor, "read", share, work.pagesPerBarrier ?? 1),
  );
  const write = sum(
    work.writes,
    (tensor) => pageCycles(device, tensor, "write", share, work.pagesPerBarrier ?? 1),
  );
  const compute = units * work.computePerUnit;
  const floor = Math.max(
    sum(work.reads.filter(inDram), (tensor) => dramReadCycles(device, tensor.bytes, "interleaved")) +
      sum(work.writes.filter(inDram), (tensor) => dramWriteCycles(device, tensor.bytes)),
  );
  const pipeline = pipelineCycles({ steps: units, read, compute, write });
  const moved = sum([...work.reads, ...work.writes], (tensor) => tensor.bytes);
  return {
    cycles: cyclesOf(device, device.dispatch.kernelFloor) + Math.max(pipeline, floor),
    read,
    compute,
    write,
    drain: 0,
    cores,
    dramBytes: sum([...work.reads, ...work.writes].filter(inDram), (tensor) => tensor.bytes),
    nocBytes: moved,
    flops: work.flops,
    programs: 1,
    hostMicroseconds: 0,
  };
}

/** Cycles that one core spends on its share of a tensor's pages. */
function pageCycles(
  device: Device,
  tensor: PricedTensor,
  kind: "read" | "write",
  share: number,
  pagesPerBarrier: number,
): number {
  const pages = Math.ceil(tensor.pages * share);
  const barriers = pages / pagesPerBarrier;
  const oneBarrier = { kind, transactionBytes: tensor.pageBytes, transactions: pagesPerBarrier } as const;
  return kind === "read"
    ? barriers * transferCycles(device, oneBarrier)
    : barriers * issueCycles(device, oneBarrier);
}

function sum(tensors: readonly PricedTensor[], cycles: (tensor: PricedTensor) => number): number {
  return tensors.reduce((total, tensor) => total + cycles(tensor), 0);
}
