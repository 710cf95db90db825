// SPDX-License-Identifier: Apache-2.0

/**
 * Small inputs, one per thing that the design documents promise, with the answer that follows from the document.
 * Inputs that a test of its own builds are not repeated here (docs/seeds.md).
 */

import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { describeLayout } from "../lib/layout/describe.ts";
import { gridVolume } from "../lib/layout/ttnn_layout.ts";
import {
  parseMemReconfigOverrides,
  parseOutputLayoutOverrides,
} from "../lib/overrides/output_layout_override.ts";
import { NO_OVERRIDES } from "../lib/overrides/overrides.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { getPolicy, POLICY_NAMES } from "../lib/policy/policies.ts";
import type { DecisionTrace } from "../lib/propagation/decision_trace.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { corpusTest, sharedText } from "../testing/corpus.ts";
import { present } from "../testing/present.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";

/** What a policy makes of a case: result layouts in the order of the ops, what is moved, time. */
function decide(name: string, policy: string, given: Partial<PolicyOptions> = {}, functionName?: string) {
  const traces: DecisionTrace[] = [];
  const workbench = createWorkbench(
    parseModule(sharedText("cases", `${name}.mlir`), name),
    getDevice("n150"),
  );
  const options = { ...DEFAULT_POLICY_OPTIONS, ...given };
  const optimized = optimizeModule(workbench, getPolicy(policy), options, {
    decisionTrace: (trace) => void traces.push(trace),
  });
  const fn = present(
    optimized.plan.functions.find((plan) => functionName === undefined || plan.name === functionName),
  );
  const layouts = fn.decisions.map(({ outputLayouts: [layout] }) => layout);
  assertEquals(optimized.timeline.verdict.status === "does_not_fit", false);
  return {
    fn,
    results: layouts.map((layout) => layout === undefined ? "-" : describeLayout(layout)),
    cores: layouts.map((layout) => layout === undefined ? 0 : gridVolume(layout)),
    conversions: fn.conversions.map(({ reason, value, layout }) =>
      `${reason} %${value} ${describeLayout(layout)}`
    ),
    spilled: fn.decisions.filter(({ spilled }) => spilled === true).length +
      fn.conversions.filter(({ reason }) => reason === "spill").length,
    microseconds: optimized.timeline.inference.totalUs,
    forks: traces.flatMap((trace) => trace.forks),
    traces,
  };
}

// §4.1.2: along the last dimension height shards, along the one before it width shards, along a batch none.
for (
  const [name, memory] of [["concat_w", "height_sharded/32x1"], ["concat_h", "width_sharded/1x32"]] as const
) {
  corpusTest(`${name}: the concat reads its operands in the shards that its dimension wants`, () => {
    const layout = `l1/${memory}`;
    const { results, conversions } = decide(name, "df-sharding-2");
    // The chain behind it prefers the same.
    assertEquals(results.slice(0, 5), [layout, layout, layout, layout, layout]);
    assertEquals(conversions.length, 1);
    const unmerged = decide(name, "df-sharding");
    assertEquals([unmerged.results[3], unmerged.conversions.length], ["dram/interleaved", 4]);
  });
}

corpusTest("concat_d1: along a batch no chain is told a sharding, and the concat is made in DRAM", () => {
  const { results } = decide("concat_d1", "df-sharding-2");
  assertEquals(results.slice(0, 3), ["l1/block_sharded/8x8", "l1/block_sharded/8x8", "dram/interleaved"]);
});

corpusTest("concat_mm: two matmul chains stay in L1 for their concat, the chain behind it is told", () => {
  const { results, conversions } = decide("concat_mm", "df-sharding-2");
  assertEquals(conversions.length, 1);
  assert(results.slice(0, 5).every((layout) => layout.startsWith("l1/")), results.join());
  assertEquals(results[5], "l1/height_sharded/32x1");
});

// §3.2.2, §3.5
corpusTest("dfs: a branch runs to its end before the other one starts", () => {
  for (const policy of ["df-sharding", "df-sharding-2"]) {
    const schedule = decide("dfs", policy).fn.schedule;
    assertEquals(schedule?.slice(0, 5).map(Number), [0, 2, 1, 3, 4]);
  }
});

corpusTest("fallback: what no chain took moves to L1 interleaved where its reader comes next", () => {
  const l1Interleaved = ["l1/interleaved", "l1/interleaved", "dram/interleaved"];
  // Only the original has elementwise ops that its chains do not hold.
  const original = { legacyQuirks: true };
  const on = decide("fallback", "df-sharding", { ...original, l1InterleavedFallback: true });
  assertEquals(on.results.slice(0, 3), l1Interleaved);
  assertEquals(
    decide("fallback", "df-sharding", original).results.slice(0, 3),
    Array(3).fill("dram/interleaved"),
  );
});

// §4.1.4
corpusTest("fork: two readers that agree read the fork from L1, which 1.0 spills", () => {
  assertEquals(decide("fork", "df-sharding").conversions.length, 4);
  const { results, conversions } = decide("fork", "df-sharding-2");
  assertEquals(conversions.map((line) => line.split(" ")[0]), ["spill"]);
  assertEquals(results[0], "l1/block_sharded/8x8");
});

