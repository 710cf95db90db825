// SPDX-License-Identifier: Apache-2.0
import {
  type BuffersByEnd,
  buffersByEnd,
  computeLiveness,
  type Definition,
  type Liveness,
  type LivenessStep,
} from "../graph/liveness.ts";
import { type ChipDescription, usableL1Bytes } from "../device/chip_description.ts";
import { BankMemory, type BufferPlacement } from "./bank_memory.ts";

/** Addresses of L1 per core that tensors and circular buffers share, in bytes. */
export interface L1Region {
  /** First address; circular buffers grow up from here. */
  readonly base: number;
  /** One past the last address; tensors are placed downwards from here. */
  readonly top: number;
  /** Alignment of tensor addresses in bytes. */
  readonly alignment: number;
  /** Bytes that a plan may fill: from the lowest tensor to the top, plus circular buffers. */
  readonly budget: number;
}

/**
 * The region of a chip: L1_SMALL and the results of const-eval functions sit above it (tt-metal:allocator).
 *
 * @param cap `--tensor-l1-usage-cap`
 * @param reserved bytes per core of const-eval results (`ttnn.l1_const_eval_usage`)
 */
export function l1Region(chip: ChipDescription, cap: number, reserved: number): L1Region {
  const alignment = Math.max(chip.l1Alignment, chip.dramAlignment);
  const base = Math.ceil(chip.l1UnreservedBase / alignment) * alignment;
  const top = Math.max(base, chip.l1Size - chip.l1SmallSize - reserved);
  const budget = Math.max(0, Math.min(usableL1Bytes(chip, cap, reserved), top - base));
  return { base, top, alignment, budget };
}

/** A tensor that a step defines, with its `l1Bytes` per core; 0 if it is not in L1. */
export interface L1Definition extends Definition {
  /** Size of its buffer per core; ignored if the tensor shares the buffer of another one. */
  readonly l1Bytes: number;
}

/** One step in the form that the L1 simulation needs. */
export interface L1Step extends LivenessStep {
  /** Placed in this order, before intermediates. */
  readonly defines: readonly L1Definition[];
  /** Bytes per core of intermediates that are live only during the step. */
  readonly scratchBytes: readonly number[];
  /** Peak bytes per core of circular buffers. */
  readonly circularBufferBytes: number;
  /** Most bytes of circular buffers, intermediates and results at any moment; by default their sum. */
  readonly ownPeakBytes?: number;
}

/** A schedule to simulate. Tensor ids are dense. */
export interface L1Schedule {
  /** Number of ids, which are `0 … tensors − 1`. */
  readonly tensors: number;
  /** In execution order. */
  readonly steps: readonly L1Step[];
  /**
   * Tensors that exist before the first step, with their bytes per core; they are never freed. Those with an
   * address were placed elsewhere and keep it.
   */
  readonly liveIn: readonly {
    readonly tensor: number;
    readonly l1Bytes: number;
    readonly address?: number;
  }[];
  /** Tensors that are still needed after the last step. */
  readonly liveOut: readonly number[];
}

/** L1 while one step runs. */
export interface L1StepUsage {
  /** In the order in which they were placed. */
  readonly placements: readonly BufferPlacement[];
  /** Lowest address of a tensor; the region's top if there is none. */
  readonly lowestTensor: number;
  /** One past the last byte of circular buffers. */
  readonly circularBufferEnd: number;
  /** Sum of the bytes of all buffers and circular buffers. */
  readonly bytes: number;
}

/**
 * Why a step does not fit: `too_large` (its own circular buffers and intermediates exceed the budget, whatever
 * else is in L1), `no_space` (no hole is large enough), `circular_buffer_clash` (circular buffers reach the
 * lowest tensor), `over_budget` (everything fits the chip but exceeds the cap).
 */
export type L1FailureKind = "too_large" | "no_space" | "circular_buffer_clash" | "over_budget";

/** A step that does not fit. */
export interface L1Failure {
  /** Index of the step. */
  readonly position: number;
  /** The first kind that applies, in the order of the type. */
  readonly kind: L1FailureKind;
  /**
   * Bytes per core that the step needs: its own at one moment (`too_large`), those of the buffers without a
   * hole (`no_space`), otherwise its circular buffers and everything from the lowest tensor to the top.
   */
  readonly askedBytes: number;
  /** Bytes per core that are missing: the needed ones minus the available ones. */
  readonly shortBytes: number;
  /** L1 while the step runs, without tensors that did not fit. */
  readonly usage: L1StepUsage;
}

/** Result of a simulation. */
export interface L1Timeline {
  /** Per step; empty if only failures were requested. */
  readonly usage: readonly L1StepUsage[];
  /** Steps that would fit if other tensors left L1, in order; at most one failure per step. */
  readonly failures: readonly L1Failure[];
  /** Steps of kind `too_large`, in order: they do not fit whatever leaves L1. */
  readonly oversized: readonly L1Failure[];
  /** Largest `bytes` over the steps. */
  readonly peakBytes: number;
  /** Largest extent over the steps: circular buffers plus everything from the lowest tensor to the top. */
  readonly peakExtent: number;
  /** Whether there is no failure except `over_budget`; steps of kind `too_large` do not count. */
  readonly placeable: boolean;
  /** Whether there is no failure; steps of kind `too_large` do not count. */
  readonly withinBudget: boolean;
  /** For the whole schedule, even if `stopAt` ended the simulation. */
  readonly liveness: Liveness;
}

