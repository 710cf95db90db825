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
    "Pairs of measured runs that are equal in all but one parameter that a plan decides (`audit decisions`), more than " +
    "10 % apart. *Right*: the faster one is predicted to be faster; pairs that are predicted alike are not. *Too close*: " +
    "what `diff` would call so. *Confidently wrong*: the slower one is claimed to be faster.",
    "",
    "| family | pairs | right | too close | confidently wrong | median error of the ratio |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...audit.families.filter(({ pairs }) => pairs > 0).map((family) => line(family.name, family)),
    line("**all**", audit.summary),
    "",
    "A claim's confidence against the share of pairs that it is right for, pairs less than 10 % apart included. *Families " +
    "alike*: the pairs of every family together weigh as much as those of any other, so that one sweep of nearly equal " +
    "runs does not speak for all.",
    "",
    "| claimed | pairs | mean claim | right | mean claim, families alike | right, families alike |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...audit.calibration.map(({ from, to, pairs, claimed, right, familiesAlike }) => {
      const alike = [familiesAlike?.claimed, familiesAlike?.right]
        .map((share) => share === undefined ? "–" : percent(share));
      return `| ${percent(from)} to ${percent(to)} | ${pairs} | ${percent(claimed)} | ${percent(right)} | ` +
        `${alike.join(" | ")} |`;
    }),
    "",
  ];
}
