// SPDX-License-Identifier: Apache-2.0
import {
  type BuffersByEnd,
  buffersByEnd,
  computeLiveness,
  type Liveness,
  type LivenessStep,
  type TensorDefinition,
} from "../graph/liveness.ts";
import { type ChipDescription, DEFAULT_L1_CAP, usableL1Bytes } from "../device/chip_description.ts";
import type { L1Room } from "../programs/op_launch.ts";
import { BankMemory, type BufferPlacement } from "./bank_memory.ts";

/** Addresses of L1 per core that tensors and circular buffers share, in bytes. */
export interface L1Region {
  /** First address; circular buffers grow up from here. */
  readonly base: number;
  /** One past the last address; tensors are placed downwards from here. */
  readonly top: number;
  /** One past the last address that circular buffers may reach if no tensor is in L1; default `top` (`ttnn:backend-0-81-1`). */
  readonly limit?: number;
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
  // Who asks what a smaller share of L1 would do asks it of buffers alone as well.
  const limit = cap < DEFAULT_L1_CAP ? base + budget : chip.l1Size - reserved;
  return { base, top, limit, alignment, budget };
}

/** A tensor that a step defines, with its `l1Bytes` per core; 0 if it is not in L1. */
export interface L1Definition extends TensorDefinition {
  /** Size of its buffer per core; ignored if the tensor shares the buffer of another one. */
  readonly l1Bytes: number;
}

/** What an op does to L1, in the backend's order; bytes per core. */
export type L1Event =
  /** A buffer is placed: that of a result, or of an intermediate. `tensor` names it in later events of the op. */
  | {
    readonly kind: "allocate";
    readonly tensor: number;
    readonly bytes: number;
    readonly result: number | undefined;
  }
  /** A program runs with its circular buffers. */
  | { readonly kind: "run"; readonly circularBufferBytes: number }
  /** A buffer of the op is freed. Intermediates that are never freed go when the op ends. */
  | { readonly kind: "free"; readonly tensor: number }
  /** The buffer of an operand is freed, by its index among the reads. */
  | { readonly kind: "free_operand"; readonly operand: number };

/** One step in the form that the L1 simulation needs. */
export interface L1Step extends LivenessStep {
  /** Tensors that it makes, in the order of the op's results. */
  readonly defines: readonly L1Definition[];
  /** What it does in order; `undefined` if it places what it defines and then runs with its circular buffers. */
  readonly events?: readonly L1Event[] | undefined;
  /** Peak bytes per core of circular buffers, dataflow buffers and scratchpads of one program. */
  readonly circularBufferBytes: number;
  /** The same over the largest program without its scratchpads; by default `circularBufferBytes`. */
  readonly largestCircularBuffers?: number;
  /** Most bytes of circular buffers, intermediates and results at any moment; by default their sum. */
  readonly ownPeakBytes?: number;
  /**
   * The step as the backend runs it in the room that is left when it begins; `undefined` in turn if it refuses to.
   * Absent if the room makes no difference.
   */
  readonly inRoom?: (room: L1Room) => L1Step | undefined;
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

/** L1 while one step runs, at the moment when it needs the most. */
export interface L1StepUsage {
  /** In the order in which they were placed; the step's results too, if they are placed after that moment. */
  readonly placements: readonly BufferPlacement[];
  /** Lowest address of a tensor; the region's top if there is none. */
  readonly lowestTensor: number;
  /** One past the last circular or dataflow buffer of the step's largest program, whose scratchpads lie behind. */
  readonly circularBufferEnd: number;
  /**
   * One past the last byte that the program of this moment places for itself, scratchpads too: where the backend's
   * messages say that its static circular buffer region ends.
   */
  readonly staticEnd: number;
  /** Sum of the bytes of all buffers and circular buffers. */
  readonly bytes: number;
}

/**
 * Why a step does not fit: `too_large` (its own circular buffers and intermediates exceed the budget, whatever
 * else is in L1), `no_space` (no hole is large enough), `circular_buffer_clash` (circular buffers reach the
 * lowest tensor), `no_program` (the backend finds no program for the L1 that is left), `over_budget` (everything fits
 * the chip but exceeds the cap).
 */
export type L1FailureKind = "too_large" | "no_space" | "circular_buffer_clash" | "no_program" | "over_budget";

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
    const failure = playStep(state, schedule, position, region, record, liveness.owner);
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

/**
 * Simulates one step up to the moment before its operands are freed; returns the failure if it does not fit.
 *
 * @param owner by tensor: the owner of its buffer; by default each tensor owns its own
 */
export function playStep(
  state: PlayState,
  schedule: L1Schedule,
  position: number,
  region: L1Region,
  record: "all" | "failures",
  owner: Int32Array | undefined = undefined,
): L1Failure | undefined {
  const asked = schedule.steps[position];
  if (asked === undefined) throw new RangeError(`Cannot play step ${position}: there is none`);
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
  state.peakExtent = Math.max(state.peakExtent, moments.extent, moments.bareBytes);
  const usage = (): L1StepUsage => ({
    ...withResults(moments.usage, step, memory),
    circularBufferEnd: region.base + (step.largestCircularBuffers ?? step.circularBufferBytes),
  });
  if (record === "all") state.usage.push(usage());
  const isRefused = asked.inRoom !== undefined && inRoom === undefined;
  if (!isRefused && isTooLarge(step, region)) {
    const askedBytes = peakBytes(step);
    const shortBytes = askedBytes - region.budget;
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

/** Whether a step's own circular buffers and intermediates exceed the budget, whatever else is in L1. */
export function isTooLarge(step: L1Step, { base, top, limit = top, budget }: L1Region): boolean {
  const results = resultBytesOf(step);
  const own = peakBytes(step) - results;
  const isBare = results === 0 && own === step.circularBufferBytes;
  return own > (isBare ? limit - base : budget);
}

function resultBytesOf({ defines }: L1Step): number {
  let bytes = 0;
  for (let index = 0; index < defines.length; index++) {
    const definition = defines[index];
    if (definition !== undefined && definition.aliasOf === undefined) bytes += definition.l1Bytes;
  }
  return bytes;
}

/** Frees the buffers whose last use was at a step. */
export function freeAll(memory: BankMemory, { first, next }: BuffersByEnd, position: number): void {
  for (let tensor = first[position] ?? -1; tensor >= 0; tensor = next[tensor] ?? -1) memory.free(tensor);
}

/** Names of intermediates in the bank: negative, since tensors have ids from 0. */
function intermediate(tensor: number): number {
  return -1 - tensor;
}

/** The room in which a step begins: beside its operands, and beside its results if they are placed first. */
function roomFor({ defines }: L1Step, memory: BankMemory, { base }: L1Region): L1Room {
  const beforeResults = memory.lowestAddress - base;
  const made = defines.flatMap(({ l1Bytes, aliasOf }) => aliasOf === undefined ? [l1Bytes] : []);
  return { beforeResults, besideResults: memory.lowestAddressWith(made) - base };
}

/** Plays what a step does in order, and frees the intermediates that it leaves. */
function playEvents(
  { reads, defines }: L1Step,
  events: readonly L1Event[],
  moments: Moments,
  memory: BankMemory,
  owner: Int32Array | undefined,
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
        if (tensor !== undefined) memory.free(owner?.[tensor] ?? tensor);
        break;
      }
    }
  }
  for (const name of names.values()) if (name < 0) memory.free(name);
}

