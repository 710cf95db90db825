// SPDX-License-Identifier: Apache-2.0
import { COMBINATIONS_PER_SLOT, KEEP_ROUNDS, LEAST_COMBINATIONS } from "../../search/limits.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import { type OpRoles, withoutOps } from "../../search/op_roles.ts";
import type { Assignment } from "../../search/impls.ts";
import { type BeamOptions, forwardPass } from "./beam.ts";
import { traceBack } from "../trace_back.ts";

/** Options of pass 1. */
export type PropagateOptions = Omit<BeamOptions, "maxCombinations">;

/**
 * Pass 1: chooses layouts for all ops of a function, forward with a beam, then back along the chosen
 * candidates. If an op has no legal candidate and its producers' offers cannot be converted to its operands
 * in the input's layouts, the pass restarts with that op left as in the input, so that its producers offer
 * those layouts.
 */
export function propagate(evaluator: OpEvaluator, roles: OpRoles, options: PropagateOptions): Assignment {
  const beamOptions: BeamOptions = {
    ...options,
    maxCombinations: Math.max(LEAST_COMBINATIONS, COMBINATIONS_PER_SLOT * options.beamWidth),
  };
  let current = roles;
  for (let round = 0;; round++) {
    const beams = forwardPass(evaluator, current, beamOptions);
    const stuck = evaluator.fn.ops.map((op) => op.id).filter((id) =>
      current.decided[id] === true && beams[id]?.[0]?.microseconds === Infinity
    );
    if (stuck.length === 0 || round === KEEP_ROUNDS) {
      return traceBack(evaluator, beams, options.score, options.observer);
    }
    current = withoutOps(current, new Set(stuck));
  }
}
