// SPDX-License-Identifier: Apache-2.0
import { type Attribute, attributeText } from "../ir/mod.ts";

/** Printed by upstream's level 0 on every op that computes (tt-mlir:ttmlir-opt). */
export const COMPUTE_CONFIG: string =
  "#ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>";

/** Printed by upstream on the norms over rows, on every level (tt-mlir:ttmlir-opt). */
export const NORM_COMPUTE_CONFIG: string =
  "#ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, " +
  "fp32_dest_acc_en = true, packer_l1_acc = true>";

/** Whether an attribute is {@linkcode COMPUTE_CONFIG}, with any blanks and line ends in it. */
export function isComputeConfig(attribute: Attribute | undefined): boolean {
  return attribute !== undefined && withoutBlanks(attributeText(attribute)) === withoutBlanks(COMPUTE_CONFIG);
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

/** Fields of a compute config; absent ones are left to TTNN's struct. */
export interface ComputeConfigFields {
  readonly mathFidelity?: string;
  readonly mathApproxMode?: boolean;
  readonly fp32DestAccEn?: boolean;
  readonly packerL1Acc?: boolean;
  readonly dstFullSyncEn?: boolean;
}

/** A compute config with these fields. */
export function computeConfigText(fields: ComputeConfigFields): string {
  const texts = Object.entries({
    math_fidelity: fields.mathFidelity,
    math_approx_mode: fields.mathApproxMode,
    fp32_dest_acc_en: fields.fp32DestAccEn,
    packer_l1_acc: fields.packerL1Acc,
    dst_full_sync_en: fields.dstFullSyncEn,
  }).flatMap(([name, value]) => value === undefined ? [] : [`${name} = ${value}`]);
  return `#ttnn.device_compute_kernel_config<${texts.join(", ")}>`;
}
