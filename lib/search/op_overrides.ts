// SPDX-License-Identifier: Apache-2.0
import { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import { type DiagnosticError, inputError } from "../diagnostics/diagnostic.ts";
import type { GraphOp, OpId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { type LayoutRequest, makeLayout } from "../layout/make_layout.ts";
import { ConfigIds } from "../op_config/config_ids.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { keepsFormat, obeysOverride, opOverrides } from "../overrides/op_overrides.ts";
import { NO_OVERRIDES, type OptimizerOverrides, type OutputLayoutOverride } from "../overrides/overrides.ts";
import type { OutputHint } from "../opmodel/op_model.ts";
import { keepingActivation } from "../plan/live_activations.ts";
import type { FunctionModel } from "./function_model.ts";
import type { OutputChoice } from "./impls.ts";
import type { CandidateLimits, LayoutCatalog } from "./layout_catalog.ts";
import { legalConfigs } from "./legal_configs.ts";

/** Decisions that overrides leave open for one op. */
interface OverriddenOp {
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

/** The overrides of the ops of one function: allowed and required layouts. */
export class OverriddenOps {
  readonly #model: FunctionModel;
  readonly #catalog: LayoutCatalog;
  readonly #configs = new ConfigIds();
  readonly #ops: ReadonlyMap<OpId, OverriddenOp>;

  /** @throws {DiagnosticError} when an override cannot be followed */
  constructor(
    model: FunctionModel,
    catalog: LayoutCatalog,
    limits: CandidateLimits,
    overrides: OptimizerOverrides | undefined,
  ) {
    this.#model = model;
    this.#catalog = catalog;
    this.#ops = overriddenOps(model, limits, overrides);
  }

  /** Whether any op is overridden. */
  get any(): boolean {
    return this.#ops.size > 0;
  }

  /** Name by which an override refers to the op; `undefined` if none does. */
  nameOf(op: OpId): string | undefined {
    return this.#ops.get(op)?.name;
  }

  /** All hints that an override leaves an op; `undefined` if the op keeps its own. */
  hintsOf(op: OpId): readonly OutputHint[] | undefined {
    return this.#ops.get(op)?.hints;
  }

  /** Whether an override fixes the layout of the op's first result. */
  fixesResult(op: OpId): boolean {
    return this.#ops.get(op)?.outputLayout !== undefined;
  }

  /** Whether an override fixes the op's config. */
  fixesConfig(op: OpId): boolean {
    return this.#ops.get(op)?.fixesConfig === true;
  }

  /** Whether an override fixes the layout of the op's first result, the layout of an operand, or the config. */
  isOverridden(op: OpId): boolean {
    const override = this.#ops.get(op);
    return override !== undefined && (override.hints !== undefined || override.memReconfigs.size > 0);
  }

  /** Whether overrides allow an implementation of an op. */
  allow(op: OpId, inputs: LayoutIds, { outputs, config }: OutputChoice): boolean {
    const override = this.#ops.get(op);
    if (override === undefined) return true;
    const { outputLayout, fixesConfig, hints = [] } = override;
    const [first] = outputs;
    return this.allowMemory(op, inputs, outputs) &&
      (outputLayout === undefined || first === undefined ||
        obeysOverride(this.#model.layouts.get(first), outputLayout)) &&
      (!fixesConfig || hints.some((hint) => this.#isConfigOf(hint, config)));
  }

  /** Whether an op reads every operand of `--insert-memreconfig` in the same memory as its first result. */
  allowMemory(op: OpId, inputs: LayoutIds, [first]: LayoutIds): boolean {
    const override = this.#ops.get(op);
    if (override === undefined) return true;
    const memoryOf = (layout: LayoutId | undefined) =>
      layout === undefined ? undefined : this.#catalog.facts(layout).uniformKey;
    return [...override.memReconfigs.keys()].every((operand) =>
      memoryOf(inputs[operand]) === memoryOf(first)
    );
  }

  /**
   * Layouts that `--insert-memreconfig` may require of an operand; empty if it does not mention it, or if no other
   * override fixes the op's result, whose memory the operand follows.
   */
  memReconfigLayouts(op: OpId, operand: number): readonly LayoutId[] {
    return this.#ops.get(op)?.memReconfigs.get(operand) ?? [];
  }

  /**
   * Whether a config is that of a hint; a convolution may keep its activation although the hint frees it.
   */
  #isConfigOf(hint: OutputHint, config: OpSpecificAttributes | undefined): boolean {
    const id = this.#configs.of(config);
    const kept = hint.config === undefined ? undefined : keepingActivation(hint.config);
    return id === this.#configs.of(hint.config) || (kept !== undefined && id === this.#configs.of(kept));
  }
}

/**
 * Overrides of the ops of a function, by op id.
 *
 * @throws {DiagnosticError} when an override leaves an op without a layout, or asks for something that
 * pass-based policies cannot do
 */
function overriddenOps(
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
    if (traits.isOpaque || !traits.movable) {
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
export function layoutsInMemoryOf(
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

/** @param what that cannot be done, continuing "Cannot " */
function unsupported(what: string): DiagnosticError {
  return inputError("override/unsupported", `Cannot ${what}`);
}
