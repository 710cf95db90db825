// SPDX-License-Identifier: Apache-2.0
import { buffersByEnd, computeLiveness, type Liveness } from "../graph/liveness.ts";
import type { L1Room } from "../programs/op_launch.ts";
import { BankMemory, type BufferPlacement, freeAll } from "./bank_memory.ts";
import type { L1Event, L1Region, L1Schedule, L1Step } from "./l1_schedule.ts";
import { Moments, withResults } from "./l1_moments.ts";

/** L1 at the tightest moment of a step. */
export interface L1StepUsage {
  /** In the order in which they were placed; the step's results too, if they are placed after that moment. */
  readonly placements: readonly BufferPlacement[];
  /** Lowest address of a tensor; the region's top if there is none. */
  readonly lowestTensor: number;
  /** One past the last circular or dataflow buffer of the step's largest program; its scratchpads follow. */
  readonly circularBufferEnd: number;
  /**
   * One past the last byte that the program of this moment places, scratchpads included: the end of the
   * static circular buffer region in the backend's messages.
   */
  readonly staticEnd: number;
  /** Sum of the bytes of all buffers and circular buffers. */
  readonly bytes: number;
  /** The largest such sum over all moments of the step; where L1 has holes, that is another moment. */
  readonly peakBytes: number;
}

/**
 * Why a step does not fit: `no_program` (the backend finds no program for the remaining L1), `too_large` (its
 * own circular buffers and intermediates exceed the budget, regardless of other tensors), `no_space` (no hole
 * is large enough), `circular_buffer_clash` (circular buffers reach the lowest tensor), `over_budget`
 * (everything fits the chip but exceeds the cap).
 */
export type L1FailureKind = "no_program" | "too_large" | "no_space" | "circular_buffer_clash" | "over_budget";

/** Every {@linkcode L1FailureKind}, in the order in which they are looked for. */
export const L1_FAILURE_KINDS: readonly L1FailureKind[] = [
  "no_program",
  "too_large",
  "no_space",
  "circular_buffer_clash",
  "over_budget",
];

/** A step that does not fit. */
export interface L1Failure {
  /** Index of the step. */
  readonly position: number;
  /** The first kind that applies, in the order of {@linkcode L1_FAILURE_KINDS}. */
  readonly kind: L1FailureKind;
  /**
   * Bytes per core that the step needs: 0, i.e. unknown (`no_program`), its own at one moment (`too_large`),
   * those of the buffers without a hole (`no_space`), otherwise its circular buffers and everything from the
   * lowest tensor to the top.
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
  /** Steps of kind `too_large`, in order: evicting other tensors does not help them. */
  readonly oversized: readonly L1Failure[];
  /** Largest `bytes` over the steps. */
  readonly peakBytes: number;
  /** Whether there is no failure except `over_budget`; steps of kind `too_large` do not count. */
  readonly placeable: boolean;
  /** Whether there is no failure; steps of kind `too_large` do not count. */
  readonly withinBudget: boolean;
  /** For the whole schedule, even if the simulation ended before its last step. */
  readonly liveness: Liveness;
}

