// SPDX-License-Identifier: Apache-2.0

/** What the commands of `json_schemas.ts` read: files and messages in which everything occurs that `--json` may print. */

import { UPSTREAM_TRACE } from "../cli/testing/example_documents.ts";
import { SHARED, sharedData, sharedPath, sharedText } from "../testing/corpus.ts";

/** Message of a run in which circular buffers and tensors met. */
export const CLASH: string =
  "circular buffers in program 1 clash with L1 buffers on core range [0-0 - 7-7]. " +
  "L1 buffer allocated at 447488 and static circular buffer region ends at 471808";

/** Message of a program that takes more L1 than there is. */
export const TOO_LARGE: string =
  "circular buffers on core range [(x=0,y=0) - (x=7,y=0)] grow to 1749248 B which is beyond max L1 " +
  "size of 1499136 B";

/** Message of a tensor for which banks had no room. */
export const FULL: string =
  "Not enough space to allocate 26542080 B L1 buffer across 48 banks, where each bank needs to store " +
  "552960 B, but bank size is 1329888 B (allocated: 417792 B, free: 912096 B, largest free block: 522240 B)";

/** The same with what names its op: what tt-mlir's runtime prints, and running text. */
export const FULL_AT: readonly string[] = [
  `Executing operation: %1 = "ttnn.conv2d"(%0) : (i1) -> i1 loc("conv.1") ${FULL}`,
  `rms norm fails: ${FULL}`,
  `${FULL} backtrace: --- ttnn::reshard(a) --- ttnn::to_memory_config(b)`,
];

/** Messages of failures that were reported in public. */
export const REPORTED: readonly string[] = [
  `y = ttnn.max_pool2d(x) ${FULL}`,
  "error: failed to legalize operation 'stablehlo.batch_norm_training'",
  "ttnn.layer_norm of a width sharded input: PCC 0.12 is below 0.99",
];

/** Message of a check of the backend that failed. */
export const CHECK: string = "TT_FATAL @ /x/tensor_spec.cpp:1: !shard_grid_fit_error.has_value() info: " +
  "Shard width 2048 must match physical width 8192 for height sharded";

function interleaved(shape: string, grid: string, memref: string, buffer: string): string {
  return `tensor<${shape}xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${grid}>, ` +
    `memref<${memref}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${buffer}>>, <interleaved>>>`;
}

const SMALL = interleaved("64x64", "1x1", "2x2", "dram");

/**
 * `@main` with one argument `%x`, of ops numbered from `%0`, that returns the last result. An op is its text after
 * `%N = `, or the name of a unary op that reads the result before it.
 */
function main(type: string, ...ops: readonly string[]): string {
  const lines = ops.map((op, index) => {
    const operand = index === 0 ? "%x" : `%${index - 1}`;
    return `  %${index} = ${op.startsWith('"') ? op : `"ttnn.${op}"(${operand}) : (${type}) -> ${type}`}\n`;
  });
  return `func.func @main(%x: ${type}) -> ${type} {\n${lines.join("")}  return %${
    ops.length - 1
  } : ${type}\n}\n`;
}

/** Three results of 512 KiB per core that are in L1 at once: one more than fits. */
const CROWDED = (() => {
  const l1 = interleaved("2048x8192", "8x8", "8x32", "l1");
  const dram = interleaved("2048x8192", "1x1", "64x256", "dram");
  return main(
    dram,
    `"ttnn.relu"(%x) : (${dram}) -> ${l1}`,
    `"ttnn.exp"(%0) : (${l1}) -> ${l1}`,
    `"ttnn.sigmoid"(%1) : (${l1}) -> ${l1}`,
    `"ttnn.add"(%1, %2) : (${l1}, ${l1}) -> ${dram}`,
    `"ttnn.add"(%3, %0) : (${dram}, ${l1}) -> ${dram}`,
  );
})();

/** An argument that fills all of DRAM, and a collective. */
const HUGE = (() => {
  const dram = interleaved("262144x24576", "1x1", "8192x768", "dram");
  const gather = '"ttnn.all_gather"(%0) <{all_gather_dim = 0 : si32, cluster_axis = 0 : ui32}>';
  return main(dram, "relu", `${gather} : (${dram}) -> ${dram}`);
})();

