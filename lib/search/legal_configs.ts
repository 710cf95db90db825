// SPDX-License-Identifier: Apache-2.0
import { legalOpConfigs } from "../analysis/legal_op_configs.ts";
import { legalOpLayouts, type LegalOpLayoutsLimits } from "../analysis/legal_op_layouts.ts";
import type { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId } from "../graph/graph.ts";
import type { OpOverrides } from "../overrides/op_overrides.ts";
import type { FunctionModel } from "./function_model.ts";
import { hasEmptyTensor } from "../ops/empty_tensors.ts";

/** How {@linkcode legalConfigs} enumerates. */
export interface LegalConfigsRequest {
  readonly analysis: LegalTensorLayoutAnalysis;
  readonly limits: LegalOpLayoutsLimits;
  readonly overrides: OpOverrides | undefined;
  /** False for ops that no policy may change; they keep their layout. */
  readonly movable: boolean;
  /** Whether the batch of a matmul counts as rows of its program config. */
  readonly foldBatch: boolean;
  /** Drops sharded layouts that the op cannot produce with any of their configs. */
  readonly isMade?: ((config: OpConfig) => boolean) | undefined;
}

/**
 * The legal layouts of an op's first result with the configs worth trying, overrides applied; empty if the
 * result has no layout.
 *
 * @throws {DiagnosticError} when an override is impossible
 */
export function legalConfigs(
  model: FunctionModel,
  id: OpId,
  { analysis, limits, overrides, movable, foldBatch, isMade }: LegalConfigsRequest,
): readonly OpConfig[] {
  const { name, results: [result] } = model.op(id);
  if (result === undefined) return [];
  const { tensor, layout, name: valueName } = model.value(result);
  if (tensor === undefined || layout === undefined) return [];
  const { layouts, opModel: { chip } } = model;
  const configsOf = legalOpConfigs(
    {
      op: model.signature(id),
      own: model.ownConfig(id),
      conv2dOverride: overrides?.conv2dConfig,
      conv3dOverride: overrides?.conv3dConfig,
      foldBatch,
    },
    layouts,
  );
  const legalLayouts = legalOpLayouts(
    {
      name: `${valueName} (${name})`,
      tensor,
      current: layout,
      movable,
      override: overrides?.outputLayout,
      isMade: isMade === undefined ? undefined : (made) => configsOf([made]).some(isMade),
    },
    analysis,
    layouts,
    chip.workerGrid,
    limits,
  );
  // Empty tensors cannot be divided into blocks.
  if (hasEmptyTensor(model.signature(id))) {
    return legalLayouts.map((outputLayout) => ({ outputLayout, attributes: model.ownConfig(id) }));
  }
  return configsOf(legalLayouts);
}
