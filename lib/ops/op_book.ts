// SPDX-License-Identifier: Apache-2.0
import { ATTENTION } from "./attention.ts";
import { CACHE } from "./cache.ts";
import { COLLECTIVE } from "./collective.ts";
import { CONVOLUTION } from "./convolution.ts";
import { CREATION } from "./creation.ts";
import { DATA_MOVEMENT } from "./data_movement.ts";
import type { OpDefinition } from "./definition.ts";
import { ELTWISE } from "./eltwise.ts";
import { HEADS } from "./heads.ts";
import { HOST } from "./host.ts";
import { MATMUL_OPS } from "./matmul.ts";
import { NORMALIZATION } from "./normalization.ts";
import { OPAQUE, opaqueDefinition } from "./opaque.ts";
import { POOL } from "./pool.ts";
import { REDUCTION } from "./reduction.ts";

/** All definitions, family by family. */
export const OP_DEFINITIONS: readonly OpDefinition[] = [
  ...ELTWISE,
  ...MATMUL_OPS,
  ...NORMALIZATION,
  ...REDUCTION,
  ...DATA_MOVEMENT,
  ...CONVOLUTION,
  ...POOL,
  ...ATTENTION,
  ...HEADS,
  ...CACHE,
  ...CREATION,
  ...HOST,
  ...COLLECTIVE,
  ...OPAQUE,
];

const BOOK: ReadonlyMap<string, OpDefinition> = new Map(OP_DEFINITIONS.map((op) => [op.name, op]));

/** What an op is; ops that no list has get the opaque definition. */
export function definitionOf(name: string): OpDefinition {
  return BOOK.get(name) ?? opaqueDefinition(name);
}

/** Whether it is known what an op is and accepts. */
export function isKnownOp(name: string): boolean {
  return definitionOf(name).family !== "opaque";
}

/** Definitions of all known ops, in the order of the book. */
export function knownOps(): readonly OpDefinition[] {
  return OP_DEFINITIONS.filter(({ family }) => family !== "opaque");
}

/** Ops of the `ttnn` dialect that are not known, by name, with how often they occur. */
export function uncoveredOps(
  names: Iterable<string>,
): readonly { readonly name: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    if (name.startsWith("ttnn.") && !isKnownOp(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([name, count]) => ({ name, count }));
}
