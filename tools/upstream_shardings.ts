// SPDX-License-Identifier: Apache-2.0

/**
 * Compares the policies' placements with those that an optimized dump already holds, op by op: the dump's decisions are
 * taken back, each policy decides anew, and results are counted by buffer type and memory layout.
 *
 * Usage: `deno run -A tools/upstream_shardings.ts DUMP.mlir…`
 *
 * @module
 */

import { readGraph } from "../lib/graph/read_graph.ts";
import { undecidedFunction } from "./undecided_graph.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { LayoutTable } from "../lib/layout/layout_table.ts";
import { isSharded, type TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import type { OpDecision } from "../lib/plan/plan.ts";
import { isDecided } from "../lib/graph/function_role.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createCostModel } from "../sim/cost/runtime.ts";

const POLICIES = ["df-sharding", "df-sharding-2", "greedy", "beam"];

/** Placement as far as upstream's and ours are compared. */
function placement(layout: TtnnLayout): string {
  if (!isSharded(layout)) return `${layout.bufferType} interleaved`;
  return `${layout.bufferType} ${layout.memoryLayout}`;
}

/** Cause of a difference, from the reasons that our policy gives. */
function cause(upstream: TtnnLayout, ours: TtnnLayout, decision: OpDecision, opName: string): string {
  const reasons = decision.reasons.join("; ");
  if (upstream.bufferType === "l1" && ours.bufferType === "dram") {
    if (reasons.includes("is not an op that chains may hold")) return `${opName} is in no chain`;
    if (reasons.includes("no legal sharded config")) return `${opName} has no legal sharded config`;
    if (reasons.includes("given up")) return "the chain did not fit by address";
    if (reasons.includes(" failed:")) return "the chain has an edge without a solution";
    return "left in DRAM";
  }
  if (upstream.bufferType === "dram" && ours.bufferType === "l1") return `${opName} kept in L1`;
  if (upstream.bufferType === "l1" && ours.bufferType === "l1") {
    return isSharded(upstream) && isSharded(ours) ? "another sharding" : "sharded against interleaved";
  }
  return "another memory";
}

/** How one policy's placements compare with those of an optimized dump. Counts are of results. */
export interface PlacementComparison {
  readonly policy: string;
  readonly compared: number;
  readonly sameBuffer: number;
  readonly sameLayout: number;
  readonly upstreamSharded: number;
  readonly bothSharded: number;
  /** What differs, with the number of results, most first. */
  readonly causes: readonly (readonly [why: string, count: number])[];
}

/** Takes the decisions of a dump back, decides anew with each policy, and compares result by result. */
export function comparePlacements(
  text: string,
  file: string,
  policies: readonly string[] = POLICIES,
): readonly PlacementComparison[] {
  const device = getDevice("n150");
  const chip = chipDescription(device);
  const { graph } = readGraph(parseModule(text, file), chip.workerGrid);
  const original = graph.functions.find(isDecided);
  if (original === undefined) return [];
  const { fn, originalOp } = undecidedFunction(original);
  return policies.map((policy) => {
    const layouts = new LayoutTable();
    const opModel = createOpModel({
      chip,
      layouts,
      reservedL1Bytes: graph.constEvalL1Bytes,
      asWritten: true,
    });
    const cost = createCostModel({ device, layouts, opModel });
    const plan = getPolicy(policy).decide({
      graph: { functions: [fn], constEvalL1Bytes: graph.constEvalL1Bytes },
      opModel,
      cost,
      options: DEFAULT_POLICY_OPTIONS,
    });
    const results = (plan.functions[0]?.decisions ?? []).flatMap((decision) => {
      const op = original.ops[originalOp[decision.op] ?? -1];
      const [result] = op?.results ?? [];
      const upstream = result === undefined ? undefined : original.values[result]?.layout;
      const [ours] = decision.outputLayouts;
      if (op === undefined || upstream === undefined || ours === undefined) return [];
      const isCompared = upstream.bufferType !== "system_memory" && op.name.startsWith("ttnn.");
      return isCompared ? [{ upstream, ours, decision, name: op.name }] : [];
    });
    const same = results.filter(({ upstream, ours }) => placement(upstream) === placement(ours));
    const sharded = results.filter(({ upstream }) => isSharded(upstream));
    const causes = Map.groupBy(
      results.filter((result) => !same.includes(result)),
      ({ upstream, ours, decision, name }) =>
        `${placement(upstream)} -> ${placement(ours)}: ${cause(upstream, ours, decision, name)}`,
    );
    return {
      policy,
      compared: results.length,
      sameBuffer: results.filter(({ upstream, ours }) => upstream.bufferType === ours.bufferType).length,
      sameLayout: same.length,
      upstreamSharded: sharded.length,
      bothSharded: sharded.filter(({ ours }) => isSharded(ours)).length,
      causes: [...causes].map(([why, own]) => [why, own.length] as const)
        .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
    };
  });
}

/** A share as the table of docs/chains.md has it. */
export function shareText(count: number, of: number): string {
  return of === 0 ? "-" : `${(100 * count / of).toFixed(1)} %`;
}

if (import.meta.main) {
  for (const file of Deno.args) {
    console.log(`${file}:`);
    for (const row of comparePlacements(await Deno.readTextFile(file), file)) {
      const { compared, upstreamSharded } = row;
      console.log(
        `  ${row.policy}: ${compared} results, same buffer type ${
          shareText(row.sameBuffer, compared)
        }, same memory layout ${
          shareText(row.sameLayout, compared)
        }, of ${upstreamSharded} sharded upstream ${
          shareText(row.bothSharded, upstreamSharded)
        } sharded here`,
      );
      for (const [why, count] of row.causes.slice(0, 14)) {
        console.log(`    ${String(count).padStart(5)}  ${why}`);
      }
    }
  }
}