/**
 * Replays a schedule against L1, by address and from scratch. A step places its results and intermediates
 * top-down, first fit, while its operands are still live; its circular buffers grow up from the base.
 * Afterwards every buffer that has had its last use is freed; views extend the life of the buffer that they
 * share (tt-metal:allocator).
 *
 * @example
 * ```ts
 * import { simulateL1Schedule } from "@tilewright/tilewright/memory";
 * import { assertEquals } from "@std/assert";
 *
 * const region = { base: 0, top: 1024, alignment: 32, budget: 1024 };
 * const timeline = simulateL1Schedule(
 *   {
 *     tensors: 2,
 *     steps: [{
 *       reads: [0],
 *       defines: [{ tensor: 1, l1Bytes: 512, aliasOf: undefined }],
 *       scratchBytes: [],
 *       circularBufferBytes: 256,
 *     }],
 *     liveIn: [{ tensor: 0, l1Bytes: 512 }],
 *     liveOut: [1],
 *   },
 *   region,
 * );
 * assertEquals(timeline.failures.map(({ kind, shortBytes }) => [kind, shortBytes]), [["circular_buffer_clash", 256]]);
 * ```
 *
 * @param stopAt ends the simulation at a failure for which it says so
 * @param record whether `usage` is kept for every step or with failures only
 */
export function simulateL1Schedule(
  schedule: L1Schedule,
  region: L1Region,
  stopAt: (failure: L1Failure) => boolean = () => false,
  record: "all" | "failures" = "all",
): L1Timeline {
  const liveness = livenessOf(schedule);
  const dying = buffersByEnd(liveness, schedule.steps.length);
  const state = initialState(schedule, region);
  for (let position = 0; position < schedule.steps.length; position++) {
    const failure = playStep(state, schedule, position, region, record);
    if (failure !== undefined && stopAt(failure)) break;
    freeAll(state.memory, dying, position);
  }
  return timelineOf(state, liveness);
}

/** The state of a simulation between two steps. */
export interface PlayState {
  readonly memory: BankMemory;
  readonly usage: L1StepUsage[];
  readonly failures: L1Failure[];
  readonly oversized: L1Failure[];
  peakBytes: number;
  peakExtent: number;
}

/** L1 before the first step. */
export function initialState({ liveIn }: L1Schedule, region: L1Region): PlayState {
  const memory = new BankMemory(region.base, region.top, region.alignment, "top_down");
  for (const { tensor, l1Bytes, address } of liveIn) {
    if (address === undefined) memory.place(tensor, l1Bytes);
    else memory.reserve(tensor, address, l1Bytes);
  }
  return { memory, usage: [], failures: [], oversized: [], peakBytes: 0, peakExtent: 0 };
}

/** An independent copy, from which a later simulation can continue. */
export function copyState(
  { memory, usage, failures, oversized, peakBytes, peakExtent }: PlayState,
): PlayState {
  return {
    memory: memory.copy(),
    usage: usage.slice(),
    failures: failures.slice(),
    oversized: oversized.slice(),
    peakBytes,
    peakExtent,
  };
}

/** The result up to this state. */
export function timelineOf(state: PlayState, liveness: Liveness): L1Timeline {
  const { usage, failures, oversized, peakBytes, peakExtent } = state;
  const placeable = failures.every((failure) => failure.kind === "over_budget");
  const withinBudget = failures.length === 0;
  return { usage, failures, oversized, peakBytes, peakExtent, placeable, withinBudget, liveness };
}

/** @throws {RangeError} if a step reads a tensor that is not defined before it */
export function livenessOf({ tensors, steps, liveIn, liveOut }: L1Schedule): Liveness {
  return computeLiveness(tensors, steps, liveIn.map((entry) => entry.tensor), liveOut);
}

