// SPDX-License-Identifier: Apache-2.0
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import type { MemoryHost } from "../testing/memory_host.ts";
import { createProjectHost } from "../testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

const SLOW_MEMORY = JSON.stringify({
  schema: "tilewright.device/1",
  name: "slow_memory",
  architecture: "wormhole_b0",
  summary: "n150 with a twentieth of the DRAM bandwidth",
  extends: "n150",
  constants: {
    dram: { peakBandwidth: { value: 14.4, unit: "GB/s", source: "a test of ours", kind: "guess" } },
  },
});

async function tilewright(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<{ code: number; host: MemoryHost }> {
  const host = createProjectHost({ files, columns: 120 });
  return { code: await runCommandLine(args, host, "0.0.0", COMMANDS), host };
}

Deno.test("optimize compares devices side by side, files of the user's own among them", async () => {
  const { code, host } = await tilewright(
    ["optimize", MNIST, "--policy", "dram", "--device", "n150,./slow_memory.json", "--json"],
    { "./slow_memory.json": SLOW_MEMORY },
  );
  assertEquals(code, EXIT.ok, host.err());
  const { devices } = JSON.parse(host.out());
  assertEquals(devices.map(({ device }: { device: string }) => device), ["n150", "slow_memory"]);
  const [usual, slow] = devices.map(({ summary }: { summary: { predictedUs: number } }) =>
    summary.predictedUs
  );
  assert(slow > usual);
});

Deno.test("optimize runs a copy of a one-chip program on every chip; chips behind one host link take turns", async () => {
  const { code, host } = await tilewright(
    ["optimize", MNIST, "--policy", "dram", "--device", "n150,n300,t3000,wormhole-galaxy", "--json"],
  );
  assertEquals(code, EXIT.ok, host.err());
  interface Choice {
    readonly summary: { readonly predictedUs: number };
    readonly parallel: {
      readonly copies: number;
      readonly roundUs: number;
      readonly hostUs: number;
      readonly perSecond: number;
    };
  }
  const { devices, summary }: { devices: readonly Choice[]; summary: { mostPerSecond: string } } = JSON.parse(
    host.out(),
  );
  assertEquals(devices.map(({ parallel }) => parallel.copies), [1, 2, 8, 32]);
  assertEquals(summary.mostPerSecond, "wormhole-galaxy");
  for (
    const [index, { summary: { predictedUs }, parallel: { copies, roundUs, hostUs, perSecond } }] of devices
      .entries()
  ) {
    // Both chips of an n300 go through one link; a board with one chip has its link to itself.
    const sharing = index === 1 || index === 2 ? 2 : 1;
    assert(hostUs > 50);
    assertAlmostEquals(roundUs, Math.max(predictedUs, sharing * hostUs), 1e-6);
    assertAlmostEquals(perSecond, copies / roundUs * 1e6, 1e-6);
  }
});

Deno.test("optimize reports per machine whether the mesh of a file fits, and does not replicate multi-chip programs", async () => {
  const sum = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %0 = "ttir.all_reduce"(%x) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}
`;
  const { code, host } = await tilewright(
    ["optimize", "sum.mlir", "--policy", "dram", "--device", "n150,n300,t3000,wormhole-galaxy", "--json"],
    { "sum.mlir": sum },
  );
  assertEquals(code, EXIT.finding);
  const { devices, misfits } = JSON.parse(host.out());
  assertEquals(
    devices.map((
      { device, parallel }: { device: string; parallel: { copies: number } },
    ) => [device, parallel.copies]),
    [["t3000", 1], ["wormhole-galaxy", 1]],
  );
  assertEquals(misfits.map(({ device }: { device: string }) => device), ["n150", "n300"]);
  assertStringIncludes(host.err(), "its mesh 1x8 (8 chips) does not fit the machine's 1x2");
  const table = await tilewright(
    ["optimize", "sum.mlir", "--policy", "dram", "--device", "n300,t3000"],
    { "sum.mlir": sum },
  );
  assertMatch(table.host.out(), /Mesh +1x8 fits +does not fit/);
});

Deno.test("optimize predicts a text on another chip, but writes none that names the wrong chip", async () => {
  const text = `module attributes {ttcore.system_desc = #ttcore.system_desc<[{role = host}], ` +
    `[{arch = <wormhole_b0>, grid = 8x8, l1_size = 1499136, num_dram_channels = 12, l1_unreserved_base = 103712}], [0], [1 : i32], [0x0x0x0]>} {
  func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %0 = "ttnn.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}
`;
  const optimize = (...args: readonly string[]) =>
    tilewright(["optimize", "in.mlir", "--policy", "dram", ...args], { "in.mlir": text });
  const compared = await optimize("--device", "p150");
  assertEquals(compared.code, EXIT.ok);
  assertMatch(compared.host.err(), /^warning: .* cannot be written for p150/m);
  assertEquals((await optimize("--device", "n300", "-o", "out.mlir")).code, EXIT.ok);
  const { code, host } = await optimize("--device", "p150", "-o", "out.mlir");
  assert(code !== EXIT.ok);
  assertMatch(host.err(), /^in\.mlir:1:\d+: error: .*wormhole_b0 with 8x8/m);
});

Deno.test("optimize -o - puts only IR on standard output, which lint accepts", async () => {
  const { code, host } = await tilewright(["optimize", MNIST, "--policy", "greedy", "-o", "-"]);
  assertEquals(code, EXIT.ok);
  assertStringIncludes(host.err(), "Predicted");
  assertEquals((await tilewright(["lint", "out.mlir"], { "out.mlir": host.out() })).code, EXIT.ok);
});

Deno.test("optimize takes the options of a pasted pipeline string, flags being stronger", async () => {
  const pipeline = "--ttir-to-ttnn-runtime-pipeline=optimization-level=0 enable-d2m-fusing-pass=true";
  const { host } = await tilewright(["optimize", MNIST, "--json", pipeline]);
  assertEquals(JSON.parse(host.out()).policy, "dram");
  assertStringIncludes(host.err(), "'enable-d2m-fusing-pass' has no effect here: kernels that D2M");
  const flagged = await tilewright(["optimize", MNIST, "--json", "--optimization-level=2", pipeline]);
  assertEquals(JSON.parse(flagged.host.out()).policy, "auto");
});

Deno.test("optimize --spill exact and --score change the decision, not whether it fits", async () => {
  const { code, host } = await tilewright(
    ["optimize", MNIST, "--policy", "beam", "--score", "runtime", "--spill", "exact", "--json"],
  );
  assertEquals(code, EXIT.ok, host.err());
  assertEquals(JSON.parse(host.out()).summary.verdict.status, "fits");
});

Deno.test("diff --threshold and --fail-on find regressions, not improvements", async () => {
  const compare = async (a: string, b: string, ...options: string[]): Promise<number> =>
    (await tilewright(["diff", MNIST, "--policy-a", a, "--policy-b", b, ...options])).code;
  assertEquals(await compare("l1-interleaved", "dram", "--threshold", "99%"), EXIT.ok);
  // dram is 9 % faster than l1-interleaved here, beam-cost a few per cent faster still.
  assertEquals(await compare("l1-interleaved", "beam-cost", "--threshold", "0.1%"), EXIT.ok);
  assertEquals(await compare("beam-cost", "l1-interleaved", "--threshold", "0.1%"), EXIT.finding);
  assertEquals(await compare("beam-cost", "l1-interleaved", "--fail-on", "worse"), EXIT.finding);
  assertEquals(await compare("beam-cost", "dram", "--fail-on", "lost-sharding"), EXIT.finding);
  assertEquals(await compare("dram", "beam-cost", "--fail-on", "worse,lost-sharding,unfit"), EXIT.ok);
  assertEquals(await compare("dram", "beam-cost"), EXIT.finding);
  assertEquals(await compare("dram", "dram", "--threshold", "lots"), EXIT.usage);
  assertEquals(await compare("dram", "dram", "--fail-on", "rain"), EXIT.usage);
});

Deno.test("diff names op, location and field, and counts sharded ops as optimize does", async () => {
  const summaryOf = async (policy: string) =>
    JSON.parse((await tilewright(["optimize", MNIST, "--policy", policy, "--json"])).host.out())
      .summary;
  const { host } = await tilewright(["diff", MNIST, "--policy-a", "dram", "--policy-b", "greedy", "--json"]);
  const { summary, changes } = JSON.parse(host.out());
  const [dram, greedy] = [await summaryOf("dram"), await summaryOf("greedy")];
  assertEquals([summary.shardedOps.a, summary.shardedOps.b], [dram.shardedOps, greedy.shardedOps]);
  assertEquals([summary.predictedUs.a, summary.predictedUs.b], [dram.predictedUs, greedy.predictedUs]);
  const relu = changes.find(({ a }: { a: { id: number } | null }) => a?.id === 2);
  assertEquals([relu.a.name, relu.sharding], ["ttnn.relu", "gained"]);
  assertEquals(relu.fields, [{ field: "layout", a: "dram/interleaved", b: "l1/block_sharded/4x8" }]);
  const linear = changes.find(({ a }: { a: { id: number } | null }) => a?.id === 3);
  const fields = linear.fields.map(({ field }: { field: string }) => field);
  assertEquals(fields.slice(0, 2), ["layout", "config.programConfig.computeWithStorageGridSize"]);
});

const NAMED = `func.func @main(%x: tensor<256x256xbf16>, %w: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16> loc("project")
  %1 = "ttir.relu"(%0) : (tensor<256x256xbf16>) -> tensor<256x256xbf16> loc("activate")
  %2 = "ttir.exp"(%1) : (tensor<256x256xbf16>) -> tensor<256x256xbf16> loc("raise")
  return %2 : tensor<256x256xbf16>
}
`;

Deno.test("--emit model-explorer writes the graph as decided, copies included", async () => {
  const host = createProjectHost();
  const file = "testdata/models/mnist.mlir";
  const args = ["optimize", file, "--policy", "greedy", "--json", "--emit", "model-explorer=graph.json"];
  assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), 0, host.err());
  const { label, graphs: [graph] } = JSON.parse(host.files.get("graph.json") ?? "{}");
  assertEquals(label, "mnist.mlir");
  const { summary } = JSON.parse(host.out());
  const copies = graph.nodes.filter(({ id }: { id: string }) => id.startsWith("copy "));
  assertEquals(copies.length, summary.reshards + summary.spills);
});

