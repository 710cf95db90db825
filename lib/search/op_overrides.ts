// SPDX-License-Identifier: Apache-2.0
import { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import { type DiagnosticError, inputError } from "../diagnostics/diagnostic.ts";
import type { GraphOp, OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { type LayoutRequest, makeLayout } from "../layout/make_layout.ts";
import { keepsFormat, opOverrides } from "../overrides/op_overrides.ts";
import { NO_OVERRIDES, type OptimizerOverrides, type OutputLayoutOverride } from "../overrides/overrides.ts";
import type { OutputHint } from "../opmodel/op_model.ts";
import type { FunctionModel } from "./function_model.ts";
import type { CandidateLimits } from "./layout_catalog.ts";
import { legalConfigs } from "./legal_configs.ts";

/** What overrides leave to one op. */
export interface OverriddenOp {
  /** Name that the override addresses. */
  readonly name: string;
  /** All hints that are left; `undefined` leaves the op its own. */
  readonly hints: readonly OutputHint[] | undefined;
  /** What the layout of the first result must be like. */
  readonly outputLayout: OutputLayoutOverride | undefined;
  /** Whether it may run with the configs of `hints` only. */
  readonly fixesConfig: boolean;
  /**
   * Operands that the op must read in the memory that its own result gets, and what that may be for them, as far as the
   * hints that are left say it.
   */
  readonly memReconfigs: ReadonlyMap<number, readonly LayoutId[]>;
}

/**
 * What overrides say about the ops of a function, by op id.
 *
 * @throws {DiagnosticError} when an override leaves an op no layout, or asks for what the pass-based policies cannot do
 */
export function overriddenOps(
  model: FunctionModel,
  limits: CandidateLimits,
  overrides: OptimizerOverrides = NO_OVERRIDES,
): ReadonlyMap<OpId, OverriddenOp> {
  const found = new Map<OpId, OverriddenOp>();
  const analysis = new LegalTensorLayoutAnalysis(model.opModel.chip, model.layouts, {
    rowMajorEnabled: true,
  });
  for (const [id, given] of opOverrides(model.fn, overrides)) {
    const op = model.op(id);
    const { name, outputLayout: override, conv2dConfig, conv3dConfig, memReconfigs } = given;
    const [result] = op.results;
    if (result === undefined) continue;
    const { tensor, layout } = model.value(result);
    if (tensor === undefined || layout === undefined) continue;
    const traits = model.traits(id);
    if (!traits.known || !traits.movable) {
      throw unsupported(`override ${name}: ${op.name} runs as the input has it and cannot be moved`);
    }
    if (override !== undefined && !keepsFormat(layout, override)) {
      throw unsupported(
        `override ${name}: its element format and pages must be carried out before layouts are decided`,
      );
    }
    const fixesConfig = Object.keys({ ...conv2dConfig, ...conv3dConfig }).length > 0;
    const isFree = override === undefined && !fixesConfig;
    const configs = isFree ? undefined : legalConfigs(model, id, {
      analysis,
      limits,
      overrides: given,
      movable: true,
      foldBatch: true,
    });
    const results = [...new Set(configs?.map(({ outputLayout }) => outputLayout))];
    found.set(id, {
      name,
      hints: configs?.map(({ outputLayout, attributes }) => ({ layout: outputLayout, config: attributes })),
      outputLayout: override,
      fixesConfig,
      memReconfigs: new Map(
        memReconfigs.map((operand) => [operand, layoutsInMemoryOf(model, op, operand, results)]),
      ),
    });
  }
  return found;
}

/** The layouts of an operand that lie in the memory of some results: same buffer, memory layout and grid. */
function layoutsInMemoryOf(
  model: FunctionModel,
  op: GraphOp,
  operand: number,
  results: readonly LayoutId[],
): readonly LayoutId[] {
  const value = op.operands[operand];
  const { tensor, layout } = value === undefined ? {} : model.value(value);
  if (tensor === undefined || layout === undefined) return [];
  const { layouts, opModel: { chip } } = model;
  return results.flatMap((id) => {
    const { bufferType, memoryLayout, gridShape: [rows = 1, columns = 1] } = layouts.get(id);
    const request: LayoutRequest = {
      shape: tensor.shape,
      dataType: layout.dataType,
      tile: layout.tile ?? null,
      bufferType,
      memoryLayout,
      ...(memoryLayout === "interleaved" ? {} : { grid: [rows, columns] }),
    };
    try {
      return [layouts.intern(makeLayout(request, chip.workerGrid))];
    } catch (error) {
      // A grid that the operand cannot be divided by: there the op cannot follow.
      if (error instanceof RangeError) return [];
      throw error;
    }
  });
}

/** Code of {@linkcode overrideRefused}. */
export const OVERRIDE_REFUSED = "override/refused";

/** An override is an order: an op that cannot follow it is an error, not a fallback. */
export function overrideRefused({ id, name, location }: GraphOp, why: string): DiagnosticError {
  return inputError(
    OVERRIDE_REFUSED,
    `Cannot give ${name} (op ${id}, ${location}) the layout of its override: ${why}`,
  );
}

function unsupported(what: string): DiagnosticError {
  return inputError("override/unsupported", `Cannot ${what}`);
}
