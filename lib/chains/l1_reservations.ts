// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";

/** Bytes per core that the output of an op holds while it waits for its last reader; positions are inclusive. */
export interface L1Reservation {
  readonly op: OpId;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

/** The L1 reservation timeline of DFSharding 2.0: who holds how much at which place of the schedule. */
export class L1Reservations {
  readonly #reservations: L1Reservation[] = [];

  add(reservation: L1Reservation): void {
    this.#reservations.push(reservation);
  }

  /** Bytes per core that are reserved at a position. */
  bytesAt(position: number): number {
    let bytes = 0;
    for (const { start, end, bytes: own } of this.#reservations) {
      if (start <= position && position <= end) bytes += own;
    }
    return bytes;
  }

  /** Whether the output of an op is reserved at a position. */
  covers(op: OpId, position: number): boolean {
    return this.#reservations.some((entry) =>
      entry.op === op && entry.start <= position && position <= entry.end
    );
  }
}
