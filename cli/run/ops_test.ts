// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ops } from "../commands/ops.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

const MODULE = `module {
  func.func @main(%arg0: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
    %0 = "ttnn.relu"(%arg0) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    %1 = "ttnn.moe_gpt"(%0) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    %2 = "ttnn.moe_gpt"(%1) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    return %2 : tensor<32x32xbf16>
  }
}
`;

async function runOps(...args: string[]): Promise<{ code: number; host: MemoryHost }> {
  const host = createMemoryHost({ files: { "moe.mlir": MODULE, "plain.mlir": "module {\n}\n" } });
  return { code: await runCommandLine(["ops", ...args], host, "1.2.3", [ops]), host };
}

Deno.test("ops --uncovered names the ops of a file that the rule book does not know", async () => {
  const { code, host } = await runOps("--uncovered", "moe.mlir", "--json");
  assertEquals(code, EXIT.finding);
  const { schema, input, summary, uncovered } = JSON.parse(host.out());
  assertEquals([schema, input, summary], ["tilewright.ops-uncovered/1", "moe.mlir", { uncoveredOps: 2 }]);
  assertEquals(uncovered, [{ name: "ttnn.moe_gpt", count: 2 }]);
  const table = await runOps("--uncovered", "moe.mlir");
  assertStringIncludes(table.host.out(), "ttnn.moe_gpt");
  const none = await runOps("--uncovered", "plain.mlir");
  assertEquals([none.code, none.host.out()], [EXIT.ok, ""]);
});

Deno.test("ops --uncovered of TTIR names ops without a lowering", async () => {
  const ttir = MODULE.replaceAll("ttnn.", "ttir.").replaceAll("ttir.relu", "stablehlo.relu");
  const host = createMemoryHost({
    files: { "ttir.mlir": ttir, "relu.mlir": ttir.replaceAll(/"[^"]+"/g, '"ttir.relu"') },
  });
  const uncovered = async (file: string) => {
    const code = await runCommandLine(["ops", "--uncovered", file], host, "1.2.3", [ops]);
    return [code, host.out(), host.err()].join("|");
  };
  const found = await uncovered("ttir.mlir");
  assertStringIncludes(found, "stablehlo.relu");
  assertStringIncludes(found, "ttir.moe_gpt");
  assertStringIncludes(await uncovered("relu.mlir"), "Every TTIR op of the file has a lowering");
});

Deno.test("ops lists the rule book", async () => {
  const { code, host } = await runOps("--json");
  assertEquals(code, EXIT.ok);
  const { ops: book } = JSON.parse(host.out());
  assert(book.length > 150);
  assertEquals(book.find(({ name }: { name: string }) => name === "ttnn.all_gather"), {
    name: "ttnn.all_gather",
    costClass: "ccl",
    movable: true,
  });
  assertEquals(book.find(({ name }: { name: string }) => name === "ttnn.point_to_point")?.movable, false);
});
