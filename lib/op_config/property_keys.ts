// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "./op_config.ts";

/** Under which keys an op carries its config. `compute_config` is the same for all. */
export interface ConfigKeys {
  readonly kind: OpSpecificAttributes["kind"];
  /** Key of the program or conv config; `undefined` where the op has none. */
  readonly program: string | undefined;
}

const KEYS: ReadonlyMap<string, ConfigKeys> = new Map<string, ConfigKeys>([
  ["ttnn.conv2d", { kind: "conv2d", program: "conv2d_config" }],
  ["ttnn.conv1d", { kind: "conv2d", program: "conv2d_config" }],
  ["ttnn.conv_transpose2d", { kind: "conv2d", program: "conv2d_config" }],
  ["ttnn.prepare_conv2d_weights", { kind: "conv2d", program: "conv2d_config" }],
  ["ttnn.prepare_conv2d_bias", { kind: "conv2d", program: "conv2d_config" }],
  ["ttnn.prepare_conv_transpose2d_weights", { kind: "conv2d", program: "conv2d_config" }],
  ["ttnn.prepare_conv_transpose2d_bias", { kind: "conv2d", program: "conv2d_config" }],
  ["ttnn.conv3d", { kind: "conv3d", program: "conv3d_config" }],
  ["ttnn.prepare_conv3d_weights", { kind: "conv3d", program: "conv3d_config" }],
  ["ttnn.matmul", { kind: "matmul", program: "matmul_program_config" }],
  ["ttnn.linear", { kind: "matmul", program: "matmul_program_config" }],
  ["ttnn.sparse_matmul", { kind: "matmul", program: "program_config" }],
  ["ttnn.softmax", { kind: "norm", program: undefined }],
  ["ttnn.layer_norm", { kind: "norm", program: undefined }],
  ["ttnn.rms_norm", { kind: "norm", program: undefined }],
  ["ttnn.distributed_rms_norm", { kind: "norm", program: "program_config" }],
  ["ttnn.scaled_dot_product_attention", { kind: "sdpa", program: "program_config" }],
  ["ttnn.scaled_dot_product_attention_decode", { kind: "sdpa", program: "program_config" }],
  ["ttnn.paged_scaled_dot_product_attention_decode", { kind: "sdpa", program: "program_config" }],
]);

/** The keys of an op's config; `undefined` for ops that have none. */
export function configKeys(opName: string): ConfigKeys | undefined {
  return KEYS.get(opName);
}
