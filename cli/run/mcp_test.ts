// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import config from "../../deno.json" with { type: "json" };
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

/** The SDK's own client, talking to the server as a process. It holds every answer against the tool's schema. */
async function connect(...args: readonly string[]) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: Deno.execPath(),
      args: ["run", "-A", join(PROJECT_ROOT, "cli/main.ts"), "mcp", ...args],
      cwd: PROJECT_ROOT,
    }),
  );
  // Answers are held against schemas only after the tools were listed.
  const { tools } = await client.listTools();
  const call = async (name: string, input: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: input }, undefined, { timeout: 600_000 });
    const texts = Array.isArray(answer.content) ? answer.content.map(({ text }) => String(text)) : [];
    const isError = answer.isError === true;
    const [first = ""] = texts;
    const bytes = new TextEncoder().encode(JSON.stringify(answer)).length;
    return { texts, data: isError ? {} : Object(JSON.parse(first)), isError, bytes };
  };
  return { tools, call, [Symbol.asyncDispose]: () => client.close() };
}

const MODELS = "testdata/models";

Deno.test("mcp lists its tools with schemas and answers each of them", async () => {
  await using server = await connect("--root", MODELS);
  assertEquals(server.tools.map(({ name }) => name), [
    "files",
    "optimize",
    "advise",
    "simulate",
    "diff",
    "explain",
    "doctor",
    "layout",
    "price",
    "lint",
    "minimise",
    "bench",
    "ops",
    "devices",
  ]);
  for (const { inputSchema, description } of server.tools) {
    assertEquals(inputSchema.type, "object");
    assert((description ?? "").length > 20);
  }
  const bytes = JSON.stringify(server.tools).length;
  assert(bytes < 20_000, `tools/list takes ${bytes} bytes of every conversation`);
  const calls = [
    ["optimize", { file: "mnist.mlir", policy: "greedy" }, "tilewright.plan/1"],
    ["advise", { file: "mnist.mlir", policy: "dram", "same-numbers": true }, "tilewright.advice/1"],
    ["simulate", { file: "mnist.mlir", device: "p150" }, "tilewright.simulation/1"],
    ["diff", { a: "mnist.mlir", "policy-a": "dram", "policy-b": "beam-cost" }, "tilewright.diff/1"],
    ["explain", { file: "mnist.mlir", op: "1" }, "tilewright.explanation/1"],
    ["doctor", { file: "mnist.mlir" }, "tilewright.doctor/1"],
    ["layout", { tensor: "tensor<64x128xbf16>", grid: "2x4" }, "tilewright.layout/1"],
    ["files", {}, "tilewright.files/1"],
    ["price", { name: "matmul", shapes: ["32x64", "64x64"], weights: "bfp8" }, "tilewright.price/1"],
    ["lint", { file: "mnist.mlir" }, "tilewright.lint/1"],
    ["minimise", { file: "mnist.mlir", keeps: "diff dram greedy > 2%" }, "tilewright.minimal/1"],
    ["bench", { files: ["mnist.mlir"], policies: "dram,greedy" }, "tilewright.bench/1"],
    ["ops", {}, "tilewright.ops/1"],
    ["devices", {}, "tilewright.devices/1"],
    ["devices", { show: "n150" }, "tilewright.device/1"],
    ["optimize", { file: "mnist.mlir", policy: "greedy", top: 3 }, "tilewright.rows/1"],
    ["simulate", { file: "mnist.mlir", "group-by": "bound" }, "tilewright.rows/1"],
    ["optimize", { file: "mnist.mlir", policy: "beam", "beam-width": 2 }, "tilewright.plan/1"],
  ] as const;
  for (const [name, input, schema] of calls) {
    const { data, texts, isError } = await server.call(name, input);
    assertEquals([isError, data.schema], [false, schema], texts.join("\n"));
  }
});

