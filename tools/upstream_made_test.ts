// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { parseModule } from "../lib/ir/mod.ts";
import { upstreamMade } from "./upstream_made.ts";

const module = (shape: string): string =>
  `func.func @main(%x: tensor<${shape}xbf16>) -> tensor<${shape}xbf16> {\n  return %x : tensor<${shape}xbf16>\n}\n`;

Deno.test("a model of the same name with other shapes is not what upstream made of it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [same, other] = [join(folder, "a__net.mlir"), join(folder, "net.mlir")];
    await Deno.writeTextFile(same, module("32x32"));
    await Deno.writeTextFile(other, module("64x64"));
    const input = parseModule(module("32x32"), "net.mlir");
    assertEquals(upstreamMade(input, "ttir/net.mlir", [other, same])?.text, module("32x32"));
    assertEquals(upstreamMade(input, "ttir/net.mlir", [other]), undefined);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