// §5.8.1: at a fork the slot that satisfies all consumers at least cost.
corpusTest("fork_conflict: the slot that satisfies both readers at least cost is taken", () => {
  for (const score of ["bottleneck", "runtime"] as const) {
    const { forks } = decide("fork_conflict", "beam", { score });
    assertEquals(forks[0]?.consumers, [2, 3]);
    for (const { chosenSlot, slotCosts } of forks) {
      assertEquals(slotCosts[chosenSlot], Math.min(...slotCosts.map((cost) => cost ?? Infinity)));
      assertEquals(slotCosts.length, 8);
    }
  }
});

corpusTest("fork3: four candidates are of four kinds", () => {
  for (const score of ["bottleneck", "runtime"] as const) {
    const { traces } = decide("found/fork3", "beam", { score, beamWidth: 4 });
    const kept = traces[0]?.ops[0]?.beam.map(({ output }) => output.split("/").slice(0, 2).join("/"));
    assertEquals(new Set(kept).size, 4, `${score}: ${kept}`);
  }
});

corpusTest("lockin: the greedy rule keeps 32 cores, a beam takes 64 and less time", () => {
  const greedy = decide("lockin", "greedy", { score: "direct" });
  assertEquals(greedy.cores.slice(0, 2), [32, 32]);
  const beam = decide("lockin", "beam");
  // The last result is written to DRAM, where the signature wants it.
  assertEquals(beam.cores.slice(0, 4), Array(4).fill(64));
  assert(beam.microseconds < greedy.microseconds);
});

// §4.1.2
corpusTest("merge_ab and merge_3way: outputs wait in L1 for the join instead of going through DRAM", () => {
  for (const [name, unmerged] of [["merge_ab", 2], ["merge_3way", 3]] as const) {
    assertEquals(decide(name, "df-sharding").conversions.length, unmerged, name);
    assertEquals(decide(name, "df-sharding-2").conversions.length, 1, name);
  }
});

// §5.4.1
corpusTest("operand0: chains lose operand 1 where operand 0 has no shards, passes keep it in L1", () => {
  assertEquals(decide("operand0", "df-sharding").spilled, 2);
  for (const policy of ["greedy", "beam"]) {
    const { results, fn } = decide("operand0", policy);
    assert(results[1]?.startsWith("l1/") === true && results[2]?.startsWith("l1/") === true);
    assertEquals(fn.decisions[2]?.operands[1], { kind: "value" });
  }
});

corpusTest("ovr: every policy carries out layout and conversion overrides", () => {
  const overrides = {
    ...NO_OVERRIDES,
    outputLayouts: parseOutputLayoutOverrides("relu_1=dram:interleaved,add_1=8x8:l1:block_sharded:tile"),
    memReconfigs: parseMemReconfigOverrides("add_1=1"),
  };
  for (const policy of POLICY_NAMES) {
    const { results, conversions } = decide("ovr", policy, { overrides });
    assertEquals(results.slice(1, 3), ["dram/interleaved", "l1/block_sharded/8x8"], policy);
    assert(
      conversions.some((line) => line.endsWith(" %2 l1/block_sharded/8x8")),
      `${policy}: ${conversions}`,
    );
  }
});

// §3.1.3: the limit is on sharded layouts; none of them leaves interleaved ones.
corpusTest(
  "ovr: without legal sharded layouts no policy shards, and conversions have no target without any",
  () => {
    for (const policy of POLICY_NAMES) {
      const { results } = decide("ovr", policy, { maxLegalLayouts: 0, maxReshardCandidatesPerType: 0 });
      assertEquals(results.slice(0, 3).filter((layout) => layout.includes("sharded")), [], policy);
    }
  },
);

// §5.6.2, §5.8.2
corpusTest("spill: two tensors leave L1; spill2: exact spills and another order beat the greedy rule", () => {
  assertEquals(decide("spill", "greedy").spilled, 2);
  const greedy = decide("spill2", "beam");
  assert(greedy.spilled > 0);
  assert(decide("spill2", "beam", { spill: "exact" }).microseconds < greedy.microseconds);
  assert(decide("spill2", "beam", { schedule: "memory" }).microseconds < greedy.microseconds);
});

corpusTest("twofn: each function is decided as if it were alone", () => {
  const both = sharedText("cases", "twofn.mlir");
  const second = both.indexOf("  func.func @second");
  const alone = parseModule(`${both.slice(0, second)}}\n`, "first");
  for (const policy of ["df-sharding-2", "beam"]) {
    const workbench = createWorkbench(alone, getDevice("n150"));
    const plan = optimizeModule(workbench, getPolicy(policy), DEFAULT_POLICY_OPTIONS).plan.functions[0];
    assertEquals(decide("twofn", policy, {}, "first").fn, plan);
  }
});

// §4.1.7
corpusTest("views: a reshape keeps its result in L1 and stays a view", () => {
  const { results, conversions } = decide("views", "df-sharding-2");
  assertEquals(results[2], "l1/interleaved");
  assertEquals(conversions[0]?.split(" ").toSpliced(1, 1), ["spill", "l1/interleaved"]);
});
