// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

/**
 * An attention whose buffers for one chunk of queries and keys are more than the L1 of a Wormhole core: ttnn 0.81.1 has
 * them grow to 1,557,856 B on n150, and runs it on p150.
 */
const ATTENTION = (() => {
  const heads = "tensor<1x8x512x2240xbf16>";
  return `func.func @main(%q: ${heads}, %k: ${heads}, %v: ${heads}) -> ${heads} {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (${heads}, ${heads}, ${heads}) -> ${heads}
  return %0 : ${heads}
}
`;
})();

async function tilewright(...args: string[]): Promise<MemoryHost & { readonly code: number }> {
  const host = createMemoryHost({ files: { "attention.mlir": ATTENTION }, columns: 140 });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  return { ...host, code };
}

Deno.test("optimize suggests remedies for an op that is too large by itself", async () => {
  const { code, err } = await tilewright("optimize", "attention.mlir", "--device", "n150");
  assertEquals(code, 1);
  assertStringIncludes(
    err(),
    "ttnn.scaled_dot_product_attention (op 0 of @main) does not fit: its own buffers exceed",
  );
  assertStringIncludes(err(), "a smaller batch or, if it runs on all cores, a chip with more cores");
});

Deno.test("optimize says that a plan that does not fit is in no file, and what to do", async () => {
  const { code, err, files } = await tilewright(
    ...["optimize", "attention.mlir", "--device", "n150", "--policy", "dram", "-o", "out.mlir"],
  );
  assertEquals([code, files.has("out.mlir")], [1, false]);
  assertStringIncludes(
    err(),
    "error: nothing is written to out.mlir: the plan DOES NOT FIT (1 op); 'tilewright doctor",
  );
});

Deno.test("an op that is too large by itself on one chip fits a larger one", async () => {
  const { code, out } = await tilewright("optimize", "attention.mlir", "--device", "p150");
  assertEquals(code, 0);
  assertStringIncludes(out(), "fits by address");
});

Deno.test("doctor promises nothing of an op that is too large by itself", async () => {
  const { out } = await tilewright("doctor", "attention.mlir", "--device", "n150");
  assertStringIncludes(out(), "1,557,856");
  assertStringIncludes(out(), "'tilewright optimize' tries others");
  assertStringIncludes(out(), "a smaller batch or, if it runs on all cores, a chip with more cores");
});
