// SPDX-License-Identifier: Apache-2.0
import { ATTENTION, type AttentionFamily } from "./attention.ts";
import { CACHE, type CacheFamily } from "./cache.ts";
import { COLLECTIVE, type CollectiveFamily } from "./collective.ts";
import { CONVOLUTION, type ConvolutionFamily } from "./convolution.ts";
import { CREATION, type CreationFamily } from "./creation.ts";
import { DATA_MOVEMENT, type DataMovementFamily } from "./data_movement.ts";
import type { OpDefinition } from "./definition.ts";
import { DIT, type DitFamily } from "./dit.ts";
import { ELTWISE, type EltwiseFamily } from "./eltwise.ts";
import { HEADS, type HeadsFamily } from "./heads.ts";
import { HOST, type HostFamily } from "./host.ts";
import { MATMUL_OPS, type MatmulFamily } from "./matmul.ts";
import { NORMALIZATION, type NormalizationFamily } from "./normalization.ts";
import { OPAQUE, opaqueDefinition, type OpaqueFamily } from "./opaque.ts";
import { POOL, type PoolFamily } from "./pool.ts";
import { REDUCTION, type ReductionFamily } from "./reduction.ts";
import { TRAINING, type TrainingFamily } from "./training.ts";

/** Selects the rule of the op model; every file lists the families that it defines. */
export type OpFamily =
  | AttentionFamily
  | CacheFamily
  | CollectiveFamily
  | ConvolutionFamily
  | CreationFamily
  | DataMovementFamily
  | DitFamily
  | EltwiseFamily
  | HeadsFamily
  | HostFamily
  | MatmulFamily
  | NormalizationFamily
  | OpaqueFamily
  | PoolFamily
  | ReductionFamily
  | TrainingFamily;

/** All definitions, family by family. */
export const OP_DEFINITIONS: readonly OpDefinition<OpFamily>[] = [
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
  ...TRAINING,
  ...DIT,
  ...OPAQUE,
];

const BOOK: ReadonlyMap<string, OpDefinition<OpFamily>> = new Map(OP_DEFINITIONS.map((op) => [op.name, op]));

/** The definition of an op; ops in no list get the opaque definition. */
export function definitionOf(name: string): OpDefinition<OpFamily> {
  return BOOK.get(name) ?? opaqueDefinition(name);
}

/** Whether the op has a definition and a rule. */
export function isKnownOp(name: string): boolean {
  return definitionOf(name).family !== "opaque";
}

/** Definitions of all known ops, in the order of the book. */
export function knownOps(): readonly OpDefinition<OpFamily>[] {
  return OP_DEFINITIONS.filter(({ family }) => family !== "opaque");
}

/** Whether an op is an unknown one of the `ttnn` dialect. */
export function isUncoveredOp(name: string): boolean {
  return name.startsWith("ttnn.") && !isKnownOp(name);
}
