// SPDX-License-Identifier: Apache-2.0
import type { Bound } from "../lib/cost/cost_model.ts";
import { DECIDED_PROPERTIES } from "../lib/dialect/decided_properties.ts";
import {
  firstResult,
  functionNamed,
  type Graph,
  type GraphFunction,
  type GraphOp,
  opAt,
  opId,
  valueAt,
} from "../lib/graph/graph.ts";
import type { AttributeMap } from "../lib/ir/attribute.ts";
import { describeLayoutOr } from "../lib/layout/describe.ts";
import { appliedActivations } from "../lib/op_config/activations.ts";
import { effectiveConfig } from "../lib/op_config/config_key.ts";
import type { OpSpecificAttributes } from "../lib/op_config/op_config.ts";
import { parseOpConfig } from "../lib/op_config/parse.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import { type ConversionReason, type FunctionPlan, functionPlans, type Plan } from "../lib/plan/plan.ts";
import { type FunctionTimeline, type StepTimeline, stepUs, type Timeline } from "../sim/timeline/timeline.ts";

/** A copy that the plan inserts for one op. */
export interface ConversionRow {
  /** As in the plan. */
  readonly reason: ConversionReason;
  /** Value that is copied, as the input names it. */
  readonly value: string;
  /** Operand of the op that reads the copy; absent for `return`, and if only a later copy reads it. */
  readonly operand?: number;
  /** Layout that is read, as `describeLayout` spells it. */
  readonly from: string;
  /** Layout of the copy, as `describeLayout` spells it. */
  readonly to: string;
  /** Predicted time with its gap, in µs. */
  readonly us: number;
  /** As {@linkcode OpRow.relativeError}. */
  readonly relativeError: number;
  /** As {@linkcode OpRow.ownError}. */
  readonly ownError: number;
  /** The plan's reason; `""` without a plan. */
  readonly note: string;
}

/** One op of the table: before, after, and its cost. */
export interface OpRow {
  /** Name without `@`. */
  readonly function: string;
  /** Op id in its function; for the row of `return` one past the last op. */
  readonly id: number;
  /** Full name, for example `ttnn.matmul`; `func.return` for the copies made for `return`. */
  readonly name: string;
  /** Text of the op's location; `""` without one. */
  readonly location: string;
  /** Problem size: `M x K x N` for matmuls, the output shape for most others. */
  readonly shape: string;
  /** Element format of the first result, else of the first operand; `""` without tensors. */
  readonly dataType: string;
  /** Layout per operand as read; `""` if it has none. */
  readonly inputs: readonly string[];
  /** Layout per result as in the input; `""` if it has none. */
  readonly before: readonly string[];
  /** Layout per result as decided. */
  readonly after: readonly string[];
  /** Number of cores of the op's programs. */
  readonly cores: number;
  /** Predicted time with its gap, in µs; conversions are extra. */
  readonly us: number;
  /** Why `us` is 0 although the op takes time; absent if `us` is a prediction. */
  readonly unknownTime?: string;
  /** As `RuntimeEstimate.relativeError`: 0.08 means that 68 of 100 times lie between 1/1.08 and 1.08 of `us`. */
  readonly relativeError: number;
  /** The part of `relativeError` that two different ops of the class do not share. */
  readonly ownError: number;
  /** Bottleneck of the op. */
  readonly bound: Bound;
  /** Copies for this op, directly before it. */
  readonly conversions: readonly ConversionRow[];
  /** Meaning without decisions: name, shapes, formats and the attributes that no optimizer decides. */
  readonly meaning: string;
  /** Config that the op runs with, if known. */
  readonly config: OpSpecificAttributes | undefined;
  /** For a memory op of the input: its reader that is no memory op; one past the last op for `return`. */
  readonly feeds: number | undefined;
  /** The operand of that reader; absent for `return` and for other ops. */
  readonly readingOperand?: number;
  /** The plan's reasons; empty without a plan. */
  readonly reasons: readonly string[];
}

/** What is read again of a row that was saved. */
export type SavedRow =
  & Omit<OpRow, "dataType" | "before" | "cores" | "unknownTime" | "bound" | "reasons" | "conversions">
  & { readonly conversions: readonly Omit<ConversionRow, "reason" | "value" | "note">[] };

/** Name of the row with the copies for `return`. */
export const RETURN = "func.return";

/**
 * Rows of every op that runs in an inference, in execution order.
 *
 * @example
 * ```ts
 * import { loadModule, simulateGraph } from "@tilewright/tilewright";
 * import { opRows } from "@tilewright/tilewright/pipeline";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const { graph } = workbench.binding;
 * const rows = opRows(graph, undefined, simulateGraph(graph, undefined, workbench));
 * assertEquals(rows.some((row) => row.name === "ttnn.relu"), true);
 * ```
 */
export function opRows(graph: Graph, plan: Plan | undefined, timeline: Timeline): readonly OpRow[] {
  const planOf = functionPlans(plan);
  return timeline.functions.filter((fn) => fn.role === "inference").flatMap((functionTimeline) =>
    functionRows(functionNamed(graph, functionTimeline.name), planOf(functionTimeline.name), functionTimeline)
  );
}