Deno.test("an override of an op that is not there is a warning beside others, and an error alone", async () => {
  const run = (...names: readonly string[]) => {
    const overrides = names.map((name) => `${name}=dram:interleaved`).join(",");
    const args = ["optimize", "model.mlir", "--policy", "greedy", "--override-output-layout", overrides];
    return tilewright([...args, "--json"], { "model.mlir": NAMED });
  };
  const missing = 'Cannot apply --override-output-layout to "matmul_7": no op has a location with that name';
  const beside = await run("activate", "matmul_7");
  assertEquals(beside.code, EXIT.ok);
  assertStringIncludes(beside.host.err(), `warning: ${missing}`);
  assertEquals(JSON.parse(beside.host.out()).ops, JSON.parse((await run("activate")).host.out()).ops);
  const alone = await run("matmul_7");
  assertEquals(alone.code, EXIT.badInput);
  assertStringIncludes(alone.host.err(), `error: ${missing}`);
});

Deno.test("an op that an override names is not merged into another one, and the others are", async () => {
  const type = "tensor<64x64xbf16>";
  const text = `func.func @main(%a: ${type}, %w: ${type}, %b: tensor<64xbf16>) -> ${type} {
  %0 = "ttir.matmul"(%a, %w) : (${type}, ${type}) -> ${type} loc("product")
  %1 = "ttir.add"(%0, %b) : (${type}, tensor<64xbf16>) -> ${type} loc("bias")
  %2 = "ttir.transpose"(%1) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (${type}) -> ${type} loc("there")
  %3 = "ttir.transpose"(%2) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (${type}) -> ${type} loc("back")
  return %3 : ${type}
}`;
  const run = (names: string) =>
    tilewright(
      ["optimize", "m.mlir", "--policy", "greedy", "--json", "--override-output-layout", names],
      { "m.mlir": text },
    );
  const opsOf = ({ host }: { host: MemoryHost }) =>
    JSON.parse(host.out()).ops.map(({ name }: { name: string }) => name.replace(/^\w+\./, ""))
      .filter((name: string) => name !== "return");
  // The name of the bias is that of the op that both become.
  assertEquals(opsOf(await run("bias=dram")), ["linear"]);
  const kept = await run("product=dram");
  assertEquals(opsOf(kept), ["matmul", "add"]);
  assertStringIncludes(
    kept.host.err(),
    'graph pass fuse-linear would merge "product" into ttnn.linear; it stays',
  );
  const folded = await run("back=dram");
  assertEquals([folded.code, opsOf(folded)], [EXIT.ok, ["linear"]]);
  assertStringIncludes(folded.host.err(), 'warning: --override-output-layout of "back" has no effect');
});

