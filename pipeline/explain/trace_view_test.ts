// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { readTrace } from "./read_trace.ts";
import { sideOfTrace } from "./trace_view.ts";

Deno.test("a trace counts as spills what leaves L1: victims, and results of ops that fit nowhere", () => {
  const actions = ["oom", "eviction", "oom", "self_spill", "demotion_success", "revalidation"];
  const trace = {
    version: 3,
    functionName: "main",
    forwardPass: [],
    spillManagement: { events: actions.map((action, position) => ({ position, action })) },
  };
  assertEquals(sideOfTrace("a", readTrace(JSON.stringify(trace), "a.json")).spills, 2);
});
