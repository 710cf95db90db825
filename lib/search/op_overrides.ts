// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import type { OpId } from "../graph/graph.ts";
import { nameOfLocation } from "../overrides/location_name.ts";
import { NO_OVERRIDES, type OptimizerOverrides } from "../overrides/overrides.ts";
import type { OutputHint } from "../opmodel/op_model.ts";
import type { FunctionModel } from "./function_model.ts";
import type { CandidateLimits, LayoutCatalog } from "./layout_catalog.ts";
import { legalConfigs } from "./legal_configs.ts";

/** The hints that overrides leave to one op. */
export interface OverriddenHints {
  /** Name that the override addresses. */
  readonly name: string;
  readonly hints: readonly OutputHint[];
  /** Whether the result must have one of the hinted layouts. */
  readonly fixesLayout: boolean;
}

/**
 * What `--override-output-layout`, `--override-conv2d-config` and `--override-conv3d-config` say about the ops of a
 * function, by op id.
 *
 * @throws {DiagnosticError} when an override leaves an op no layout, or asks for what the pass-based policies cannot do
 */
export function overriddenHints(
  model: FunctionModel,
  catalog: LayoutCatalog,
  limits: CandidateLimits,
  overrides: OptimizerOverrides = NO_OVERRIDES,
): ReadonlyMap<OpId, OverriddenHints> {
  const found = new Map<OpId, OverriddenHints>();
  if (overrides.memReconfigs.size > 0) {
    throw unsupported("insert memory reconfigs: only the chain policies read --insert-memreconfig");
  }
  for (const op of model.fn.ops) {
    const name = nameOfLocation(op.location);
    const [result] = op.results;
    if (name === undefined || result === undefined) continue;
    const { tensor, layout } = model.value(result);
    if (tensor === undefined || layout === undefined) continue;
    const override = overrides.outputLayouts.get(name);
    const conv2dOverride = overrides.conv2dConfigs.get(name);
    const conv3dOverride = overrides.conv3dConfigs.get(name);
    if (override === undefined && conv2dOverride === undefined && conv3dOverride === undefined) continue;
    const traits = model.traits(op.id);
    if (!traits.known || !traits.movable) {
      throw unsupported(`override ${name}: ${op.name} runs as the input has it and cannot be moved`);
    }
    if (
      override?.pageLayout !== undefined &&
      (override.pageLayout === "tile") !== (layout.tile !== undefined)
    ) {
      throw unsupported(
        `override ${name}: pass-based policies do not change between tiles and row-major pages`,
      );
    }
    if (override?.dataType !== undefined && override.dataType !== layout.dataType) {
      throw unsupported(`override ${name}: pass-based policies do not change the element format`);
    }
    const configs = legalConfigs(model, op.id, {
      analysis: catalog.legalTensorLayouts,
      limits,
      overrides,
      movable: true,
      foldBatch: true,
    });
    found.set(op.id, {
      name,
      hints: configs.map(({ outputLayout, attributes }) => ({ layout: outputLayout, config: attributes })),
      fixesLayout: override !== undefined,
    });
  }
  return found;
}

function unsupported(what: string): DiagnosticError {
  return new DiagnosticError([{
    code: "override/unsupported",
    severity: "error",
    message: `Cannot ${what}`,
  }]);
}
