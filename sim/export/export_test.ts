// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import { knownOps } from "../../lib/ops/op_book.ts";
import { getDevice } from "../devices/device_registry.ts";
import { exampleTimeline } from "../testing/example_timeline.ts";
import { chromeTrace, coreActivity, type TraceEvent } from "./chrome_trace.ts";
import { PERF_CSV_COLUMNS, perfCsv } from "./perf_csv.ts";
import { simulationDocument } from "./simulation_json.ts";

const tool = "tilewright test";
const grid = { rows: 8, columns: 8 };

/** Reads a CSV as tt-perf-report's reader does: a header row, quoted fields. */
function readCsv(text: string): Map<string, string>[] {
  const rows = text.trimEnd().split("\n").map((line) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, PERF_CSV_COLUMNS.length)
      .map(([, field = ""]) => field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
  );
  const [header = [], ...body] = rows;
  return body.map((row) => new Map(header.map((name, index) => [name, row[index] ?? ""])));
}

Deno.test("simulationDocument() is plain JSON with its schema, equal on every run", () => {
  const text = (): string =>
    JSON.stringify(simulationDocument(exampleTimeline().timeline, "x.mlir", "1.2.3"));
  assertEquals(text(), text());
  const document = simulationDocument(exampleTimeline().timeline, "x.mlir", "1.2.3");
  assertEquals(JSON.parse(text()), document);
  assertEquals(document.schema, "tilewright.simulation/1");
  assert(document.simulated);
  const [once, main] = document.functions;
  assertEquals([once?.role, main?.role], ["once", "inference"]);
  assertEquals(main?.totalUs, document.inference.totalUs);
  const steps = main?.steps ?? [];
  assertEquals(steps.map((step) => step.reason ?? step.name), [
    "ttnn.matmul",
    "reshard",
    "ttnn.relu",
    "ttnn.reshape",
    "ttnn.from_device",
  ]);
  assertEquals(steps[2]?.inputs, [{ shape: [1024, 1024], layout: "l1/height_sharded/8x1" }]);
  assertEquals(steps.map((step) => step.category), ["Compute", "DM", "Compute", "TM", "Host"]);
});

Deno.test("chromeTrace() draws every busy step once, without overlaps in a track", () => {
  const { timeline } = exampleTimeline();
  const trace = chromeTrace(timeline, { tool, grid });
  assert(trace.otherData.kind?.startsWith("SIMULATED"));
  const slices = trace.traceEvents.filter((event) => event.ph === "X");
  const busy = timeline.functions.flatMap((fn) => fn.steps).filter((step) => step.deviceUs > 0);
  assertEquals(slices.filter((event) => event.cat !== "gap").length, busy.length);
  const tracks = new Map<string, TraceEvent[]>();
  for (const event of slices) {
    const key = `${event.pid}/${event.tid}`;
    tracks.set(key, [...tracks.get(key) ?? [], event]);
  }
  for (const events of tracks.values()) {
    let end = 0;
    for (const { ts = 0, dur = 0 } of events) {
      // In whole nanoseconds, as viewers count.
      assert(Math.round(ts * 1000) >= end, "slices of a track follow each other");
      end = Math.round(ts * 1000) + Math.round(dur * 1000);
    }
  }
  const counters = new Set(trace.traceEvents.filter((event) => event.ph === "C").map((event) => event.name));
  assertEquals([...counters].sort(), ["DRAM [GB/s]", "L1 per core [bytes]"]);
});

