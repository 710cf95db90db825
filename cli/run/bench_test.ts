// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { findModels } from "../find_models.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";
import { createProjectHost } from "../testing/project_host.ts";

/** A small TTIR program; the width tells them apart. */
function model(width: number): string {
  const tensor = `tensor<64x${width}xbf16>`;
  return `func.func @main(%x: ${tensor}) -> ${tensor} {
  %0 = "ttir.relu"(%x) : (${tensor}) -> ${tensor}
  %1 = "ttir.exp"(%0) : (${tensor}) -> ${tensor}
  return %1 : ${tensor}
}
`;
}

const ZOO = {
  "zoo/a.mlir": model(64),
  "zoo/b.mlir": model(128),
  "zoo/deep/c.mlir": model(256),
  "zoo/notes.txt": "no model",
};

async function bench(host: MemoryHost, ...args: string[]): Promise<number> {
  return await runCommandLine(["bench", ...args, "--policies", "dram,greedy"], host, "0.0.0", COMMANDS);
}

Deno.test("findModels() accepts files, folders and patterns, each file once, by name", async () => {
  const host = createMemoryHost({ files: ZOO });
  assertEquals(await findModels(host, ["zoo"]), ["zoo/a.mlir", "zoo/b.mlir", "zoo/deep/c.mlir"]);
  assertEquals(await findModels(host, ["zoo/*.mlir"]), ["zoo/a.mlir", "zoo/b.mlir"]);
  assertEquals(await findModels(host, ["**/*.mlir", "zoo/a.mlir"]), [
    "zoo/a.mlir",
    "zoo/b.mlir",
    "zoo/deep/c.mlir",
  ]);
  assertEquals(await findModels(host, ["zoo/?.txt", "zoo/no*"]).catch(() => "none"), "none");
  assertEquals(await findModels(host, ["missing.mlir"]), ["missing.mlir"]);
});

Deno.test("shards put together equal one run byte for byte", async () => {
  const host = createMemoryHost({ files: ZOO });
  assertEquals(await bench(host, "zoo", "--save", "whole.json"), EXIT.ok, host.err());
  for (const part of ["1", "2"]) {
    assertEquals(await bench(host, "zoo", "--shard", `${part}/2`, "--save", `part-${part}.json`), EXIT.ok);
  }
  assertEquals(await bench(host, "part-2.json", "part-1.json", "--merge", "--save", "merged.json"), EXIT.ok);
  assertEquals(host.files.get("merged.json"), host.files.get("whole.json"));
  assertEquals(JSON.parse(host.files.get("part-2.json") ?? "").summary.models, 1);
  assertEquals(await bench(host, "part-1.json", "part-1.json", "--merge"), EXIT.usage);
  assertEquals(await bench(host, "zoo", "--shard", "3/2"), EXIT.usage);
  assertEquals(await bench(host, "zoo", "--shard", "4/4"), EXIT.ok);
  assertStringIncludes(host.err(), "part 4/4 holds none of the 3 models");
  assertStringIncludes(host.out(), "No results.");
});

Deno.test("bench goes on behind a model that cannot be read, and resumes where it stopped", async () => {
  const host = createMemoryHost({ files: { ...ZOO, "zoo/b.mlir": "func.func @main( {" } });
  assertEquals(await bench(host, "zoo", "--save", "done.json", "--resume"), EXIT.badInput);
  assertStringIncludes(host.err(), "zoo/b.mlir:1:");
  const models = (): string[] => JSON.parse(host.files.get("done.json") ?? "{}").input;
  assertEquals(models(), ["zoo/a.mlir", "zoo/deep/c.mlir"]);
  // What is done is not read again: nobody notices that it is gone.
  host.files.set("zoo/a.mlir", "broken").set("zoo/b.mlir", model(128));
  assertEquals(await bench(host, "zoo", "--save", "done.json", "--resume"), EXIT.ok, host.err());
  assertEquals(models(), ["zoo/a.mlir", "zoo/b.mlir", "zoo/deep/c.mlir"]);
  assertEquals(await bench(host, "zoo", "--resume"), EXIT.usage);
  // What was decided for another chip is decided again.
  host.files.set("zoo/a.mlir", model(64));
  assertEquals(await bench(host, "zoo", "--save", "done.json", "--resume", "--device", "p150"), EXIT.ok);
  const { results } = JSON.parse(host.files.get("done.json") ?? "{}");
  assertEquals(
    [results.length, new Set(results.map(({ device }: { device: string }) => device))],
    [6, new Set(["p150"])],
  );
});

