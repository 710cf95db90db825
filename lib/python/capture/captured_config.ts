// SPDX-License-Identifier: Apache-2.0

/** Configs as captures print them, in C++'s words, and as TTNN IR spells them (ttnn:backend-0-81-1). */

import { dataTypeNamed } from "./captured_tensor.ts";

/** What a device operation computes with. */
export function computeConfigIn(text: string): string | undefined {
  const [, fidelity, ...flags] =
    /ComputeKernelConfig\(math_fidelity=(\w+),math_approx_mode=(\d),fp32_dest_acc_en=(\d),packer_l1_acc=(\d),dst_full_sync_en=(\d)/
      .exec(text) ?? [];
  if (fidelity === undefined) return undefined;
  const names = ["math_approx_mode", "fp32_dest_acc_en", "packer_l1_acc", "dst_full_sync_en"];
  const said = names.map((name, index) => `${name} = ${flags[index] === "1"}`);
  return `#ttnn.device_compute_kernel_config<math_fidelity = ${fidelity.toLowerCase()}, ${said.join(", ")}>`;
}

/** Fields of `Conv2dConfig` that TTNN IR has as well, by the form of their values. */
const CONVOLUTION_FIELDS: Readonly<Record<string, "flag" | "count" | "word" | "format" | "function">> = {
  weights_dtype: "format",
  activation: "function",
  deallocate_activation: "flag",
  reallocate_halo_output: "flag",
  act_block_h_override: "count",
  act_block_w_div: "count",
  reshard_if_not_optimal: "flag",
  override_sharding_config: "flag",
  shard_layout: "word",
  transpose_shards: "flag",
  output_layout: "word",
  enable_act_double_buffer: "flag",
  enable_weights_double_buffer: "flag",
  enable_kernel_stride_folding: "flag",
  config_tensors_in_dram: "flag",
};

/** `Conv2dConfig(weights_dtype=DataType::BFLOAT16,…)`; `undefined` for other texts, or for a value without a word here. */
export function convolutionConfigIn(text: string): string | undefined {
  if (!text.startsWith("Conv2dConfig(")) return undefined;
  const said: string[] = [];
  for (const [name, form] of Object.entries(CONVOLUTION_FIELDS)) {
    const [, value] = new RegExp(`[(,]${name}=((?:[^,()]|\\([^()]*\\))*)`).exec(text) ?? [];
    if (value === undefined || value.startsWith("std::nullopt")) continue;
    const last = /::(\w+)\W*$/.exec(value)?.[1] ?? "";
    const spelled = form === "flag"
      ? `${value !== "0"}`
      : form === "count"
      ? value
      : form === "word"
      ? last.toLowerCase()
      : form === "format"
      ? dataTypeNamed(last)
      : /^UnaryWithParam\(op_type=UnaryOpType::\w+\)$/.test(value)
      ? `<op_type = ${last.toLowerCase()}>`
      : undefined;
    if (spelled === undefined) return undefined;
    said.push(`${name} = ${spelled}`);
  }
  return `#ttnn.conv2d_config<${said.join(", ")}>`;
}
