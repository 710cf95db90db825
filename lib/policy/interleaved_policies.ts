// SPDX-License-Identifier: Apache-2.0
import { interleavedAssignment } from "../propagation/interleaved_assignment.ts";
import { spillGreedily } from "../spill/greedy_spill.ts";
import { LayoutProgram } from "../spill/layout_program.ts";
import { planGraph } from "./plan_graph.ts";
import type { Policy } from "./policy.ts";

/** `dram`: the baseline that every other policy is measured against. */
export const DRAM_POLICY: Policy = {
  name: "dram",
  summary: "Everything DRAM interleaved: the baseline",
  decide: (context) =>
    planGraph(context, "dram", ({ evaluator, roles, region }) => {
      const assignment = interleavedAssignment(evaluator, roles, "dram", region.budget);
      return LayoutProgram.fromAssignment(evaluator, assignment).toPlan();
    }),
};

/** `l1-interleaved`: L1 without sharding. */
export const L1_INTERLEAVED_POLICY: Policy = {
  name: "l1-interleaved",
  summary: "L1 interleaved wherever legal, then spills until everything fits",
  decide: (context) =>
    planGraph(context, "l1-interleaved", ({ evaluator, roles, region }) => {
      const assignment = interleavedAssignment(evaluator, roles, "l1", region.budget);
      const program = LayoutProgram.fromAssignment(evaluator, assignment);
      const spilled = spillGreedily(program, roles, region, "cost-aware");
      if (spilled.fits) return program.toPlan();
      const fallback = interleavedAssignment(evaluator, roles, "dram", region.budget);
      return LayoutProgram.fromAssignment(evaluator, fallback).toPlan();
    }),
};
