// SPDX-License-Identifier: Apache-2.0

/** Ops per chunk of a history. */
const CHUNK = 64;
/** Chunks per block: what a choice copies and a join compares grows by one for this many chunks, not for each. */
const BLOCK = 16;

/** Slots chosen for a run of consecutive ops. Never changed once it is part of a history. */
interface Chunk {
  readonly slots: Uint8Array;
  /** Ops that are part of the history, a bit each: the first 32 of the run, then the others. */
  readonly low: number;
  readonly high: number;
}

/** A run of consecutive chunks, as far as they are known. Never changed once it is part of a history. */
type Block = readonly (Chunk | undefined)[];

/** The choices that a candidate rests on: one beam slot per op of its past, and what they cost together. */
export interface History {
  readonly blocks: readonly (Block | undefined)[];
  readonly microseconds: number;
  readonly reshards: number;
}

/** Nothing has been chosen. */
export const EMPTY_HISTORY: History = { blocks: [], microseconds: 0, reshards: 0 };

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
  const index = Math.floor(op / CHUNK);
  const chunk = history.blocks[Math.floor(index / BLOCK)]?.[index % BLOCK];
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
  if (first === second || second.blocks.length === 0) return first;
  if (first.blocks.length === 0) return second;
  const [base, other] = first.microseconds >= second.microseconds ? [first, second] : [second, first];
  const length = Math.max(base.blocks.length, other.blocks.length);
  const blocks: (Block | undefined)[] = new Array(length);
  const added: number[] = [];
  for (let index = 0; index < length; index++) {
    const mine = base.blocks[index];
    const theirs = other.blocks[index];
    blocks[index] = theirs === undefined || theirs === mine
      ? mine
      : mergeBlocks(mine ?? [], theirs, index * BLOCK, added);
  }
  let microseconds = base.microseconds;
  let reshards = base.reshards;
  const union: History = { blocks, microseconds: 0, reshards: 0 };
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
  return { blocks, microseconds, reshards };
}

/**
 * The chunks of two blocks as one; where both know an op, the slot of the first stays.
 *
 * @param from index of the first chunk
 * @param added takes the ops that only the second knows, in ascending order
 */
function mergeBlocks(mine: Block, theirs: Block, from: number, added: number[]): Block {
  const length = Math.max(mine.length, theirs.length);
  const chunks: (Chunk | undefined)[] = new Array(length);
  for (let index = 0; index < length; index++) {
    const own = mine[index];
    const other = theirs[index];
    chunks[index] = own ?? other;
    if (other === undefined || other === own) continue;
    const low = other.low & ~(own?.low ?? 0);
    const high = other.high & ~(own?.high ?? 0);
    if (low === 0 && high === 0) continue;
    const slots = own?.slots.slice();
    for (let offset = 0; offset < CHUNK; offset++) {
      if (((offset < 32 ? low >>> offset : high >>> (offset - 32)) & 1) === 0) continue;
      added.push((from + index) * CHUNK + offset);
      if (slots !== undefined) slots[offset] = other.slots[offset] ?? 0;
    }
    if (own !== undefined && slots !== undefined) {
      chunks[index] = { slots, low: own.low | low, high: own.high | high };
    }
  }
  return chunks;
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
  const place = Math.floor(index / BLOCK);
  const blocks = history.blocks.slice();
  while (blocks.length <= place) blocks.push(undefined);
  const chunks = blocks[place]?.slice() ?? [];
  while (chunks.length <= index % BLOCK) chunks.push(undefined);
  const present = chunks[index % BLOCK];
  const slots = present?.slots.slice() ?? new Uint8Array(CHUNK);
  const offset = op % CHUNK;
  slots[offset] = slot;
  chunks[index % BLOCK] = {
    slots,
    low: (present?.low ?? 0) | (offset < 32 ? 1 << offset : 0),
    high: (present?.high ?? 0) | (offset < 32 ? 0 : 1 << (offset - 32)),
  };
  blocks[place] = chunks;
  return {
    blocks,
    microseconds: history.microseconds + microseconds,
    reshards: history.reshards + reshards,
  };
}

function has(chunk: Chunk, offset: number): boolean {
  return ((offset < 32 ? chunk.low >>> offset : chunk.high >>> (offset - 32)) & 1) === 1;
}

/**
 * µs by which one time is longer than another. Where the other one is infinite, because a copy cannot be made, nothing is
 * longer: their difference would be no number, and no candidate that rests on it would be compared with any.
 */
export function dearerBy(microseconds: number, than: number): number {
  return than === Infinity ? 0 : microseconds - than;
}
