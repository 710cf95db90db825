// SPDX-License-Identifier: Apache-2.0
import { nameOfLocation } from "../lib/overrides/overrides.ts";
import type { DiffOp } from "./diff_side.ts";

/** Two ops with the same meaning, or one without a partner. */
export type OpPair = readonly [a: DiffOp | undefined, b: DiffOp | undefined];

/**
 * Ops of two sides that do the same work as a group but not one by one; both lists in order, neither empty.
 */
export interface OpGroup {
  /** Ops of the group in A. */
  readonly a: readonly DiffOp[];
  /** Ops of the group in B. */
  readonly b: readonly DiffOp[];
}

/**
 * Groups ops that a graph pass rewrote (one to many, many to one, many to many) with the ops that replace
 * them.
 *
 * 1. An unmatched op belongs to an op whose location contains its name, or to its predecessor's partner if
 *    the attributes of that contain its name.
 * 2. Two unmatched ops that are the same operand of a matched op (or the same result of the function) compute
 *    the same value; so do a matched op and another op than its partner there, together with the ops between.
 * 3. Unmatched ops whose users are all in one group belong to it. A producer that several groups slice, such
 *    as a joined product, belongs to all of them.
 *
 * @param pairs every op of both sides once
 */
export function groupOps(
  pairs: readonly OpPair[],
  a: readonly DiffOp[],
  b: readonly DiffOp[],
): readonly OpGroup[] {
  const partnerOf = new Map<DiffOp, DiffOp>();
  for (const [opA, opB] of pairs) {
    if (opA === undefined || opB === undefined) continue;
    partnerOf.set(opA, opB);
    partnerOf.set(opB, opA);
  }
  const sets = new Map<DiffOp, Set<DiffOp>>();
  const setOf = (op: DiffOp): Set<DiffOp> => sets.getOrInsertComputed(op, () => new Set([op]));
  const join = (one: DiffOp, other: DiffOp): void => {
    const joined = setOf(one).union(setOf(other));
    for (const op of joined) sets.set(op, joined);
  };
  for (const [op, carrier] of absorbedOps(partnerOf, a, b)) {
    join(op, carrier);
    const partner = partnerOf.get(carrier);
    if (partner !== undefined) join(carrier, partner);
  }
  const lone = (ops: readonly DiffOp[]): readonly DiffOp[] => ops.filter((op) => !partnerOf.has(op));
  const [readersA, readersB] = [readersIn(a), readersIn(b)];
  const inA = producersByUse(a, readersA, (op) => partnerOf.has(op) ? op : undefined);
  const inB = producersByUse(b, readersB, (op) => partnerOf.get(op));
  for (const [value, opA] of inA) {
    const opB = inB.get(value);
    if (opB === undefined || partnerOf.get(opA) === opB) continue;
    if (!partnerOf.has(opA) && !partnerOf.has(opB)) join(opA, opB);
    for (const [readersOf, last, other] of [[readersA, opA, opB], [readersB, opB, opA]] as const) {
      const first = partnerOf.get(other);
      if (first === undefined || partnerOf.has(last) || first.key === other.key) continue;
      const chain = chainBetween(first, last, readersOf, (op) => !partnerOf.has(op));
      if (chain.length > 0) join(first, other);
      for (const op of chain) join(first, op);
    }
  }
  for (const [ops, readersOf] of [[a, readersA], [b, readersB]] as const) {
    // Readers follow their producers: backwards, the set of every reader is known before.
    for (const op of lone(ops).toReversed()) {
      const readings = readersOf(op);
      const readers = readings.flatMap(({ by }) => by === undefined || partnerOf.has(by) ? [] : [by]);
      if (readers.length < readings.length) continue;
      const isOneGroup = readers.every((by) => setOf(by) === setOf(readers[0] ?? by));
      if (isOneGroup || readings.every(({ isSole }) => isSole)) readers.forEach((by) => join(op, by));
    }
  }
  const inOrder = (ops: readonly DiffOp[], set: ReadonlySet<DiffOp>): readonly DiffOp[] =>
    ops.filter((op) => set.has(op));
  return [...new Set(sets.values())]
    .map((set) => ({ a: inOrder(a, set), b: inOrder(b, set) }))
    .filter((group) => group.a.length > 0 && group.b.length > 0);
}

