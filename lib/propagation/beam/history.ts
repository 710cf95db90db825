// SPDX-License-Identifier: Apache-2.0

/** Ops per chunk of a history. */
const CHUNK = 64;
/**
 * Chunks per block. Extending a history copies, and a join compares, one entry per block instead of one per
 * chunk.
 */
const BLOCK = 16;

/** The chosen slots of a run of consecutive ops. Immutable once it is part of a history. */
interface Chunk {
  readonly slots: Uint32Array;
  /** Which ops of the run are part of the history, one bit each: the first 32 in `low`, the others in `high`. */
  readonly low: number;
  readonly high: number;
}

/** A run of consecutive chunks, as far as known. Immutable once it is part of a history. */
type ChunkRun = readonly (Chunk | undefined)[];

/** The choices in a candidate's past: one beam slot per op, and their total cost. */
export interface History {
  readonly blocks: readonly (ChunkRun | undefined)[];
  readonly microseconds: number;
  readonly reshards: number;
}

/** The history without any choice. */
export const EMPTY_HISTORY: History = { blocks: [], microseconds: 0, reshards: 0 };

/** A beam slot's contribution to a history, and the producer slots that it was chosen for. */
export interface Contribution {
  readonly microseconds: number;
  readonly reshards: number;
  /** Producer op per operand; `undefined` if there is none. */
  readonly producers: readonly (number | undefined)[];
  /** Per operand: the producer's slot that it was chosen for. */
  readonly slots: readonly number[];
}

/**
 * Cost of reading operand `operand` of a slot of `consumer` from another slot of its producer than the one it
 * was chosen for.
 */
export type PatchCost = (consumer: number, slot: number, operand: number, actualSlot: number) => number;

/** Slot of an op in a history; `-1` if the op is not part of it. */
export function slotIn(history: History, op: number): number {
  const index = Math.floor(op / CHUNK);
  const chunk = history.blocks[Math.floor(index / BLOCK)]?.[index % BLOCK];
  return chunk !== undefined && has(chunk, op % CHUNK) ? chunk.slots[op % CHUNK] ?? -1 : -1;
}

/**
 * Joins two histories so that every op counts once, not once per path. If they disagree about an op, the slot
 * of the more expensive history stays (trace-back also takes one slot per op), and ops that are only in the
 * other history pay for reading that slot. Runs of ops that both share are recognised by identity.
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
  const blocks: (ChunkRun | undefined)[] = new Array(length);
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
 * Joins the chunks of two blocks; where both contain an op, the slot of the first stays.
 *
 * @param from index of the first chunk
 * @param added receives the ops that only the second contains, in ascending order
 */
function mergeBlocks(mine: ChunkRun, theirs: ChunkRun, from: number, added: number[]): ChunkRun {
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
  const slots = present?.slots.slice() ?? new Uint32Array(CHUNK);
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