Deno.test("--emit overrides writes the plan as options, and --pin reuses it", async () => {
  const files: Record<string, string> = { "model.mlir": NAMED };
  const run = async (...args: string[]) => {
    const host = createProjectHost({ files });
    const code = await runCommandLine(["optimize", "model.mlir", ...args], host, "0.0.0", COMMANDS);
    assertEquals(code, EXIT.ok, host.err());
    return host;
  };
  const layoutsOf = (json: string): readonly string[][] =>
    JSON.parse(json).ops.filter(({ location }: { location: string }) => location !== "")
      .map(({ name, after }: { name: string; after: string[] }) => [name, ...after]);
  const decided = await run("--policy", "greedy", "--json", "--emit", "overrides=plan.txt");
  const overrides = decided.files.get("plan.txt") ?? "";
  assert(/^override-output-layout=.*activate=\d+x\d+:l1:block_sharded:tile:bf16/.test(overrides), overrides);
  files["plan.json"] = decided.out();
  const free = await run("--policy", "dram", "--json");
  assert(JSON.stringify(layoutsOf(free.out())) !== JSON.stringify(layoutsOf(decided.out())));
  const pinned = await run("--policy", "beam", "--json", "--pin", "plan.json");
  assertEquals(layoutsOf(pinned.out()), layoutsOf(decided.out()));
  const pasted = await run(
    "--policy",
    "beam",
    "--json",
    `--ttir-to-ttnn-runtime-pipeline=${overrides.trim()}`,
  );
  assertEquals(layoutsOf(pasted.out()), layoutsOf(decided.out()));
  // Less room than the plan was made for.
  const crowded = createProjectHost({ files });
  const tight = ["optimize", "model.mlir", "--pin", "plan.json", "--tensor-l1-usage-cap", "0.01"];
  await runCommandLine(tight, crowded, "0.0.0", COMMANDS);
  assertStringIncludes(crowded.err(), "remark: plan.json: the plan DOES NOT FIT");
  // Another compiler: other names, another op.
  files["model.mlir"] = NAMED.replace('loc("activate")', 'loc("renamed")').replace("ttir.exp", "ttir.sin");
  const stale = await run("--policy", "dram", "--json", "--pin", "plan.json");
  assertEquals(layoutsOf(stale.out())[0], layoutsOf(decided.out())[0]);
  assertStringIncludes(
    stale.err(),
    'remark: plan.json: a pin no longer applies: ttnn.exp ("raise"): no op matches it any more\n',
  );
});

