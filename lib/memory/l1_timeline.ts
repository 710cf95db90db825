// SPDX-License-Identifier: Apache-2.0
import { computeLiveness, type Definition, type Liveness, type LivenessStep } from "../graph/liveness.ts";
import { type ChipDescription, usableL1Bytes } from "../device/chip_description.ts";

/** Addresses of L1 per core that tensors and circular buffers share, in bytes. */
export interface L1Region {
  /** First address; circular buffers grow up from here. */
  readonly base: number;
  /** One past the last address; tensors are placed downwards from here. */
  readonly top: number;
  readonly alignment: number;
  /** Bytes that a plan may fill: tensors (from the top to the lowest one) plus circular buffers. */
  readonly budget: number;
}

/**
 * The region of a chip: L1_SMALL and the results of const-eval functions sit above it (specs 03 §A5).
 *
 * @param cap `--tensor-l1-usage-cap`
 * @param reserved bytes per core of const-eval results (`ttnn.l1_const_eval_usage`)
 */
export function l1Region(chip: ChipDescription, cap: number, reserved: number): L1Region {
  const alignment = Math.max(chip.l1Alignment, chip.dramAlignment);
  const base = Math.ceil(chip.l1UnreservedBase / alignment) * alignment;
  const top = Math.max(base, chip.l1Size - chip.l1SmallSize - reserved);
  const budget = Math.max(0, Math.min(usableL1Bytes(chip, cap, reserved), top - base));
  return { base, top, alignment: chip.l1Alignment, budget };
}

/** A tensor that a step defines; `l1Bytes` per core, 0 when it is not in L1. */
export interface L1Definition extends Definition {
  readonly l1Bytes: number;
}

/** What the L1 simulation needs of one step. */
export interface L1Step extends LivenessStep {
  readonly defines: readonly L1Definition[];
  /** Bytes per core of intermediates that live during the step only. */
  readonly scratchBytes: readonly number[];
  /** Peak bytes per core of circular buffers. */
  readonly circularBufferBytes: number;
}

/** A schedule to simulate. Tensor ids are dense. */
export interface L1Schedule {
  readonly tensors: number;
  readonly steps: readonly L1Step[];
  /** Tensors that exist before the first step, with their bytes per core; they are never freed. */
  readonly liveIn: readonly { readonly tensor: number; readonly l1Bytes: number }[];
  readonly liveOut: readonly number[];
}

/** A buffer in L1 at one step. */
export interface L1Placement {
  /** Owner of the buffer; `-1` for an intermediate. */
  readonly tensor: number;
  readonly address: number;
  readonly bytes: number;
}

/**
 * Why a step does not fit: `no_space` (no hole is large enough), `circular_buffer_clash` (circular buffers reach the
 * lowest tensor), `over_budget` (both fit the chip but exceed the cap).
 */
export type L1FailureKind = "no_space" | "circular_buffer_clash" | "over_budget";

/** A step that does not fit. */
export interface L1Failure {
  readonly position: number;
  readonly kind: L1FailureKind;
  /** Bytes per core that are missing. */
  readonly shortBytes: number;
}

/** L1 at one step, while it runs. */
export interface L1StepUsage {
  readonly placements: readonly L1Placement[];
  /** Lowest address of a tensor; the region's top when there is none. */
  readonly lowestTensor: number;
  /** One past the last byte of circular buffers. */
  readonly circularBufferEnd: number;
  /** Sum of the bytes of all buffers and circular buffers. */
  readonly bytes: number;
}

/** Result of a simulation. */
export interface L1Timeline {
  readonly usage: readonly L1StepUsage[];
  readonly failures: readonly L1Failure[];
  /** Largest `bytes` over the steps. */
  readonly peakBytes: number;
  /** Largest extent over the steps: circular buffers plus everything from the lowest tensor to the top. */
  readonly peakExtent: number;
  /** No step clashes or lacks space on the chip. */
  readonly fits: boolean;
  /** `fits`, and no step exceeds the cap. */
  readonly withinBudget: boolean;
  readonly liveness: Liveness;
}

/** Buffers in use, lowest depth (distance from the top) first. */
interface Slot {
  readonly tensor: number;
  readonly depth: number;
  readonly bytes: number;
}

/**
 * Plays a schedule against L1, by address and from scratch: a step places its results and intermediates top-down, first
 * fit, while its operands are still live; its circular buffers grow up from the base; after it everything whose last use
 * it was is freed, views extending the life of what they look at (specs 03 §A5, specs 08 §5).
 *
 * @param stopAtFirstFailure leave `usage` and `failures` at the first failing step
 */
