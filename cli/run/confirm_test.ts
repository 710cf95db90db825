// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { inputError } from "../../lib/diagnostics/diagnostic.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";
import { RECORDED_PYTHON, type RecordedRun, withRecordedBackend } from "../testing/recorded_backend.ts";

const TESTDATA = join(PROJECT_ROOT, "testdata");

type Change = Parameters<typeof withRecordedBackend>[2];

/** Runs `confirm` on a host whose Python says what was recorded, or what that is changed to. */
async function confirm(path: string, args: readonly string[] = [], change?: Change) {
  const host = createMemoryHost({
    files: { [path]: Deno.readTextFileSync(join(TESTDATA, path)), ...RECORDED_PYTHON.files },
    environment: RECORDED_PYTHON.environment,
    columns: 120,
  });
  const runs: RecordedRun[] = [];
  const command = ["confirm", path, "--device", "n150", ...args];
  const code = await runCommandLine(command, withRecordedBackend(host, runs, change), "0.0.0", COMMANDS);
  return { code, out: host.out(), err: host.err(), files: host.files, runs };
}

Deno.test("confirm runs the scripts of the cache with the named environment, and ends with a verdict", async () => {
  const { code, out, files, runs } = await confirm("models/mnist.mlir");
  assertEquals(code, 0);
  assertStringIncludes(out, "models/mnist.mlir on ttnn 0.81.1, a mock n150");
  assertStringIncludes(out, "runs to the end: 7 ops, every result as declared");
  const [run, ...others] = runs;
  const [script = "", cache] = run?.start.args ?? [];
  assertEquals([run?.start.command, cache, others.length], ["/env/bin/python", "/cache", 0]);
  assertStringIncludes(files.get(script) ?? "", "Runs a program that Tilewright wrote");
  assertEquals(JSON.parse(run?.job ?? "").device, "n150");
});

Deno.test("confirm --json is the same in figures", async () => {
  const { code, out } = await confirm("models/mnist.mlir", ["--json"]);
  const document = JSON.parse(out);
  assertEquals([code, document.schema, document.summary.verdict, document.summary.ran], [
    0,
    "tilewright.confirmation/1",
    "confirmed",
    7,
  ]);
});

Deno.test("confirm starts again behind the op over which the backend ended", async () => {
  const { code, out, runs } = await confirm("confirm/crash.mlir");
  assertEquals(code, 1);
  assertStringIncludes(out, "DOES NOT RUN: 1 op refused");
  assertEquals(runs.map(({ job }) => JSON.parse(job).crashed), [[], [1]]);
});

Deno.test("confirm reports why the backend's process ended, and the requirements without a backend", async () => {
  const killed = await confirm("models/mnist.mlir", [], (lines) => ({
    lines: [...lines.slice(0, 1), '{"be'],
    end: { code: 137, signal: "SIGKILL" },
  }));
  assertEquals(killed.code, 3);
  assertStringIncludes(killed.err, " ended by SIGKILL from outside");
  // Also in the middle of an op, which is not to blame.
  const inOp = await confirm("models/mnist.mlir", [], (lines) => ({
    lines: lines.slice(0, 2),
    end: { code: 137, signal: "SIGKILL" },
  }));
  assertEquals([inOp.code, inOp.out], [3, ""]);
  const early = await confirm("models/mnist.mlir", [], () => ({
    lines: [],
    end: { code: 1, errors: "Traceback\nImportError: libmpi.so.40\n" },
  }));
  assertStringIncludes(
    early.err,
    "ended with exit code 1 before it was ready:\nTraceback\nImportError: libmpi",
  );
  const other = await confirm("models/mnist.mlir", [], () => ({
    lines: [],
    end: { code: 78, errors: "a warning\nPython 3.11.7 of /usr/bin/python3 has no ttnn\n" },
  }));
  assertEquals(
    other.err.trim(),
    "error: Cannot ask the backend, which takes Python 3.10 or 3.12 with ttnn 0.81.1: Python 3.11.7 of /usr/bin/python3 has no ttnn",
  );
  const silent = await confirm("models/mnist.mlir", [], () => ({ lines: [], end: { code: 0 } }));
  assertMatch(
    silent.err,
    /python ended with exit code 0 before it was ready; 'tilewright confirm --setup' makes/,
  );
  const foreign = await confirm("models/mnist.mlir", [], () => ({ lines: ["{", "}"] }));
  assertEquals(foreign.code, 3);
  assertMatch(foreign.err, /python does not run Python; 'tilewright confirm --setup' makes/);
  const unstarted = createMemoryHost({
    files: {
      "mnist.mlir": Deno.readTextFileSync(join(TESTDATA, "models/mnist.mlir")),
      ...RECORDED_PYTHON.files,
    },
    environment: RECORDED_PYTHON.environment,
  });
  const startProgram = () =>
    Promise.reject(inputError("program/not-started", "Cannot start /env/bin/python: no"));
  assertEquals(
    await runCommandLine(["confirm", "mnist.mlir"], { ...unstarted, startProgram }, "0.0.0", COMMANDS),
    3,
  );
  assertMatch(unstarted.err(), /Cannot start \/env\/bin\/python: no; 'tilewright confirm --setup' makes/);
  const host = createMemoryHost({ files: { "mnist.mlir": "" }, environment: { TILEWRIGHT_CACHE: "/cache" } });
  assertEquals(await runCommandLine(["confirm", "mnist.mlir"], host, "0.0.0", COMMANDS), 2);
  assertStringIncludes(
    host.err(),
    "Python 3.10 or 3.12 with ttnn 0.81.1; 'tilewright confirm --setup' makes that",
  );
});

Deno.test("confirm refuses options of policies without one, and meshes that no mock device has", async () => {
  const unread = await confirm("models/mnist.mlir", ["--beam-width", "4"]);
  assertEquals(unread.code, 2);
  assertStringIncludes(unread.err, "--beam-width has no effect on a file as written");
  const mesh = await confirm("models/mnist.mlir", ["--mesh-shape", "2x4", "--device", "t3000"]);
  assertEquals(mesh.code, 2);
  assertStringIncludes(mesh.err, "Cannot open a mock device of t3000");
});