Deno.test("bench --against finds regressions in every form, and none without one", async () => {
  const host = createMemoryHost({ files: ZOO });
  await bench(host, "zoo", "--save", "before.json");
  assertEquals(await bench(host, "zoo", "--against", "before.json"), EXIT.ok);
  assertStringIncludes(host.out(), "Nothing became worse: 6 results compared.");
  // A baseline of other policies compares nothing, and must not look like peace.
  assertEquals(
    await runCommandLine(
      ["bench", "zoo", "--policies", "beam", "--against", "before.json"],
      host,
      "0.0.0",
      COMMANDS,
    ),
    EXIT.badInput,
  );
  assertStringIncludes(host.err(), "Cannot compare with before.json");
  // As if everything had been twice as fast and sharded before.
  const better = JSON.parse(host.files.get("before.json") ?? "");
  for (const { summary, ops } of better.results) {
    ops.push({
      function: "main",
      id: 3,
      name: "ttnn.add",
      location: "",
      layout: "l1/block_sharded/8x8",
      us: 1,
    });
    ops[0].us /= 2;
    summary.predictedUs /= 2;
    summary.predictedBand = { lowerUs: summary.predictedUs * 0.9, upperUs: summary.predictedUs * 1.1 };
    summary.shardedOps += 1;
  }
  host.files.set("before.json", JSON.stringify(better));
  const args = ["zoo", "--against", "before.json"];
  assertEquals(await bench(host, ...args), EXIT.finding);
  assertEquals(await bench(host, ...args, "--fail-on", "unfit"), EXIT.ok);
  assertEquals(await bench(host, ...args, "--fail-on", "worse", "--threshold", "200%"), EXIT.ok);
  const printed = async (...more: string[]): Promise<string> => {
    const fresh = createMemoryHost({ files: Object.fromEntries(host.files), columns: 120 });
    assertEquals(await bench(fresh, ...args, ...more), EXIT.finding);
    return fresh.out();
  };
  assertStringIncludes(await printed(), "worse, lost-sharding");
  assertStringIncludes(await printed("--format", "md"), "| zoo/a.mlir | dram | worse, lost-sharding |");
  // Every op that is sharded no more or slower, with the command that says why.
  for (const form of ["table", "md", "github"]) {
    const told = (await printed("--format", form)).replaceAll("%3A", ":");
    assertStringIncludes(told, "op 3 add: l1/block_sharded/8x8 → gone");
    assertMatch(
      told,
      /op 0 \w+: [\d.]+ µs → [\d.]+ µs: `?tilewright explain zoo\/a.mlir --policy dram --device n150 --op @main:0/,
    );
  }
  const annotations = (await printed("--format", "github")).trim().split("\n");
  assertEquals(annotations.length, 6);
  assert(
    annotations.every((line) => /^::error file=zoo\/[^:,]+,title=[^:,]+::[^\n]+$/.test(line)),
    annotations[0],
  );
  assertEquals(JSON.parse(await printed("--json")).summary.worse, 6);
});

Deno.test("the table of bench names chips where there are several", async () => {
  const host = createMemoryHost({ files: ZOO, columns: 160 });
  assertEquals(await bench(host, "zoo/a.mlir", "--device", "n150", "--save", "one.json"), EXIT.ok);
  assert(!/^Model .* Device/m.test(host.out()));
  assertEquals(await bench(host, "zoo/a.mlir", "--device", "p150", "--save", "two.json"), EXIT.ok);
  const both = createMemoryHost({
    files: { "one.json": host.files.get("one.json") ?? "", "two.json": host.files.get("two.json") ?? "" },
    columns: 160,
  });
  assertEquals(
    await runCommandLine(["bench", "one.json", "two.json", "--merge"], both, "0.0.0", COMMANDS),
    EXIT.ok,
  );
  assert(/^Model .* Device/m.test(both.out()), both.out());
  // The fastest of each chip, and means over both.
  assertEquals(both.out().match(/(?:dram|greedy) \*/g)?.length, 2);
  const [one, two] = [...both.files].map(([, text]) => JSON.parse(text).means[1].timeAgainstFirst);
  assertMatch(both.out(), new RegExp(`greedy +\\+${(100 * (Math.sqrt(one * two) - 1)).toFixed(1)} %`));
});

Deno.test("bench --without leaves a step of the search out: without elimination there is no bound", async () => {
  const wrong = createMemoryHost({ files: ZOO });
  assertEquals(await bench(wrong, "zoo/a.mlir", "--without", "explore"), EXIT.usage);
  assertStringIncludes(wrong.err(), "Option --without cannot be 'explore'. Steps: eliminate, ");
  assertEquals(await bench(wrong, "zoo/a.mlir", "--without", "fuse-softmaks"), EXIT.usage);
  assertStringIncludes(wrong.err(), "cannot be 'fuse-softmaks'; did you mean 'fuse-softmax'? Steps: ");
  const gapOf = async (...without: readonly string[]): Promise<unknown> => {
    const host = createMemoryHost({ files: ZOO });
    const args = ["bench", "zoo/a.mlir", "--policies", "auto", "--json", ...without];
    assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    return JSON.parse(host.out()).results[0].summary.gap ?? null;
  };
  assertEquals(typeof await gapOf(), "number");
  assertEquals(await gapOf("--without", "eliminate"), null);
});

Deno.test("bench --without leaves a graph pattern out: a sum of ones stays a reduction", async () => {
  const text = `func.func @main(%x: tensor<64x1xbf16>) -> tensor<64xbf16> {
  %0 = "ttir.sum"(%x) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<64x1xbf16>) -> tensor<64xbf16>
  return %0 : tensor<64xbf16>
}
`;
  const opsOf = async (...without: readonly string[]): Promise<readonly string[]> => {
    const host = createMemoryHost({ files: { "sum.mlir": text } });
    const args = ["bench", "sum.mlir", "--policies", "dram", "--json", ...without];
    assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    return JSON.parse(host.out()).results[0].ops.map(({ name }: { name: string }) => name);
  };
  assert(!(await opsOf()).includes("ttnn.sum"));
  assert((await opsOf("--without", "fold-reduction-of-ones")).includes("ttnn.sum"));
});

Deno.test("diff names every op that lost its sharding, with an explain command that works", async () => {
  const model = "testdata/models/mnist.mlir";
  const said = async (...args: readonly string[]): Promise<string> => {
    const host = createProjectHost({ columns: 80 });
    await runCommandLine(args, host, "0.0.0", COMMANDS);
    return host.out();
  };
  const args = ["diff", model, "--policy-a", "greedy", "--policy-b", "dram"];
  const { lostSharding, summary } = JSON.parse(await said(...args, "--json"));
  assertEquals(lostSharding.length, summary.shardedOps.lost);
  assert(lostSharding.length > 3);
  const text = await said(...args, "--top", "1");
  const markdown = await said(...args, "--format", "md", "--top", "1");
  for (const { explain } of lostSharding) {
    assertStringIncludes(text, `why: ${explain}\n`);
    assertStringIncludes(markdown, `\`${explain}\``);
  }
  const [, ...words] = lostSharding[0].explain.split(" ");
  assertStringIncludes(await said(...words), `op ${lostSharding[0].b} ${lostSharding[0].name} of @`);
  assertStringIncludes(
    await said("diff", model, "--policy-a", "dram", "--policy-b", "greedy"),
    "operand 0: ",
  );
});

Deno.test("bench --format svg draws a bar per model and policy, as long as its time", async () => {
  const host = createMemoryHost({ files: ZOO });
  await bench(host, "zoo", "--format", "svg");
  const widths = [...host.out().matchAll(/<rect x="260" y="[\d.]+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width)
  );
  const json = createMemoryHost({ files: ZOO });
  await bench(json, "zoo", "--json");
  const { results } = JSON.parse(json.out());
  assertEquals(widths.length, results.length);
  assertEquals(host.out().match(/<text/g)?.length, results.length * 2 + 3);
  const [a, b] = results.map(({ summary }: { summary: { predictedUs: number } }) => summary.predictedUs);
  assert(Math.abs((widths[0] ?? 0) / (widths[1] ?? 1) - a / b) < 0.01);
});