Deno.test("mcp answers what the commands print with --json", async () => {
  await using server = await connect("--root", MODELS);
  const text = await Deno.readTextFile(join(PROJECT_ROOT, MODELS, "mnist.mlir"));
  const calls = [
    ["optimize", { file: "mnist.mlir", policy: "greedy" }, ["mnist.mlir", "--policy", "greedy"]],
    ["simulate", { file: "mnist.mlir" }, ["mnist.mlir"]],
    ["price", { name: "relu", shapes: ["128x512"], in0: "dram", out: "dram" }, [
      "relu",
      "128x512",
      "--in0",
      "dram",
      "--out",
      "dram",
    ]],
    ["doctor", { file: "mnist.mlir", op: 1 }, ["mnist.mlir", "--op", "1"]],
  ] as const;
  for (const [name, input, args] of calls) {
    const host = createMemoryHost({ files: { "mnist.mlir": text } });
    await runCommandLine([name, ...args, "--json"], host, config.version, COMMANDS);
    const { data } = await server.call(name, input);
    const timeless = (document: { summary: { wallMs?: number } }) => ({
      ...document,
      summary: { ...document.summary, wallMs: 0 },
    });
    assertEquals(timeless(data), timeless(JSON.parse(host.out())), name);
  }
});

Deno.test("mcp accepts IR as text", async () => {
  await using server = await connect("--root", MODELS);
  const relu = await server.call("simulate", { text: chainOfOps(1) });
  assertEquals(relu.isError, false, relu.texts.join("\n"));
  assertStringIncludes(relu.texts.join("\n"), "lowered to TTNN");
});

Deno.test("mcp refuses a file beside a text, of which one would not be read", async () => {
  await using server = await connect("--root", MODELS);
  const both = await server.call("simulate", { file: "mnist.mlir", text: "module {\n}\n" });
  assertEquals(both.isError, true);
  assertStringIncludes(both.texts.join("\n"), "Give a file or text, not both");
});

/** A program of so many ops, each of which reads the result before it. */
function chainOfOps(count: number): string {
  const type = "tensor<64x64xbf16>";
  const ops = Array.from({ length: count }, (_, index) => {
    const name = index % 10 === 9 ? "softmax" : "relu";
    const dimension = name === "softmax" ? " <{dimension = 1 : si32}>" : "";
    return `  %${index} = "ttir.${name}"(%${
      index === 0 ? "x" : index - 1
    })${dimension} : (${type}) -> ${type}`;
  });
  return `func.func @main(%x: ${type}) -> ${type} {\n${ops.join("\n")}\n  return %${
    count - 1
  } : ${type}\n}\n`;
}

Deno.test("mcp bounds every answer of every tool about 7,000 ops, and begins with the summary and the slowest ops", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(root, "long.mlir"), chainOfOps(7000));
    await Deno.writeTextFile(join(root, "short.mlir"), chainOfOps(3));
    await Deno.mkdir(join(root, "many"));
    for (let index = 0; index < 500; index++) {
      await Deno.writeTextFile(join(root, "many", `file_with_a_long_name_for_a_list_${index}.mlir`), "");
    }
    const file = "long.mlir";
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ["files", {}],
      ["optimize", { file, policy: "dram" }],
      ["optimize", { file, policy: "dram", top: 2000 }],
      ["optimize", { file, policy: "dram", "id-range": "0-3000" }],
      ["advise", { file: "short.mlir", policy: "dram" }],
      ["simulate", { file }],
      ["simulate", { file, top: 0 }],
      ["diff", { a: file, "policy-a": "dram", "policy-b": "greedy-l1-interleaved" }],
      ["explain", { file, op: "3500", policy: "dram" }],
      ["explain", { file, gap: true, policy: "dram" }],
      ["doctor", { file, op: 3500 }],
      ["doctor", { file, message: `out of memory ${"x".repeat(100_000)}` }],
      ["layout", { tensor: "tensor<4096x4096xbf16>", grid: "8x8" }],
      ["price", { name: "matmul", shapes: ["4096x4096", "4096x4096"] }],
      ["lint", { file }],
      ["minimise", { file: "short.mlir", keeps: "diff dram greedy > 2%" }],
      ["bench", { files: [file], policies: "dram" }],
      ["ops", {}],
      ["ops", { uncovered: file }],
      ["devices", {}],
      ["devices", { show: "n150" }],
      ["devices", { show: "x".repeat(100_000) }],
      [`no_such_${"x".repeat(100_000)}`, {}],
    ];
    const most = 20_000;
    await using server = await connect("--root", root, "--max-bytes", `${most}`);
    assertEquals(
      new Set(calls.map(([name]) => name).slice(0, -1)),
      new Set(server.tools.map(({ name }) => name)),
    );
    for (const [name, input] of calls) {
      const { bytes, texts, data, isError } = await server.call(name, input);
      const about = `${name} ${JSON.stringify(input).slice(0, 200)}`;
      assert(bytes <= most, `${about}: ${bytes} bytes`);
      if (isError) continue;
      assert(data.summary !== undefined, `${about}: ${texts[0]?.slice(0, 500)}`);
      const keys = Object.keys(data);
      assert(keys.indexOf("summary") <= 6, about);
    }
    const { data, texts } = await server.call("optimize", { file, policy: "dram" });
    assertMatch(
      texts[1] ?? "",
      new RegExp(
        `^Cut to ${most} bytes; .*top.* ops: .* left out; those with the most time that fit are kept`,
      ),
    );
    assert(data.ops.length >= 3, `${data.ops.length} ops`);
    assert(data.ops.every(({ name }: { name: string }) => name === "ttnn.softmax"), "the slowest ops");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("mcp refuses a message of more than 10 MiB and goes on", async () => {
  await using server = await connect("--root", MODELS);
  const text = `// ${"x".repeat(11_000_000)}`;
  await assertRejects(() => server.call("simulate", { text }), Error, "more than 10485760 bytes");
  const layout = await server.call("layout", { tensor: "tensor<64x64xbf16>" });
  assertEquals([layout.isError, layout.data.schema], [false, "tilewright.layout/1"]);
});

