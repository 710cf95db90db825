// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { MATMUL } from "../ops/attributes/matmul.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { CONV_3D_COMPUTE } from "../op_config/default_compute_config.ts";
import type { Conv2dConfig, Conv3dConfig, OpSpecificAttributes } from "../op_config/op_config.ts";
import { conv3dConfigs, conv3dShape } from "../opmodel/conv3d_blocking.ts";
import { activationToFuse, matmulProgramConfig } from "../opmodel/matmul_program_config.ts";
import { conv2dConfigs } from "../opmodel/output_hints.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { OpConfig } from "./op_config.ts";

/** The facts about an op that {@linkcode legalOpConfigs} needs. */
export interface LegalOpConfigsRequest {
  readonly op: OpSignature;
  /** Config of the op in the input. */
  readonly own: OpSpecificAttributes | undefined;
  readonly conv2dOverride: Conv2dConfig | undefined;
  readonly conv3dOverride: Conv3dConfig | undefined;
  /** Whether the batch of a matmul counts as rows of its program config ({@linkcode matmulProgramConfig}). */
  readonly foldBatch: boolean;
}

/**
 * Combines the legal layouts of an op with the configs worth trying (tt-mlir `LegalOpConfigAnalysis`): for
 * convolutions their search space, each config in turn with all layouts; for matmuls the program config that
 * fits each sharded layout; all other ops keep their config.
 *
 * @returns a function that does this for some legal layouts of the op
 */
export function legalOpConfigs(
  request: LegalOpConfigsRequest,
  layouts: LayoutTable,
): (legalLayouts: readonly LayoutId[]) => readonly OpConfig[] {
  const { op, own } = request;
  const { config } = definitionOf(op.name);
  switch (config?.searched === true ? config.kind : undefined) {
    case "conv2d": {
      const conv2d = own?.kind === "conv2d" ? own : { kind: "conv2d" as const };
      const variants = conv2dVariants(request).map((conv2dConfig) => ({
        ...conv2d,
        conv2dConfig,
      }));
      return (legal) =>
        variants.flatMap((attributes) =>
          legal.map((outputLayout) => ({
            outputLayout,
            attributes: forResult(attributes, layouts.get(outputLayout)),
          }))
        );
    }
    case "conv3d": {
      const variants = conv3dVariants(request);
      return (legal) =>
        variants.flatMap((attributes) => legal.map((outputLayout) => ({ outputLayout, attributes })));
    }
    case "matmul":
      return (legal) =>
        legal.map((outputLayout) => ({
          outputLayout,
          attributes: matmulAttributes(request, outputLayout, layouts),
        }));
    default:
      return (legal) => legal.map((outputLayout) => ({ outputLayout, attributes: undefined }));
  }
}

/** A convolution names the sharding of its result, and that what lies in L1 is not cut into slices in DRAM. */
function forResult(
  attributes: Extract<OpSpecificAttributes, { kind: "conv2d" }>,
  { bufferType, memoryLayout }: TtnnLayout,
): OpSpecificAttributes {
  if (bufferType !== "l1") return attributes;
  const conv2dConfig = memoryLayout === undefined || memoryLayout === "interleaved"
    ? attributes.conv2dConfig
    : { ...attributes.conv2dConfig, shardLayout: memoryLayout };
  const sliceConfig = { sliceType: "l1_full", numSlices: 0 } as const;
  return { ...attributes, sliceConfig, ...conv2dConfig === undefined ? {} : { conv2dConfig } };
}

function conv2dVariants({ op, own, conv2dOverride }: LegalOpConfigsRequest): readonly Conv2dConfig[] {
  const ownConfig = own?.kind === "conv2d" ? own.conv2dConfig : undefined;
  const base: Conv2dConfig = { ...ownConfig, ...conv2dOverride };
  const weights = op.operands[1]?.dataType;
  return conv2dConfigs(
    base.weightsDtype === undefined && weights !== undefined ? { ...base, weightsDtype: weights } : base,
  );
}

function conv3dVariants({ op, own, conv3dOverride }: LegalOpConfigsRequest): readonly OpSpecificAttributes[] {
  const ownConfig = own?.kind === "conv3d" ? own.conv3dConfig : undefined;
  return conv3dConfigs(conv3dShape(op), ownConfig ?? {}, conv3dOverride ?? {}).map((conv3dConfig) => ({
    kind: "conv3d",
    conv3dConfig,
    computeConfig: CONV_3D_COMPUTE,
  }));
}

function matmulAttributes(
  { op, own, foldBatch }: LegalOpConfigsRequest,
  outputLayout: LayoutId,
  layouts: LayoutTable,
): OpSpecificAttributes | undefined {
  const [a, b] = op.operands;
  const output = op.results[0];
  if (a === undefined || b === undefined || output === undefined) return undefined;
  const computeConfig = own?.kind === "matmul" ? own.computeConfig : undefined;
  const fusedActivation = activationToFuse(op.attributes, own);
  if (fusedActivation === "twice") return undefined;
  const programConfig = matmulProgramConfig({
    a: a.shape,
    b: b.shape,
    output: output.shape,
    transposeA: readAttributes(op, MATMUL).transpose_a,
    layout: layouts.get(outputLayout),
    foldBatch,
    fusedActivation,
    computeConfig,
  });
  if (programConfig === undefined) return undefined;
  return { kind: "matmul", programConfig, ...(computeConfig === undefined ? {} : { computeConfig }) };
}
