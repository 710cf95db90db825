// SPDX-License-Identifier: Apache-2.0
import { type Command, options, type OptionSpec } from "../command.ts";
import { topOption } from "./row_options.ts";
import { JSON_OUTPUT, OUTPUT, RUN_OPTIONS } from "./shared_options.ts";
import { ownOptions } from "./policy_options.ts";

/** Options of the search for remedies. */
export const DOCTOR_OPTIONS: readonly OptionSpec[] = ownOptions(
  "tensor-l1-usage-cap",
  "max-legal-layouts",
  "row-major-enabled",
);

/** `doctor`: why a program does not fit into L1, and remedies. */
export const doctor: Command = {
  name: "doctor",
  load: () => import("../run/doctor.ts" satisfies string),
  summary: "Find the op behind an L1 clash, a full bank or a refusal, show what is live, rank remedies",
  positionals: "[FILE]",
  options: options(
    "log FILE — Log of the run that failed; - is standard input",
    "message TEXT — The same as text: the line with 'circular buffers … clash', 'Out of Memory' or 'TT_FATAL'",
    "op ID (from 0) — Examine this op, whatever the log and the simulation say",
    topOption("Remedies to list per op", 8),
    "apply N (from 1) — Write the program with this remedy of the first op, or of --op, to --output, and print it as options of ttmlir-opt",
    OUTPUT,
    ...RUN_OPTIONS,
    JSON_OUTPUT,
    ...DOCTOR_OPTIONS,
  ),
  examples: [
    "doctor testdata/models/mnist.mlir — Every op that does not fit; here none, exit code 0",
    "doctor --message 'Statically allocated circular buffers in program 65868 clash with L1 buffers on core range [(x=0,y=0) - (x=3,y=7)]. L1 buffer allocated at 665600 and static circular buffer region ends at 890144' (exit code 1) — What an error message means, without the program",
    "doctor testdata/models/mnist.mlir --op 1 — What is in L1 while one op runs, address by address",
    "doctor testdata/captures/model.json --op 2 --apply 1 -o fixed.mlir — The program with the first remedy of an op; exit code 1 if it still does not fit",
  ],
  notes: [
    "Checks of the backend that failed (shards, cores, slices, formats, configs), trace regions and fallbacks are explained as well; with the program, ops that break a rule, make the tensor or have the message's numbers are named.",
    "Under 'Reported before' stand public reports of the same failure (tt-metal, tt-mlir, tt-xla and others) with their cause, and how near they are; what helped on the same check and op leads the remedies, unless the message's own numbers say what would. Where a message is one of many ops, only reports of its op are told, and of many causes none. In a log without a failure that doctor recognizes, the last lines are looked up among the reports.",
    "Without a log, doctor looks at every op that does not fit in the simulation. With one, the op is found by its addresses, among those that the log names; the report says how well they agree. Ops that the log itself prints (tt-mlir's runtime, a dump) are read as the program where none is given; a failure that the simulation of them does not show keeps its general remedies.",
    "A remedy is listed only after a replay of the whole function by address; its cost is the change of the predicted time. Exit code 1 when the log has a message or the program does not run or does not fit; unchecked ops are named with the reason and do not change the exit code.",
  ],
};
