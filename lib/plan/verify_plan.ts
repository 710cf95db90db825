// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { dispatchesOf } from "../graph/dispatch.ts";
import type { Graph, GraphFunction } from "../graph/graph.ts";
import { layoutKey } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { FunctionPlan, OperandSource, Plan } from "./plan.ts";

/**
 * Checks that a plan belongs to a graph and can be carried out: every id exists, every copy is made before it is read,
 * the schedule keeps definitions before uses, and results come back in the layouts of the function's signature.
 *
 * Whether ops accept their layouts is the op model's business, whether they fit is the L1 timeline's.
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
  for (const fn of graph.functions) {
    const dispatch = dispatches.find(({ callee }) => callee === fn);
    const wanted = plan.functions.find(({ name }) => name === dispatch?.caller.name)
      ?.decisions[dispatch?.op ?? 0]?.outputLayouts;
    const functionPlan = plan.functions.find((candidate) => candidate.name === fn.name);
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

/** @param wanted layouts that the op which dispatches to the function is planned to have its results in */
function verifyFunctionPlan(
  fn: GraphFunction,
  plan: FunctionPlan,
  wanted: readonly (TtnnLayout | undefined)[],
): Diagnostic[] {
  const where = `@${fn.name}`;
  const problems: Diagnostic[] = [];
  if (plan.decisions.length !== fn.ops.length) {
    return [error(
      "plan/op-count",
      `Cannot apply the plan of ${where}: it decides ${plan.decisions.length} ops, the function has ${fn.ops.length}`,
    )];
  }
  const order = plan.schedule ?? fn.ops.map((op) => op.id);
  const position = new Int32Array(fn.ops.length + 1).fill(-1);
  order.forEach((op, index) => {
    if (op >= 0 && op < fn.ops.length) position[op] = index;
  });
  position[fn.ops.length] = order.length;
  if (order.length !== fn.ops.length || position.includes(-1)) {
    return [
      error("plan/schedule", `Cannot apply the plan of ${where}: its schedule is no permutation of the ops`),
    ];
  }

  const definedAt = (value: number): number => {
    const definition = fn.values[value]?.definition;
    return definition === undefined || definition.kind === "argument" ? -1 : position[definition.op] ?? -1;
  };
  /** A read at a position is fine when the value and the copy exist by then. */
  const checkRead = (value: number, source: OperandSource, at: number, reader: string): void => {
    if (definedAt(value) >= at) {
      problems.push(
        error("plan/order", `Cannot apply the plan of ${where}: ${reader} comes before its operand`),
      );
    }
    if (source.kind === "value") return;
    const conversion = plan.conversions[source.conversion];
    if (conversion === undefined || conversion.value !== value) {
      problems.push(error(
        "plan/conversion",
        `Cannot apply the plan of ${where}: ${reader} reads conversion ${source.conversion}, which is no copy of its operand`,
      ));
    } else if ((position[conversion.beforeOp] ?? order.length) > at) {
      problems.push(error(
        "plan/order",
        `Cannot apply the plan of ${where}: ${reader} reads conversion ${source.conversion} before it is made`,
      ));
    }
  };

  plan.conversions.forEach((conversion, index) => {
    const reader = `conversion ${index}`;
    if (
      conversion.id !== index || fn.values[conversion.value] === undefined ||
      position[conversion.beforeOp] === undefined
    ) {
      problems.push(
        error("plan/conversion", `Cannot apply the plan of ${where}: ${reader} names unknown ids`),
      );
      return;
    }
    if (conversion.source.kind === "conversion" && conversion.source.conversion >= index) {
      problems.push(
        error("plan/order", `Cannot apply the plan of ${where}: ${reader} reads a later conversion`),
      );
    }
    checkRead(conversion.value, conversion.source, position[conversion.beforeOp] ?? 0, reader);
    const from = deliveredLayout(fn, plan, conversion.value, conversion.source);
    if (from !== undefined && layoutKey(from) === layoutKey(conversion.layout)) {
      problems.push(
        error("plan/no-op", `Cannot apply the plan of ${where}: ${reader} converts a layout into itself`),
      );
    }
  });
  for (const op of fn.ops) {
    const decision = plan.decisions[op.id];
    if (decision === undefined || decision.op !== op.id || decision.operands.length !== op.operands.length) {
      problems.push(
        error(
          "plan/decision",
          `Cannot apply the plan of ${where}: the decision of op ${op.id} is not its own`,
        ),
      );
      continue;
    }
    op.operands.forEach((value, index) => {
      const source = decision.operands[index];
      if (source !== undefined) checkRead(value, source, position[op.id] ?? 0, `op ${op.id} (${op.name})`);
    });
  }
  problems.push(
    ...verifyResults(fn, plan, wanted, (value, source) => checkRead(value, source, order.length, "return")),
  );
  return problems;
}

/**
 * The signature is part of the input's interface: what is returned must have the layout that the input declares, or that
 * the only op which dispatches to the function reads.
 */
function verifyResults(
  fn: GraphFunction,
  plan: FunctionPlan,
  wanted: readonly (TtnnLayout | undefined)[],
  checkRead: (value: number, source: OperandSource) => void,
): Diagnostic[] {
  const problems: Diagnostic[] = [];
  fn.results.forEach((value, index) => {
    const source = plan.results[index] ?? { kind: "value" };
    checkRead(value, source);
    const declared = wanted[index] ?? fn.values[value]?.layout;
    const delivered = deliveredLayout(fn, plan, value, source);
    if (declared === undefined || delivered === undefined) return;
    if (layoutKey(declared) !== layoutKey(delivered)) {
      problems.push(error(
        "plan/result-layout",
        `Cannot apply the plan of @${fn.name}: result ${index} would not have the layout of the signature`,
      ));
    }
  });
  return problems;
}

/** Layout in which a reader of a value gets it. */
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