Deno.test("mcp answers errors in words, and continues", async () => {
  await using server = await connect("--root", MODELS);
  const failures = [
    ["simulate", { file: "../../deno.json" }, "no such file below"],
    ["simulate", { file: "/etc/passwd" }, "no such file below"],
    ["simulate", { file: "mnist.mlir", device: "n151" }, "Unknown device 'n151'"],
    ["simulate", { file: "mnist.mlir", device: "../../sim/devices/x.json" }, "no such file below"],
    ["simulate", { fiel: "mnist.mlir" }, "additional properties"],
    ["simulate", { file: 3 }, "string"],
    ["simulate", { text: "%0 = nonsense" }, "error"],
    ["simulate", {}, "give a file, or text"],
    ["optimize", { file: "mnist.mlir", output: "out.mlir" }, "--write FOLDER"],
    ["optimize", { file: "--help" }, "no such file below"],
    ["no_such_tool", {}, "Unknown tool"],
  ] as const;
  for (const [name, input, words] of failures) {
    const { isError, texts } = await server.call(name, input);
    assertEquals(isError, true, `${name} ${JSON.stringify(input)}`);
    assertStringIncludes(texts.join("\n"), words);
  }
  assertEquals((await server.call("doctor", { file: "mnist.mlir" })).isError, false);
});

Deno.test("mcp writes where --write allows", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using server = await connect("--root", MODELS, "--write", folder);
    const { isError, texts } = await server.call("optimize", {
      file: "mnist.mlir",
      policy: "greedy",
      output: join(folder, "out.mlir"),
    });
    assertEquals(isError, false, texts.join("\n"));
    assertStringIncludes(await Deno.readTextFile(join(folder, "out.mlir")), "ttnn.linear");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("mcp answers calls that are still running when standard input ends", async () => {
  const requests = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    },
    { id: 2, method: "tools/call", params: { name: "simulate", arguments: { file: "mnist.mlir" } } },
    { id: 3, method: "tools/call", params: { name: "optimize", arguments: { file: "none.mlir" } } },
  ];
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(PROJECT_ROOT, "cli/main.ts"), "mcp", "--root", MODELS],
    cwd: PROJECT_ROOT,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = requests.map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`).join("");
  const writer = server.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines));
  await writer.close();
  const { code, stdout } = await server.output();
  const answers = new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line).id);
  assertEquals([code, answers.sort()], [0, [1, 2, 3]]);
});
