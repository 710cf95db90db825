// SPDX-License-Identifier: Apache-2.0
import { L1Replay } from "../memory/l1_replay.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";

/** Measures that a change must not worsen, and the time, which it must improve. */
interface Measure {
  /** Predicted µs. */
  readonly microseconds: number;
  /** Steps that do not fit L1. */
  readonly failures: number;
  /** {@linkcode LayoutProgram.faults}. */
  readonly faults: number;
}

/** A program with its price and its L1 replay. A change is tried on a copy and kept if it is better. */
export class ReplayedProgram {
  readonly #program: LayoutProgram;
  readonly #roles: OpRoles;
  readonly #replay: L1Replay;
  #measured: Measure | undefined;
  #replays = 0;

  constructor(program: LayoutProgram, roles: OpRoles, region: L1Region) {
    this.#program = program;
    this.#roles = roles;
    this.#replay = new L1Replay(region);
  }

  /** Number of changed programs that were replayed. */
  get replays(): number {
    return this.#replays;
  }

  /**
   * Applies a change if it makes the program faster, no further step lacks L1, and no further rule is broken.
   *
   * @returns predicted µs saved; 0 if the program is unchanged
   */
  keepIfFaster(change: (trial: LayoutProgram) => void): number {
    const before = this.#measured ??= {
      microseconds: this.#program.microseconds(),
      failures: this.#failures(this.#program),
      faults: this.#program.faults(this.#roles),
    };
    const trial = this.#program.clone();
    change(trial);
    // The cheapest check comes first: most changes do not save time.
    const microseconds = trial.microseconds();
    if (microseconds >= before.microseconds) return 0;
    this.#replays++;
    const failures = this.#failures(trial, before.failures);
    if (failures > before.failures) return 0;
    const faults = trial.faults(this.#roles);
    if (faults > before.faults) return 0;
    this.#measured = { microseconds, failures, faults };
    this.#program.assign(trial);
    return before.microseconds - microseconds;
  }

  /** Number of steps that do not fit, or would not fit an empty L1; counting stops after `most`. */
  #failures(program: LayoutProgram, most: number = Infinity): number {
    const { failures, oversized } = this.#replay.play(program.l1Schedule(program.steps()), most);
    return failures.length + oversized.length;
  }
}
