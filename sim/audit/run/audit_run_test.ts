// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../../lib/diagnostics/diagnostic.ts";
import { parseModule } from "../../../lib/ir/mod.ts";
import { definitionOf } from "../../../lib/ops/op_book.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../../lib/policy/options.ts";
import { getPolicy } from "../../../lib/policy/policies.ts";
import { createWorkbench } from "../../../pipeline/load.ts";
import { loadModule } from "../../../pipeline/load_module.ts";
import { optimizeModule } from "../../../pipeline/optimize.ts";
import { PROJECT_ROOT } from "../../../testing/corpus.ts";
import { getDevice } from "../../devices/device_registry.ts";
import { chromeTrace } from "../../export/chrome_trace.ts";
import { deviceOperation, perfCsv } from "../../export/perf_csv.ts";
import { simulateGraph } from "../../timeline/simulate.ts";
import { auditRun } from "./audit_run.ts";
import { opCodeClass, pairRun, type PredictedStep, predictedSteps } from "./pair_run.ts";
import { looksLikeProfile, parseProfilerCsv } from "./profiler_csv.ts";
import { measuredSlices } from "./measured_slices.ts";

const DEVICE = getDevice("n150");
const WORKBENCH = createWorkbench(
  parseModule(Deno.readTextFileSync(`${PROJECT_ROOT}/testdata/models/mnist.mlir`), "mnist.mlir"),
  DEVICE,
);
const TIMELINE = simulateGraph(WORKBENCH.binding.graph, undefined, WORKBENCH);
const CSV = perfCsv(TIMELINE, { tool: "test", device: DEVICE });
const [HEADER = "", SIGNPOST = "", ...ROWS] = CSV.trimEnd().split("\n");

Deno.test("the output of --emit perf-csv reads back with error 0, op by op", () => {
  const audit = auditRun(TIMELINE, parseProfilerCsv("p.csv", CSV));
  assertEquals(audit.ops.length, ROWS.length);
  assertEquals([...new Set(audit.ops.map(({ error, by }) => `${error} ${by}`))], ["0 order and shape"]);
  assertEquals([audit.extra, audit.missing, audit.mape], [[], [], 0]);
  assertEquals(audit.classes.reduce((sum, { ops }) => sum + ops, 0), ROWS.length);
});

Deno.test("shuffled, missing and extra ops are paired if possible and otherwise listed", () => {
  const [first = "", second = "", third = "", ...rest] = ROWS;
  const extra = third.replace(/^\w+/, "FancyDeviceOperation");
  // The first two change places, the third is left out, a stranger comes in between.
  const csv = [HEADER, SIGNPOST, second, first, extra, ...rest].join("\n");
  const audit = auditRun(TIMELINE, parseProfilerCsv("p.csv", csv));
  assertEquals(audit.ops.map(({ error }) => error), Array.from({ length: ROWS.length - 1 }, () => 0));
  assertEquals(audit.ops.filter(({ by }) => by === "shape").length, 1);
  assertEquals(audit.extra.map(({ op }) => op), ["FancyDeviceOperation"]);
  assertEquals(audit.missing.length, 1);
  assert(audit.measuredUs > audit.pairedMeasuredUs && audit.predictedUs > audit.pairedPredictedUs);
});

function timelineOf(model: string) {
  const text = Deno.readTextFileSync(`${PROJECT_ROOT}/testdata/models/${model}.mlir`);
  const workbench = createWorkbench(parseModule(text, `${model}.mlir`), DEVICE);
  return simulateGraph(workbench.binding.graph, undefined, workbench);
}

Deno.test("of several runs in one profile the last is compared, of which layers are no runs", () => {
  const once = parseProfilerCsv("p.csv", CSV);
  for (const runs of [1, 2, 3, 7]) {
    const slower = (at: number) =>
      once.map((step, op) => ({ ...step, us: step.us * (at + 1), gapUs: op === 0 ? 9_000 : 2 }));
    const audit = auditRun(TIMELINE, Array.from({ length: runs }, (_, at) => slower(at)).flat());
    assertEquals([audit.runs, audit.extra.length, audit.missing.length], [runs, 0, 0]);
    // The pause in front of a run is none of its gaps.
    assertEquals(audit.measuredGapUs, 2);
    assertAlmostEquals(audit.measuredUs, runs * once.reduce((sum, { us }) => sum + us, 0), 1e-6);
  }
  // Layers that are alike are one program.
  const T = "tensor<256x256xbf16>";
  const layers = Array.from({ length: 6 }, (_, at) => `%${at + 1} = "ttir.exp"(%${at}) : (${T}) -> ${T}`);
  const text = `func.func @f(%0: ${T}) -> ${T} {\n${layers.join("\n")}\nreturn %6 : ${T}\n}\n`;
  const { binding, ...models } = loadModule(text, { device: "n150" });
  const timeline = simulateGraph(binding.graph, undefined, models);
  const steps = parseProfilerCsv("p.csv", perfCsv(timeline, { tool: "test", device: DEVICE }));
  assertEquals(steps.length, 6);
  for (const runs of [1, 2]) {
    const audit = auditRun(timeline, Array.from({ length: runs }, () => steps).flat());
    assertEquals([audit.runs, audit.ops.length, audit.extra.length], [runs, 6, 0]);
  }
  // A run with an op more is none of several.
  assertEquals(auditRun(TIMELINE, [...once, ...once.slice(0, 1)]).runs, 1);
});