export function simulateL1Schedule(
  schedule: L1Schedule,
  region: L1Region,
  stopAtFirstFailure = false,
): L1Timeline {
  const liveness = computeLiveness(
    schedule.tensors,
    schedule.steps,
    schedule.liveIn.map((entry) => entry.tensor),
    schedule.liveOut,
  );
  const dying = buffersByEnd(liveness, schedule.steps.length);
  const size = region.top - region.base;
  let slots: Slot[] = [];
  const usage: L1StepUsage[] = [];
  const failures: L1Failure[] = [];
  let peakBytes = 0;
  let peakExtent = 0;
  for (const { tensor, l1Bytes } of schedule.liveIn) {
    if (l1Bytes > 0) place(slots, tensor, l1Bytes, region.alignment, size);
  }
  for (let position = 0; position < schedule.steps.length; position++) {
    const step = schedule.steps[position];
    if (step === undefined) break;
    let missing = 0;
    for (const { tensor, l1Bytes, aliasOf } of step.defines) {
      if (l1Bytes > 0 && aliasOf === undefined) {
        missing += place(slots, tensor, l1Bytes, region.alignment, size);
      }
    }
    for (const bytes of step.scratchBytes) {
      if (bytes > 0) missing += place(slots, -1, bytes, region.alignment, size);
    }
    const deepest = slots.reduce((depth, slot) => Math.max(depth, slot.depth + slot.bytes), 0);
    const bytes = slots.reduce((sum, slot) => sum + slot.bytes, step.circularBufferBytes);
    usage.push({
      placements: slots.map((slot) => ({
        tensor: slot.tensor,
        address: region.top - slot.depth - slot.bytes,
        bytes: slot.bytes,
      })),
      lowestTensor: region.top - deepest,
      circularBufferEnd: region.base + step.circularBufferBytes,
      bytes,
    });
    peakBytes = Math.max(peakBytes, bytes);
    peakExtent = Math.max(peakExtent, deepest + step.circularBufferBytes);
    const failure = judge(position, missing, deepest, step.circularBufferBytes, size, region.budget);
    if (failure !== undefined) {
      failures.push(failure);
      if (stopAtFirstFailure) break;
    }
    const dead = dying[position];
    if (dead !== undefined || step.scratchBytes.length > 0) {
      slots = slots.filter((slot) => slot.tensor !== -1 && !dead?.has(slot.tensor));
    }
  }
  const fits = failures.every((failure) => failure.kind === "over_budget");
  return { usage, failures, peakBytes, peakExtent, fits, withinBudget: failures.length === 0, liveness };
}

function judge(
  position: number,
  missing: number,
  deepest: number,
  circularBufferBytes: number,
  size: number,
  budget: number,
): L1Failure | undefined {
  if (missing > 0) return { position, kind: "no_space", shortBytes: missing };
  const extent = deepest + circularBufferBytes;
  if (extent > size) return { position, kind: "circular_buffer_clash", shortBytes: extent - size };
  // The cap guards tensors: an op whose operands and results are all in DRAM may use the chip's whole L1.
  if (deepest > 0 && extent > budget) return { position, kind: "over_budget", shortBytes: extent - budget };
  return undefined;
}

/** Owners whose buffers end at each step; `undefined` where none does. */
function buffersByEnd(liveness: Liveness, steps: number): (Set<number> | undefined)[] {
  const dying: (Set<number> | undefined)[] = new Array(steps).fill(undefined);
  liveness.owner.forEach((owner, tensor) => {
    const end = liveness.bufferEnd[tensor] ?? -2;
    if (owner !== tensor || end < 0 || end >= steps) return;
    const set = dying[end];
    if (set === undefined) dying[end] = new Set([tensor]);
    else set.add(tensor);
  });
  return dying;
}

/** Places a buffer into the highest hole that takes it and returns the bytes that are missing when none does. */
function place(slots: Slot[], tensor: number, bytes: number, alignment: number, size: number): number {
  const need = Math.ceil(bytes / alignment) * alignment;
  let depth = 0;
  let index = 0;
  for (; index < slots.length; index++) {
    const slot = slots[index];
    if (slot === undefined || slot.depth - depth >= need) break;
    depth = slot.depth + slot.bytes;
  }
  if (depth + need > size) return depth + need - size;
  slots.splice(index, 0, { tensor, depth, bytes: need });
  return 0;
}