Deno.test("chromeTrace() draws the inference first, and every tensor from its maker to its readers", () => {
  const { timeline } = exampleTimeline();
  const { traceEvents } = chromeTrace(timeline, { tool, grid });
  const processes = traceEvents.filter(({ name }) => name === "process_name").map(({ args }) =>
    args?.["name"]
  );
  const [once, main] = timeline.functions;
  assertEquals(processes, [`@${main?.name} (${main?.kind})`, `@${once?.name} (${once?.kind})`]);
  const starts = traceEvents.filter(({ ph }) => ph === "s");
  const ends = traceEvents.filter(({ ph }) => ph === "f");
  assert(starts.length > 0);
  assertEquals(new Set(starts.map(({ id }) => id)).size, starts.length);
  for (const [index, end] of ends.entries()) {
    const start = starts[index];
    assertEquals([start?.id, start?.pid], [end.id, end.pid]);
    // Both ends lie in a slice of their track, and time goes forwards.
    for (const { pid, tid, ts = 0 } of [start ?? end, end]) {
      assert(
        traceEvents.some((event) =>
          event.ph === "X" && event.pid === pid && event.tid === tid && (event.ts ?? 0) <= ts &&
          ts <= (event.ts ?? 0) + (event.dur ?? 0)
        ),
      );
    }
    assert((start?.ts ?? 0) <= (end.ts ?? 0));
  }
});

Deno.test("chromeTrace() draws reader, compute and writer of every core of the chosen step", () => {
  const { timeline } = exampleTimeline();
  const main = timeline.functions[1];
  const relu = main?.steps[2];
  assert(main && relu);
  const trace = chromeTrace(timeline, { tool, grid, detail: { functionName: "main", step: 2 } });
  const names = trace.traceEvents.filter((event) => event.name === "thread_name" && event.pid === 3)
    .map((event) => event.args?.name);
  assertEquals(names.length, 8 * 3);
  assertEquals(names.slice(0, 3), ["core (0,0) reader", "core (0,0) compute", "core (0,0) writer"]);
});

Deno.test("coreActivity() keeps every span inside of the step and on the step's cores", () => {
  const relu = exampleTimeline().timeline.functions[1]?.steps[2];
  assert(relu);
  const spans = coreActivity(relu, grid);
  assertEquals(spans.length, relu.estimate.cores * 3);
  for (const span of spans) {
    assert(span.startUs >= relu.startUs - 1e-9);
    assert(span.startUs + span.durationUs <= relu.startUs + relu.deviceUs + 1e-9);
    assertEquals(span.core.y, 0, "the eight shards lie in the first row");
  }
});

Deno.test("perfCsv() gives the profiler's columns, one row per busy step, stamped as simulated", () => {
  const { timeline } = exampleTimeline();
  const text = perfCsv(timeline, { tool, device: getDevice("n150") });
  const rows = readCsv(text);
  assertEquals(text.split("\n")[0]?.split(","), [...PERF_CSV_COLUMNS]);
  assertEquals(rows.map((row) => row.get("OP CODE")), [
    "SIMULATED tilewright test n150 @main_const_eval_0",
    "UnaryDeviceOperation",
    "SIMULATED tilewright test n150 @main",
    "MatmulDeviceOperation",
    "InterleavedToShardedDeviceOperation",
    "UnaryDeviceOperation",
    "ttnn.from_device (torch)",
  ]);
  assertEquals(rows[2]?.get("OP TYPE"), "signpost");
  const matmul = rows[3];
  assertEquals(matmul?.get("MATH FIDELITY"), "HiFi2");
  assertEquals(matmul?.get("CORE COUNT"), "64");
  assertEquals(matmul?.get("INPUT_0_Y_PAD[LOGICAL]"), "1024[1024]");
  assertEquals(matmul?.get("INPUT_1_DATATYPE"), "BFLOAT8_B");
  assertEquals(matmul?.get("INPUT_0_MEMORY"), "DEV_0_DRAM_INTERLEAVED");
  assertEquals(rows[5]?.get("INPUT_0_MEMORY"), "DEV_0_L1_HEIGHT_SHARDED");
  assertEquals(matmul?.get("DEVICE KERNEL DURATION [ns]"), "100000");
  assert(matmul?.get("ATTRIBUTES")?.includes("SIMULATED"));
  assert(!text.includes('"'), "attributes use semicolons, so no field needs quotes");
});

