// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY } from "./policy_options.ts";
import { topOption } from "./row_options.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `advise`: options that would make the plan faster. */
export const advise: Command = {
  name: "advise",
  load: () => import("../run/advise.ts" satisfies string),
  summary: "Price each option that may make the plan faster by deciding with it, and rank what they save",
  positionals: "[FILE]",
  options: options(
    topOption("Changes to list"),
    "max-error MEASURE=LIMIT — Leave out changes whose estimated numeric error is larger: relative=2% limits the root mean square, correlation=0.999 Pearson's correlation with exact results",
    "same-numbers — Only changes that keep formats, fidelities and accumulation",
    POLICY,
    ...RUN_OPTIONS,
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
  ),
  examples: [
    "advise testdata/models/mnist.mlir — What weights in bfp8, other fidelities and other searches would save",
    "advise testdata/models/mnist.mlir --policy greedy --same-numbers — What is lost by deciding as tt-mlir's compiler does",
  ],
  notes: [
    "Every change is a whole run of optimize with its option: graph passes, decisions, L1 by address. What it saves is told with whether the error bands allow to say so; times of two plans share most of their error. The last rows take the changes that save together.",
    "Formats and fidelities change the numbers of the results. The error is a first-order estimate against exact arithmetic on the program's arguments: conversions and truncated operands as the hardware has them, on normally distributed data, passed on op by op. It leaves out how sums accumulate, and is no estimate of accuracy: more bits do not always give a higher score.",
  ],
};
