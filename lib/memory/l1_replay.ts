// SPDX-License-Identifier: Apache-2.0
import { buffersByEnd, type GroupedTensors } from "../graph/liveness.ts";
import { freeAll } from "./bank_memory.ts";
import {
  copyState,
  initialState,
  type L1Failure,
  type L1Timeline,
  livenessOf,
  type PlayState,
  playStep,
  timelineOf,
} from "./l1_timeline.ts";
import type { L1Region, L1Schedule } from "./l1_schedule.ts";

/** Steps between two saved states. */
const CHECKPOINT_STEPS = 64;

/** When a replay stops before the end of its schedule. */
interface ReplayEnd {
  /** The number of failures, oversized steps included, after which one more ends the replay. */
  readonly most?: number;
  /** Whether it ends at a failure; must not hold for one at which an earlier replay went on. */
  readonly endsAt?: (failure: L1Failure) => boolean;
}

/**
 * Replays a sequence of schedules that differ little from each other. Each starts at the last saved state
 * before the first step that differs, or after which different tensors are freed. The result is that of
 * {@linkcode simulateL1Schedule} with failures only. Steps are compared by object identity.
 */
export class L1Replay {
  readonly #region: L1Region;
  #played:
    | { readonly schedule: L1Schedule; readonly dying: GroupedTensors }
    | undefined;
  /** States before every {@linkcode CHECKPOINT_STEPS}th step. */
  #checkpoints: PlayState[] = [];

  constructor(region: L1Region) {
    this.#region = region;
  }

  /** Plays a schedule to its end, or up to the failure at which it stops; later failures are missing from the result. */
  play(schedule: L1Schedule, { most = Infinity, endsAt }: ReplayEnd = {}): L1Timeline {
    const liveness = livenessOf(schedule);
    const dying = buffersByEnd(liveness, schedule.steps.length);
    const same = this.#sameSteps(schedule, dying);
    const cached = this.#cachedCheckpoints(same, most);
    this.#checkpoints.length = cached;
    this.#played = { schedule, dying };
    const last = this.#checkpoints[cached - 1];
    const state = last === undefined ? initialState(schedule, this.#region) : copyState(last);
    const from = last === undefined ? 0 : (cached - 1) * CHECKPOINT_STEPS;
    for (let position = from; position < schedule.steps.length; position++) {
      if (position === this.#checkpoints.length * CHECKPOINT_STEPS) this.#checkpoints.push(copyState(state));
      const failure = playStep(state, schedule, position, this.#region, "failures", liveness.owner);
      if (failuresOf(state) > most || failure !== undefined && endsAt?.(failure)) break;
      freeAll(state.memory, dying, position);
    }
    return timelineOf(state, liveness);
  }

  /** Number of checkpoints before the first differing step with at most the allowed failures. */
  #cachedCheckpoints(same: number, most: number): number {
    let cached = Math.min(this.#checkpoints.length, Math.floor(same / CHECKPOINT_STEPS) + 1);
    for (; cached > 0; cached--) {
      const last = this.#checkpoints[cached - 1];
      if (last !== undefined && failuresOf(last) <= most) break;
    }
    return cached;
  }

  /** Number of leading steps equal to those of the last schedule. */
  #sameSteps(schedule: L1Schedule, dying: GroupedTensors): number {
    const played = this.#played;
    if (played === undefined || !startsEqually(played.schedule, schedule)) return -1;
    const before = played.schedule.steps;
    const most = Math.min(before.length, schedule.steps.length);
    let same = 0;
    while (same < most && before[same] === schedule.steps[same] && endEqually(played.dying, dying, same)) {
      same++;
    }
    return same;
  }
}

/** Number of steps so far that did not fit, oversized ones included. */
function failuresOf({ failures, oversized }: PlayState): number {
  return failures.length + oversized.length;
}

function startsEqually({ liveIn: before }: L1Schedule, { liveIn: now }: L1Schedule): boolean {
  return before.length === now.length && before.every((entry, index) => {
    const other = now[index];
    return entry.tensor === other?.tensor && entry.l1Bytes === other.l1Bytes &&
      entry.address === other.address;
  });
}

/** Whether the same buffers are freed after a step. */
function endEqually(before: GroupedTensors, now: GroupedTensors, position: number): boolean {
  let tensor = now.first[position] ?? -1;
  let other = before.first[position] ?? -1;
  while (tensor === other && tensor >= 0) {
    tensor = now.next[tensor] ?? -1;
    other = before.next[other] ?? -1;
  }
  return tensor === other;
}