function functionRows(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  timeline: FunctionTimeline,
): readonly OpRow[] {
  const rows: OpRow[] = [];
  let pending: ConversionRow[] = [];
  for (const step of timeline.steps) {
    if (step.kind === "conversion") {
      pending.push(conversionRow(fn, plan, step));
      continue;
    }
    const op = opAt(fn, opId(fn, step.id));
    const reader = definitionOf(step.name).memoryOp ? consumerOf(fn, op) : undefined;
    rows.push({
      function: fn.name,
      id: step.id,
      name: step.name,
      location: step.location,
      shape: step.shape,
      dataType: step.outputTypes[0] ?? step.inputTypes[0] ?? "",
      inputs: step.inputLayouts.map((layout) => describeLayoutOr(layout, "")),
      before: op.results.map((result) => describeLayoutOr(valueAt(fn, result).layout, "")),
      after: step.outputLayouts.map((layout) => describeLayoutOr(layout, "")),
      cores: step.estimate.cores,
      us: stepUs(step),
      ...(step.estimate.unknown === undefined ? {} : { unknownTime: step.estimate.unknown }),
      relativeError: step.estimate.relativeError,
      ownError: step.estimate.ownError,
      bound: step.bound,
      conversions: pending,
      meaning: meaningKey(step, op.attributes),
      config: effectiveConfig(parseOpConfig(step.name, op.attributes), step.config),
      feeds: reader?.op,
      ...(reader?.operand === undefined ? {} : { readingOperand: reader.operand }),
      reasons: plan?.decisions[step.id]?.reasons ?? [],
    });
    pending = [];
  }
  if (pending.length > 0 || rows.some((row) => row.feeds === fn.ops.length)) {
    rows.push(returnRow(fn, pending));
  }
  return rows;
}

/** `return` is not in the timeline, but may read memory ops. */
function returnRow(fn: GraphFunction, conversions: readonly ConversionRow[]): OpRow {
  return {
    function: fn.name,
    id: fn.ops.length,
    name: RETURN,
    location: "",
    shape: "",
    dataType: "",
    inputs: [],
    before: [],
    after: [],
    cores: 0,
    us: 0,
    relativeError: 0,
    ownError: 0,
    bound: "SLOW",
    conversions,
    meaning: RETURN,
    config: undefined,
    feeds: undefined,
    reasons: [],
  };
}

function conversionRow(fn: GraphFunction, plan: FunctionPlan | undefined, step: StepTimeline): ConversionRow {
  const conversion = plan?.conversions[step.id];
  const operand =
    plan?.decisions[step.op]?.operands.findIndex((source) =>
      source.kind === "conversion" && source.conversion === conversion?.id
    ) ?? -1;
  return {
    reason: step.reason ?? "reshard",
    value: conversion === undefined ? "" : valueAt(fn, conversion.value).name,
    ...(operand === -1 ? {} : { operand }),
    from: describeLayoutOr(step.inputLayouts[0], ""),
    to: describeLayoutOr(step.outputLayouts[0], ""),
    us: stepUs(step),
    relativeError: step.estimate.relativeError,
    ownError: step.estimate.ownError,
    note: conversion?.note ?? "",
  };
}

/**
 * The first reader of a memory op, through other memory ops, that is none itself; `ops.length` is `return`.
 */
function consumerOf(
  fn: GraphFunction,
  memoryOp: GraphOp,
): { readonly op: number; readonly operand: number | undefined } {
  for (let op = memoryOp;;) {
    const use = firstResult(fn, op)?.uses[0];
    if (use === undefined) return { op: fn.ops.length, operand: undefined };
    op = opAt(fn, use.op);
    if (!definitionOf(op.name).memoryOp) return { op: op.id, operand: use.operand };
  }
}

function meaningKey(step: StepTimeline, attributes: AttributeMap | undefined): string {
  const activations = appliedActivations(step.name, attributes ?? new Map());
  const meaning = [...attributes ?? []]
    .filter(([key]) => !DECIDED_PROPERTIES.has(key) && (key !== "activation" || activations.length === 0))
    .map(([key, value]) => `${key}=${attributeKey(value)}`)
    .sort();
  if (activations.length > 0) meaning.push(`activation=${attributeKey(activations)}`);
  const shapes = (list: StepTimeline["inputShapes"]): string =>
    list.map((shape) => shape?.join("x") ?? "-").join(",");
  return [step.name, shapes(step.inputShapes), shapes(step.outputShapes), step.outputTypes.join(), ...meaning]
    .join("|");
}

/** JSON of a value without `|`, which parts a meaning, and without names of aliases, as arbitrary as SSA names. */
function attributeKey(value: unknown): string {
  const text = JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return String(part);
    return part instanceof Map ? [...part] : part;
  });
  return text.replace(/#[A-Za-z_][\w$]*(?![\w$.<])/g, "#").replaceAll("|", "\\u007c");
}
