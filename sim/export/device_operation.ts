// SPDX-License-Identifier: Apache-2.0
import { reshardClass } from "../../lib/layout/reshard_class.ts";
import type { CostClass } from "../../lib/opmodel/op_model.ts";
import type { StepTimeline } from "../timeline/timeline.ts";

/** Names of tt-metal's device operations for TTNN ops, as its profiler writes them. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ["ttnn.rms_norm", "LayerNormDeviceOperation"],
  ["ttnn.layer_norm", "LayerNormDeviceOperation"],
  ["ttnn.group_norm", "GroupNormDeviceOperation"],
  ["ttnn.all_gather", "AllGatherAsyncDeviceOperation"],
  ["ttnn.reduce_scatter", "ReduceScatterMinimalAsyncDeviceOperation"],
  ["ttnn.all_reduce", "AllReduceAsyncDeviceOperation"],
  ["ttnn.transpose", "TransposeDeviceOperation"],
  ["ttnn.argmax", "ArgMaxDeviceOperation"],
  ["ttnn.concatenate_heads", "NLPConcatHeadsDeviceOperation"],
  ["ttnn.nlp_concat_heads", "NLPConcatHeadsDeviceOperation"],
  ["ttnn.split_query_key_value_and_split_heads", "NlpCreateHeadsDeviceOperation"],
]);

const BY_CLASS: Readonly<Partial<Record<CostClass, string>>> = {
  matmul: "MatmulDeviceOperation",
  conv2d: "Conv2dDeviceOperation",
  conv3d: "Conv3dDeviceOperation",
  pool: "Pool2D",
  upsample: "UpsampleOperation",
  eltwise_unary: "UnaryDeviceOperation",
  eltwise_binary: "BinaryNgDeviceOperation",
  eltwise_ternary: "TernaryDeviceOperation",
  reduction: "ReduceDeviceOperation",
  softmax: "SoftmaxDeviceOperation",
  sdpa: "SDPAOperation",
  sdpa_decode: "SdpaDecodeDeviceOperation",
  rotary: "RotaryEmbeddingLlamaDeviceOperation",
  cache_update: "UpdateKVCacheOperation",
  embedding: "EmbeddingsDeviceOperation",
  permute: "PermuteDeviceOperation",
  reshape: "ReshapeViewDeviceOperation",
  concat: "ConcatDeviceOperation",
  slice: "SliceDeviceOperation",
  pad: "PadDeviceOperation",
  repeat: "RepeatDeviceOperation",
  typecast: "TypecastDeviceOperation",
};

const MOVEMENTS = {
  none: "CopyDeviceOperation",
  host: "CopyDeviceOperation",
  to_device: "CopyDeviceOperation",
  from_device: "CopyDeviceOperation",
  copy: "CopyDeviceOperation",
  interleaved_to_sharded: "InterleavedToShardedDeviceOperation",
  sharded_to_interleaved: "ShardedToInterleavedDeviceOperation",
  reshard: "ReshardDeviceOperation",
} as const;

/**
 * The profiler's op code of a step: tt-metal's device operation where it is known, else the op's own name in its
 * spelling. Host work carries the mark `(torch)`, by which tt-perf-report knows it.
 */
export function deviceOperation(step: StepTimeline): string {
  if (step.bound === "HOST") return `${step.name} (torch)`;
  const [from] = step.inputLayouts;
  const [to] = step.outputLayouts;
  if (
    (step.costClass === "reshard" || step.costClass === "to_layout") && from !== undefined && to !== undefined
  ) {
    const { movement, pages } = reshardClass(from, to);
    if (pages === "tilize") return "TilizeDeviceOperation";
    if (pages === "untilize") return "UntilizeDeviceOperation";
    return MOVEMENTS[movement];
  }
  return BY_NAME.get(step.name) ?? BY_CLASS[step.costClass] ?? `${pascalCase(step.name)}DeviceOperation`;
}

function pascalCase(name: string): string {
  return name.replace(/^.*\./, "").split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
