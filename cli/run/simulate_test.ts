// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

const MNIST = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", "models", "mnist.mlir"));

async function tilewright(...args: string[]): Promise<MemoryHost & { readonly code: number }> {
  const host = createMemoryHost({ files: { "mnist.mlir": MNIST }, columns: 140 });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  return { ...host, code };
}

Deno.test("simulate prints the table on stdout and nothing on stderr", async () => {
  const { code, out, err } = await tilewright("simulate", "mnist.mlir");
  assertEquals([code, err()], [0, ""]);
  assertStringIncludes(out(), "OP Code");
  assertStringIncludes(out(), "fits by address");
});

Deno.test("simulate --json prints one object, the same on every run, with its advice", async () => {
  const first = await tilewright("simulate", "mnist.mlir", "--json", "--device", "p150");
  const second = await tilewright("simulate", "mnist.mlir", "--json", "--device", "p150");
  assertEquals(first.code, 0);
  assertEquals(first.out(), second.out());
  const document = JSON.parse(first.out());
  assertEquals([document.schema, document.device, document.input], [
    "tilewright.simulation/1",
    "p150",
    "mnist.mlir",
  ]);
  assert(document.inference.totalUs > 0);
  assert(Array.isArray(document.advice));
});

Deno.test("simulate --emit writes every file that it names", async () => {
  const { code, files } = await tilewright(
    "simulate",
    "mnist.mlir",
    "--emit",
    "chrome-trace=t.json",
    "--emit",
    "perf-csv=p.csv",
    "--emit=json=s.json",
    "--detail-op",
    "2",
  );
  assertEquals(code, 0);
  const trace = JSON.parse(files.get("t.json") ?? "");
  assert(
    trace.traceEvents.some((event: { args?: { name?: string } }) => event.args?.name === "core (0,0) reader"),
  );
  assertStringIncludes(files.get("p.csv") ?? "", "MatmulDeviceOperation");
  assertEquals(JSON.parse(files.get("s.json") ?? "").schema, "tilewright.simulation/1");
});

Deno.test("simulate --emit ttnn-python writes nothing if an op has no Python call", async () => {
  const emits = ["--emit=json=s.json", "--emit=ttnn-python=p.py"];
  const { code, files } = await tilewright("simulate", "mnist.mlir", ...emits);
  assertEquals(code, 0);
  assertMatch(
    files.get("p.py") ?? "",
    /softmax_6 = ttnn\.softmax\( {2}# 128x10\n\s*linear_relu_stack_4, dim=-1, /,
  );
  const host = createMemoryHost({ files: { "flip.mlir": MNIST.replace('"ttnn.softmax"', '"ttnn.flip"') } });
  assertEquals(await runCommandLine(["simulate", "flip.mlir", ...emits], host, "0.0.0", COMMANDS), 3);
  assertStringIncludes(host.err(), "ttnn's Python cannot say this ttnn.flip");
  assertEquals([...host.files.keys()], ["flip.mlir"]);
});

Deno.test("simulate --emit KIND=- puts only that on stdout", async () => {
  const { out } = await tilewright("simulate", "mnist.mlir", "--emit", "perf-csv=-");
  assert(out().startsWith("OP CODE,OP TYPE"));
});

Deno.test("simulate distinguishes usage errors from bad input", async () => {
  const cases: [number, string, string[]][] = [
    [2, "did you mean 'chrome-trace'", ["simulate", "mnist.mlir", "--emit", "chrome-trac=x"]],
    [2, "name a file", ["simulate", "mnist.mlir", "--emit", "json"]],
    [2, "--id-range", ["simulate", "mnist.mlir", "--id-range", "a-b"]],
    [2, "did you mean 'forward'", ["simulate", "mnist.mlir", "--function", "forwrd"]],
    [2, "Cannot draw op 999", ["simulate", "mnist.mlir", "--emit", "chrome-trace=t", "--detail-op", "999"]],
    [3, "no such file", ["simulate", "missing.mlir"]],
  ];
  for (const [expected, message, args] of cases) {
    const { code, err } = await tilewright(...args);
    assertEquals(code, expected, args.join(" "));
    assertStringIncludes(err(), message);
  }
});

Deno.test("simulate --no-trace is slower, --network analytic never slower", async () => {
  const total = async (...args: string[]): Promise<number> => {
    const { out } = await tilewright("simulate", "mnist.mlir", "--json", ...args);
    return JSON.parse(out()).inference.totalUs;
  };
  const traced = await total();
  assert(await total("--no-trace") > traced);
  assert(await total("--network", "analytic") <= traced);
});

Deno.test("devices lists every chip, devices show gives a source for every constant", async () => {
  const list = JSON.parse((await tilewright("devices", "--json")).out());
  for (const { name } of list.devices) {
    const { code, out } = await tilewright("devices", "show", name, "--json");
    assertEquals(code, 0);
    const device: { constants: Record<string, Record<string, object>> } = JSON.parse(out());
    for (const constants of Object.values(device.constants)) {
      for (const constant of Object.values(constants)) {
        const fields = Object.keys(constant).filter((field) => field !== "prior");
        assertEquals(fields.sort(), ["kind", "source", "unit", "value"]);
      }
    }
  }
  assertStringIncludes((await tilewright("devices")).out(), "n150");
  const shown = (await tilewright("devices", "show", "n150")).out();
  assertStringIncludes(shown, "network.dramTiles");
  assertEquals((await tilewright("devices", "n150")).out(), shown);
});

Deno.test("devices show reads a file of the user's own", async () => {
  const host = createMemoryHost({
    files: {
      "mine.json": JSON.stringify({
        schema: "tilewright.device/1",
        name: "mine",
        architecture: "wormhole_b0",
        summary: "slower memory",
        extends: "n150",
        constants: {
          dram: { peakBandwidth: { value: 200, unit: "GB/s", source: "a test of ours", kind: "guess" } },
        },
      }),
      "broken.json": "{",
    },
  });
  assertEquals(await runCommandLine(["devices", "show", "mine.json"], host, "0", COMMANDS), 0);
  assertStringIncludes(host.out(), "a test of ours");
  assertEquals(await runCommandLine(["devices", "show", "broken.json"], host, "0", COMMANDS), 3);
  assertEquals(await runCommandLine(["devices", "show", "n15"], host, "0", COMMANDS), 2);
  assertEquals(await runCommandLine(["devices", "hide"], host, "0", COMMANDS), 2);
});

Deno.test("a program of which nothing runs gets a sentence in place of an empty table", async () => {
  const tensor = "tensor<64x64xbf16>";
  const files = {
    "unused.mlir": `func.func @main(%x: ${tensor}) {
  %0 = "ttir.relu"(%x) : (${tensor}) -> ${tensor}
  return
}
`,
  };
  for (const command of ["simulate", "optimize"]) {
    const host = createMemoryHost({ files, columns: 140 });
    assertEquals(await runCommandLine([command, "unused.mlir"], host, "0.0.0", COMMANDS), 0);
    assertStringIncludes(host.out(), "No op runs in an inference");
  }
});
