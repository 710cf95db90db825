// SPDX-License-Identifier: Apache-2.0
import type { RunAssumptions } from "../../lib/programs/run_assumptions.ts";
import type { AssumptionUse, FunctionTimeline } from "./timeline.ts";

/** What the times of an inference suppose: decode attention reads caches up to positions that no graph says. */
export function assumptionUses(
  functions: readonly FunctionTimeline[],
  assumed: RunAssumptions,
): readonly AssumptionUse[] {
  const ops =
    functions.filter(({ role }) => role === "inference").flatMap(({ steps }) =>
      steps.filter(({ estimate }) =>
        estimate.programs.some((program) => program.kind === "attention_decode" && program.byPosition)
      )
    ).length;
  if (ops === 0) return [];
  return [
    { option: "cache-filled", supposed: cacheText(assumed), ops },
    { option: "active-users", supposed: usersText(assumed), ops },
  ];
}

function cacheText({ cacheFill }: RunAssumptions): string {
  if (cacheFill.kind === "positions") return `caches hold ${cacheFill.positions} positions`;
  return cacheFill.share === 1 ? "caches are full" : `caches are filled to ${100 * cacheFill.share} %`;
}

function usersText({ activeUsers }: RunAssumptions): string {
  return activeUsers === undefined ? "all users are active" : `${activeUsers} users are active`;
}
