// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost } from "../testing/project_host.ts";

const CACHE = "tensor<32x8x4096x64xbf16>";
const QUERY = "tensor<1x32x32x64xbf16>";

/** A decode step that reads its caches as far as each user's position. */
const DECODE = `func.func @main(%q: ${QUERY}, %k: ${CACHE}, %v: ${CACHE}, %p: tensor<32xi32>) -> ${QUERY} {
  %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %v, %p) <{is_causal = true, ` +
  `operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (${QUERY}, ${CACHE}, ${CACHE}, tensor<32xi32>) -> ${QUERY}
  return %0 : ${QUERY}
}
`;

async function tilewright(...args: readonly string[]) {
  const host = createProjectHost({ files: { "decode.mlir": DECODE }, columns: 120 });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  return { code, host };
}

Deno.test("every figure of a decode step states the filling of the caches, and follows the options", async () => {
  for (const command of [["simulate"], ["optimize", "--policy", "greedy"]]) {
    const told = async (...options: readonly string[]) => {
      const { code, host } = await tilewright(...command, "decode.mlir", "--json", ...options);
      assertEquals(code, EXIT.ok, host.err());
      return JSON.parse(host.out()).summary;
    };
    const [full, quarter, few] = [
      await told(),
      await told("--cache-filled", "25%"),
      await told("--cache-filled", "1024", "--active-users", "8"),
    ];
    assertEquals(full.assumptions, [
      { option: "cache-filled", supposed: "caches are full", ops: 1 },
      { option: "active-users", supposed: "all users are active", ops: 1 },
    ]);
    assertEquals(quarter.assumptions[0].supposed, "caches are filled to 25 %");
    assertEquals(few.assumptions.map(({ supposed }: { supposed: string }) => supposed), [
      "caches hold 1024 positions",
      "8 users are active",
    ]);
    assert(quarter.predictedUs < 0.5 * full.predictedUs);
    assert(few.predictedUs < quarter.predictedUs);
  }
  const { host } = await tilewright("optimize", "decode.mlir");
  assertStringIncludes(
    host.out(),
    "Assumed    for 1 op: caches are full (--cache-filled), all users are active (--active-users)",
  );
});

Deno.test("a supposition of the command line that no time depends on is a warning", async () => {
  for (const command of [["simulate"], ["optimize", "--policy", "dram"]]) {
    const { host } = await tilewright(
      ...command,
      "decode.mlir",
      "--active-users",
      "4",
      "--active-experts",
      "4",
    );
    assertEquals(
      host.err().split("\n").filter((line) => line.startsWith("warning:")),
      ["warning: --active-experts has no effect: no time of the program depends on it"],
    );
  }
});

const [A, B, S, C] = ["1x4x32x512", "1x16x512x1024", "1x4x1x16", "1x4x1x16x32x1024"].map((extents) =>
  `tensor<${extents}xbf16>`
);
const EXPERTS = `module {
  func.func @forward(%a: ${A}, %b: ${B} {ttcore.argument_type = #ttcore.argument_type<parameter>}, %s: ${S}) -> ${C} {
    %0 = "ttir.relu"(%a) : (${A}) -> ${A}
    %1 = "ttir.sparse_matmul"(%0, %b, %s) <{is_input_a_sparse = false, is_input_b_sparse = true}> : (${A}, ${B}, ${S}) -> ${C}
    return %1 : ${C}
  }
}
`;

Deno.test("matmuls with chosen experts fit by address, and state the assumed number", async () => {
  const summary = async (...options: readonly string[]) => {
    const host = createProjectHost({ files: { "experts.mlir": EXPERTS }, columns: 120 });
    const words = ["optimize", "experts.mlir", "--policy", "greedy", "--json", ...options];
    assertEquals(await runCommandLine(words, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    return JSON.parse(host.out());
  };
  const [all, four] = [await summary(), await summary("--active-experts", "4")];
  assertEquals(all.summary.verdict.status, "fits");
  assertEquals(
    [all, four].map((document) => document.summary.assumptions),
    ["every batch goes to all experts", "every batch goes to 4 experts"].map((supposed) => [
      { option: "active-experts", supposed, ops: 1 },
    ]),
  );
  const products = (document: typeof all) =>
    document.ops.find(({ name }: { name: string }) => name === "ttnn.sparse_matmul");
  const ratio = products(all).us / products(four).us;
  // Zeros fill the whole result either way.
  assert(ratio > 3 && ratio < 4, `${ratio}`);
});

Deno.test("a program without positions supposes nothing", async () => {
  const { host } = await tilewright("simulate", "testdata/models/mnist.mlir", "--json");
  assertEquals(JSON.parse(host.out()).summary.assumptions, []);
});

Deno.test("nonsense about a run is refused", async () => {
  for (
    const options of [["--cache-filled", "0%"], ["--cache-filled", "some"], ["--active-users", "0"], [
      "--active-experts",
      "1.5",
    ]]
  ) {
    assertEquals(
      (await tilewright("simulate", "decode.mlir", ...options)).code,
      EXIT.usage,
      options.join(" "),
    );
  }
});
