// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { conditionalTest, PROJECT_ROOT } from "../../testing/corpus.ts";
import { EXIT } from "../command.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost } from "../testing/project_host.ts";

const MODEL = "testdata/captures/model.json";

async function said(...args: readonly string[]) {
  const host = createProjectHost();
  const code = await runCommandLine([...args], host, "0.0.0", COMMANDS);
  return { code, host };
}

Deno.test("a capture of a Python model is an input like any other", async () => {
  const simulated = await said("simulate", MODEL, "--json");
  assertEquals(simulated.code, 0, simulated.host.err());
  const { device, summary } = JSON.parse(simulated.host.out());
  assertEquals(device, "n150");
  assert(summary.predictedUs > 10);
  const printed = await said("print", MODEL);
  assertEquals(printed.code, 0, printed.host.err());
  const files = { "model.mlir": printed.host.out() };
  const host = createProjectHost({ files });
  // It differs from its own text in nothing.
  assertEquals(await runCommandLine(["diff", MODEL, "model.mlir"], host, "0.0.0", COMMANDS), 0, host.out());
  const optimized = await said("optimize", MODEL, "--policy", "greedy", "--json");
  assertEquals(JSON.parse(optimized.host.out()).schema, "tilewright.plan/1", optimized.host.err());
  const report = await said("report", MODEL, "--as-written", "--policies", "as-written", "-o", "out.html");
  assertEquals(report.code, 0, report.host.err());
  assertStringIncludes(report.host.files.get("out.html") ?? "", "Where the time goes");
});

Deno.test("device operations are called in exported profiles as the backend calls them", async () => {
  for (const model of ["model", "image", "decoder"]) {
    const path = `testdata/captures/${model}.json`;
    const recorded = await Deno.readTextFile(join(PROJECT_ROOT, path));
    const names = new Set(
      [...recorded.matchAll(/"name": ?"(\w+)"/g)].map(([, name]) => name?.replace("Codegen", "")),
    );
    const { host } = await said("simulate", path, "--emit", "perf-csv=out.csv");
    const exported = (host.files.get("out.csv") ?? "").split("\n").slice(2).map((row) =>
      row.split(",")[0] ?? ""
    )
      .filter((name) => name !== "" && !name.startsWith("Python"));
    // Which permutations of neighbours the backend runs as transpositions is not modelled.
    if (names.has("TransposeDeviceOperation")) names.add("PermuteDeviceOperation");
    // A deviation is priced as a mean.
    if (names.has("WelfordReduceDeviceOperation")) names.add("ReduceDeviceOperation");
    assert(exported.length > 5, host.err());
    assertEquals(exported.filter((name) => !names.has(name)), []);
  }
});

Deno.test("a capture needs the file that ttnn writes beside it", async () => {
  const text = await Deno.readTextFile(join(PROJECT_ROOT, MODEL));
  const host = createProjectHost({ files: { "alone.json": text } });
  assertEquals(await runCommandLine(["simulate", "alone.json"], host, "0.0.0", COMMANDS), EXIT.badInput);
  assertStringIncludes(host.err(), "without alone.python_io.json");
});

const environment = Deno.env.get("TILEWRIGHT_TTNN");
const python = environment === undefined ? undefined : join(environment, "v", "bin", "python");

conditionalTest(
  "a fresh capture says what the recorded one says",
  python === undefined || !await Deno.stat(python).then(() => true, () => false)
    ? "TILEWRIGHT_TTNN names no environment with ttnn"
    : undefined,
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "tilewright_" });
    try {
      const { success, stderr } = await new Deno.Command(python ?? "", {
        args: ["-B", join(PROJECT_ROOT, "testdata", "captures", "model.py"), folder],
        env: { PYTHONPATH: join(PROJECT_ROOT, "cli", "backend") },
      }).output();
      assert(success, new TextDecoder().decode(stderr));
      const models = ["model", "image", "decoder"];
      const names = models.flatMap((model) => [`${model}.json`, `${model}.python_io.json`]);
      const texts = await Promise.all(names.map((name) => Deno.readTextFile(join(folder, name))));
      const files = Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""]));
      for (const model of models) {
        const host = createProjectHost({ files });
        assertEquals(
          await runCommandLine(["print", `${model}.json`], host, "0.0.0", COMMANDS),
          EXIT.ok,
          host.err(),
        );
        assertEquals(host.out(), (await said("print", `testdata/captures/${model}.json`)).host.out());
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
