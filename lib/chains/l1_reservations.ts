// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";

/** Bytes per core that the output of an op holds until its last reader; positions are inclusive. */
export interface L1Reservation {
  readonly op: OpId;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

/** The L1 reservation timeline of DFSharding 2.0: which output holds how much at which place of the schedule. */
export class L1Reservations {
  readonly #reservations: Map<OpId, L1Reservation[]> = new Map();
  /** By position. */
  readonly #bytes: number[] = [];

  add(reservation: L1Reservation): void {
    const { op, start, end, bytes } = reservation;
    this.#reservations.set(op, [...this.#reservations.get(op) ?? [], reservation]);
    for (let position = start; position <= end; position++) {
      this.#bytes[position] = this.bytesAt(position) + bytes;
    }
  }

  /** All reservations; ops in the order of their first one. */
  get all(): readonly L1Reservation[] {
    return [...this.#reservations.values()].flat();
  }

  /** Bytes per core that are reserved at a position. */
  bytesAt(position: number): number {
    return this.#bytes[position] ?? 0;
  }

  /** Whether the output of an op is reserved at a position. */
  covers(op: OpId, position: number): boolean {
    return this.#reservations.get(op)?.some(({ start, end }) => start <= position && position <= end) ===
      true;
  }
}