Deno.test("a profile of another program is refused", () => {
  const other = perfCsv(timelineOf("llama_3_2_1b_decode"), { tool: "test", device: DEVICE });
  assertThrows(
    () => auditRun(TIMELINE, parseProfilerCsv("p.csv", other)),
    DiagnosticError,
    "a run of another program",
  );
});

Deno.test("a convolution is all programs that it launches: halo, moves, and the reshards around it", () => {
  const timeline = timelineOf("resnet50");
  const [header = "", ...lines] = perfCsv(timeline, { tool: "test", device: DEVICE }).trimEnd().split("\n");
  const times = header.split(",").indexOf("DEVICE KERNEL DURATION [ns]");
  const shapes = header.split(",").indexOf("INPUT_0_W_PAD[LOGICAL]");
  const rowOf = (like: string, code: string, us: number): string =>
    like.split(",").map((cell, at) =>
      at === 0 ? code : at === times ? String(us * 1000) : at >= shapes && at < shapes + 4 ? "32[7]" : cell
    ).join(",");
  // Rows have no comma inside of their cells, so that they can be taken apart.
  const measured = lines.flatMap((line) =>
    !line.startsWith("Conv2d") ? [line] : [
      rowOf(line, "InterleavedToShardedDeviceOperation", 3),
      rowOf(line, "HaloDeviceOperation", 5),
      rowOf(line, "MoveDeviceOperation", 2),
      line,
      rowOf(line, "ShardedToInterleavedDeviceOperation", 4),
    ]
  );
  const audit = auditRun(timeline, parseProfilerCsv("p.csv", [header, ...measured].join("\n")));
  assertEquals([audit.extra, audit.missing], [[], []]);
  const convolutions = audit.ops.filter(({ name }) => name === "ttnn.conv2d");
  assertEquals(convolutions.length, 53);
  for (const { measuredUs, predictedUs } of convolutions) {
    assert(Math.abs(measuredUs - predictedUs - 14) < 0.01, `${measuredUs} for ${predictedUs} µs`);
  }
});

Deno.test("a run that was recorded behind its load lacks no op of const-eval functions", () => {
  const model = `${PROJECT_ROOT}/testdata/models/segformer_block.mlir`;
  const { text } = optimizeModule(
    loadModule(Deno.readTextFileSync(model), { device: DEVICE }),
    getPolicy("dram"),
    DEFAULT_POLICY_OPTIONS,
  );
  const workbench = createWorkbench(parseModule(text, "s.mlir"), DEVICE);
  const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
  const [header = "", ...lines] = perfCsv(timeline, { tool: "test", device: DEVICE }).trimEnd().split("\n");
  const inference = lines.filter((line) => !line.includes("const_eval"));
  assert(inference.length < lines.length);
  const { missing, extra, mape } = auditRun(
    timeline,
    parseProfilerCsv("p.csv", [header, ...inference].join("\n")),
  );
  assertEquals([missing, extra, mape], [[], [], 0]);
  assertEquals(auditRun(timeline, parseProfilerCsv("p.csv", [header, ...lines].join("\n"))).missing, []);
});

Deno.test("ops without shapes are paired in order; tt-perf-report's columns identify matmuls by extents", () => {
  const steps = parseProfilerCsv(
    "p.csv",
    "OP CODE,DEVICE KERNEL DURATION [ns]\nUnaryDeviceOperation,2000\nNothing,1000\n",
  );
  const run = pairRun(steps, predictedSteps(TIMELINE));
  assertEquals(run.pairs.map(({ by, predicted }) => [by, predicted.step.name]), [["order", "ttnn.relu"]]);
  assertEquals(run.extra.map(({ opCode }) => opCode), ["Nothing"]);
  const report =
    'ID,OP Code,Device,Device Time,Op-to-Op Gap,Cores\n1,"Matmul 32 x 512 x 64",0,"1,204.5 μs",0.7 μs,8\n';
  const [product] = parseProfilerCsv("r.csv", report);
  assertEquals(
    [product?.opCode, product?.problem, product?.us, product?.gapUs, product?.cores],
    ["Matmul", "32 x 512 x 64", 1204.5, 0.7, 8],
  );
});

