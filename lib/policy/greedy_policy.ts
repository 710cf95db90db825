// SPDX-License-Identifier: Apache-2.0
import { interleavedAssignment } from "../propagation/interleaved_assignment.ts";
import { propagate } from "../propagation/propagate.ts";
import { spillGreedily } from "../spill/greedy_spill.ts";
import { LayoutProgram } from "../spill/layout_program.ts";
import { planGraph } from "./plan_graph.ts";
import type { Policy } from "./policy.ts";

/** `greedy`: pass 1 with one candidate per op over all operands, then pass 2. */
export const GREEDY_POLICY: Policy = {
  name: "greedy",
  summary: "Best local choice per op in schedule order, then spills until everything fits",
  decide: (context) =>
    planGraph(context, "greedy", ({ evaluator, roles, region }) => {
      const { options } = context;
      const assignment = propagate(evaluator, roles, {
        score: options.score ?? "local",
        beamWidth: 1,
        maxInputCandidatesPerOperand: options.maxInputCandidatesPerOperand,
        l1Budget: region.budget,
      });
      const program = LayoutProgram.fromAssignment(evaluator, assignment);
      const spill = options.spill === undefined || options.spill === "exact"
        ? "farthest-next-use"
        : options.spill;
      if (spillGreedily(program, roles, region, spill).fits) return program.toPlan();
      const fallback = interleavedAssignment(evaluator, roles, "dram", region.budget);
      return LayoutProgram.fromAssignment(evaluator, fallback).toPlan();
    }),
};
