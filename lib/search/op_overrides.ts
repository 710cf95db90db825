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

/** Decisions that overrides leave open for one op. */
export interface OverriddenOp {
  /** Name by which the override refers to it. */
  readonly name: string;
  /** All remaining hints; `undefined` if the op keeps its own. */
  readonly hints: readonly OutputHint[] | undefined;
  /** Requirements on the layout of the first result. */
  readonly outputLayout: OutputLayoutOverride | undefined;
  /** Whether it may only run with the configs of `hints`. */
  readonly fixesConfig: boolean;
  /**
   * Operands that must be read in the same memory as the op's result, each with the layouts that this allows,
   * as far as the remaining hints determine them.
   */
  readonly memReconfigs: ReadonlyMap<number, readonly LayoutId[]>;
}

/**
 * Overrides of the ops of a function, by op id.
 *
 * @throws {DiagnosticError} when an override leaves an op without a layout, or asks for something that
 * pass-based policies cannot do
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

/** The layouts of an operand in the memory of given results: same buffer type, memory layout and grid. */
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
      // The operand cannot be divided by this grid, so the op cannot follow the override here.
      if (error instanceof RangeError) return [];
      throw error;
    }
  });
}

/** Diagnostic code of {@linkcode overrideRefused}. */
export const OVERRIDE_REFUSED = "override/refused";

/** An op that cannot follow its override is an error; there is no fallback. */
export function overrideRefused({ id, name, location }: GraphOp, why: string): DiagnosticError {
  return inputError(
    OVERRIDE_REFUSED,
    `Cannot give ${name} (op ${id}, ${location}) the layout of its override: ${why}`,
  );
}

function unsupported(what: string): DiagnosticError {
  return inputError("override/unsupported", `Cannot ${what}`);
}
