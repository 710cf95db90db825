// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/csv/parse";
import { COMMANDS } from "./command_table.ts";
import { EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { createProjectHost } from "./testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

async function said(...args: readonly string[]) {
  const host = createProjectHost({ columns: 40 });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  return { code, out: host.out(), err: host.err() };
}

Deno.test("--csv prints every column of a table, whole, with the times of --json", async () => {
  const args = ["optimize", MNIST, "--policy", "greedy"];
  const { out } = await said(...args, "--csv");
  const { ops } = JSON.parse((await said(...args, "--json")).out);
  const [heads = [], ...rows] = parse(out);
  const of = (row: readonly string[], title: string): string => row[heads.indexOf(title)] ?? "";
  const own = rows.filter((row) => !["", "7"].includes(of(row, "ID")));
  own.forEach((row, id) => {
    const shape = ops[id].shape.replaceAll(" ", "");
    assertEquals(["Function", "ID", "Shape"].map((title) => of(row, title)), ["@forward", String(id), shape]);
    assertAlmostEquals(Number(of(row, "Time [µs]")), ops[id].us, 1e-6);
    assertEquals(of(row, "Layout"), ops[id].after[0]);
  });
  assertEquals(own.length, 7);
});

for (
  const command of [
    ["simulate", MNIST, "--group-by", "op"],
    ["diff", MNIST, "--policy-a", "dram", "--policy-b", "greedy"],
    ["explain", MNIST, "--op", "1", "--policy", "greedy"],
    ["price", "add", "64x64", "64x64"],
    ["bench", MNIST, "--policies", "dram,greedy"],
    ["optimize", MNIST, "--policy", "dram", "--device", "n150,p150"],
    ["devices"],
    ["ops"],
  ]
) {
  Deno.test(`${command.join(" ")} --csv is a table of equally long rows`, async () => {
    const { out, err } = await said(...command, "--csv");
    const tables = out.split("\n\n").map((text) => parse(text));
    assert(tables.every(([head = [], ...rows]) => head.length > 1 && rows.length > 0), out + err);
    assertEquals(/[…–]/.test(out), false);
  });
}

Deno.test("--csv has shares and sizes as figures, with their unit in the title", async () => {
  const [heads = [], row = []] = parse((await said("bench", MNIST, "--policies", "dram", "--csv")).out);
  const of = (title: string): string => row[heads.indexOf(title)] ?? `none of ${heads.join()}`;
  const { results: [{ summary }] } = JSON.parse(
    (await said("bench", MNIST, "--policies", "dram", "--json")).out,
  );
  assertAlmostEquals(Number(of("Peak L1 [KiB]")), summary.peakL1Bytes / 1024, 0.1);
  assertEquals([of("Versus dram [%]"), of("In L1 [%]")], ["0.0", "0.0"]);
});

Deno.test("--csv has every row with its op and every time whole, in µs", async () => {
  const args = ["diff", MNIST, "--policy-a", "dram", "--policy-b", "greedy"];
  const [heads = [], ...rows] = parse((await said(...args, "--csv")).out);
  const { changes } = JSON.parse((await said(...args, "--json")).out);
  const fields = changes.reduce(
    (sum: number, change: { fields: unknown[] }) => sum + Math.max(1, change.fields.length),
    0,
  );
  assertEquals([rows.length, rows.filter(([id]) => id === "").length], [fields, 0]);
  const times = rows.map((row) => row[heads.indexOf("Δ µs")] ?? "").filter((cell) => cell !== "");
  assertEquals(
    times.map(Number),
    changes.map((change: { deltaUs: number }) => Number(change.deltaUs.toFixed(6))),
  );
  const { out } = await said("diff", MNIST, "testdata/profiles/mnist.csv", "--csv");
  const [[, , , measured] = [], ...paired] = parse(out.split("\n\n")[0] ?? "");
  assertEquals([measured, paired.length, paired[0]?.[3]], ["Measured [µs]", 7, "19.068"]);
});

Deno.test("bench tells models of one name apart, and marks the fastest policy in a column of its own", async () => {
  const text = await Deno.readTextFile(MNIST);
  const host = createProjectHost({ files: { "a/mnist.mlir": text, "b/mnist.mlir": text }, columns: 200 });
  const args = ["bench", "a/mnist.mlir", "b/mnist.mlir", "--policies", "dram,greedy"];
  assertEquals(await runCommandLine([...args, "--csv"], host, "0.0.0", COMMANDS), EXIT.ok, host.err());
  const [, ...rows] = parse(host.out());
  assertEquals(rows.map((row) => row.slice(0, 3).join(" ")), [
    "a/mnist.mlir dram no",
    "a/mnist.mlir greedy yes",
    "b/mnist.mlir dram no",
    "b/mnist.mlir greedy yes",
  ]);
});

Deno.test("--color always beats NO_COLOR", async () => {
  const host = createProjectHost({ environment: { NO_COLOR: "1" } });
  await runCommandLine(["simulate", MNIST, "--color", "always"], host, "0.0.0", COMMANDS);
  assertStringIncludes(host.out(), "\x1b[1m");
  const auto = createProjectHost({ environment: { NO_COLOR: "1" } });
  await runCommandLine(["simulate", MNIST], auto, "0.0.0", COMMANDS);
  assertEquals(auto.out().includes("\x1b"), false);
});

Deno.test("--csv and --json exclude each other; a report without a table is an error", async () => {
  const { code, err } = await said("optimize", MNIST, "--json", "--csv");
  assertEquals(code, EXIT.usage);
  assertStringIncludes(err, "--json or --csv");
  assertStringIncludes((await said("layout", "tensor<64x64xbf16>", "--csv")).err, "holds no table");
});
