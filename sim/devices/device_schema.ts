// SPDX-License-Identifier: Apache-2.0
import schema from "./device_schema.json" with { type: "json" };

/**
 * Names and units of every constant of a device file, by section, and what a constant is where its name does not say it. The
 * loader demands all of them (a file may inherit from its architecture's file) and checks the units, so that no kernel ever
 * reads a number in the wrong unit.
 *
 * Cycles are AICLK cycles of one chip; bytes per cycle are per core unless the name says `chip`.
 */
export const DEVICE_SCHEMA: typeof schema.constants = schema.constants;
