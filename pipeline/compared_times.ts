// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../lib/ops/op_book.ts";
import type { ComparedTime } from "../sim/timeline/error_band.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import type { OpRow } from "./op_rows.ts";

/** Times of ops and copies with their errors. */
export function comparedTimes(rows: readonly OpRow[]): readonly ComparedTime[] {
  return rows.flatMap((row) => [
    ...row.conversions.map(({ us, relativeError, ownError }) => ({
      errorClass: "reshard",
      microseconds: us,
      relativeError,
      ownError,
    })),
    {
      errorClass: definitionOf(row.name).costClass,
      microseconds: row.us,
      relativeError: row.relativeError,
      ownError: row.ownError,
    },
  ]);
}

/** The same of all that an inference runs, without the rows, which take longer to make than to compare. */
export function comparedSteps(timeline: Timeline): readonly ComparedTime[] {
  return timeline.functions.filter(({ role }) => role === "inference").flatMap(({ steps }) =>
    steps.map(({ kind, name, deviceUs, gapUs, estimate: { relativeError, ownError } }) => ({
      errorClass: kind === "conversion" ? "reshard" : definitionOf(name).costClass,
      microseconds: deviceUs + gapUs,
      relativeError,
      ownError,
    }))
  );
}
