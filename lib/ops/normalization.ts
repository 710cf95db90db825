// SPDX-License-Identifier: Apache-2.0
import { BATCH_NORM, GATHERED_NORM, GROUP_NORM, NORM, SOFTMAX } from "./attributes/normalization.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { defineOps, type DefinitionFields, type OpDefinition, repeated } from "./definition.ts";
import { likeOperand } from "./shape_inference.ts";

/** Ops by rules and kernels. Of `unrecorded` families no answer of the backend is recorded. */
export type NormalizationFamily =
  | "softmax"
  | "rms_norm"
  | "layer_norm"
  | "batch_norm_inference"
  | "batch_norm_training"
  | "unrecorded_norm"
  | "unrecorded_rms_norm";

const CONFIG = { kind: "norm", program: undefined, searched: false } as const;

function norm(
  name: string,
  family: NormalizationFamily,
  facts: DefinitionFields,
): readonly OpDefinition<NormalizationFamily>[] {
  return defineOps(name, family, "norm", { inferShape: likeOperand(0), formatOf: 0, ...facts });
}

/** An input and at most `count` operands of scale, shift and statistics. */
function affine(count: number): DefinitionFields {
  return { operands: ["activation", ...repeated(count, "weight?")] };
}

/** Without a config: the runtime passes no compute config to `layer_norm`, whatever its text says (`ttnn:backend-0-81-1`). */
const LAYER_NORM: DefinitionFields = {
  attributes: NORM,
  // Input, weight, bias, and a residual that is added to the input first.
  operands: ["activation", "weight?", "bias?", "activation?"],
  deviceOperation: "LayerNormDeviceOperation",
};

/** Norms of rows. */
const LAYER = { subtractsMean: true } as const;
const RMS = { subtractsMean: false } as const;

/** The second half of a norm over chips, which scales by gathered statistics. */
const GATHERED: DefinitionFields = {
  ...affine(5),
  attributes: GATHERED_NORM,
  config: { ...CONFIG, program: "program_config" },
  deviceOperation: "LayerNormPostAllGatherDeviceOperation",
};

/** Norms of channels, over batch and positions. */
const BATCH: DefinitionFields = {
  ...affine(4),
  attributes: BATCH_NORM,
  deviceOperation: "BatchNormOperation",
};

/** The first half of a norm over chips. Its result holds one tile of statistics per row. */
const STATISTICS: DefinitionFields = {
  ...GATHERED,
  inferShape: undefined,
  formatOf: undefined,
  deviceOperation: "LayerNormPreAllGatherDeviceOperation",
};

/** Softmax and the norms: passes over rows or channels that keep the shape. */
export const NORMALIZATION: readonly OpDefinition<NormalizationFamily>[] = [
  ...defineOps("softmax", "softmax", "softmax", {
    attributes: SOFTMAX,
    inferShape: likeOperand(0),
    formatOf: 0,
    config: CONFIG,
  }),
  ...norm("rms_norm", "rms_norm", { ...LAYER_NORM, norm: RMS, config: CONFIG }),
  ...norm("layer_norm", "layer_norm", { ...LAYER_NORM, norm: LAYER }),
  ...norm("batch_norm_inference", "batch_norm_inference", BATCH),
  // Running mean and variance are updated in place.
  ...norm("batch_norm_training", "batch_norm_training", { ...BATCH, writtenOperands: [1, 2] }),
  ...norm("group_norm", "unrecorded_norm", {
    ...affine(5),
    norm: { subtractsMean: true, ofGroups: true },
    attributes: GROUP_NORM,
    inferShape: (op) => {
      const [input] = op.operands;
      const { num_groups: groups } = readAttributes(op, GROUP_NORM);
      const channels = input?.at(-1);
      if (channels === undefined || (groups > 0 && channels % groups === 0)) return input;
      return { fault: `${channels} channels do not split into ${groups} groups` };
    },
    deviceOperation: "GroupNormDeviceOperation",
  }),
  ...norm("layer_norm_post_all_gather", "unrecorded_norm", {
    ...GATHERED,
    norm: { ...LAYER, half: "scaling" },
  }),
  ...norm("rms_norm_post_all_gather", "unrecorded_rms_norm", {
    ...GATHERED,
    norm: { ...RMS, half: "scaling" },
  }),
  ...norm("layer_norm_pre_all_gather", "unrecorded_norm", {
    ...STATISTICS,
    norm: { ...LAYER, half: "statistics" },
  }),
  ...norm("rms_norm_pre_all_gather", "unrecorded_rms_norm", {
    ...STATISTICS,
    norm: { ...RMS, half: "statistics" },
  }),
];
