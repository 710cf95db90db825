// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

/** A pooling whose halo and result alone are more than the L1 of a Wormhole core. */
const POOL = `func.func @main(%x: tensor<32x112x112x64xbf16>) -> tensor<32x56x56x64xbf16> {
  %0 = "ttir.max_pool2d"(%x) <{kernel = array<i32: 3, 3>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>,
    padding = array<i32: 1, 1, 1, 1>, ceil_mode = false}>
    : (tensor<32x112x112x64xbf16>) -> tensor<32x56x56x64xbf16>
  return %0 : tensor<32x56x56x64xbf16>
}
`;

async function tilewright(...args: string[]): Promise<MemoryHost & { readonly code: number }> {
  const host = createMemoryHost({ files: { "pool.mlir": POOL }, columns: 140 });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  return { ...host, code };
}

Deno.test("optimize says of an op that is too large by itself what may help", async () => {
  const { code, err } = await tilewright("optimize", "pool.mlir", "--device", "n150");
  assertEquals(code, 1);
  assertStringIncludes(err(), "ttnn.max_pool2d (op 3 of @main) does not fit: its own buffers exceed");
  assertStringIncludes(err(), "a smaller batch or a chip with more cores");
});

Deno.test("an op that is too large by itself on one chip fits a larger one", async () => {
  const { code, out } = await tilewright("optimize", "pool.mlir", "--device", "p150");
  assertEquals(code, 0);
  assertStringIncludes(out(), "fits by address");
});

Deno.test("doctor promises nothing of an op that is too large by itself", async () => {
  const { out } = await tilewright("doctor", "pool.mlir", "--device", "n150");
  assertStringIncludes(out(), "'tilewright optimize' tries others");
  assertStringIncludes(out(), "a smaller batch or a chip with more cores");
});
