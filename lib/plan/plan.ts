// SPDX-License-Identifier: Apache-2.0
import type { OpId, Place, ValueId } from "../graph/graph.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/** Where an op operand is read from: the value itself, or the copy that a conversion made of it. */
export type OperandSource =
  | { readonly kind: "value" }
  | { readonly kind: "conversion"; readonly conversion: number };

/** Why a conversion stands in the plan; a `typecast` makes the element format or pages that an override asks for. */
export type ConversionReason = "reshard" | "spill" | "reload" | "return" | "typecast" | "override";

/** A memory op that the plan inserts: a copy of a value in another layout. */
export interface Conversion {
  /** Index in {@linkcode FunctionPlan.conversions}. */
  readonly id: number;
  /** The value (of the input) whose contents the copy holds. */
  readonly value: ValueId;
  /** What is read: the value itself or an earlier conversion of the same value. */
  readonly source: OperandSource;
  /** Layout of the copy; same logical shape as the value. */
  readonly layout: TtnnLayout;
  /** The copy is made directly before this op of the schedule; `ops.length` means before `return`. */
  readonly beforeOp: Place;
  /** For people and counts, and whether what is written stands under the name of the value's op or of its reader's. */
  readonly reason: ConversionReason;
  /** Human words: which consumer wanted it, which pressure forced it. */
  readonly note: string;
}

/** What is decided for one op of the input. */
export interface OpDecision {
  /** Its own index in {@linkcode FunctionPlan.decisions}. */
  readonly op: OpId;
  /** Layout per result; `undefined` leaves the result as the input has it. */
  readonly outputLayouts: readonly (TtnnLayout | undefined)[];
  /** `undefined` leaves the op's config as the input has it. */
  readonly config: OpSpecificAttributes | undefined;
  /** Source per operand. */
  readonly operands: readonly OperandSource[];
  /** Why: one sentence per decision, oldest first. */
  readonly reasons: readonly string[];
  /** Its results were taken out of L1 where it makes them, for want of room: spills without a copy of their own. */
  readonly spilled?: true;
}

/** Decisions for one function. */
export interface FunctionPlan {
  /** {@linkcode GraphFunction.name}, by which plan and graph find each other. */
  readonly name: string;
  /** One entry per op of the graph function, by op id. */
  readonly decisions: readonly OpDecision[];
  /** Inserted copies, in the order in which they are made. */
  readonly conversions: readonly Conversion[];
  /** Source per `return` operand. */
  readonly results: readonly OperandSource[];
  /** Execution order as a permutation of op ids; `undefined` keeps the input's order. */
  readonly schedule: readonly OpId[] | undefined;
  /** What the policy counted on the way, by name in words, for example `failed chains`. */
  readonly counters?: Readonly<Record<string, number>>;
  /**
   * µs that no plan over the explored layouts undercuts (docs/optimality.md); absent where the policy looked for no
   * bound, or found none within its budget.
   */
  readonly lowerBoundUs?: number;
}

/** Everything that a policy decides, as pure data. It round-trips through JSON. */
export interface Plan {
  /** Changes when a reader of older plans would misread a newer one. */
  readonly schema: "tilewright.plan/1";
  /** Name of the policy that decided. */
  readonly policy: string;
  /** Name of the chip description that the plan was made for. */
  readonly device: string;
  /** One per function of the graph, those that no policy decides included. */
  readonly functions: readonly FunctionPlan[];
}
