// SPDX-License-Identifier: Apache-2.0
import { type CommandRun, type ExitCode, type Invocation, UsageError } from "../command.ts";

const SUBJECTS: Readonly<Record<string, () => Promise<{ readonly run: CommandRun }>>> = {
  "op-model": () => import("./audit/op_model.ts"),
  "cost-model": () => import("./audit/cost_model.ts"),
  decisions: () => import("./audit/decisions.ts"),
  layers: () => import("./audit/layers.ts"),
  run: () => import("./audit/run.ts"),
};

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [subject = ""] = invocation.positionals;
  const code = Object.hasOwn(SUBJECTS, subject) ? SUBJECTS[subject] : undefined;
  if (code === undefined) {
    throw new UsageError(`Cannot audit '${subject}'; choose op-model, cost-model, decisions, layers or run`);
  }
  return (await code()).run(invocation);
}