/**
 * Ops after `first` up to `last`, each the only reader of its predecessor; empty if there is no such chain.
 */
function chainBetween(
  first: DiffOp,
  last: DiffOp,
  readersOf: (op: DiffOp) => readonly ResultUse[],
  isLone: (op: DiffOp) => boolean,
): readonly DiffOp[] {
  const chain: DiffOp[] = [];
  for (let op = first; op !== last;) {
    const [reading, ...others] = readersOf(op);
    if (reading?.by === undefined || others.length > 0 || !isLone(reading.by)) return [];
    op = reading.by;
    chain.push(op);
  }
  return chain;
}

/**
 * The producers of the operands of matched ops and of the function's results, by `function/op#operand`.
 *
 * @param asInA the partner in A of a matched op; `undefined` for an unmatched one
 */
function producersByUse(
  ops: readonly DiffOp[],
  readersOf: (op: DiffOp) => readonly ResultUse[],
  asInA: (op: DiffOp) => DiffOp | undefined,
): ReadonlyMap<string, DiffOp> {
  const found = new Map<string, DiffOp>();
  for (const op of ops) {
    for (const { by, operand } of readersOf(op)) {
      const matched = by === undefined ? undefined : asInA(by);
      if (by === undefined) found.set(`${op.function}/return#${operand}`, op);
      else if (matched !== undefined) found.set(`${matched.function}/${matched.id}#${operand}`, op);
    }
  }
  return found;
}

/** A use of an op's result; without `by` it is returned. */
interface ResultUse {
  readonly by: DiffOp | undefined;
  readonly operand: number;
  readonly isSole: boolean;
}

/** Readers by op; none if unknown. */
function readersIn(ops: readonly DiffOp[]): (op: DiffOp) => readonly ResultUse[] {
  const byPlace = new Map(ops.map((op) => [`${op.function}/${op.id}`, op]));
  return (op) =>
    (op.readers ?? []).flatMap(({ op: place, operand, isSole }): readonly ResultUse[] => {
      if (place === undefined) return [{ by: undefined, operand, isSole }];
      const by = byPlace.get(`${op.function}/${place}`);
      return by === undefined ? [] : [{ by, operand, isSole }];
    });
}

/** Unmatched ops with the op of the other side that includes them. */
function absorbedOps(
  partnerOf: ReadonlyMap<DiffOp, DiffOp>,
  a: readonly DiffOp[],
  b: readonly DiffOp[],
): ReadonlyMap<DiffOp, DiffOp> {
  const absorbed = new Map<DiffOp, DiffOp>();
  for (const [own, other] of [[a, b], [b, a]] as const) {
    own.forEach((op, index) => {
      if (partnerOf.has(op) || op.name === "func.return") return;
      const before = own[index - 1];
      const partner = before === undefined ? undefined : partnerOf.get(before) ?? absorbed.get(before);
      const carrier = other.find((candidate) =>
        isUnder(op, candidate) &&
        (!partnerOf.has(candidate) || nameOfLocation(candidate.location) === undefined)
      ) ??
        (partner !== undefined && tellsOf(partner, op) ? partner : undefined);
      if (carrier !== undefined) absorbed.set(op, carrier);
    });
  }
  return absorbed;
}

/** Whether the location of an op of the other side contains this op's name, alone or among others. */
function isUnder(op: DiffOp, candidate: DiffOp): boolean {
  const name = nameOfLocation(op.location);
  return name !== undefined && candidate.function === op.function && candidate.key !== op.key &&
    candidate.name !== op.name && candidate.location.includes(`"${name}"`);
}

/** Whether the attributes of an op name another one: `activation = "relu"`. */
function tellsOf(carrier: DiffOp, { name }: DiffOp): boolean {
  const bare = name.slice(name.indexOf(".") + 1);
  return carrier.name !== name && new RegExp(`=[^|]*\\b${RegExp.escape(bare)}\\b`).test(carrier.key);
}
