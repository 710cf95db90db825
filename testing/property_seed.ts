// SPDX-License-Identifier: Apache-2.0

/**
 * Properties that state no seed of their own get this one: loaded before every test file by `deno task test`, so that
 * the gate says the same of the same tree each time.
 *
 * `TILEWRIGHT_PROPERTY_SEED=random` draws a new one for each property, to look for what one seed does not find; a
 * failure prints its seed. A number is a seed. Test files that are run without the task draw their own as well.
 *
 * @module
 */

import fc from "fast-check";

/** Seed of the gate. Any would do. */
const GATE_SEED = 20261124;

const asked = Deno.env.get("TILEWRIGHT_PROPERTY_SEED");
if (asked !== "random") {
  const seed = asked === undefined ? GATE_SEED : Number(asked);
  if (!Number.isInteger(seed)) {
    throw new Error(`TILEWRIGHT_PROPERTY_SEED is '${asked}': 'random' or an integer`);
  }
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