Deno.test("ops of one cost class pair by tt-metal's own names", () => {
  // Op codes of measured decode and prefill layers (tt-metal:profiler), and of the two ops beside them.
  const named = {
    fill_cache: "UpdateKVCacheOperation",
    update_cache: "UpdateKVCacheOperation",
    paged_update_cache: "PagedUpdateCacheDeviceOperation",
    paged_fill_cache: "PagedFillCacheDeviceOperation",
    rotary_embedding: "RotaryEmbeddingDeviceOperation",
    rotary_embedding_llama: "RotaryEmbeddingLlamaDeviceOperation",
    scaled_dot_product_attention_decode: "SdpaDecodeDeviceOperation",
    nlp_concat_heads_decode: "NLPConcatHeadsDecodeDeviceOperation",
    nlp_create_qkv_heads_decode: "NLPCreateQKVHeadsDecodeDeviceOperation",
    topk: "TopKDeviceOperation",
    scatter: "ScatterDeviceOperation",
  };
  const [any] = predictedSteps(TIMELINE);
  assert(any !== undefined);
  const predicted = Object.keys(named).map((word): PredictedStep => {
    const name = `ttnn.${word}`;
    const step = { ...any.step, name, costClass: definitionOf(name).costClass };
    return { ...any, step, opCode: deviceOperation(step) };
  });
  const rows = Object.values(named).map((code) => `${code},2000`);
  const steps = parseProfilerCsv("p.csv", ["OP CODE,DEVICE KERNEL DURATION [ns]", ...rows].join("\n"));
  assertEquals(
    pairRun(steps, predicted).pairs.map((
      { measured, predicted },
    ) => [predicted.step.name.slice(5), measured.opCode]),
    Object.entries(named),
  );
});

Deno.test("parseProfilerCsv() keeps one chip and the ops after a signpost, and reports errors", () => {
  const rows = [
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]",
    "Warm,tt_dnn_device,0,9",
    "start,signpost,,",
    'A,tt_dnn_device,0,"1,000"',
    "A,tt_dnn_device,1,1000",
    "(torch) x,python_fallback,,",
  ];
  const said: string[] = [];
  const steps = parseProfilerCsv("p.csv", rows.join("\r\n"), (remark) => void said.push(remark));
  assertEquals(steps.map(({ opCode, us }) => [opCode, us]), [["A", 1]]);
  assertEquals(said, ["p.csv holds the ops of 2 chips; those of chip 0 are read"]);
  parseProfilerCsv(
    "p.csv",
    [...rows, "B,x,0,4000", "B,x,1,9000"].join("\n"),
    (remark) => void said.push(remark),
  );
  assertEquals(
    said[1],
    "p.csv holds the ops of 2 chips; those of chip 0 are read: 5.0 µs; chip 1 is the slowest, 10.0 µs, mostly by B on line 8 (9.0 instead of 4.0 µs)",
  );
  assertThrows(() => parseProfilerCsv("p.csv", "a,b\n1,2\n"), Error, "names no op codes");
  assertThrows(() => parseProfilerCsv("p.csv", `${rows[0]}\nA,tt_dnn_device,0,x\n`), Error, "line 2");
});

Deno.test("a profile that went through a spreadsheet reads the same: columns, separators, units, lost times", () => {
  const table = CSV.trimEnd().split("\n").map((line) => line.replaceAll(";", " ").split(","));
  const cut = (line: readonly string[]) => line.length === table[0]?.length;
  assert(table.filter(cut).length > 3);
  const permuted = (separator: string) =>
    "\uFEFF" + table.filter(cut).map((line) => line.toReversed().join(separator)).join("\r\n");
  const plain = parseProfilerCsv("p.csv", table.filter(cut).map((line) => line.join(",")).join("\n"));
  for (const separator of [",", ";", "\t"]) {
    assert(looksLikeProfile(permuted(separator)));
    assertEquals(parseProfilerCsv("p.csv", permuted(separator)), plain);
  }
  const times = (header: string, ...cells: readonly string[]) =>
    parseProfilerCsv("p.csv", [`op code;${header}`, ...cells.map((text) => `A;${text}`)].join("\n"))
      .map(({ line, us }) => [line, us]);
  assertEquals(times("Device Kernel Duration [us]", "1.5", "", "2 ms"), [[2, 1.5], [4, 2000]]);
  assertEquals(times("DEVICE TIME", "1.5", "700 ns"), [[2, 1.5], [3, 0.7]]);
});

