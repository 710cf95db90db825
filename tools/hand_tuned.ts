// SPDX-License-Identifier: Apache-2.0

/**
 * Programs of `testdata/hand_tuned`, as people wrote them for tt-metal (published:expert-times) in TTNN text.
 *
 * @module
 */

import programs from "../testdata/hand_tuned/programs.json" with { type: "json" };
import { constEval } from "../lib/passes/const_eval.ts";
import { prepareConvolutionWeights } from "../lib/passes/prepare_convolution_weights.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { afterPasses } from "../pipeline/decided_graph.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";

/** A program as it was written by hand, its published time on n150, and what that measured besides or without it. */
export type HandTuned = (typeof programs)[number];

/** All but the last published times are of kernels alone. */
export const BY_HAND: readonly HandTuned[] = programs;

/** The text of a program. */
export function textOf({ file }: HandTuned): string {
  return Deno.readTextFileSync(new URL(`../testdata/hand_tuned/${file}`, import.meta.url));
}

/** The program as it is, with the weights of convolutions prepared once. */
export function asWritten(hand: HandTuned): Timeline {
  const loaded = loadModule(textOf(hand), { device: "n150", passes: "none" });
  const passes = [prepareConvolutionWeights, constEval];
  const workbench = afterPasses(loaded, passes, DEFAULT_POLICY_OPTIONS) ?? loaded;
  return simulateGraph(workbench.binding.graph, undefined, workbench);
}
