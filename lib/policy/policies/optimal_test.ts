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
