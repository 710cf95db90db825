// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../diagnostics/diagnostic.ts";
import { type Graph, idAt, type OpId, valueAt, type ValueId } from "../graph/graph.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { keepsFormat, opOverrides } from "../overrides/op_overrides.ts";
import { isOverridden, type OptimizerOverrides, type OutputLayoutOverride } from "../overrides/overrides.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { stepsAsMade } from "./arrange.ts";
import { FunctionModel } from "./function_model.ts";
import { ITSELF, type ProgramCopy, type ProgramDecision, type Source } from "./program.ts";
import { toPlan } from "./to_plan.ts";

/** A result for which an override changes the element format or pages. */
interface ChangedResult {
  readonly op: OpId;
  readonly value: ValueId;
  readonly layout: LayoutId;
}

/**
 * The input with the element formats and pages that overrides ask for, as one plan per function. An op that
 * can produce the format does so; otherwise a conversion follows it. Readers get the original format back.
 * Layouts never change formats (tt-mlir:memory-layout-propagation), so this happens before layouts are
 * decided, and policies treat the new ops like all others.
 *
 * @returns `undefined` if no override changes a format or pages
 * @throws {DiagnosticError} for row-major pages of a format that exists in tiles only
 */
export function overriddenFormats(
  graph: Graph,
  opModel: OpModel,
  overrides: OptimizerOverrides,
): readonly FunctionPlan[] | undefined {
  if (!isOverridden(overrides)) return undefined;
  const models = graph.functions.map((fn) => new FunctionModel(fn, opModel));
  const changes = models.map((model) => changesOf(model, overrides));
  if (changes.every((list) => list.length === 0)) return undefined;
  return models.map((model, index) => changedFunction(model, changes[index] ?? []));
}

function changesOf(model: FunctionModel, overrides: OptimizerOverrides): readonly ChangedResult[] {
  return [...opOverrides(model.fn, overrides)].flatMap(([op, { outputLayout }]): readonly ChangedResult[] => {
    const [value] = model.op(op).results;
    if (outputLayout === undefined || value === undefined) return [];
    const layout = changedLayout(model, value, outputLayout);
    return layout === undefined ? [] : [{ op, value, layout }];
  });
}

/**
 * A value's layout with the element format and pages of an override; `undefined` if it has them already. On the host pages
 * change with a format alone: its reshapes and moves keep them (`ttnn:backend-0-81-1`).
 */
function changedLayout(
  { fn, layouts, opModel }: FunctionModel,
  value: ValueId,
  override: OutputLayoutOverride,
): LayoutId | undefined {
  const { tensor, layout: current, name } = valueAt(fn, value);
  if (tensor === undefined || current === undefined || keepsFormat(current, override)) return undefined;
  const dataType = override.dataType ?? current.dataType;
  if (current.bufferType === "system_memory" && dataType === current.dataType) return undefined;
  const isTiled = override.pageLayout === undefined
    ? current.tile !== undefined
    : override.pageLayout === "tile";
  if (!isTiled && isBlockFloat(dataType)) {
    throw inputError(
      "override/impossible",
      `Cannot override the output layout of ${name}: ${dataType} exists in tiles only`,
    );
  }
  if (isTiled === (current.tile !== undefined)) return layouts.intern({ ...current, dataType });
  return layouts.intern(makeLayout({
    shape: tensor.shape,
    dataType,
    ...(isTiled ? {} : { tile: null }),
    bufferType: current.bufferType,
    memoryLayout: current.bufferType === "system_memory" ? undefined : "interleaved",
  }, opModel.chip.workerGrid));
}

/**
 * Whether an op can produce the format and pages of a layout from the operands of the input: not one that always runs
 * as in the input, such as the load of what another function made.
 */
function makesItself(model: FunctionModel, id: OpId, layout: LayoutId): boolean {
  if (!model.traits(id).movable) return false;
  const answer = model.constraints(id, model.asInput(id).inputs, layout, undefined);
  const [made] = answer.status === "valid" ? answer.outputLayouts : [];
  if (made === undefined) return false;
  const { dataType } = model.layouts.get(layout);
  return model.layouts.get(made).dataType === dataType && model.isTiled(made) === model.isTiled(layout);
}

function changedFunction(model: FunctionModel, changes: readonly ChangedResult[]): FunctionPlan {
  const { fn } = model;
  if (changes.length === 0) return identityPlan(fn);
  const copies: ProgramCopy[] = [];
  const made = new Map<OpId, LayoutId>();
  /** By value: what its readers read. */
  const sources = new Map<ValueId, Source>();
  for (const { op, value, layout } of changes) {
    const declared = model.declaredOutput(op);
    if (declared === undefined) continue;
    const isOwn = makesItself(model, op, layout);
    if (isOwn) made.set(op, layout);
    const move = { value, before: idAt<OpId>(op + 1) };
    const there = isOwn ? ITSELF : convert(model, copies, { ...move, source: ITSELF, layout }, declared);
    sources.set(value, convert(model, copies, { ...move, source: there, layout: declared }, layout));
  }
  const sourceOf = (value: ValueId): Source => sources.get(value) ?? ITSELF;
  const ops = fn.ops.map(({ id, operands }): ProgramDecision => {
    const { outputs } = model.asInput(id);
    const own = made.get(id);
    return {
      outputs: own === undefined ? outputs : [own, ...outputs.slice(1)],
      config: undefined,
      sources: operands.map(sourceOf),
      reasons: [],
    };
  });
  const program = {
    schedule: fn.ops.map(({ id }) => id),
    ops,
    copies: copies.sort((a, b) => a.before - b.before),
    results: fn.results.map(sourceOf),
  };
  return toPlan(model, program, stepsAsMade(program));
}

/** Adds the copies that lead to a layout `from` that of the source; returns the last one, the source if there is none. */
function convert(
  model: FunctionModel,
  copies: ProgramCopy[],
  wanted: Pick<ProgramCopy, "value" | "source" | "layout" | "before">,
  from: LayoutId,
): Source {
  if (from === wanted.layout) return wanted.source;
  const why = { reason: "typecast", note: "--override-output-layout" } as const;
  return model.copyLayouts(wanted.value, from, wanted.layout)
    .reduce((source, layout) => copies.push({ ...wanted, ...why, source, layout }) - 1, wanted.source);
}
