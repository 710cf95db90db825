// SPDX-License-Identifier: Apache-2.0
import {
  type GraphFunction,
  opAt,
  type OpId,
  returnPlace,
  type SchedulePoint,
  valueAt,
  type ValueId,
} from "../graph/graph.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { Conversion, FunctionPlan, OperandSource } from "./plan.ts";

/**
 * One tensor that exists while a planned function runs: a value of the input, or the copy that a conversion made.
 * Values keep their id; conversion `c` is `values.length + c`. The property only exists for the type checker.
 */
export type InstanceId = ValueId | (number & { readonly isInstanceId: true });

/**
 * The copy that a conversion makes.
 *
 * @throws {RangeError} if the index is not a natural number
 */
export function copyInstance({ values }: GraphFunction, conversion: number): InstanceId {
  const instance = values.length + conversion;
  if (!isCopy(instance, values.length)) {
    throw new RangeError(`Cannot look up the copy of conversion ${conversion}`);
  }
  return instance;
}

function isCopy(instance: number, values: number): instance is InstanceId {
  return Number.isInteger(instance) && instance >= values;
}

/** Whether an instance is a value of the input, and not a copy. */
export function isValue({ values }: GraphFunction, instance: InstanceId): instance is ValueId {
  return instance < values.length;
}

/** One step of the device, in execution order. */
export type PlanStep =
  | {
    readonly kind: "op";
    readonly op: OpId;
    /** Instance per operand. */
    readonly operands: readonly InstanceId[];
    /** The op's own results. */
    readonly results: readonly ValueId[];
    readonly config: OpSpecificAttributes | undefined;
  }
  | {
    readonly kind: "conversion";
    readonly conversion: Conversion;
    readonly operands: readonly [InstanceId];
    readonly results: readonly [InstanceId];
  };

/** A planned function as the device runs it. */
export interface PlannedExecution {
  /** In execution order; each conversion directly before the op that it is made for. */
  readonly steps: readonly PlanStep[];
  /** Layout per instance; `undefined` for values that are not tensors or whose layout is not understood. */
  readonly layouts: readonly (TtnnLayout | undefined)[];
  /** The value of the input that each instance holds. */
  readonly valueOf: readonly ValueId[];
  /** Instances that the function returns. */
  readonly results: readonly InstanceId[];
}

function isItself({ kind }: OperandSource): boolean {
  return kind === "value";
}

/** Instance that an operand source names. */
export function instanceOf(fn: GraphFunction, value: ValueId, source: OperandSource): InstanceId {
  return source.kind === "value" ? value : copyInstance(fn, source.conversion);
}

/**
 * A plan in execution order: ops by the plan's schedule, each preceded by the conversions that are made
 * directly before it.
 *
 * @example
 * ```ts
 * import { loadModule } from "@tilewright/tilewright";
 * import { identityPlan, planExecution } from "@tilewright/tilewright/plan";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * for (const fn of workbench.binding.graph.functions) {
 *   const { steps } = planExecution(fn, identityPlan(fn));
 *   assertEquals(steps.map((step) => step.kind === "op" && step.op), fn.ops.map((op) => op.id));
 * }
 * ```
 *
 * @throws {RangeError} when the plan does not belong to the function (wrong counts or unknown ids)
 */
export function planExecution(fn: GraphFunction, plan: FunctionPlan): PlannedExecution {
  if (plan.decisions.length !== fn.ops.length) {
    throw new RangeError(
      `Cannot apply the plan of ${plan.name}: it decides ${plan.decisions.length} ops, ` +
        `the function has ${fn.ops.length}`,
    );
  }
  const layouts: (TtnnLayout | undefined)[] = fn.values.map((value) => value.layout);
  const valueOf: ValueId[] = fn.values.map((value) => value.id);
  for (const decision of plan.decisions) {
    opAt(fn, decision.op).results.forEach((result, index) => {
      const layout = decision.outputLayouts[index];
      if (layout !== undefined) layouts[result] = layout;
    });
  }
  const conversionsBefore = Map.groupBy(plan.conversions, ({ beforeOp }) => beforeOp);
  for (const conversion of plan.conversions) {
    layouts.push(conversion.layout);
    valueOf.push(conversion.value);
  }
  const steps: PlanStep[] = [];
  const convertBefore = (op: SchedulePoint): void => {
    for (const conversion of conversionsBefore.get(op) ?? []) {
      steps.push({
        kind: "conversion",
        conversion,
        operands: [instanceOf(fn, conversion.value, conversion.source)],
        results: [copyInstance(fn, conversion.id)],
      });
    }
  };
  for (const id of plan.schedule ?? fn.ops.map((op) => op.id)) {
    const op = opAt(fn, id);
    const decision = plan.decisions[id];
    if (decision === undefined) throw new RangeError(`Cannot schedule op ${id} of ${plan.name}`);
    convertBefore(id);
    steps.push({
      kind: "op",
      op: id,
      // Most ops read all operands as they were produced and can share the list.
      operands: decision.operands.every(isItself)
        ? op.operands
        : op.operands.map((value, index) =>
          instanceOf(fn, value, decision.operands[index] ?? { kind: "value" })
        ),
      results: op.results,
      config: decision.config,
    });
  }
  convertBefore(returnPlace(fn));
  return {
    steps,
    layouts,
    valueOf,
    results: fn.results.map((value, index) =>
      instanceOf(fn, value, plan.results[index] ?? { kind: "value" })
    ),
  };
}

/** The plan that changes nothing: every op as the input has it. */
export function identityPlan(fn: GraphFunction): FunctionPlan {
  return {
    name: fn.name,
    decisions: fn.ops.map((op) => ({
      op: op.id,
      outputLayouts: op.results.map((result) => valueAt(fn, result).layout),
      config: undefined,
      operands: op.operands.map(() => ({ kind: "value" })),
      reasons: [],
    })),
    conversions: [],
    results: fn.results.map(() => ({ kind: "value" })),
    schedule: undefined,
  };
}
