// SPDX-License-Identifier: Apache-2.0

/** Effect of one kind of move on the programs of a function. */
export interface MoveRecord {
  /** Name of the move. */
  readonly move: string;
  /** Changed programs that were replayed against L1. */
  readonly replays: number;
  /** Changes that were kept. */
  readonly kept: number;
  /** Predicted µs that the kept changes saved, over all programs. */
  readonly savedUs: number;
}

/** Counts the effects of moves, for `explain --search`. */
export class ImprovementLog {
  readonly #records: Map<string, MoveRecord> = new Map();

  /** The records so far. */
  get moves(): readonly MoveRecord[] {
    return [...this.#records.values()];
  }

  /**
   * Records the effect of a move at one step.
   *
   * @param savedUs predicted µs that its change saved; 0 if none was kept
   */
  add(move: string, replays: number, savedUs: number): void {
    const cached = this.#records.get(move);
    this.#records.set(move, {
      move,
      replays: replays + (cached?.replays ?? 0),
      kept: (savedUs > 0 ? 1 : 0) + (cached?.kept ?? 0),
      savedUs: savedUs + (cached?.savedUs ?? 0),
    });
  }
}
