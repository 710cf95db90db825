// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { Agreement, Share } from "./agreement.ts";
import { byFigure, type Figure, FIGURES } from "./compare_answer.ts";

const SHARE: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** Agreement that a family must reach; least shares from 0 to 1, and the largest share of false accepts. */
export type Limits = Readonly<Record<"valid" | "falseAccepts" | Figure, number>>;

const LIMITS: v.GenericSchema<unknown, Limits> = v.strictObject({
  valid: SHARE,
  falseAccepts: SHARE,
  ...byFigure(() => SHARE),
});

/** As `testdata/backend/required_agreement.json` has it, by family. */
export const LIMITS_SCHEMA: v.GenericSchema<unknown, Readonly<Record<string, Limits>>> = v.record(
  v.string(),
  LIMITS,
);

/** Limits are in thousandths, rounded so that the current measurement meets them. */
const DIGITS = 1000;

function least({ equal, of }: Share): number {
  return of === 0 ? 1 : Math.floor(DIGITS * equal / of) / DIGITS;
}

/** The limits that the measured agreement meets. */
export function limitsOf({ valid, falseAccepts, questions, figures }: Agreement): Limits {
  return {
    valid: least(valid),
    falseAccepts: Math.ceil(DIGITS * falseAccepts / questions) / DIGITS,
    ...byFigure((figure) => least(figures[figure])),
  };
}

/** The stricter of two limits, figure by figure. */
export function stricter(a: Limits, b: Limits): Limits {
  return {
    valid: Math.max(a.valid, b.valid),
    falseAccepts: Math.min(a.falseAccepts, b.falseAccepts),
    ...byFigure((figure) => Math.max(a[figure], b[figure])),
  };
}

/** Figures below their limits, as text; empty if there are none. */
export function shortfalls(agreement: Agreement, limits: Limits): readonly string[] {
  const measured = limitsOf(agreement);
  const short = (["valid", ...FIGURES] as const)
    .filter((figure) => measured[figure] < limits[figure])
    .map((figure) =>
      `${figure} ${inPercent(measured[figure])}, at least ${inPercent(limits[figure])} is required`
    );
  if (measured.falseAccepts > limits.falseAccepts) {
    const { falseAccepts } = measured;
    short.push(
      `false accepts ${inPercent(falseAccepts)}, at most ${inPercent(limits.falseAccepts)} are allowed`,
    );
  }
  return short;
}

/** One line with a family's agreement. */
export function standing(agreement: Agreement): string {
  const { family, questions } = agreement;
  const measured = limitsOf(agreement);
  const figures = FIGURES.map((figure) => `${figure} ${inPercent(measured[figure])}`);
  return `${family}: ${questions} questions, valid ${inPercent(measured.valid)}, false accepts ${
    inPercent(measured.falseAccepts)
  }, ${figures.join(", ")}`;
}

function inPercent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