/** When a simulation ends before the last step. */
export interface SimulationEnd {
  /** The number of failures, oversized steps included, after which one more ends it. */
  readonly most?: number;
  /** Whether it ends at a failure. */
  readonly endsAt?: (failure: L1Failure) => boolean;
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
 * @param record whether `usage` is kept for every step or with failures only
 * @param end when the simulation ends before the last step; later failures are missing from the result
 */
export function simulateL1Schedule(
  schedule: L1Schedule,
  region: L1Region,
  record: "all" | "failures" = "all",
  { most = Infinity, endsAt }: SimulationEnd = {},
): L1Timeline {
  const liveness = livenessOf(schedule);
  const dying = buffersByEnd(liveness, schedule.steps.length);
  const state = initialState(schedule, region);
  const { failures, oversized } = state;
  // By index, as in `computeLiveness`: replays of long schedules are what searches under pressure do most.
  for (let position = 0; position < schedule.steps.length; position++) {
    const step = schedule.steps[position];
    if (step === undefined) continue;
    const failure = playStep(state, step, position, region, record, liveness.owner);
    if (failures.length + oversized.length > most || failure !== undefined && endsAt?.(failure)) break;
    freeAll(state.memory, dying, position);
  }
  const placeable = failures.every((failure) => failure.kind === "over_budget");
  const withinBudget = failures.length === 0;
  const { usage, peakBytes } = state;
  return { usage, failures, oversized, peakBytes, placeable, withinBudget, liveness };
}

/** The state of a simulation between two steps. */
interface PlayState {
  readonly memory: BankMemory;
  readonly usage: L1StepUsage[];
  readonly failures: L1Failure[];
  readonly oversized: L1Failure[];
  peakBytes: number;
}

/** L1 before the first step. */
function initialState({ liveIn }: L1Schedule, region: L1Region): PlayState {
  const memory = new BankMemory(region.base, region.top, region.alignment, "top_down");
  for (const { tensor, l1Bytes, address } of liveIn) {
    if (address === undefined) memory.place(tensor, l1Bytes);
    else memory.reserve(tensor, address, l1Bytes);
  }
  return { memory, usage: [], failures: [], oversized: [], peakBytes: 0 };
}

/** @throws {RangeError} if a step reads a tensor that is not defined before it */
function livenessOf({ tensors, steps, liveIn, liveOut }: L1Schedule): Liveness {
  const given: number[] = [];
  const kept: number[] = [...liveOut];
  for (const { tensor, isFreed } of liveIn) {
    given.push(tensor);
    if (isFreed !== true) kept.push(tensor);
  }
  return computeLiveness(tensors, steps, given, kept);
}

/**
 * Simulates one step up to the moment before its operands are freed, and records in `state` what it finds.
 *
 * @param record whether the step's usage is recorded even if it fits
 * @param owner by tensor: the owner of its buffer
 * @returns the failure if the step would fit without other tensors; `undefined` if it fits or is `too_large`
 */
function playStep(
  state: PlayState,
  asked: L1Step,
  position: number,
  region: L1Region,
  record: "all" | "failures",
  owner: Int32Array,
): L1Failure | undefined {
  const { memory } = state;
  const inRoom = asked.inRoom?.(roomFor(asked, memory, region));
  const step = inRoom ?? asked;
  const moments = new Moments(memory, region, step.events === undefined);
  if (step.events === undefined) {
    for (const { tensor, l1Bytes, aliasOf } of step.defines) {
      if (aliasOf === undefined) moments.place(tensor, l1Bytes);
    }
    moments.run(step.circularBufferBytes);
  } else {
    playEvents(step, step.events, moments, memory, owner);
  }
  state.peakBytes = Math.max(state.peakBytes, moments.bytes);
  const usage = (): L1StepUsage => ({
    ...withResults(moments.usage, step, memory),
    peakBytes: moments.bytes,
    circularBufferEnd: region.base + (step.largestCircularBuffers ?? step.circularBufferBytes),
  });
  if (record === "all") state.usage.push(usage());
  const isRefused = asked.inRoom !== undefined && inRoom === undefined;
  const excess = isRefused ? 0 : ownExcess(step, region);
  if (excess > 0) {
    const askedBytes = peakBytes(step);
    const shortBytes = excess + resultBytesOf(step);
    state.oversized.push({ kind: "too_large", askedBytes, shortBytes, position, usage: usage() });
    return undefined;
  }
  const shortage = isRefused
    ? { kind: "no_program" as const, askedBytes: 0, shortBytes: 0 }
    : outcomeOf(moments, region);
  if (shortage === undefined) return undefined;
  const failure: L1Failure = { ...shortage, position, usage: usage() };
  state.failures.push(failure);
  return failure;
}

/**
 * Whether a step's own circular buffers and intermediates, without its results, exceed what it may use,
 * regardless of other tensors.
 */
export function isTooLarge(step: L1Step, region: L1Region): boolean {
  return ownExcess(step, region) > 0;
}

/**
 * Bytes per core of a step's own circular buffers and intermediates beyond what it may use: the budget, or all up
 * to `limit` if circular buffers are all that it has in L1.
 */
function ownExcess(step: L1Step, { base, top, limit = top, budget }: L1Region): number {
  const results = resultBytesOf(step);
  const own = peakBytes(step) - results;
  const isBare = results === 0 && own === step.circularBufferBytes;
  return own - (isBare ? limit - base : budget);
}

function resultBytesOf({ defines }: L1Step): number {
  let bytes = 0;
  for (let index = 0; index < defines.length; index++) {
    const definition = defines[index];
    if (definition !== undefined && definition.aliasOf === undefined) bytes += definition.l1Bytes;
  }
  return bytes;
}

/** Names of intermediates in the bank: negative, since tensors have ids from 0. */
function intermediate(tensor: number): number {
  return -1 - tensor;
}

/**
 * The free L1 at the begin of a step: beside its operands, and beside its results if they are placed first.
 */
function roomFor({ defines }: L1Step, memory: BankMemory, { base, top }: L1Region): L1Room {
  const beforeResults = memory.lowestAddress - base;
  const freeBytes = top - base - memory.bytes;
  const made = defines.flatMap(({ l1Bytes, aliasOf }) => aliasOf === undefined ? [l1Bytes] : []);
  return { beforeResults, besideResults: memory.lowestAddressWith(made) - base, freeBytes };
}

/** Plays a step's events in order, and frees its remaining intermediates. */
function playEvents(
  { reads, defines }: L1Step,
  events: readonly L1Event[],
  moments: Moments,
  memory: BankMemory,
  owner: Int32Array,
): void {
  const names = new Map<number, number>();
  for (const event of events) {
    switch (event.kind) {
      case "allocate": {
        const definition = event.result === undefined ? undefined : defines[event.result];
        const name = definition?.tensor ?? intermediate(event.tensor);
        names.set(event.tensor, name);
        moments.place(name, event.bytes);
        break;
      }
      case "run":
        moments.run(event.circularBufferBytes);
        break;
      case "free": {
        const name = names.get(event.tensor);
        if (name !== undefined) memory.free(name);
        names.delete(event.tensor);
        break;
      }
      case "free_operand": {
        const tensor = reads[event.operand];
        if (tensor !== undefined) memory.free(owner[tensor] ?? tensor);
        break;
      }
    }
  }
  for (const name of names.values()) if (name < 0) memory.free(name);
}

/** The step's own known peak in bytes. */
function peakBytes({ circularBufferBytes, ownPeakBytes = 0 }: L1Step): number {
  return ownPeakBytes < Infinity ? Math.max(circularBufferBytes, ownPeakBytes) : circularBufferBytes;
}

/** The shortage at the tightest moment of a step; `undefined` if it fits. */
function outcomeOf(
  { missing, homelessBytes, extent, bareBytes }: Moments,
  { base, top, limit = top, budget }: L1Region,
): Pick<L1Failure, "kind" | "askedBytes" | "shortBytes"> | undefined {
  const size = top - base;
  const alone = limit - base;
  if (missing > 0) return { kind: "no_space", askedBytes: homelessBytes, shortBytes: missing };
  if (bareBytes > alone) {
    return { kind: "circular_buffer_clash", askedBytes: bareBytes, shortBytes: bareBytes - alone };
  }
  if (extent > size) return { kind: "circular_buffer_clash", askedBytes: extent, shortBytes: extent - size };
  if (extent > budget) return { kind: "over_budget", askedBytes: extent, shortBytes: extent - budget };
  return undefined;
}
