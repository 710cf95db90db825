// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { loadModule } from "../../../pipeline/load_module.ts";
import { optimizeModule } from "../../../pipeline/optimize.ts";
import { DEFAULT_POLICY_OPTIONS } from "../options.ts";
import { getPolicy } from "../policies.ts";

/** Four ops whose results are added up one by one, over and over. */
function sumsOf(adds: number): string {
  const type = "tensor<64x64xbf16>";
  const made = ["relu", "gelu", "exp", "neg"].map((name, index) =>
    `%made${index} = "ttir.${name}"(%arg0) : (${type}) -> ${type}`
  );
  const sums = Array.from(
    { length: adds },
    (_, index) =>
      `%sum${index + 1} = "ttir.add"(%sum${index}, %made${index % 4}) : (${type}, ${type}) -> ${type}`,
  );
  return [
    `func.func @main(%arg0: ${type}) -> ${type} {`,
    ...made,
    sums.join("\n").replaceAll(/%sum0\b/g, "%made0"),
    `return %sum${adds} : ${type}`,
    "}",
  ].join("\n");
}

/** Enough sums for a function that is searched by bound first. */
const SUMS = 100;

/** A concat of two tensors in tiles and one in rows, between two ops. */
const MIXED_PAGES = `
#dram = #ttnn.buffer_type<dram>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<98x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<3136x64xbf16, #dram>, <interleaved>>
#wide = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<98x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @main(%a: tensor<3136x64xbf16, #tiles>, %b: tensor<3136x64xbf16, #tiles>, %c: tensor<3136x64xbf16, #rows>) -> tensor<3136x192xbf16, #wide> {
  %0 = "ttnn.relu"(%a) : (tensor<3136x64xbf16, #tiles>) -> tensor<3136x64xbf16, #tiles>
  %1 = "ttnn.concat"(%0, %b, %c) <{dim = 1 : si32}> : (tensor<3136x64xbf16, #tiles>, tensor<3136x64xbf16, #tiles>, tensor<3136x64xbf16, #rows>) -> tensor<3136x192xbf16, #wide>
  %2 = "ttnn.relu"(%1) : (tensor<3136x192xbf16, #wide>) -> tensor<3136x192xbf16, #wide>
  return %2 : tensor<3136x192xbf16, #wide>
}`;

Deno.test("joins of tiles and rows are explored with the rows in tiles, so no beam undercuts the bound", () => {
  const decided = (name: "optimal" | "beam") =>
    optimizeModule(
      loadModule(MIXED_PAGES, { device: "n150", passes: "none" }),
      getPolicy(name),
      DEFAULT_POLICY_OPTIONS,
    );
  const [fn] = decided("optimal").plan.functions;
  assert(fn?.lowerBoundUs !== undefined && fn.lowerBoundUs > 0);
  for (const policy of ["optimal", "beam"] as const) {
    const { totalUs } = decided(policy).timeline.inference;
    assert(totalUs >= fn.lowerBoundUs * (1 - 1e-9), `${policy} takes ${totalUs} µs`);
  }
});

Deno.test("plain plans still compete if beams are skipped near the bound", () => {
  const optimize = (name: "optimal" | "dram" | "l1-interleaved") =>
    optimizeModule(
      loadModule(sumsOf(SUMS), { device: "n150" }),
      getPolicy(name),
      DEFAULT_POLICY_OPTIONS,
    );
  const { plan, timeline } = optimize("optimal");
  const [fn] = plan.functions;
  assert(fn?.lowerBoundUs !== undefined);
  const microseconds = timeline.inference.totalUs;
  assert(microseconds <= 1.03 * fn.lowerBoundUs);
  for (const plain of ["dram", "l1-interleaved"] as const) {
    assert(microseconds <= optimize(plain).timeline.inference.totalUs, plain);
  }
});
