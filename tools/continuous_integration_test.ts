// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "./steps.ts";

Deno.test("every script that .ci/run and the tasks run is there", async () => {
  const texts = [".ci/run", "deno.json"].map((path) => Deno.readTextFileSync(join(ROOT, path))).join("\n");
  const scripts = new Set(
    [...texts.matchAll(/\b(?:tools|bench|cli|sim|testdata)\/[\w/]+\.ts\b/g)].map(([path]) => path),
  );
  assert(scripts.has("tools/confirm_models.ts") && scripts.size > 10);
  for (const script of scripts) assert((await Deno.stat(join(ROOT, script))).isFile, script);
});