/** Simulates one step up to the moment before its operands are freed; returns the failure if it does not fit. */
export function playStep(
  state: PlayState,
  schedule: L1Schedule,
  position: number,
  region: L1Region,
  record: "all" | "failures",
): L1Failure | undefined {
  const step = schedule.steps[position];
  if (step === undefined) throw new RangeError(`Cannot play step ${position}: there is none`);
  const { memory } = state;
  let missing = 0;
  let homelessBytes = 0;
  for (const { tensor, l1Bytes, aliasOf } of step.defines) {
    if (aliasOf !== undefined) continue;
    const short = memory.place(tensor, l1Bytes);
    missing += short;
    if (short > 0) homelessBytes += l1Bytes;
  }
  const resultBytes = resultBytesOf(step);
  const moment = tightestMoment(step, resultBytes, memory);
  const { scratchBytes, circularBufferBytes } = moment;
  for (let index = 0; index < scratchBytes.length; index++) {
    const bytes = scratchBytes[index] ?? 0;
    const short = memory.place(-1 - index, bytes);
    missing += short;
    if (short > 0) homelessBytes += bytes;
  }
  const deepest = region.top - memory.lowestAddress;
  const bytes = memory.bytes + circularBufferBytes;
  if (record === "all") state.usage.push(usageOf(memory, region, circularBufferBytes));
  state.peakBytes = Math.max(state.peakBytes, bytes);
  state.peakExtent = Math.max(state.peakExtent, deepest + circularBufferBytes);
  const ownPeakBytes = knownPeak(step);
  let failure: L1Failure | undefined;
  if (isTooLarge(step, region)) {
    const shortBytes = ownPeakBytes - region.budget;
    state.oversized.push({
      kind: "too_large",
      askedBytes: ownPeakBytes,
      shortBytes,
      position,
      usage: usageOf(memory, region, circularBufferBytes),
    });
  } else {
    const extent = Math.max(ownPeakBytes, deepest + circularBufferBytes);
    const shortage = judge(missing, homelessBytes, extent, region);
    if (shortage !== undefined) {
      failure = { ...shortage, position, usage: usageOf(memory, region, circularBufferBytes) };
      state.failures.push(failure);
    }
  }
  for (let index = 0; index < scratchBytes.length; index++) memory.free(-1 - index);
  return failure;
}

/** Whether a step's own circular buffers and intermediates exceed the budget, whatever else is in L1. */
export function isTooLarge(step: L1Step, { budget }: L1Region): boolean {
  return knownPeak(step) - resultBytesOf(step) > budget;
}

function resultBytesOf({ defines }: L1Step): number {
  let bytes = 0;
  for (let index = 0; index < defines.length; index++) {
    const definition = defines[index];
    if (definition !== undefined && definition.aliasOf === undefined) bytes += definition.l1Bytes;
  }
  return bytes;
}

/** The present state of L1, with the circular buffers of the running step. */
function usageOf(memory: BankMemory, region: L1Region, circularBufferBytes: number): L1StepUsage {
  return {
    placements: memory.placements(),
    lowestTensor: memory.lowestAddress,
    circularBufferEnd: region.base + circularBufferBytes,
    bytes: memory.bytes + circularBufferBytes,
  };
}

/** Frees the buffers whose last use was at a step. */
export function freeAll(memory: BankMemory, { first, next }: BuffersByEnd, position: number): void {
  for (let tensor = first[position] ?? -1; tensor >= 0; tensor = next[tensor] ?? -1) memory.free(tensor);
}

/** What an op holds besides its results at one moment. */
interface Moment {
  readonly scratchBytes: readonly number[];
  readonly circularBufferBytes: number;
}

/**
 * The moment at which an op needs the most room. If intermediates and circular buffers never exist in full
 * together (an op of several programs), there are two candidates: all intermediates with the rest of the peak
 * as circular buffers, and the reverse.
 */
function tightestMoment(step: L1Step, resultBytes: number, memory: BankMemory): Moment {
  const { scratchBytes, circularBufferBytes } = step;
  if (scratchBytes.length === 0) return step;
  const scratch = scratchBytes.reduce((sum, bytes) => sum + bytes, 0);
  const peak = Math.max(step.ownPeakBytes ?? Infinity, circularBufferBytes, scratch + resultBytes);
  if (scratch === 0 || resultBytes + scratch + circularBufferBytes <= peak) return step;
  const full: Moment = { scratchBytes, circularBufferBytes: peak - resultBytes - scratch };
  const rest = peak - resultBytes - circularBufferBytes;
  const buffers: Moment = { scratchBytes: rest > 0 ? [rest] : [], circularBufferBytes };
  return memory.depthWith(full.scratchBytes) + full.circularBufferBytes >=
      memory.depthWith(buffers.scratchBytes) + buffers.circularBufferBytes
    ? full
    : buffers;
}

/** The step's own peak in bytes, as far as it is known. */
function knownPeak({ circularBufferBytes, ownPeakBytes = 0 }: L1Step): number {
  return ownPeakBytes < Infinity ? Math.max(circularBufferBytes, ownPeakBytes) : circularBufferBytes;
}

/**
 * @param missing bytes by which the buffers without a place exceed every hole
 * @param homelessBytes bytes of those buffers
 * @param extent circular buffers plus everything from the lowest tensor to the top, in bytes
 */
function judge(
  missing: number,
  homelessBytes: number,
  extent: number,
  { base, top, budget }: L1Region,
): Pick<L1Failure, "kind" | "askedBytes" | "shortBytes"> | undefined {
  const size = top - base;
  if (missing > 0) return { kind: "no_space", askedBytes: homelessBytes, shortBytes: missing };
  if (extent > size) return { kind: "circular_buffer_clash", askedBytes: extent, shortBytes: extent - size };
  if (extent > budget) return { kind: "over_budget", askedBytes: extent, shortBytes: extent - budget };
  return undefined;
}
