// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import type { GraphOp, OpId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { l1Bytes } from "../memory/op_footprint.ts";
import { definitionOf } from "../ops/op_book.ts";
import { windowOf } from "../ops/op_windows.ts";
import { isPointwise } from "../ops/sliding_window.ts";
import { reshapeIsView } from "../ops/view_shapes.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { planExecution, type PlanStep } from "../plan/steps.ts";
import type { ChainContext } from "./chain_context.ts";

/** Ops that fail at run time if they or their producer are in L1 interleaved (tt-mlir `L1InterleavedFallback`). */
const EXCLUDED_PRODUCERS: ReadonlySet<string> = new Set([
  "ttnn.max_pool2d",
  "ttnn.upsample",
  "ttnn.slice_static",
  "ttnn.typecast",
  "ttnn.matmul",
  "ttnn.linear",
]);
const EXCLUDED_USERS: ReadonlySet<string> = new Set([
  "ttnn.slice_static",
  "ttnn.typecast",
  "ttnn.matmul",
  "ttnn.linear",
]);

/**
 * Moves results from DRAM to L1 interleaved (tt-mlir `L1InterleavedFallbackAnalysis`,
 * tt-mlir:l1-interleaved-fallback) if the only reader is the next step and both ops still run exactly as
 * planned.
 */
export function l1InterleavedFallback(
  context: ChainContext,
  plan: FunctionPlan,
): ReadonlyMap<OpId, OpConfig> {
  const { fn } = context;
  const { steps, layouts } = planExecution(fn, plan);
  const planned = [...context.layouts.internAll(layouts)];
  const upgrades = new Map<OpId, OpConfig>();
  steps.forEach((step, index) => {
    if (step.kind !== "op") return;
    const next = steps[index + 1];
    const config = upgradeOf(context, step, next, planned);
    if (config === undefined) return;
    upgrades.set(step.op, config);
    const [result] = step.results;
    if (result !== undefined) planned[result] = config.outputLayout;
  });
  return upgrades;
}

function upgradeOf(
  context: ChainContext,
  step: PlanStep & { kind: "op" },
  next: PlanStep | undefined,
  planned: LayoutIds,
): OpConfig | undefined {
  const op = context.op(step.op);
  const [result] = step.results;
  const value = result === undefined ? undefined : context.value(result);
  const current = result === undefined ? undefined : planned[result];
  if (result === undefined || value === undefined || current === undefined) return undefined;
  if (context.layouts.get(current).bufferType !== "dram" || next?.kind !== "op") return undefined;
  if (value.uses.length !== 1 || value.returned > 0 || !next.operands.includes(result)) return undefined;
  const user = context.op(next.op);
  if (EXCLUDED_PRODUCERS.has(op.name) || isMatmulLikeConv2d(op)) return undefined;
  if (EXCLUDED_USERS.has(user.name) || isMatmulLikeConv2d(user)) return undefined;
  const inputsOf = (of: PlanStep): (LayoutId | undefined)[] =>
    of.operands.map((instance) => planned[instance]);
  if (op.name === "ttnn.reshape" && isDramView(context, op, inputsOf(step))) return undefined;
  if (user.name === "ttnn.reshape" && isDramView(context, user, [current])) return undefined;
  const config = (context.legalConfigs[op.id] ?? []).find(({ outputLayout }) => {
    const layout = context.layouts.get(outputLayout);
    return layout.bufferType === "l1" && layout.memoryLayout === "interleaved" &&
      (layout.tile !== undefined) === (context.layouts.get(current).tile !== undefined);
  });
  if (config === undefined || !runsBesideInputs(context, op.id, inputsOf(step), config)) {
    return undefined;
  }
  const [userResult] = next.results;
  const userLayout = userResult === undefined ? undefined : planned[userResult];
  if (userLayout === undefined || user.name === "ttnn.to_layout") return config;
  const userInputs = next.operands.map((instance) =>
    instance === result ? config.outputLayout : planned[instance]
  );
  const userConfig = { outputLayout: userLayout, attributes: next.config };
  return runsBesideInputs(context, user.id, userInputs, userConfig) ? config : undefined;
}

/** Whether an op still fits while its inputs in L1, which the op model does not count, take their bytes. */
function runsBesideInputs(
  context: ChainContext,
  op: OpId,
  inputs: LayoutIds,
  config: OpConfig,
): boolean {
  const held = [...new Set(inputs)].reduce<number>(
    (sum, layout) => sum + l1Bytes(context.layouts, layout),
    0,
  );
  return context.madeOutputs(op, inputs, config, held) !== undefined;
}

/** Whether a convolution runs as a matmul. */
function isMatmulLikeConv2d(op: GraphOp): boolean {
  if (definitionOf(op.name).family !== "conv2d") return false;
  const window = windowOf(op);
  return window !== undefined && isPointwise(window);
}

/** Whether a reshape of a DRAM tensor is a view; in L1 it would be a copy. */
function isDramView(context: ChainContext, op: GraphOp, inputs: LayoutIds): boolean {
  const [input] = inputs;
  if (input === undefined) return false;
  const layout = context.layouts.get(input);
  return layout.bufferType === "dram" && reshapeIsView(context.signature(op.id), layout.tile !== undefined);
}
