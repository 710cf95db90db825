// SPDX-License-Identifier: Apache-2.0
import { diffArrays } from "diff";
import { nameOfLocation } from "../lib/overrides/overrides.ts";
import type { DiffOp } from "./diff_side.ts";
import { groupOps, type OpGroup, type OpPair } from "./op_groups.ts";

/** A matching of two sides' ops. */
export interface OpMatching {
  /** Matches and unmatched ops, in the order of the programs. */
  readonly pairs: readonly OpPair[];
  /** Number of matches whose ops run in another order among all others. */
  readonly reordered: number;
  /**
   * Groups of ops on both sides that together do the same work; matches and unmatched ops among them are in
   * `pairs` too.
   */
  readonly groups: readonly OpGroup[];
}

/**
 * Matches ops by meaning, in three passes: in order (Myers' longest common subsequence), which tolerates
 * renamed values, aliases and locations and inserted ops; moved ops; and the rest between two matches by name
 * and problem size, for ops whose operands another compiler stage prepared differently. The first two match an
 * op whose name is unique on both sides only with its namesake. {@linkcode groupOps} then finds the groups of ops that a graph
 * pass rewrote.
 */
export function matchOps(a: readonly DiffOp[], b: readonly DiffOp[]): OpMatching {
  const identity = identityOf(a, b);
  const aligned = align(a, b, identity);
  const elsewhere = matchElsewhere(aligned, identity);
  const pairs: OpPair[] = [];
  let gapA: DiffOp[] = [];
  let gapB: DiffOp[] = [];
  const closeGap = (): void => {
    pairs.push(...align(gapA, gapB, (op) => `${op.name}|${op.shape}`));
    gapA = [];
    gapB = [];
  };
  for (const [opA, opB] of aligned) {
    if (opA !== undefined && opB !== undefined) {
      closeGap();
      pairs.push([opA, opB]);
    } else if (opA !== undefined) {
      const partner = elsewhere.ofA.get(opA);
      if (partner === undefined) gapA.push(opA);
      else pairs.push([opA, partner]);
    } else if (opB !== undefined && !elsewhere.ofB.has(opB)) gapB.push(opB);
  }
  closeGap();
  return { pairs, reordered: elsewhere.ofA.size, groups: groupOps(pairs, a, b) };
}

/**
 * Key of an op for matching: its meaning, and its name if exactly one op of each side has this meaning and
 * name.
 */
function identityOf(a: readonly DiffOp[], b: readonly DiffOp[]): (op: DiffOp) => string {
  const named = (op: DiffOp): string => `${op.function}|${op.key}|${op.location}`;
  const once = (ops: readonly DiffOp[]): ReadonlySet<string> => {
    const seen = Map.groupBy(ops.filter(({ location }) => nameOfLocation(location) !== undefined), named);
    return new Set([...seen].flatMap(([name, group]) => group.length === 1 ? [name] : []));
  };
  const onceInA = once(a);
  const onceInB = once(b);
  return (op) => {
    const name = named(op);
    return onceInA.has(name) && onceInB.has(name) ? name : op.key;
  };
}

/** Pairs of ops with equal keys in a longest common subsequence, and the rest alone, in order. */
function align(a: readonly DiffOp[], b: readonly DiffOp[], keyOf: (op: DiffOp) => string): readonly OpPair[] {
  const pairs: OpPair[] = [];
  let indexA = 0;
  let indexB = 0;
  for (const part of diffArrays(a.map(keyOf), b.map(keyOf))) {
    for (let count = 0; count < part.value.length; count++) {
      pairs.push([part.added ? undefined : a[indexA++], part.removed ? undefined : b[indexB++]]);
    }
  }
  return pairs;
}

/** Pairs unmatched ops of both sides with equal identity, in order. */
function matchElsewhere(
  aligned: readonly OpPair[],
  identity: (op: DiffOp) => string,
): { readonly ofA: ReadonlyMap<DiffOp, DiffOp>; readonly ofB: ReadonlySet<DiffOp> } {
  const waiting = Map.groupBy(
    aligned.flatMap(([opA, opB]) => opA === undefined && opB !== undefined ? [opB] : []),
    (op) => `${op.function}|${identity(op)}`,
  );
  const ofA = new Map<DiffOp, DiffOp>();
  for (const [opA, opB] of aligned) {
    if (opA === undefined || opB !== undefined) continue;
    const partner = waiting.get(`${opA.function}|${identity(opA)}`)?.shift();
    if (partner !== undefined) ofA.set(opA, partner);
  }
  return { ofA, ofB: new Set(ofA.values()) };
}
