// SPDX-License-Identifier: Apache-2.0
import { FIDELITY_NAMES } from "../../lib/op_config/math_fidelity.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { type ComputeDefaults, defaultComputeConfig } from "../../lib/op_config/default_compute_config.ts";

/** Ops of the table, one of each family with defaults of its own; `!` for products with a program config. */
const OPS: readonly string[] = [
  ...["matmul", "matmul!", "conv2d", "conv3d", "max_pool2d", "global_avg_pool2d", "softmax", "layer_norm"],
  ...["rms_norm", "batch_norm_inference", "add", "relu", "where", "typecast", "sum", "prod", "cumsum"],
  ...["topk", "sort", "scaled_dot_product_attention", "scaled_dot_product_attention_decode"],
  ...["rotary_embedding", "embedding", "transpose", "to_layout", "update_cache"],
];

const FORMATS: readonly DataType[] = ["bf16", "bfp_bf8", "f32"];

/**
 * The section of `accuracy.md` on what ops run with that have no compute config: the table by which everything here is priced,
 * as lines.
 */
export function defaultsSection(): readonly string[] {
  return [
    "## Defaults",
    "",
    "What an op is priced with that has no compute config, by the format of its operands (`ttnn:backend-0-81-1`): fidelity, " +
    "*fp32* where the destination register accumulates in f32, *l1acc* where the packer adds partial sums in L1, *approx* for " +
    "approximate functions. Two values are those of Wormhole and Blackhole. A config that leaves fields out takes LoFi, " +
    "approx and no others (`lib/op_config/default_compute_config.ts`).",
    "",
    "| op | bf16 | bfp8 | f32 |",
    "| --- | --- | --- | --- |",
    ...OPS.map((op) => {
      const isPlanned = op.endsWith("!");
      const name = op.replace("!", "");
      const cells = FORMATS.map((format) => cellOf(`ttnn.${name}`, format, isPlanned));
      return `| ${name}${isPlanned ? " with a program config" : ""} | ${cells.join(" | ")} |`;
    }),
    "",
  ];
}

function cellOf(op: string, format: DataType, isPlanned: boolean): string {
  const [wormhole = "–", blackhole = wormhole] = (["wormhole_b0", "blackhole"] as const).map((architecture) =>
    textOf(defaultComputeConfig({ op, operands: [format, format], result: format, isPlanned, architecture }))
  );
  return wormhole === blackhole ? wormhole : `${wormhole} / ${blackhole}`;
}

function textOf(config: ComputeDefaults | undefined): string {
  if (config === undefined) return "–";
  const { mathFidelity, fp32DestAccEn, packerL1Acc, mathApproxMode } = config;
  return [
    FIDELITY_NAMES[mathFidelity],
    ...(fp32DestAccEn ? ["fp32"] : []),
    ...(packerL1Acc ? ["l1acc"] : []),
    ...(mathApproxMode ? ["approx"] : []),
  ].join(" ");
}
