// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS, readPolicyOptions } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { wholePlan } from "./pins.ts";
import { planDocument } from "./plan_document.ts";

const DEVICE = { device: "n150" };
const SUBJECT = Deno.readTextFileSync(new URL("../testdata/models/mnist.mlir", import.meta.url));
/** mnist as `auto` writes it. */
const DECIDED = optimizeModule(loadModule(SUBJECT, DEVICE), getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
/** A search that finds only what is slower. */
const SLOW: Policy = { ...getPolicy("dram"), ranksByTime: true };

Deno.test("what takes less time than everything that the search finds stays as written", () => {
  const again = optimizeModule(loadModule(DECIDED.text, DEVICE), SLOW, DEFAULT_POLICY_OPTIONS);
  assertEquals(again.text, DECIDED.text);
  assertEquals(again.timeline.inference.totalUs, DECIDED.timeline.inference.totalUs);
  assertEquals(again.memory.verdict.status, "fits");
  assertEquals(again.reasons, ["The program as written is kept: nothing that the search found is faster."]);
  // The same program by its plan.
  const document = planDocument(again, { input: "mnist.mlir", version: "0", wallMs: 0 });
  const pinned = optimizeModule(loadModule(DECIDED.text, DEVICE), SLOW, DEFAULT_POLICY_OPTIONS, {
    pinned: (workbench) => wholePlan(document, workbench),
  });
  assertEquals(pinned.text, DECIDED.text);
});

Deno.test("a program is kept only where it does what was asked for", async (t) => {
  const isKept = (policy: Policy, settings: Record<string, string>, passes = DEFAULT_PASS_OPTIONS) => {
    const options = readPolicyOptions(new Map(Object.entries(settings)));
    const workbench = loadModule(DECIDED.text, { ...DEVICE, ...options, passes });
    return optimizeModule(workbench, policy, options).text === DECIDED.text;
  };
  await t.step("with options that only search", () => assertEquals(isKept(SLOW, {}), true));
  await t.step("not by a policy that has its own rules", () => {
    assertEquals(isKept(getPolicy("dram"), {}), false);
  });
  await t.step("not without shards", () => assertEquals(isKept(SLOW, { "max-legal-layouts": "0" }), false));
  await t.step("not in less L1 than it needs", () => {
    assertEquals(isKept(SLOW, { "tensor-l1-usage-cap": "0.01" }), false);
  });
  await t.step("not with passes that set formats", () => {
    assertEquals(isKept(SLOW, {}, { ...DEFAULT_PASS_OPTIONS, weightDtype: "bfp_bf8" }), false);
  });
});

Deno.test("auto, again on what it wrote, is never slower", () => {
  const again = optimizeModule(loadModule(DECIDED.text, DEVICE), getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  assertEquals(again.timeline.inference.totalUs <= DECIDED.timeline.inference.totalUs * (1 + 1e-9), true);
});

Deno.test("a program whose pool is sliced is not kept without the reshape behind it, however slow the search", () => {
  const typeOf = (rows: number, memory: string, page = `${rows}x64xbf16`): string =>
    `tensor<1x1x${rows}x64xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * ${rows} + d1 * ${rows} + d2, d3), ` +
    `<${memory === "l1" ? "8x8" : "1x1"}>, memref<${page}, #ttnn.buffer_type<${memory}>>, <interleaved>>>`;
  const [image, pooled] = [typeOf(8 * 224 ** 2, "dram"), typeOf(8 * 112 ** 2, "dram")];
  const tiles = "1024x2x!ttcore.tile<32x32, bf16>";
  const [far, near] = [typeOf(32768, "dram", tiles), typeOf(32768, "l1", tiles)];
  const text = `func.func @main(%image: ${image}, %x: ${far}) -> (${pooled}, ${far}) {
  %0 = "ttnn.max_pool2d"(%image) <{batch_size = 8 : si32, ceil_mode = false, channels = 64 : si32, config_tensors_in_dram = true, dilation = array<i32: 1, 1>, input_height = 224 : si32, input_width = 224 : si32, kernel_size = array<i32: 3, 3>, padding = array<i32: 1, 1, 1, 1>, reallocate_halo_output = false, stride = array<i32: 2, 2>}> : (${image}) -> ${pooled}
  %1 = "ttnn.exp"(%x) : (${far}) -> ${near}
  %2 = "ttnn.sin"(%1) : (${near}) -> ${far}
  return %0, %2 : ${pooled}, ${far}
}`;
  const { text: written } = optimizeModule(loadModule(text, DEVICE), SLOW, DEFAULT_POLICY_OPTIONS);
  assertEquals(written.match(/ttnn\.reshape/g)?.length, 1);
});
