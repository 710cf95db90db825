// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { dispatchesOf } from "../graph/dispatch.ts";
import type { Graph, GraphFunction, GraphOp } from "../graph/graph.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { type Conversion, type FunctionPlan, functionPlans, type OperandSource, type Plan } from "./plan.ts";

/**
 * Checks that a plan belongs to a graph and is consistent: every id exists, every copy is made before it is
 * read, the schedule keeps definitions before uses, and results have the layouts of the function's signature.
 * Legality of layouts is checked by the op model, capacity by the L1 timeline.
 *
 * @example
 * ```ts
 * import { loadModule } from "@tilewright/tilewright";
 * import { identityPlan, verifyPlan } from "@tilewright/tilewright/plan";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const { graph } = workbench.binding;
 * const plan = { schema: "tilewright.plan/1", policy: "none", device: "n150" } as const;
 * assertEquals(verifyPlan(graph, { ...plan, functions: graph.functions.map(identityPlan) }), []);
 * assertEquals(verifyPlan(graph, { ...plan, functions: [] })[0]?.code, "plan/missing-function");
 * ```
 *
 * @returns one error per violation, empty when the plan is sound
 */
export function verifyPlan(graph: Graph, plan: Plan): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const dispatches = dispatchesOf(graph);
  const planOf = functionPlans(plan);
  for (const fn of graph.functions) {
    const dispatch = dispatches.find(({ callee }) => callee === fn);
    const caller = dispatch === undefined ? undefined : planOf(dispatch.caller.name);
    const wanted = caller?.decisions[dispatch?.op ?? 0]?.outputLayouts;
    const functionPlan = planOf(fn.name);
    if (functionPlan === undefined) {
      diagnostics.push(
        error("plan/missing-function", `Cannot apply the plan: it has no function @${fn.name}`),
      );
    } else {
      diagnostics.push(...verifyFunctionPlan(fn, functionPlan, dispatch === undefined ? [] : wanted ?? []));
    }
  }
  return diagnostics;
}

/** @param wanted layouts in which the dispatching op is planned to have its results */
function verifyFunctionPlan(
  fn: GraphFunction,
  plan: FunctionPlan,
  wanted: readonly (TtnnLayout | undefined)[],
): readonly Diagnostic[] {
  const where = `@${fn.name}`;
  if (plan.decisions.length !== fn.ops.length) {
    return [error(
      "plan/op-count",
      `Cannot apply the plan of ${where}: it decides ${plan.decisions.length} ops, the function has ${fn.ops.length}`,
    )];
  }
  const order = plan.schedule ?? fn.ops.map((op) => op.id);
  const positions = new Int32Array(fn.ops.length + 1).fill(-1);
  order.forEach((op, index) => {
    if (op >= 0 && op < fn.ops.length) positions[op] = index;
  });
  positions[fn.ops.length] = order.length;
  if (order.length !== fn.ops.length || positions.includes(-1)) {
    return [
      error(
        "plan/schedule",
        `Cannot apply the plan of ${where}: its schedule is not a permutation of the ops`,
      ),
    ];
  }
  const check: OrderCheck = { fn, plan, positions };
  return [
    ...plan.conversions.flatMap((conversion, index) => conversionFaults(check, conversion, index)),
    ...fn.ops.flatMap((op) => decisionFaults(check, op)),
    ...resultFaults(check, wanted),
  ];
}

/** A function, its plan, and the position of every op in the plan's schedule, followed by that of `return`. */
interface OrderCheck {
  readonly fn: GraphFunction;
  readonly plan: FunctionPlan;
  readonly positions: Int32Array;
}

function fault({ fn }: OrderCheck, code: string, what: string): Diagnostic {
  return error(`plan/${code}`, `Cannot apply the plan of @${fn.name}: ${what}`);
}

/** A read at a position is valid if the value or copy exists by then. */
function readFaults(
  check: OrderCheck,
  value: number,
  source: OperandSource,
  at: number,
  reader: string,
): readonly Diagnostic[] {
  const { fn, plan, positions } = check;
  const definition = fn.values[value]?.definition;
  const definedAt = definition?.kind === "result" ? positions[definition.op] ?? -1 : -1;
  const early = definedAt >= at ? [fault(check, "order", `${reader} comes before its operand`)] : [];
  if (source.kind === "value") return early;
  const conversion = plan.conversions[source.conversion];
  const read = `${reader} reads conversion ${source.conversion}`;
  if (conversion === undefined || conversion.value !== value) {
    return [...early, fault(check, "conversion", `${read}, which is not a copy of its operand`)];
  }
  const madeAt = positions[conversion.beforeOp] ?? fn.ops.length;
  return madeAt > at ? [...early, fault(check, "order", `${read} before it is made`)] : early;
}

function conversionFaults(check: OrderCheck, conversion: Conversion, index: number): readonly Diagnostic[] {
  const { fn, plan, positions } = check;
  const reader = `conversion ${index}`;
  const at = positions[conversion.beforeOp];
  if (conversion.id !== index || fn.values[conversion.value] === undefined || at === undefined) {
    return [fault(check, "conversion", `${reader} names unknown ids`)];
  }
  const faults = [...readFaults(check, conversion.value, conversion.source, at, reader)];
  if (conversion.source.kind === "conversion" && conversion.source.conversion >= index) {
    faults.unshift(fault(check, "order", `${reader} reads a later conversion`));
  }
  const from = deliveredLayout(fn, plan, conversion.value, conversion.source);
  if (from !== undefined && layoutsEqual(from, conversion.layout)) {
    faults.push(fault(check, "no-op", `${reader} converts a layout into itself`));
  }
  return faults;
}

function decisionFaults(check: OrderCheck, op: GraphOp): readonly Diagnostic[] {
  const decision = check.plan.decisions[op.id];
  if (decision === undefined || decision.op !== op.id || decision.operands.length !== op.operands.length) {
    return [fault(check, "decision", `the decision of op ${op.id} is not its own`)];
  }
  return op.operands.flatMap((value, index) => {
    const source = decision.operands[index];
    return source === undefined
      ? []
      : readFaults(check, value, source, check.positions[op.id] ?? 0, `op ${op.id} (${op.name})`);
  });
}

/**
 * The signature is part of the input's interface: a returned value must have the layout that the input
 * declares, or the one that the plan gives the result of the op that dispatches the function.
 */
function resultFaults(
  check: OrderCheck,
  wanted: readonly (TtnnLayout | undefined)[],
): readonly Diagnostic[] {
  const { fn, plan } = check;
  return fn.results.flatMap((value, index) => {
    const source = plan.results[index] ?? { kind: "value" };
    const faults = readFaults(check, value, source, fn.ops.length, "return");
    const declared = wanted[index] ?? fn.values[value]?.layout;
    const delivered = deliveredLayout(fn, plan, value, source);
    if (declared === undefined || delivered === undefined || layoutsEqual(declared, delivered)) {
      return faults;
    }
    return [
      ...faults,
      fault(check, "result-layout", `result ${index} would not have the layout of the signature`),
    ];
  });
}

/** Layout in which a reader receives a value. */
function deliveredLayout(
  fn: GraphFunction,
  plan: FunctionPlan,
  value: number,
  source: OperandSource,
): TtnnLayout | undefined {
  if (source.kind === "conversion") return plan.conversions[source.conversion]?.layout;
  const { definition, layout } = fn.values[value] ?? {};
  if (definition?.kind !== "result") return layout;
  return plan.decisions[definition.op]?.outputLayouts[definition.index] ?? layout;
}

function error(code: string, message: string): Diagnostic {
  return { code, severity: "error", message };
}