Deno.test("perfCsv() has four columns for a shape: leading dimensions are multiplied, missing ones are 1", () => {
  const { timeline } = exampleTimeline();
  const main = timeline.functions[1];
  const relu = main?.steps[2];
  assert(main && relu);
  const columns = (shape: readonly number[]) => {
    const functions = [{ ...main, steps: [{ ...relu, inputShapes: [shape] }] }];
    const [, row] = readCsv(perfCsv({ ...timeline, functions }, { tool, device: getDevice("n150") }));
    return ["W", "Z", "Y", "X"].map((axis) => row?.get(`INPUT_0_${axis}_PAD[LOGICAL]`));
  };
  assertEquals(columns([2, 3, 4, 40, 64]), ["6[6]", "4[4]", "64[40]", "64[64]"]);
  assertEquals(columns([40, 64]), ["1[1]", "1[1]", "64[40]", "64[64]"]);
});

Deno.test("perfCsv() keeps the order and the total of the timeline", () => {
  const { timeline } = exampleTimeline({ traced: false });
  const rows = readCsv(perfCsv(timeline, { tool, device: getDevice("n150") }));
  const starts = rows.map((row) => Number(row.get("HOST START TS")));
  assertEquals(starts, [...starts].sort((a, b) => a - b));
  const nanoseconds = rows.slice(3).reduce(
    (sum, row) =>
      sum + Number(row.get("DEVICE KERNEL DURATION [ns]")) + Number(row.get("OP TO OP LATENCY [ns]")),
    0,
  );
  assertAlmostEquals(nanoseconds / 1000, timeline.inference.totalUs, 0.01);
});

Deno.test("perfCsv() gives convolutions the window that tt-perf-report multiplies", () => {
  const { timeline } = exampleTimeline();
  const [once, main] = timeline.functions;
  const matmul = main?.steps[0];
  assert(once && main && matmul);
  const window = (weights: readonly number[]): string | undefined => {
    const convolution = {
      ...matmul,
      costClass: "conv2d" as const,
      shape: "12544 x 147 x 64",
      inputShapes: [[1, 1, 50176, 3], weights],
    };
    const text = perfCsv({ ...timeline, functions: [{ ...main, steps: [convolution] }] }, {
      tool,
      device: getDevice("n150"),
    });
    // As tt-perf-report takes it apart.
    return readCsv(text)[1]?.get("ATTRIBUTES")?.split("window_hw")[1]?.split("; ")[0]?.slice(2, -1);
  };
  assertEquals(window([64, 3, 7, 7]), "7;7");
  assertEquals(window([1, 1, 147, 64]), "49;1");
});

/** The environment with tt-perf-report, as `confirm` is told of the one with ttnn. */
const PYTHON = join(Deno.env.get("TILEWRIGHT_TTNN") ?? "", "v", "bin", "python");
const CLASSIFY = `
import contextlib, io, json, sys
from tt_perf_report.perf_report import classify_operation
with contextlib.redirect_stdout(io.StringIO()):
    told = [classify_operation(name) for name in sys.argv[1:]]
json.dump(told, sys.stdout)
`;

Deno.test({
  name: "tt-perf-report counts device operations where we do (skipped without it: TILEWRIGHT_TTNN)",
  ignore: !await Deno.stat(PYTHON).then(() => true, () => false),
  fn: async () => {
    const ops = knownOps().flatMap(({ name, costClass, deviceOperation }) => {
      const { category, deviceOperation: ofClass } = COST_CLASSES[costClass];
      const operation = deviceOperation ?? ofClass;
      return operation === undefined ? [] : [{ name, category, operation }];
    });
    assert(ops.length > 50);
    const { stdout } = await new Deno.Command(PYTHON, {
      args: ["-c", CLASSIFY, ...ops.map(({ operation }) => operation)],
    }).output();
    const told: readonly string[] = JSON.parse(new TextDecoder().decode(stdout));
    assertEquals(
      ops.filter(({ category }, index) => told[index] !== category && told[index] !== "Other"),
      // It multiplies as well as it collects.
      ops.filter(({ name }) => name === "ttnn.distributed_rms_norm"),
    );
  },
});
