// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { parseModule } from "../ir/mod.ts";
import { verifyModule } from "../verify/verify_module.ts";
import { constEval } from "./const_eval.ts";
import { constEvalInputsToSystemMemory } from "./const_eval_inputs_to_system_memory.ts";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { runPasses } from "./run_passes.ts";
import { PARAMETER } from "./testing/convolution_case.ts";
import { bodyLines, ttnnModule } from "./testing/passed_body.ts";

/** `%w` is read by const-eval only, `%v` in every inference too, `%u` not at all. */
const TEXT = ttnnModule(
  `(%x: T<32x64>, %w: T<64x32> ${PARAMETER}, %v: T<32x64> ${PARAMETER}, %u: T<32x64> ${PARAMETER}) -> T<32x64>`,
  [
    '%0 = "ttnn.permute"(%w) <{permutation = array<i64: 1, 0>}> : (T<64x32>) -> T<32x64>',
    '%1 = "ttnn.multiply"(%v, %v) : (T<32x64>, T<32x64>) -> T<32x64>',
    '%2 = "ttnn.add"(%x, %0) : (T<32x64>, T<32x64>) -> T<32x64>',
    '%3 = "ttnn.add"(%2, %1) : (T<32x64>, T<32x64>) -> T<32x64>',
    '%4 = "ttnn.add"(%3, %v) : (T<32x64>, T<32x64>) -> T<32x64>',
    "return %4 : T<32x64>",
  ],
);

function written(ownsSignature: boolean): string {
  const passes = [constEval, constEvalInputsToSystemMemory];
  const { text } = runPasses(parseModule(TEXT, "a.mlir"), TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, {
    passes,
    ownsSignature,
  });
  assertEquals(verifyModule(parseModule(text, "a.mlir")).filter(({ severity }) => severity === "error"), []);
  return text;
}

/** Layouts of the arguments of `main`, as they lie: `dram` or `system_memory`. */
function placesOf(text: string): readonly string[] {
  const signature = /@main\((.*?)\) ->/.exec(text)?.[1] ?? "";
  const layouts = new Map(
    [...text.matchAll(/^(#ttnn_layout\w*) = (.*)$/gm)].map(([, name, body]) => [name, body]),
  );
  return [...signature.matchAll(/#ttnn_layout\w*/g)].map(([name]) => {
    const layout = layouts.get(name) ?? name;
    return layout.includes("system_memory") ? "system_memory" : "dram";
  });
}

Deno.test("parameters with no reader but const-eval, and values without readers, stay on the host", () => {
  const text = written(true);
  assertEquals(placesOf(text), ["dram", "system_memory", "dram", "system_memory"]);
  const loading = bodyLines(text.slice(text.indexOf("@main_const_eval_0"))).slice(0, 4).map((line) =>
    /"ttnn\.(\w+)"/.exec(line)?.[1]
  );
  assertEquals(loading, ["get_device", "to_device", "to_layout", "permute"]);
});

Deno.test("a caller's layouts stay", () => {
  assertEquals(placesOf(written(false)), ["dram", "dram", "dram", "dram"]);
});
