// SPDX-License-Identifier: Apache-2.0

/**
 * Tilewright decides, without hardware, where every tensor of a TTNN graph lives on a Tenstorrent chip, says what that
 * costs, and says how far the decision is from the best possible one.
 *
 * @example The version of the library
 * ```ts
 * import { VERSION } from "@tilewright/tilewright";
 * import { assertMatch } from "@std/assert";
 *
 * assertMatch(VERSION, /^\d+\.\d+\.\d+/);
 * ```
 *
 * @module
 */

import config from "./deno.json" with { type: "json" };

/** Version of Tilewright, as declared in `deno.json`. */
export const VERSION: string = config.version;
