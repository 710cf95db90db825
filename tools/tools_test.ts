// SPDX-License-Identifier: Apache-2.0

import { assertEquals } from "@std/assert";
import { simulatedFiles, stagedConfig } from "./publish_check.ts";
import { jsrConfig } from "./sync_jsr.ts";

Deno.test("jsrConfig() drops the links and the lock file, nothing else", () => {
  const config = { name: "@a/b", imports: { "@std/path": "jsr:@std/path@^1" }, links: ["./shims/std_path"] };
  assertEquals(JSON.parse(jsrConfig(JSON.stringify(config))), {
    name: "@a/b",
    imports: { "@std/path": "jsr:@std/path@^1" },
    lock: false,
  });
});

Deno.test("stagedConfig() points the links out of the package", () => {
  assertEquals(JSON.parse(stagedConfig(`{"links":["./shims/a"]}`)), { links: ["../shims/a"] });
});

Deno.test("simulatedFiles() reads the files of a dry run", () => {
  const output = [
    "Simulating publish of @a/b@1.0.0 with files:",
    "   \x1b[90mfile:///tmp/x/package/\x1b[39mmod.ts\x1b[90m (1.5KB)\x1b[39m",
    "   file:///tmp/x/package/lib/ir/parser.ts (12B)",
  ].join("\n");
  assertEquals(simulatedFiles(output), ["mod.ts", "lib/ir/parser.ts"]);
});