Deno.test("optimize selects, sorts and groups rows as simulate does", async () => {
  const rows = async (...args: string[]): Promise<string[]> => {
    const { host } = await tilewright(["optimize", MNIST, "--policy", "dram", ...args]);
    const lines = host.out().split("\n");
    const rule = lines.findIndex((line) => line.startsWith("──"));
    return lines.slice(rule + 1, lines.indexOf("", rule + 1)).map((line) =>
      line.trim().replaceAll(/ {2,}/g, "|")
    );
  };
  const ids = (lines: readonly string[]): string[] => lines.map((line) => line.split("|")[0] ?? "");
  assertEquals(ids(await rows("--id-range", "1-3")), ["1", "2", "3"]);
  assertEquals(ids(await rows("--top", "2")), ["0", "1"]);
  const times = (await rows("--sort", "time")).map((line) => Number.parseFloat(line.split("|").at(-1) ?? ""));
  assert(times.length > 3 && times.every((time, at) => time <= (times[at - 1] ?? Infinity)), times.join(" "));
  assertEquals(
    ids(await rows("--top", "3", "--sort", "time")),
    ids(await rows("--sort", "time")).slice(0, 3),
  );
  assertNotEquals(ids(await rows("--sort", "time")), ids(await rows()));
  const byOp = (await rows("--group-by", "op")).map((line) => line.split("|")[1]);
  assertEquals(byOp.toSorted(), ["linear", "relu", "softmax", "to_layout"]);
  const memory = await rows("--group-by", "memory");
  assert(memory.some((line) => line.includes("relu (in0:dram/interleaved)")), memory.join("\n"));
  assertEquals((await tilewright(["optimize", MNIST, "--top", "-1"])).code, EXIT.usage);
  assertEquals((await tilewright(["optimize", MNIST, "--id-range", "5-2"])).code, EXIT.usage);
});

