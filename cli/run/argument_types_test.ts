// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost } from "../testing/project_host.ts";

const T = "tensor<4096x4096xbf16>";

/** A product with a transposed weight of which nobody says that it is one. */
const PRODUCT = `func.func @main(%x: tensor<32x4096xbf16>, %w: ${T}) -> tensor<32x4096xbf16> {
  %0 = "ttir.relu"(%w) : (${T}) -> ${T}
  %1 = "ttir.matmul"(%x, %0) : (tensor<32x4096xbf16>, ${T}) -> tensor<32x4096xbf16>
  return %1 : tensor<32x4096xbf16>
}
`;

async function tilewright(...args: readonly string[]) {
  const host = createProjectHost({ files: { "product.mlir": PRODUCT }, columns: 120 });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  return { code, host };
}

Deno.test("work on weights alone moves to load once the arguments are declared as weights", async () => {
  const microseconds = async (...options: readonly string[]): Promise<number> => {
    const { code, host } = await tilewright(
      "optimize",
      "product.mlir",
      "--policy",
      "dram",
      "--json",
      ...options,
    );
    assertEquals(code, EXIT.ok, host.err());
    return JSON.parse(host.out()).summary.predictedUs;
  };
  const [everyTime, once] = [
    await microseconds(),
    await microseconds("--argument-types", "main=input,parameter"),
  ];
  assert(once < 0.8 * everyTime, `${once} of ${everyTime}`);
});

Deno.test("types that do not fit are reported with a location, unreadable ones with a hint", async () => {
  const misfit = await tilewright("simulate", "product.mlir", "--argument-types", "main=input");
  assertEquals(misfit.code, EXIT.badInput);
  assertStringIncludes(
    misfit.host.err(),
    "product.mlir:1:1: error: function 'main' needs one type per argument: 2, not 1",
  );
  const unreadable = await tilewright("doctor", "product.mlir", "--argument-types", "main");
  assertEquals(unreadable.code, EXIT.usage);
  assertStringIncludes(unreadable.host.err(), "Cannot read --argument-types: 'main'");
});
