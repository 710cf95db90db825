// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { loadModule } from "../load_module.ts";
import { pythonProgramOf } from "../python_program.ts";
import { type Confirmation, confirmationOf } from "./confirmation.ts";
import { otherThanDeclared } from "./difference.ts";
import { askedOps, traceJob } from "./job.ts";
import { predictOps } from "./prediction.ts";
import { readTrace } from "./trace_facts.ts";

const TESTDATA = join(PROJECT_ROOT, "testdata");

function programOf(path: string) {
  const workbench = loadModule(Deno.readTextFileSync(join(TESTDATA, path)), {
    device: "n150",
    fileName: path,
  });
  return {
    workbench,
    program: pythonProgramOf(workbench.module, workbench, { title: path, standIns: true }),
  };
}

function recorded(name: string): readonly string[] {
  return Deno.readTextFileSync(join(TESTDATA, "confirm", `${name}.jsonl`)).trimEnd().split("\n");
}

/** The confirmation of a program from what was recorded of it, with lines changed. */
function confirm(path: string, runs: readonly (readonly string[])[]): Confirmation {
  const { workbench, program } = programOf(path);
  return confirmationOf(program, predictOps(workbench, 0.95), runs.map(readTrace));
}

/** The recorded lines with the answer to an op changed. */
function changed(lines: readonly string[], op: number, change: (answer: Record<string, unknown>) => void) {
  return lines.map((line) => {
    const answer = JSON.parse(line);
    if (answer.op !== op) return line;
    change(answer);
    return JSON.stringify(answer);
  });
}

Deno.test("a recorded run of mnist is confirmed, op by op", () => {
  const { verdict, version, ops, peakBytes } = confirm("models/mnist.mlir", [recorded("mnist.1")]);
  assertEquals([verdict, version], ["confirmed", "0.81.1"]);
  assertEquals(ops.map(({ name, state, op }) => [name, state, op]), [
    ["ttnn.to_layout", "runs", 0],
    ["ttnn.linear", "runs", 1],
    ["ttnn.relu", "runs", 2],
    ["ttnn.linear", "runs", 3],
    ["ttnn.relu", "runs", 4],
    ["ttnn.linear", "runs", 5],
    ["ttnn.softmax", "runs", 6],
  ]);
  assertEquals(peakBytes, { theirs: 102_400, ours: 102_400 });
});

Deno.test("bytes and layouts that differ from our model are differences, and no fault of the program", () => {
  const lines = changed(recorded("mnist.1"), 2, (answer) => {
    answer.circular_buffers = [4096];
    answer.peak = 4096;
  });
  const { verdict, ops } = confirm("models/mnist.mlir", [lines]);
  assertEquals(verdict, "confirmed");
  assertEquals(ops[2]?.differences, [
    { about: "circular buffers", ours: "8192 B", theirs: "4096 B" },
    { about: "peak", ours: "8192 B", theirs: "4096 B" },
  ]);
});

Deno.test("a result that differs from its type determines the verdict; the expected layout is our model's", () => {
  const { verdict, ops } = confirm("confirm/different.mlir", [recorded("different.1")]);
  assertEquals([verdict, ops[0]?.state], ["different", "different"]);
  assertEquals(ops[0]?.differences.filter(({ about }) => about === "layout"), []);
});

Deno.test("a result that differs from our model is reported in full", () => {
  const lines = changed(recorded("mnist.1"), 2, (answer) => {
    const made = Array.isArray(answer.results) ? answer.results : [];
    answer.results = made.map((result: object) => ({ ...result, tiled: false }));
  });
  const { ops } = confirm("models/mnist.mlir", [lines]);
  assertEquals(ops[2]?.differences, [{
    about: "layout",
    ours: "128x512 bf16 tiles dram interleaved",
    theirs: "128x512 bf16 rows dram interleaved",
  }]);
});

Deno.test("a tensor without elements is as declared wherever it lies", () => {
  const type = programOf("models/mnist.mlir").program.ops[2]?.results[0]?.type;
  assert(type !== undefined);
  const rows = { bufferType: "l1", dtype: "bf16", tiled: false } as const;
  assertEquals(otherThanDeclared({ ...type, shape: [33, 0] }, { ...rows, shape: [33, 0] }), undefined);
  assertStringIncludes(
    otherThanDeclared({ ...type, shape: [33, 0] }, { ...rows, shape: [3, 0] }) ?? "",
    "3x0",
  );
  assertStringIncludes(otherThanDeclared(type, { ...rows, shape: type.shape }) ?? "", "rows l1");
});