/** What the buffers alone say of a moment. */
type MomentUsage = Omit<L1StepUsage, "circularBufferEnd">;

/** Watches a step place buffers and run programs, and keeps the moment at which it needs the most. */
class Moments {
  readonly #memory: BankMemory;
  readonly #region: L1Region;
  /** Bytes by which buffers without a place exceed every hole. */
  missing = 0;
  /** Bytes of those buffers. */
  homelessBytes = 0;
  /** Most bytes of buffers and circular buffers together. */
  bytes = 0;
  /** Most circular buffers plus everything from the lowest tensor to the top; 0 without a tensor in L1. */
  extent = 0;
  /** Most circular buffers of a program without a tensor in L1. */
  bareBytes = 0;
  readonly #isPlain: boolean;
  #circularBufferBytes = 0;
  #tightest: MomentUsage | undefined;

  /** @param isPlain whether the step ends at its tightest moment: it frees nothing. Then nothing is kept on the way. */
  constructor(memory: BankMemory, region: L1Region, isPlain: boolean) {
    this.#memory = memory;
    this.#region = region;
    this.#isPlain = isPlain;
    this.#watch(0);
  }

  /** L1 at the tightest moment. */
  get usage(): MomentUsage {
    return this.#tightest ?? this.#present();
  }

  /** Places a buffer. */
  place(tensor: number, bytes: number): void {
    const short = this.#memory.place(tensor, bytes);
    this.missing += short;
    if (short > 0) this.homelessBytes += bytes;
    this.#watch(0);
  }

  /** Runs a program with circular buffers. */
  run(circularBufferBytes: number): void {
    this.#watch(circularBufferBytes);
  }

  #watch(circularBufferBytes: number): void {
    const { top } = this.#region;
    const depth = top - this.#memory.lowestAddress;
    const bytes = this.#memory.bytes + circularBufferBytes;
    const extent = depth + circularBufferBytes;
    if (depth === 0) this.bareBytes = Math.max(this.bareBytes, circularBufferBytes);
    const isTightest = extent >= Math.max(this.extent, this.bareBytes);
    if (depth > 0) this.extent = Math.max(this.extent, extent);
    this.bytes = Math.max(this.bytes, bytes);
    if (!isTightest) return;
    this.#circularBufferBytes = circularBufferBytes;
    if (!this.#isPlain) this.#tightest = this.#present();
  }

  #present(): MomentUsage {
    const circularBufferBytes = this.#circularBufferBytes;
    return {
      placements: this.#memory.placements(),
      lowestTensor: this.#memory.lowestAddress,
      staticEnd: this.#region.base + circularBufferBytes,
      bytes: this.#memory.bytes + circularBufferBytes,
    };
  }
}

/** The usage with the results that were placed after its moment. */
function withResults(usage: MomentUsage, { defines }: L1Step, memory: BankMemory): MomentUsage {
  if (usage.placements === memory.placements()) return usage;
  const later = defines.flatMap(({ tensor }) => {
    const placed = memory.placementOf(tensor);
    return placed === undefined || usage.placements.some((other) => other.tensor === tensor) ? [] : [placed];
  });
  return later.length === 0 ? usage : { ...usage, placements: [...usage.placements, ...later] };
}

/** The step's own peak in bytes, as far as it is known. */
function peakBytes({ circularBufferBytes, ownPeakBytes = 0 }: L1Step): number {
  return ownPeakBytes < Infinity ? Math.max(circularBufferBytes, ownPeakBytes) : circularBufferBytes;
}

/** What is missing at the worst moment of a step; `undefined` if it fits. */
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
