// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps `deno.jsr.json` in step with `deno.json`: the same configuration without `links`, so that the `jsr:` names
 * resolve to the real packages. With `--check` nothing is written and a difference is a failure.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "./steps.ts";

/** The text of `deno.jsr.json` that belongs to the text of a `deno.json`. */
export function jsrConfig(denoJson: string): string {
  const config: Record<string, unknown> = JSON.parse(denoJson);
  // The lock file records the links, and JSR packages by other hashes: the two worlds must not share one.
  const { links: _links, ...rest } = config;
  return JSON.stringify({ ...rest, lock: false }, null, 2) + "\n";
}

if (import.meta.main) {
  const target = join(ROOT, "deno.jsr.json");
  const wanted = jsrConfig(await Deno.readTextFile(join(ROOT, "deno.json")));
  if (Deno.args.includes("--check")) {
    const present = await Deno.readTextFile(target).catch(() => "");
    if (present !== wanted) {
      console.error("deno.jsr.json is not in step with deno.json: run `deno task sync:jsr`");
      Deno.exitCode = 1;
    }
  } else {
    await Deno.writeTextFile(target, wanted);
    console.log("deno.jsr.json written");
  }
}
