// SPDX-License-Identifier: Apache-2.0
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { RunAssumptions } from "../../lib/programs/run_assumptions.ts";
import type { AssumptionUse, FunctionTimeline } from "./timeline.ts";

/**
 * Assumptions behind the times of an inference: the positions up to which decode attention reads caches are not in the
 * graph, and the experts of a sparse matmul depend on data.
 */
export function assumptionUses(
  functions: readonly FunctionTimeline[],
  assumed: RunAssumptions,
): readonly AssumptionUse[] {
  const steps = functions.filter(({ role }) => role === "inference").flatMap(({ steps }) => steps);
  const count = (supposes: (program: DeviceProgram) => boolean): number =>
    steps.filter(({ estimate }) => estimate.programs.some(supposes)).length;
  const decode = count((program) => program.kind === "attention_decode" && program.byPosition);
  const experts = count((program) => program.kind === "matmul" && program.byExpert === true);
  const uses: readonly AssumptionUse[] = [
    { option: "cache-filled", supposed: cacheText(assumed), ops: decode },
    { option: "active-users", supposed: usersText(assumed), ops: decode },
    { option: "active-experts", supposed: expertsText(assumed), ops: experts },
  ];
  return uses.filter(({ ops }) => ops > 0);
}

function cacheText({ cacheFill }: RunAssumptions): string {
  if (cacheFill.kind === "positions") return `caches hold ${cacheFill.positions} positions`;
  return cacheFill.share === 1 ? "caches are full" : `caches are filled to ${100 * cacheFill.share} %`;
}

function usersText({ activeUsers }: RunAssumptions): string {
  return activeUsers === undefined ? "all users are active" : `${activeUsers} users are active`;
}

function expertsText({ activeExperts }: RunAssumptions): string {
  return activeExperts === undefined
    ? "every batch goes to all experts"
    : `every batch goes to ${activeExperts} experts`;
}
