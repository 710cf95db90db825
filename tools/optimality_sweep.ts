// SPDX-License-Identifier: Apache-2.0

/**
 * Prints the table of docs/optimality.md: where another policy has a better plan than `auto` over the shared corpus, where
 * the plan does not fit, and how far it lies above its bound. The plans are those of `tilewright bench`, which takes
 * hours for all of the corpus: `--jobs`, `--shard` and `--resume` are there for that.
 *
 * Usage: `deno task optimality:sweep FILE…`: what `bench --device CHIP --save FILE` wrote
 *
 * @module
 */

import { resolve } from "@std/path";
import type { MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { ON_BOUND } from "../lib/policy/search_limits.ts";
import { parseBench, type SavedResult } from "../pipeline/bench.ts";
import { markdownTable } from "../sim/audit/markdown_section.ts";
import { corpusFiles, corpusName } from "../testing/corpus.ts";

/** What the table needs of a plan of one file, chip and policy. */
export interface SweptPlan extends Pick<SavedResult, "model" | "device" | "policy"> {
  readonly summary: Pick<SavedResult["summary"], "predictedUs" | "gap"> & {
    readonly verdict: Pick<MemoryVerdict, "status">;
  };
}

/** Relative rounding of times that are sums of the same terms in another order. */
const ROUNDING = 1e-9;

/** Whether a plan can be said to run: what is unchecked might. */
function runs({ summary: { verdict } }: SweptPlan): boolean {
  return verdict.status === "fits" || verdict.status === "unchecked";
}

/** Whether one plan is to be preferred to another: it fits where the other does not, or takes less time. */
export function isBetter(one: SweptPlan, other: SweptPlan): boolean {
  if (runs(one) !== runs(other)) return runs(one);
  const [{ status }, { status: otherStatus }] = [one.summary.verdict, other.summary.verdict];
  if (status !== otherStatus) return status === "fits";
  return runs(one) && one.summary.predictedUs < other.summary.predictedUs * (1 - ROUNDING);
}

/** Where files of the corpus come from: the first two folders, or one where no other has files. */
function familyOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

/**
 * The table of docs/optimality.md: how near the plans of `auto` are to their bounds, by family and chip.
 *
 * @param files every file of the corpus, as plans name it: those without a plan are refused
 */
export function sweepDocument(plans: readonly SweptPlan[], files: readonly string[]): string {
  const automatic = plans.filter(({ policy }) => policy === "auto");
  const others = Map.groupBy(
    plans.filter(({ policy }) => policy !== "auto"),
    ({ device, model }) => `${device} ${model}`,
  );
  const row = (
    name: readonly string[],
    own: readonly SweptPlan[],
    asked: number,
  ): readonly (string | number)[] => {
    const decided = own.filter((plan) => runs(plan) && plan.summary.predictedUs > 0);
    const gaps = decided.map(({ summary }) => summary.gap);
    const compared = own.flatMap((plan) => {
      const beside = others.get(`${plan.device} ${plan.model}`) ?? [];
      return beside.length === 0 ? [] : [beside.some((other) => isBetter(other, plan))];
    });
    const within = (share: number): number => gaps.filter((gap) => gap !== undefined && gap <= share).length;
    const unbounded = gaps.filter((gap) => gap === undefined).length;
    return [
      ...name,
      asked,
      asked - own.length,
      own.filter((plan) => runs(plan) && plan.summary.predictedUs === 0).length,
      ...[ON_BOUND, 0.01, 0.05].map(within),
      decided.length - within(0.05) - unbounded,
      unbounded,
      own.filter(({ summary }) => summary.verdict.status === "unchecked").length,
      own.filter((plan) => !runs(plan)).length,
      `${compared.filter((found) => found).length} of ${compared.length}`,
    ];
  };
  const groups = [...Map.groupBy(automatic, ({ model, device }) => `${familyOf(model)} ${device}`)]
    .toSorted(([a], [b]) => a < b ? -1 : 1)
    .map(([name, own]) => {
      const [family = "", device = ""] = name.split(" ");
      return { name: [family, device], own, asked: files.filter((file) => familyOf(file) === family).length };
    });
  return markdownTable(
    "files | chip | runs: | refused: | take no time: | proven optimal: | within 1 %: | within 5 %: | above: | " +
      "no bound: | unchecked: | do not fit: | another policy is better:",
    [
      ...groups.map(({ name, own, asked }) => row(name, own, asked)),
      row(["all", "both"], automatic, groups.reduce((sum, { asked }) => sum + asked, 0)),
    ],
  ).join("\n");
}

if (import.meta.main) {
  const plans = Deno.args.flatMap((path) => parseBench(Deno.readTextFileSync(path), path));
  const named = plans.map((plan) => ({ ...plan, model: corpusName(resolve(plan.model)) }));
  console.log(sweepDocument(named, corpusFiles().map(corpusName)));
}
