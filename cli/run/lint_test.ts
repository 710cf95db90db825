// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { lint } from "../commands/lint.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

/** One TTIR op on two tensors of 4x32 f32. */
function program(op: string, result: string): string {
  const tensor = "tensor<4x32xf32>";
  return `func.func @main(%x: ${tensor}) -> ${result} {
  %0 = ${op} : (${tensor}, ${tensor}) -> ${result}
  return %0 : ${result}
}
`;
}

async function linted(text: string, ...options: readonly string[]): Promise<readonly [number, string]> {
  const host = createMemoryHost({ files: { "a.mlir": text } });
  const code = await runCommandLine(["lint", "a.mlir", ...options], host, "0.0.0", [lint]);
  return [code, host.err()];
}

Deno.test("lint finds contradicting shapes of TTIR, at their place", async () => {
  assertEquals(await linted(program('"ttir.add"(%x, %x)', "tensor<4x32xf32>")), [EXIT.ok, ""]);
  const [code, told] = await linted(program('"ttir.add"(%x, %x)', "tensor<8x32xf32>"));
  assertEquals(code, EXIT.finding);
  assertStringIncludes(told, "a.mlir:2:8: error:");
  assertStringIncludes(told, "operands of shape 4x32, 4x32 do not give 8x32");
});

Deno.test("lint warns of TTIR that has no lowering here, and --strict counts it", async () => {
  const dynamic = program('"ttir.add"(%x, %x)', "tensor<?x32xf32>");
  const [code, told] = await linted(dynamic);
  assertEquals(code, EXIT.ok);
  assertStringIncludes(told, "a.mlir:2:8: warning:");
  assertStringIncludes(told, "dynamic extent");
  assertEquals((await linted(dynamic, "--strict"))[0], EXIT.finding);
  // An op that other commands keep as it is written, without a time.
  assertStringIncludes(
    (await linted(program('"ttir.of_tomorrow"(%x, %x)', "tensor<4x32xf32>")))[1],
    "no lowering",
  );
});

Deno.test("lint warns of TTNN ops that no rule covers, once per name, with the likely one", async () => {
  const text = ttnnProgram(["bf16", "bf16"]).replace("ttnn.maximum", "ttnn.maximun");
  const [code, told] = await linted(text);
  assertEquals(code, EXIT.ok);
  assertStringIncludes(told, "a.mlir:3:");
  assertStringIncludes(told, "ttnn.maximun is unknown (1 op)");
  assertStringIncludes(told, "did you mean 'ttnn.maximum'?");
  assertEquals((await linted(text, "--strict"))[0], EXIT.finding);
});

/** `maximum` of tensors of two formats, on DRAM interleaved tiles or on shards of so many rows of cores. */
function ttnnProgram(types: readonly [string, string], rows?: number): string {
  const layout = (type: string) =>
    rows === undefined
      ? `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x8x!ttcore.tile<32x32, ${type}>, ` +
        "#ttnn.buffer_type<dram>>, <interleaved>>"
      : `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${rows}x1>, memref<${
        8 / rows
      }x8x!ttcore.tile<32x32, ${type}>, ` +
        `#ttnn.buffer_type<l1>>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (0,${
          rows - 1
        })>]>>`;
  const [a = "", b = ""] = types.map((type) => `tensor<256x256x${type}, ${layout(type)}>`);
  return `module {
  func.func @main(%x: ${a}, %y: ${b}) -> ${a} {
    %0 = "ttnn.maximum"(%x, %y) : (${a}, ${b}) -> ${a}
    return %0 : ${a}
  }
}
`;
}

Deno.test("lint refuses an op that breaks a rule of the backend, at its place", async () => {
  assertEquals(await linted(ttnnProgram(["bf16", "bf16"])), [EXIT.ok, ""]);
  const [code, told] = await linted(ttnnProgram(["bf16", "f32"]));
  assertEquals(code, EXIT.finding);
  assertStringIncludes(told, "a.mlir:3:10: error: ttnn.maximum: cannot mix bf16, f32");
});

Deno.test("lint reads the part of a program that a page holds, as simulate does", async () => {
  const relu = `%1 = "ttir.relu"(%0) : (tensor<8x
28x64xbf16>) -> tensor<8x28x64xbf16>`;
  const [code, told] = await linted(`It fails on\n\`\`\`\nDEBUG | Executing operation: ${relu}\n\`\`\`\n`);
  assertEquals(code, EXIT.ok);
  assertStringIncludes(told, "holds only a part of a program, which is read: one op on lines 3 to 4");
});

Deno.test("lint says of an element without a sign how it is read, and nothing of loops that lowering reads", async () => {
  const layout =
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2xi32, #ttnn.buffer_type<dram>>, <interleaved>>";
  const [, told] = await linted(
    `func.func @main(%x: tensor<1x2xi32, ${layout}>) -> tensor<1x2xi32, ${layout}> {
  return %x : tensor<1x2xi32, ${layout}>
}
`,
  );
  assertStringIncludes(told, "tensor of i32 is read as si32");
  const loop = `func.func @main(%n: tensor<i32>, %x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %r:2 = ttir.while inits(%n, %x : tensor<i32>, tensor<4x32xf32>)
    cond {
    ^bb0(%i: tensor<i32>, %a: tensor<4x32xf32>):
      ttir.yield %i : tensor<i32>
    } do {
    ^bb0(%i: tensor<i32>, %a: tensor<4x32xf32>):
      ttir.yield %i, %a : tensor<i32>, tensor<4x32xf32>
    } -> tensor<i32>, tensor<4x32xf32>
  return %r#1 : tensor<4x32xf32>
}
`;
  assertEquals((await linted(loop))[1].includes("form that is not known"), false);
});

Deno.test("a mesh_shard of type identity returns its operand, and changes no layout", async () => {
  const layout = (memref: string) =>
    `tensor<32x64xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<${memref}, #ttnn.buffer_type<dram>>, <interleaved>>>`;
  const rows = layout("32x64xbf16");
  const sharded = (result: string): string =>
    `func.func @main(%x: ${rows}) -> ${result} {
  %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x4>}> : () -> !ttnn.device
  %1 = "ttnn.mesh_shard"(%x, %0) <{shard_dims = array<i64: -1, 1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 1>, shard_type = #ttcore.shard_type<identity>}> : (${rows}, !ttnn.device) -> ${result}
  return %1 : ${result}
}
`;
  const tiles = layout("1x2x!ttcore.tile<32x32, bf16>");
  const [code, told] = await linted(sharded(tiles), "--device", "n150");
  assertEquals(code, EXIT.finding);
  assertStringIncludes(told, "of type identity returns its operand");
  assertEquals((await linted(sharded(rows), "--device", "n150"))[0], EXIT.ok);
});
