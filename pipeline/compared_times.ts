// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../lib/ops/op_book.ts";
import type { ComparedTime } from "../sim/timeline/error_band.ts";
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
