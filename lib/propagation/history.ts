// SPDX-License-Identifier: Apache-2.0

/** Ops per chunk of a history. */
const CHUNK = 64;

/** Slots chosen for a run of consecutive ops. Never changed once it is part of a history. */
interface Chunk {
  readonly slots: Uint8Array;
  /** Ops that are part of the history, a bit each: the first 32 of the run, then the others. */
  readonly low: number;
  readonly high: number;
}

/** The choices that a candidate rests on: one beam slot per op of its past, and what they cost together. */
export interface History {
  readonly chunks: readonly (Chunk | undefined)[];
  readonly microseconds: number;
  readonly reshards: number;
}

/** Nothing has been chosen. */
export const EMPTY_HISTORY: History = { chunks: [], microseconds: 0, reshards: 0 };

/** What a beam slot adds to a history, and which slots of which producers it was made for. */
export interface Contribution {
  readonly microseconds: number;
  readonly reshards: number;
  /** Producer op per operand, `undefined` for none. */
  readonly producers: readonly (number | undefined)[];
  /** Slot of the producer that the operand was made for. */
  readonly slots: readonly number[];
}

/** Cost of reading operand `operand` of a slot of `consumer` from another slot of its producer than it was made for. */
export type PatchCost = (consumer: number, slot: number, operand: number, actualSlot: number) => number;

/** Slot of an op in a history, `-1` when the op is not part of it. */
export function slotIn(history: History, op: number): number {
  const chunk = history.chunks[Math.floor(op / CHUNK)];
  return chunk !== undefined && has(chunk, op % CHUNK) ? chunk.slots[op % CHUNK] ?? -1 : -1;
}

/**
 * Joins two histories so that every op counts once, not once per path. Where they disagree about an op, the slot of
 * the dearer history stays (trace-back takes one slot per op as well), and every op that only the other history holds
 * pays for reading the slot it was not made for. Runs of ops that both share are recognised by identity.
 */
export function mergeHistories(
  first: History,
  second: History,
  contributionOf: (op: number, slot: number) => Contribution,
  patchCost: PatchCost,
): History {
  if (first === second || second.chunks.length === 0) return first;
  if (first.chunks.length === 0) return second;
  const [base, other] = first.microseconds >= second.microseconds ? [first, second] : [second, first];
  const length = Math.max(base.chunks.length, other.chunks.length);
  const chunks: (Chunk | undefined)[] = new Array(length);
  const added: number[] = [];
  for (let index = 0; index < length; index++) {
    const mine = base.chunks[index];
    const theirs = other.chunks[index];
    chunks[index] = mine ?? theirs;
    if (theirs === undefined || theirs === mine) continue;
    const low = theirs.low & ~(mine?.low ?? 0);
    const high = theirs.high & ~(mine?.high ?? 0);
    if (low === 0 && high === 0) continue;
    const slots = mine?.slots.slice();
    for (let offset = 0; offset < CHUNK; offset++) {
      if (((offset < 32 ? low >>> offset : high >>> (offset - 32)) & 1) === 0) continue;
      added.push(index * CHUNK + offset);
      if (slots !== undefined) slots[offset] = theirs.slots[offset] ?? 0;
    }
    if (mine !== undefined && slots !== undefined) {
      chunks[index] = { slots, low: mine.low | low, high: mine.high | high };
    }
  }
  let microseconds = base.microseconds;
  let reshards = base.reshards;
  const union: History = { chunks, microseconds: 0, reshards: 0 };
  for (const op of added) {
    const slot = slotIn(union, op);
    const contribution = contributionOf(op, slot);
    microseconds += contribution.microseconds;
    reshards += contribution.reshards;
    contribution.producers.forEach((producer, operand) => {
      if (producer === undefined) return;
      const actual = slotIn(union, producer);
      if (actual < 0 || actual === contribution.slots[operand]) return;
      const patch = patchCost(op, slot, operand, actual);
      microseconds += patch;
      if (patch > 0) reshards++;
    });
  }
  return { chunks, microseconds, reshards };
}

/** Adds one op's choice to a history. */
export function extendHistory(
  history: History,
  op: number,
  slot: number,
  microseconds: number,
  reshards: number,
): History {
  const index = Math.floor(op / CHUNK);
  const chunks = history.chunks.slice();
  while (chunks.length <= index) chunks.push(undefined);
  const present = chunks[index];
  const slots = present?.slots.slice() ?? new Uint8Array(CHUNK);
  const offset = op % CHUNK;
  slots[offset] = slot;
  chunks[index] = {
    slots,
    low: (present?.low ?? 0) | (offset < 32 ? 1 << offset : 0),
    high: (present?.high ?? 0) | (offset < 32 ? 0 : 1 << (offset - 32)),
  };
  return {
    chunks,
    microseconds: history.microseconds + microseconds,
    reshards: history.reshards + reshards,
  };
}

function has(chunk: Chunk, offset: number): boolean {
  return ((offset < 32 ? chunk.low >>> offset : chunk.high >>> (offset - 32)) & 1) === 1;
}
