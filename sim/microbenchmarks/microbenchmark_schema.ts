// SPDX-License-Identifier: Apache-2.0
import schema from "./microbenchmark_schema.json" with { type: "json" };

/**
 * Names and units of what only microbenchmarks show, by section, in the form of a device's own constants
 * (`sim/devices/device_schema.ts`). No kernel that prices a plan can read them: a `Device` does not have them.
 */
export const MICROBENCHMARK_SCHEMA: typeof schema.constants = schema.constants;
