// SPDX-License-Identifier: Apache-2.0
import type { DecisionAudit, DecisionShares } from "./audit_decisions.ts";
import { percent } from "./markdown_section.ts";

/** Heading of the section of `accuracy.md`. */
export const DECISIONS_HEADING = "## Which of two is faster";

/** The section of `accuracy.md` on pairs of measured runs, as lines. */
export function decisionSection(audit: DecisionAudit): readonly string[] {
  const line = (name: string, shares: DecisionShares) =>
    `| ${name} | ${shares.pairs} | ${percent(shares.right)} | ${percent(shares.tooClose)} | ` +
    `${percent(shares.confidentlyWrong)} | ${percent(shares.medianRatioError)} |`;
  return [
    DECISIONS_HEADING,
    "",
    "Pairs of measured runs that differ in a single parameter that a plan decides (`audit decisions`), and by more than " +
    "10 % in time. *Right*: the faster one is predicted to be faster; equal predictions do not count as right. *Too close*: " +
    '`diff` would say "too close to call". *Confidently wrong*: the slower one is claimed to be faster.',
    "",
    "| family | pairs | right | too close | confidently wrong | median error of the ratio |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...audit.families.filter(({ pairs }) => pairs > 0).map((family) => line(family.name, family)),
    line("**all**", audit.summary),
    "",
    "The confidence of a claim, and the share of pairs for which it is right, including pairs less than 10 % apart. " +
    "*Equal families*: every family has the same weight, so that one sweep of nearly equal runs does not dominate.",
    "",
    "| claimed | pairs | mean claim | right | mean claim, equal families | right, equal families |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...audit.calibration.map(({ from, to, pairs, claimed, right, familiesAlike }) => {
      const equivalent = [familiesAlike?.claimed, familiesAlike?.right]
        .map((share) => share === undefined ? "–" : percent(share));
      return `| ${percent(from)} to ${percent(to)} | ${pairs} | ${percent(claimed)} | ${percent(right)} | ` +
        `${equivalent.join(" | ")} |`;
    }),
    "",
  ];
}