Deno.test("the rows of optimize name their function if there are several", async () => {
  const functionText = (name: string, ops: readonly string[]): string =>
    `func.func @${name}(%0: tensor<64x64xbf16>) -> tensor<64x64xbf16> {\n${
      ops.map((op, id) => `%${id + 1} = "ttir.${op}"(%${id}) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>`)
        .join("\n")
    }\nreturn %${ops.length} : tensor<64x64xbf16>\n}\n`;
  const first = functionText("first", ["exp", "neg"]);
  const files = { "one.mlir": first, "two.mlir": first + functionText("second", ["gelu"]) };
  const starts = async (...args: string[]): Promise<string[]> => {
    const { host } = await tilewright(["optimize", ...args, "--policy", "dram", "--keep-graph"], files);
    const lines = host.out().split("\n");
    const rule = lines.findIndex((line) => line.startsWith("──"));
    return lines.slice(rule - 1, lines.indexOf("", rule)).filter((line) => !line.startsWith("──"))
      .map((line) =>
        /^(?:(?:Function|@\w+) )? *(?:ID|\d+)/.exec(line)?.[0].replace(/ +/, " ").trim() ?? line
      );
  };
  assertEquals(await starts("one.mlir"), ["ID", "0", "1"]);
  assertEquals(await starts("two.mlir"), ["Function ID", "@first 0", "1", "@second 0"]);
  assertEquals(await starts("two.mlir", "--sort", "time"), [
    "Function ID",
    "@first 0",
    "@second 0",
    "@first 1",
  ]);
});

Deno.test("optimize collects the garbage of a long function after reading and after the search", async () => {
  const collectedAt = async (ops: number): Promise<readonly boolean[]> => {
    const type = "tensor<32x32xbf16>";
    const lines = Array.from(
      { length: ops },
      (_, op) => `%${op} = "ttir.abs"(%${op - 1}) : (${type}) -> ${type}`,
    );
    const text = `func.func @main(%x: ${type}) -> ${type} {\n${lines.join("\n").replace("%-1", "%x")}\n` +
      `return %${ops - 1} : ${type}\n}\n`;
    const host = createProjectHost({ files: { "abs.mlir": text } });
    const wasWritten: boolean[] = [];
    const collectGarbage = (): void => void wasWritten.push(host.files.has("out.mlir"));
    const collecting = { ...host, collectGarbage };
    const args = ["optimize", "abs.mlir", "--policy", "dram", "-o", "out.mlir"];
    assertEquals(await runCommandLine(args, collecting, "0.0.0", COMMANDS), EXIT.ok, host.err());
    assert(host.files.has("out.mlir"));
    return wasWritten;
  };
  assertEquals([await collectedAt(100), await collectedAt(10_001)], [[], [false, false]]);
});

Deno.test("no certificate is given where no op could be checked, or the time of one is unknown", async () => {
  const plain = "tensor<64x64xbf16>";
  const program = (op: string): string =>
    `func.func @main(%x: ${plain}) -> ${plain} {\n  %0 = "${op}"(%x) : (${plain}) -> ${plain}\n  return %0 : ${plain}\n}\n`;
  for (const op of ["ttnn.relu", "ttnn.nobody_knows"]) {
    const { host } = await tilewright(["optimize", "a.mlir", "--policy", "auto", "--json"], {
      "a.mlir": program(op),
    });
    assertEquals(JSON.parse(host.out()).summary.certificate, "none", op);
  }
});

Deno.test("optimize reads attributes that no op of this version has, and lint names them", async () => {
  const rows = (type: string, size: string) =>
    `tensor<${size}x${type}, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<${size}x${type}, #ttnn.buffer_type<dram>>, <interleaved>>>`;
  const [from, to] = [rows("bf16", "64x128"), rows("ui32", "64x1")];
  const text =
    `func.func @f(%x: ${from}) -> ${to} {\n  %0 = "ttnn.argmax"(%x) <{dim = 1 : i32, imagined = false}> : (${from}) -> ${to}\n  return %0 : ${to}\n}\n`;
  const optimized = await tilewright(["optimize", "older.mlir"], { "older.mlir": text });
  assertEquals(optimized.code, EXIT.ok, optimized.host.err());
  const linted = await tilewright(["lint", "older.mlir"], { "older.mlir": text });
  assertStringIncludes(linted.host.out() + linted.host.err(), "'ttnn.argmax' has no attribute 'imagined'");
});
