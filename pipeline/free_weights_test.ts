// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { PassOptions } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "./load_module.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";

/** A product of 32 rows between two sums, which can have their tensors in any shards. */
function product(k: number, n: number): string {
  const [x, y] = [`tensor<32x${k}xbf16>`, `tensor<32x${n}xbf16>`];
  const weight = `tensor<${k}x${n}xbf16>`;
  return `func.func @main(%x: ${x}, %w: ${weight} {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${y} {
  %0 = "ttir.add"(%x, %x) : (${x}, ${x}) -> ${x}
  %1 = "ttir.matmul"(%0, %w) : (${x}, ${weight}) -> ${y}
  %2 = "ttir.add"(%1, %1) : (${y}, ${y}) -> ${y}
  return %2 : ${y}
}`;
}

interface Case {
  readonly device: "n150" | "p150";
  readonly shape: readonly [k: number, n: number];
  readonly weightDtype: "bfp_bf8" | "bfp_bf4";
  readonly mathFidelity: "hifi2" | "lofi";
}

function optimized({ device, shape: [k, n], weightDtype, mathFidelity }: Case, weights: boolean): Optimized {
  const passes: PassOptions = { off: new Set(), weightDtype, computeConfig: { mathFidelity } };
  const workbench = loadModule(product(k, n), { device, passes });
  const free = weights ? ["+weights"] as const : undefined;
  return optimizeModule(workbench, getPolicy("auto"), { ...DEFAULT_POLICY_OPTIONS, free });
}

/** Whether the DRAM-sharded program was faster than the best one-dimensional one where both were measured (published:ops-3). */
const MEASURED: readonly (readonly [Case, boolean])[] = [
  [{ device: "n150", shape: [8192, 1024], weightDtype: "bfp_bf8", mathFidelity: "hifi2" }, true],
  [{ device: "p150", shape: [4096, 14336], weightDtype: "bfp_bf8", mathFidelity: "lofi" }, true],
  [{ device: "p150", shape: [4096, 14336], weightDtype: "bfp_bf4", mathFidelity: "lofi" }, true],
  [{ device: "p150", shape: [2048, 10240], weightDtype: "bfp_bf4", mathFidelity: "lofi" }, true],
  [{ device: "p150", shape: [23040, 3072], weightDtype: "bfp_bf8", mathFidelity: "hifi2" }, false],
];

for (const [asked, isFaster] of MEASURED) {
  const { device, shape, weightDtype, mathFidelity } = asked;
  Deno.test(`${device}: weights of ${shape.join("x")} in ${weightDtype} at ${mathFidelity} lie over the banks where that was faster`, () => {
    const before = optimized(asked, false);
    const after = optimized(asked, true);
    assertEquals(after.memory.verdict.status, "fits");
    assertEquals(/multi_cast_dram_sharded/.test(after.text), isFaster);
    const saved = before.timeline.inference.totalUs - after.timeline.inference.totalUs;
    assert(isFaster ? saved > 0 : saved === 0, `${saved}`);
    // Laid out once, at load.
    assertEquals(after.graph.functions.some(({ kind }) => kind === "const_eval"), true);
    assertEquals(before.advice.some(({ freedom }) => freedom === "weights"), isFaster);
  });
}

Deno.test("a product of more than a row of tiles keeps its weights where they are", () => {
  const text = product(256, 256).replaceAll("tensor<32x", "tensor<64x");
  const workbench = loadModule(text, { device: "n150" });
  const [before, after] = [undefined, ["+weights"] as const].map((free) =>
    optimizeModule(workbench, getPolicy("auto"), { ...DEFAULT_POLICY_OPTIONS, free }).text
  );
  assertEquals(after, before);
});
