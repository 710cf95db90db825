// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { memoryVerdict, type Misfit } from "../../lib/memory/memory_verdict.ts";
import { timeWithUnknown, verdictText } from "./verdict.ts";

const misfit = (memory: "l1" | "dram"): Misfit => ({
  function: "forward",
  op: 1,
  name: "ttnn.add",
  location: "",
  memory,
  kind: "no_space",
  shortBytes: 2048,
});

Deno.test("a verdict names the memory that is full where it is not L1 alone", () => {
  const refused = { ...misfit("l1"), rule: "output/shard-does-not-fit", reason: "no whole tiles" };
  assertEquals(
    verdictText(memoryVerdict({ refusedOps: [refused], misfits: [misfit("l1")] })),
    "DOES NOT RUN (1 op)",
  );
  assertEquals(verdictText(memoryVerdict({ misfits: [misfit("l1")] })), "DOES NOT FIT (1 op)");
  assertEquals(
    verdictText(memoryVerdict({ misfits: [misfit("dram"), misfit("dram")] })),
    "DOES NOT FIT IN DRAM (2 ops)",
  );
  assertEquals(
    verdictText(memoryVerdict({ misfits: [misfit("l1"), misfit("dram")] })),
    "DOES NOT FIT IN L1 AND DRAM (2 ops)",
  );
});

Deno.test("a total that lacks the times of some ops is marked, and is not 0 µs", () => {
  assertEquals(timeWithUnknown(3, "3.00 µs", []), undefined);
  assertEquals(timeWithUnknown(3, "3.00 µs", ["ttnn.case"]), "3.00 µs + unknown (time of ttnn.case)");
  assertEquals(
    timeWithUnknown(0, "0.00 µs", ["ttnn.while", "ttnn.case"]),
    "unknown (time of ttnn.while, ttnn.case)",
  );
});
