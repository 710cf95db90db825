// SPDX-License-Identifier: Apache-2.0
import type { OpId, SchedulePoint, ValueId } from "../graph/graph.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/** Where an op operand is read from: the value itself, or the copy that a conversion makes of it. */
export type OperandSource =
  | { readonly kind: "value" }
  | { readonly kind: "conversion"; readonly conversion: number };

/** Why a conversion is in the plan; `typecast`: it produces the element format or pages of an override. */
export type ConversionReason = "reshard" | "spill" | "reload" | "return" | "typecast" | "override";

/** A memory op that the plan inserts: a copy of a value in another layout. */
export interface Conversion {
  /** Index in {@linkcode FunctionPlan.conversions}. */
  readonly id: number;
  /** The value (of the input) that the copy holds. */
  readonly value: ValueId;
  /** The source of the copy: the value itself or an earlier conversion of the same value. */
  readonly source: OperandSource;
  /** Layout of the copy; same logical shape as the value. */
  readonly layout: TtnnLayout;
  /** The copy is made directly before this op of the schedule; `ops.length` stands for `return`. */
  readonly beforeOp: SchedulePoint;
  /**
   * For reports and counts; also selects the location of the written op: that of the value's op or of the
   * reader.
   */
  readonly reason: ConversionReason;
  /** For people: the consumer that requires it, or the shortage that caused it. */
  readonly note: string;
}

/** The decision for one op of the input. */
export interface OpDecision {
  /** Its own index in {@linkcode FunctionPlan.decisions}. */
  readonly op: OpId;
  /** Layout per result; `undefined` leaves the result as in the input. */
  readonly outputLayouts: readonly (TtnnLayout | undefined)[];
  /** `undefined` leaves the op's config as in the input. */
  readonly config: OpSpecificAttributes | undefined;
  /** Source per operand. */
  readonly operands: readonly OperandSource[];
  /** The reasons: one sentence per decision, oldest first. */
  readonly reasons: readonly string[];
  /**
   * Whether its results were moved out of L1 for lack of room, by producing them elsewhere: a spill without a
   * copy.
   */
  readonly spilled?: true;
}

/** Op configs that were chosen after the layouts of a plan. */
export interface Configured {
  /** Predicted µs that they save. */
  readonly savedUs: number;
  /** The earlier configs of the changed ops, with which the layouts were found. */
  readonly before: readonly Pick<OpDecision, "op" | "config">[];
}

/** Decisions for one function. */
export interface FunctionPlan {
  /** {@linkcode GraphFunction.name}, by which plan and graph are matched. */
  readonly name: string;
  /** One entry per op of the graph function, by op id. */
  readonly decisions: readonly OpDecision[];
  /** Inserted copies, in the order in which they are made. */
  readonly conversions: readonly Conversion[];
  /** Source per `return` operand. */
  readonly results: readonly OperandSource[];
  /** Execution order as a permutation of op ids; `undefined` keeps the input's order. */
  readonly schedule: readonly OpId[] | undefined;
  /** Counts of the policy, by name in words, for example `failed chains`. */
  readonly counters?: Readonly<Record<string, number>>;
  /**
   * Present if op configs were chosen after the layouts. {@linkcode FunctionPlan.lowerBoundUs} is for plans
   * before that.
   */
  readonly configured?: Configured;
  /**
   * A time in µs that no plan over the explored layouts beats (docs/optimality.md); absent if the policy
   * computes no bound, or found none within its budget.
   */
  readonly lowerBoundUs?: number;
}

/** Everything that a policy decides, as pure data. It round-trips through JSON. */
export interface Plan {
  /** Changes when readers of older plans would misread newer ones. */
  readonly schema: "tilewright.plan/1";
  /** Name of the policy that made it. */
  readonly policy: string;
  /** Name of the chip description that the plan was made for. */
  readonly device: string;
  /** One per function of the graph, including those that no policy decides. */
  readonly functions: readonly FunctionPlan[];
}

/** The plan before op configs were chosen after its layouts; unchanged if none were. */
export function beforeConfigs(plan: FunctionPlan): FunctionPlan {
  const { configured, ...rest } = plan;
  if (configured === undefined) return plan;
  const before = new Map(configured.before.map((decision) => [decision.op, decision]));
  return {
    ...rest,
    decisions: plan.decisions.map((decision) => ({ ...decision, ...before.get(decision.op) })),
  };
}

/** A lookup of a plan's functions by name; `undefined` for a missing one. */
export function functionPlans(plan: Plan | undefined): (name: string) => FunctionPlan | undefined {
  const plans = new Map<string, FunctionPlan>();
  for (const each of plan?.functions ?? []) if (!plans.has(each.name)) plans.set(each.name, each);
  return (name) => plans.get(name);
}
