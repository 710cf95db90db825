// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { CoreRange } from "../../lib/layout/core_range.ts";
import type { RecordedResult } from "./recorded_answer.ts";

/**
 * The schema of a result in a backend's answer.
 *
 * @param range schema of one core range: each format of answers spells it its own way
 */
export function resultSchema(
  range: v.GenericSchema<unknown, CoreRange>,
): v.GenericSchema<unknown, RecordedResult> {
  return v.pipe(
    v.object({
      bufferType: v.string(),
      memLayout: v.string(),
      dtype: v.string(),
      tiled: v.boolean(),
      coreRanges: v.optional(v.array(range)),
      shard: v.optional(v.array(v.number())),
    }),
    v.transform(({ bufferType, memLayout, dtype, tiled, coreRanges, shard }): RecordedResult => ({
      bufferType,
      memoryLayout: memLayout,
      dataType: dtype,
      tiled,
      shards: coreRanges === undefined || shard === undefined
        ? undefined
        : { extent: shard, cores: coreRanges },
    })),
  );
}
