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
