// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { corpusFiles, corpusTest, PROJECT_ROOT } from "../../testing/corpus.ts";
import { validateJson } from "../../testing/json_schema.ts";
import schema from "../../docs/schema/tilewright.simulation-1.json" with { type: "json" };
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

async function findings(path: string, ...options: string[]): Promise<string[]> {
  const host = createMemoryHost({ files: { "input.mlir": Deno.readTextFileSync(path) } });
  const code = await runCommandLine(
    ["simulate", "input.mlir", "--json", ...options],
    host,
    "0.0.0",
    COMMANDS,
  );
  assertEquals(code, 0, host.err());
  return validateJson(JSON.parse(host.out()), schema).slice(0, 5);
}

Deno.test("simulate --json follows its published schema", async () => {
  for (const name of ["mnist", "llama_3_2_1b_decode", "resnet50"]) {
    const path = join(PROJECT_ROOT, "testdata", "models", `${name}.mlir`);
    assertEquals(await findings(path), [], name);
    assertEquals(await findings(path, "--no-trace", "--no-advice", "--device", "p150"), [], name);
  }
});

Deno.test("simulate --json of TTIR says which ops are gone, and into which ones", async () => {
  const type = "tensor<64x64xbf16>";
  const files = {
    "m.mlir": `func.func @main(%a: ${type}, %b: ${type}, %c: tensor<64xbf16>) -> ${type} {
  %0 = "ttir.matmul"(%a, %b) : (${type}, ${type}) -> ${type} loc("product")
  %1 = "ttir.add"(%0, %c) : (${type}, tensor<64xbf16>) -> ${type} loc("bias")
  return %1 : ${type}
}`,
  };
  const host = createMemoryHost({ files });
  assertEquals(await runCommandLine(["simulate", "m.mlir", "--json"], host, "0.0.0", COMMANDS), 0);
  const document = JSON.parse(host.out());
  assertEquals(validateJson(document, schema), []);
  const merged = document.graphChanges.flatMap(({ merged = [] }: { merged?: readonly unknown[] }) => merged);
  const into = { into: "ttnn.linear", intoLocation: '"bias"' };
  assertEquals(merged, [
    { op: "ttnn.matmul", location: '"product"', ...into },
    { op: "ttnn.add", location: '"bias"', ...into },
  ]);
  const table = createMemoryHost({ files });
  await runCommandLine(["simulate", "m.mlir"], table, "0.0.0", COMMANDS);
  assertMatch(table.out(), /^Merged {5}matmul product into linear bias \(fuse-linear\), add bias into/m);
});

Deno.test("simulate --json of several chips has the load of their links, and classes of equal chips", async () => {
  const sum = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @main(%x: tensor<64x128xbf16>) -> tensor<64x128xbf16> {
    %0 = "ttir.all_reduce"(%x) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<64x128xbf16>) -> tensor<64x128xbf16>
    return %0 : tensor<64x128xbf16>
  }
}
`;
  const host = createMemoryHost({ files: { "sum.mlir": sum } });
  assertEquals(await runCommandLine(["simulate", "sum.mlir", "--json"], host, "0.0.0", COMMANDS), 0);
  const document = JSON.parse(host.out());
  assertEquals(validateJson(document, schema), []);
  // 16 KiB, a quarter of it in four parts each way: scattered, then gathered.
  const edges = [1, 2, 3].map(() => ({ forward: 4 * 4096, backward: 4 * 4096 }));
  assertEquals(document.mesh.links, [{ axis: 1, chips: 4, links: 2, topology: "linear", edges }]);
  assertEquals(document.mesh.chipClasses, [
    { chips: [0, 3, 4, 7], sentBytes: 16384, receivedBytes: 16384 },
    { chips: [1, 2, 5, 6], sentBytes: 32768, receivedBytes: 32768 },
  ]);
  const steps = document.functions.flatMap(({ steps }: { steps: { name: string; links?: unknown }[] }) =>
    steps
  );
  assertEquals(
    steps.filter(({ links }: { links?: unknown }) => links !== undefined).map(({ name }: { name: string }) =>
      name
    ),
    ["ttnn.all_reduce"],
  );
});

corpusTest("simulate --json of real programs follows its published schema", async () => {
  for (const path of corpusFiles("dumps/ttnn").slice(0, 5)) assertEquals(await findings(path), [], path);
});
