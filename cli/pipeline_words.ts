// SPDX-License-Identifier: Apache-2.0

const PERFORMANCE = "predicted times of ops are in --json, and in simulate --emit perf-csv";
const KERNELS = "kernels that D2M generates have no model of time or L1";
const LOWERED = "the lowering from TTIR always writes what kernels take";
const CODE = "--emit ttnn-python writes the program";

/**
 * Options of ttmlir-opt's pipelines from TTIR to TTNN that change nothing here, each with the reason
 * (tt-mlir:options).
 */
export const UNUSED_WORDS: ReadonlyMap<string, string> = new Map([
  ["check-unique-locs", "an override applies to every op of its location name that can take it"],
  ["mesh-topology", "the topology is that of the machine (--device)"],
  ["enable-trace", "times are those of a traced program (simulate --no-trace shows the others)"],
  ["disable-workarounds", LOWERED],
  ["enable-layout-workaround-pass", LOWERED],
  ["enable-decomposition-workaround-pass", LOWERED],
  ["enable-ttnn-decomposition-pass", LOWERED],
  [
    "composite-resolution",
    "composites are lowered as upstream does with its op model, where their op is legal",
  ],
  ["enable-implicit-broadcast-folding-pass", "broadcasts always fold into ops that broadcast by themselves"],
  ["enable-dram-space-saving-optimization-pass", "no pass here saves DRAM; banks that overflow are reported"],
  ["enable-quant-dequant-conversion-pass", "quantized ops are lowered one by one"],
  ["target-bit-width", "quantized types keep the width that they have in the input"],
  ["enable-matmul-program-config", "blocks of matmuls are decided with the plan (--free +configs)"],
  ["enable-permute-slice-after-matmul-fusion", "no pass here moves a slice in front of a matmul"],
  ["enable-create-d2m-subgraphs", KERNELS],
  ["enable-d2m-elementwise-fusion", KERNELS],
  ["enable-d2m-fusing-pass", KERNELS],
  ["enable-remove-dead-values", "graph passes always erase unused ops"],
  ["enable-cpu-hoisted-const-eval", "const-eval is priced on the device; that changes loading only"],
  ["experimental-kv-cache-dtype", "caches keep the format that they have in the input"],
  ["enable-activation-dtype-lowering", "activations keep the format that they have in the input"],
  ["enable-bfp8-conversion", "only weights change their format (--experimental-weight-dtype)"],
  ["max-fallback-attempts", "every layout of a plan was accepted by the op model, so none falls back"],
  ["use-mock-allocator-state", "plans are always placed in L1 by address"],
  ["enable-compile-time-stats", "bench counts the queries of each policy"],
  ["ttnn-perf-metrics-enabled", PERFORMANCE],
  ["ttnn-perf-metrics-output-file", PERFORMANCE],
  ["ttnn-perf-metrics-verbose-output-enabled", PERFORMANCE],
  ["enable-optimization-passes", "functions for the host are not compiled here"],
  ...[
    "target-dylib",
    "target-module",
    "tuplify-input-if-empty",
    "load-input-tensors-from-disk",
    "tensor-load-directory",
    "tensor-load-file-prefix",
    "try-recover-structure",
    "split-files",
  ].map((name) => [name, CODE] as const),
]);