Deno.test("rows between the signposts of start and end count, and a start that another run left is no time", () => {
  const rows = [
    "OP CODE,OP TYPE,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]",
    "WarmUp,tt_dnn_device,9000,",
    "PERF_DECODE,signpost,,",
    "Matmul,tt_dnn_device,2000,-10",
    "LayerNorm,tt_dnn_device,6923881220,-6919770000",
    "Unary,tt_dnn_device,-,",
    "BinaryNg,tt_dnn_device,3000,700",
    "PERF_DECODE_END,signpost,,",
  ];
  assertEquals(
    parseProfilerCsv("ops.csv", rows.join("\n")).map(({ opCode, us }) => [opCode, us]),
    [["Matmul", 2], ["BinaryNg", 3]],
  );
});

Deno.test("the profiler that reports in real time names ops otherwise and no shapes", () => {
  const text = "GLOBAL CALL COUNT,DEVICE ID,OP NAME,CORE COUNT,DEVICE KERNEL DURATION [ns]\n" +
    "1024,0,MatmulDeviceOperation,64,145000\n";
  assertEquals(looksLikeProfile(text), true);
  assertEquals(
    parseProfilerCsv("ops.csv", text).map(({ opCode, cores, us }) => [opCode, cores, us]),
    [["MatmulDeviceOperation", 64, 145]],
  );
});

Deno.test("classOf() drops release-specific spellings", () => {
  assertEquals(opCodeClass("UntilizeCodegenDeviceOperation"), opCodeClass("UntilizeDeviceOperation"));
  assertEquals(opCodeClass("RepeatCodegenDeviceOperation"), opCodeClass("RepeatDeviceOperation"));
  assertEquals(opCodeClass("GatherCodegenDeviceOperation"), opCodeClass("GatherDeviceOperation"));
  assertEquals(opCodeClass("ttnn::prim::MatmulDeviceOperation (DRAM sharded)"), "matmul");
  assertEquals(opCodeClass("EltwiseBinary"), opCodeClass("BinaryNgDeviceOperation"));
  assertEquals(opCodeClass("BinaryNgDeviceOperation"), opCodeClass("BinaryDeviceOperation"));
  assertEquals(opCodeClass("Matmul"), opCodeClass("MatmulDeviceOperation"));
  assertEquals(opCodeClass("TilizeWithValPaddingDeviceOperation"), "tilize");
});

Deno.test("measuredSlices() puts a run on the clock of its prediction, strangers where the profile has them", () => {
  const [first = "", second = "", ...rest] = ROWS;
  const extra = first.replace(/^\w+/, "FancyDeviceOperation");
  const csv = [HEADER, SIGNPOST, first, extra, second, ...rest].join("\n");
  const measured = parseProfilerCsv("p.csv", csv);
  const slices = measuredSlices(TIMELINE, measured);
  assertEquals(slices.map(({ name }) => name).slice(0, 3), [
    "ttnn.to_layout",
    "FancyDeviceOperation",
    "ttnn.linear",
  ]);
  assertEquals(slices[1]?.args.paired, "with nothing: measured, but not predicted");
  let end = 0;
  for (const [index, { startUs, durationUs }] of slices.entries()) {
    assertEquals(startUs, index === 0 ? 0 : end + (measured[index]?.gapUs ?? 0));
    end = startUs + durationUs;
  }
  const [fn] = TIMELINE.functions.filter(({ role }) => role === "inference");
  const trace = chromeTrace(TIMELINE, {
    tool: "test",
    grid: { rows: 8, columns: 8 },
    measured: measuredSlices(TIMELINE, parseProfilerCsv("p.csv", CSV)),
  });
  const tracks = Map.groupBy(
    trace.traceEvents.filter(({ ph, cat }) => ph === "X" && cat !== "gap"),
    (event) => event.cat === "measured",
  );
  const busy = fn?.steps.filter(({ deviceUs }) => deviceUs > 0) ?? [];
  assertEquals([tracks.get(true)?.length, tracks.get(false)?.length], [busy.length, busy.length]);
});

Deno.test("looksLikeProfile() accepts both kinds of CSV, and nothing else", () => {
  assert(looksLikeProfile(CSV));
  assert(looksLikeProfile('\uFEFFID,Bound,"OP Code",Device Time\r\n'));
  assert(!looksLikeProfile('func.func @main() loc("OP CODE")\n'));
  assert(!looksLikeProfile('{"OP CODE": 1}'));
});
