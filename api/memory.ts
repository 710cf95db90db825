// SPDX-License-Identifier: Apache-2.0

/**
 * L1 and DRAM by address: what a schedule of tensors and circular buffers takes, and whether it fits.
 *
 * @module
 */

export {
  type L1Failure,
  type L1FailureKind,
  type L1StepUsage,
  type L1Timeline,
  simulateL1Schedule,
  type SimulationEnd,
} from "../lib/memory/l1_timeline.ts";
export {
  type L1Definition,
  type L1Event,
  type L1Region,
  l1Region,
  type L1Schedule,
  type L1Step,
} from "../lib/memory/l1_schedule.ts";
export type { BufferPlacement } from "../lib/memory/bank_memory.ts";
export type { DramFailure, DramTimeline } from "../lib/memory/dram_timeline.ts";
export type {
  BackendRefusal,
  LocatedOp,
  MemoryFindings,
  MemoryVerdict,
  Misfit,
  RefusedOp,
  Shortage,
  StepFindings,
  Unchecked,
  UncheckedOp,
} from "../lib/memory/memory_verdict.ts";
export { type PlanMemory, simulateMemory, type SimulateMemoryOptions } from "../lib/memory/plan_memory.ts";