Deno.test("a refusal has the backend's message; inexpressible ops are not queried", () => {
  const { verdict, ops } = confirm("confirm/refused.mlir", [recorded("refused.1")]);
  assertEquals(verdict, "refused");
  assertEquals(ops.map(({ state }) => state), ["refused", "unsaid", "runs"]);
  assertStringIncludes(ops[0]?.words ?? "", "must be tile {32, 32} sized");
  // The rule book foresees it: no difference.
  assertEquals(ops[0]?.differences, []);
});

Deno.test("an op over which the backend ends is known by the next run, which leaves it out", () => {
  const { program } = programOf("confirm/crash.mlir");
  const first = readTrace(recorded("crash.1"));
  assertEquals([first.endedAt, first.isDone], [1, false]);
  assertEquals(askedOps(program)[1]?.operation.name, "ttnn.concatenate_heads");
  const { verdict, ops } = confirm("confirm/crash.mlir", [recorded("crash.1"), recorded("crash.2")]);
  assertEquals([verdict, ...ops.map(({ state }) => state)], ["refused", "runs", "crashed", "runs"]);
  // Without the second run the rest is not known.
  const half = confirm("confirm/crash.mlir", [recorded("crash.1")]);
  assertEquals(half.ops.map(({ state }) => state), ["runs", "crashed", "not reached"]);
});

Deno.test("a crash is no difference from a prediction that was not made", () => {
  const { program } = programOf("confirm/crash.mlir");
  const { ops } = confirmationOf(program, new Map(), [readTrace(recorded("crash.1"))]);
  assertEquals([ops[1]?.state, ops[1]?.differences], ["crashed", []]);
});

Deno.test("shards in column-major order are not those of a row-major type", () => {
  const type = programOf("confirm/crash.mlir").program.ops[0]?.results[0]?.type;
  const result = readTrace(recorded("crash.1")).ops.get(0);
  assert(type !== undefined && result !== undefined && "results" in result);
  const [real] = result.results;
  assert(real?.shard !== undefined);
  assertEquals(otherThanDeclared(type, real), undefined);
  assertStringIncludes(otherThanDeclared(type, { ...real, orientation: "col_major" }) ?? "", "sharded");
});

Deno.test("a run that stops between two ops confirms nothing that it did not reach", () => {
  const lines = recorded("mnist.1").slice(0, 5);
  const { verdict, ops } = confirm("models/mnist.mlir", [lines]);
  assertEquals(verdict, "incomplete");
  assertEquals(ops.filter(({ state }) => state === "not reached").length, 5);
  assertThrows(() => confirm("models/mnist.mlir", [[]]), Error, "did not start");
});

Deno.test("readTrace() refuses lines that the script never writes", () => {
  assertThrows(() => readTrace(['{"op":0,"peak":"much"}']));
});

Deno.test("a job has every op once, with an expression for each result", () => {
  const { program } = programOf("models/mnist.mlir");
  const job = JSON.parse(traceJob(program, { device: "n150", crashed: [] }));
  assertEquals(job.functions, ["forward"]);
  assertEquals(job.ops.length, 7);
  const lines = program.text.split("\n");
  for (const { line, results } of job.ops) {
    assert(lines[line - 1]?.trim().startsWith(`${results[0].variable} = ttnn.`));
    assert(results[0].standIn.startsWith("ttnn.empty(["));
  }
});

Deno.test("a pool may return images for its rows only where reshapes alone read them", () => {
  const found = programOf("models/mnist.mlir").program.ops[2]?.results[0]?.type;
  assert(found !== undefined);
  const type = { ...found, shape: [1, 1, 64, 32], layout: { ...found.layout, tile: undefined } };
  const images = {
    bufferType: "dram",
    memLayout: "interleaved",
    dtype: "bf16",
    tiled: false,
    shape: [4, 4, 4, 32],
  } as const;
  assertEquals(otherThanDeclared(type, images, true), undefined);
  assertStringIncludes(otherThanDeclared(type, images) ?? "", "4x4x4x32");
  assertStringIncludes(otherThanDeclared(type, { ...images, shape: [4, 4, 2, 64] }, true) ?? "", "4x4x2x64");
});
