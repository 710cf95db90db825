// SPDX-License-Identifier: Apache-2.0
import { type ExitCode, type Invocation, UsageError } from "../command.ts";

/** Runs `audit`: each subject has its own file under `audit/`. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const subject = invocation.positionals[0];
  switch (subject) {
    case "op-model":
      return (await import("./audit/op_model.ts")).run(invocation);
    case "cost-model":
      return (await import("./audit/cost_model.ts")).run(invocation);
    case "decisions":
      return (await import("./audit/decisions.ts")).run(invocation);
    case "layers":
      return (await import("./audit/layers.ts")).run(invocation);
    case "run":
      return (await import("./audit/run.ts")).run(invocation);
    default:
      throw new UsageError(
        `Cannot audit '${subject}'; choose op-model, cost-model, decisions, layers or run`,
      );
  }
}