/** An op that an override may name. */
const NAMED = main(SMALL, `"ttnn.relu"(%x) : (${SMALL}) -> ${SMALL} loc("act")`);

/** An op whose launch is not known, so that neither a plan nor its baseline is checked. */
const UNKNOWN = main(SMALL, "relu", "moe_gpt");

/** A loop whose time depends on values, so that it is not known. */
const UNTIMED = (() => {
  const region = `{ ^bb0(%a: ${SMALL}): "ttnn.yield"(%a) : (${SMALL}) -> () }`;
  return main(SMALL, "relu", `"ttnn.while"(%0) (${region}, ${region}) : (${SMALL}) -> ${SMALL}`);
})();

/** An op on a tensor that lies on the host, where no layout is possible: nothing bounds its plan. */
const ON_HOST = main(
  "tensor<64x64xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
    "memref<64x64xbf16, #ttnn.buffer_type<system_memory>>>>",
  "relu",
);

/** A run of mnist as a profiler writes it, with an op that mnist does not have. */
const RUN = `OP CODE,OP TYPE,CORE COUNT,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]
MatmulDeviceOperation,tt_dnn_device,16,9500,0
BinaryNgDeviceOperation,tt_dnn_device,16,2100,650
ArgMaxDeviceOperation,tt_dnn_device,1,1500,640
`;

/** Recorded facts of the shared folder, a part of them where all would take long; none where it is not present. */
function sharedInputs(): Readonly<Record<string, string>> {
  if (SHARED === undefined) return {};
  const measured = sharedData("measured-ops-2.json");
  const some = Array.isArray(measured) ? measured.filter((_, index) => index % 6 === 0) : [];
  const [profile = "", another = ""] = [...Deno.readDirSync(sharedPath("data", "layers"))]
    .map(({ name }) => name).filter((name) => name.endsWith(".jsonl")).toSorted();
  return {
    "measured.json": JSON.stringify(some),
    "first.jsonl": sharedText("data", "layers", profile),
    "second.jsonl": sharedText("data", "layers", another),
  };
}

/** Answers of no backend: a wrong figure, a wrong refusal, and a question that the dialect has no word for. */
const ANSWERS = (() => {
  const relu = {
    d: "n150",
    o: "relu",
    i: ["64x1024 bf16 l1"],
    r: ["64x1024 bf16 dram"],
    h: "64x1024 bf16 l1",
  };
  const tensor = { shape: [64, 1024], elementType: "bf16", layout: null };
  const question = { op: "ttnn.relu", attrs: {}, operands: [tensor, { scalar: 2 }], scalar: 2 };
  const answer = { ok: false, status: "error", reason: "no" };
  return [
    { ...relu, p: ["Unary 64"], e: "p", m: [64, 0, 64], l: ["bf16 l1"] },
    { ...relu, n: "error", w: "no" },
    { device: "n150", question, answer },
  ].map((line) => JSON.stringify(line)).join("\n");
})();

/** Files by name that exist only here. */
export const SCHEMA_INPUTS: Readonly<Record<string, string>> = {
  ...sharedInputs(),
  "answers.jsonl": ANSWERS,
  "run.csv": RUN,
  "crowded.mlir": CROWDED,
  "other.csv": `OP Code,Device Time
Fancy,1.5 µs
`,
  "huge.mlir": HUGE,
  "unknown.mlir": UNKNOWN,
  "untimed.mlir": UNTIMED,
  "named.mlir": NAMED,
  "host.mlir": ON_HOST,
  "trace.json": JSON.stringify(UPSTREAM_TRACE),
  "ttir.mlir": `func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = "ttir.log1p"(%x) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
`,
  "odd.mlir": `func.func @main(%x: tensor<32x32xbf16>) -> tensor<64x32xbf16> {
  %0 = "ttnn.relu"(%x) : (tensor<32x32xbf16>) -> tensor<64x32xbf16>
  return %0 : tensor<64x32xbf16>
}
`,
};
