// SPDX-License-Identifier: Apache-2.0

import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import config from "../deno.json" with { type: "json" };
import { PERMISSIONS, permissionsFor } from "../cli/restart.ts";
import { toolTest } from "../testing/corpus.ts";
import { withMorePermissions } from "./install.ts";
import { simulatedFiles, stagedConfig } from "./publish_check.ts";
import { ROOT } from "./steps.ts";
import { COMMAND_PACKAGES, jsrConfig, lockOf } from "./sync_jsr.ts";

Deno.test("jsrConfig() drops the links and the lock file, nothing else", () => {
  const config = { name: "@a/b", imports: { "@std/path": "jsr:@std/path@^1" }, links: ["./shims/std_path"] };
  assertEquals(JSON.parse(jsrConfig(JSON.stringify(config))), {
    name: "@a/b",
    imports: { "@std/path": "jsr:@std/path@^1" },
    lock: false,
  });
});

toolTest("bash", "an installed launcher gives further permissions to those who need them", async (bash) => {
  const deno = `#!/bin/sh\nexec deno run ${
    PERMISSIONS.map((each) => `'${each}'`).join(" ")
  } tilewright.js "$@"`;
  const launcher = withMorePermissions(deno).replaceAll("exec deno run", "exec printf '%s\\n'");
  const started = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await new Deno.Command(bash, { args: ["--posix", "-c", launcher, "sh", ...args] })
      .output();
    return new TextDecoder().decode(stdout).trimEnd().split("\n");
  };
  for (
    const args of [
      ["report", "a b.mlir", "--serve"],
      ["report", "--serve", "x"],
      ["optimize", "x", "--confirm"],
      [
        "confirm",
        "x",
      ],
      ["optimize", "x"],
      ["report", "x"],
      ["simulate", "--serve"],
    ]
  ) {
    const given = await started(...args);
    assertEquals(
      new Set(given.filter((word) => word.startsWith("--allow"))),
      new Set([...PERMISSIONS, ...permissionsFor(args)]),
    );
    assertEquals(given.slice(-args.length), args);
  }
  assertThrows(() => withMorePermissions("@echo off"), RangeError, "launcher");
});

Deno.test("lockOf() keeps the named packages, each of which stands alone", () => {
  const lock = {
    version: "5",
    specifiers: { "npm:a@^1": "1.0.0", "npm:b@2": "2.0.0" },
    npm: { "a@1.0.0": { integrity: "x" }, "b@2.0.0": { integrity: "y", dependencies: ["a"] } },
    workspace: { dependencies: ["npm:a@^1", "npm:b@2"] },
  };
  assertEquals(JSON.parse(lockOf(JSON.stringify(lock), ["a"])), {
    ...lock,
    specifiers: { "npm:a@^1": "1.0.0" },
    npm: { "a@1.0.0": { integrity: "x" } },
  });
  for (const name of ["b", "c"]) assertThrows(() => lockOf(JSON.stringify(lock), [name]), RangeError, name);
});

/** Names that the modules of a folder import and that are no paths, without those of tests and of `mcp`. */
async function* bareImports(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) {
      if (!["testing", "testdata", "mcp"].includes(name)) yield* bareImports(path);
    } else if (name.endsWith(".ts") && !name.endsWith("_test.ts") && path !== "cli/run/mcp.ts") {
      const text = await Deno.readTextFile(join(ROOT, path));
      for (
        const [, specifier = ""] of text.matchAll(/^(?:import|export|\}).*(?:from|^import) "([^".][^"]*)";/gm)
      ) {
        if (!specifier.startsWith("node:")) yield specifier;
      }
    }
  }
}

Deno.test("commands import the packages of cli/deno.lock and no others", async () => {
  const used = new Set<string>();
  for (const folder of ["lib", "sim", "pipeline", "cli"]) {
    for await (const specifier of bareImports(folder)) {
      const [package_ = ""] = Object.entries(config.imports).filter(([name]) =>
        specifier === name || specifier.startsWith(`${name}/`)
      ).map(([, target]) => target);
      assert(package_ !== "", specifier);
      // In a checkout, packages of JSR are parts of one of npm.
      used.add(package_.startsWith("jsr:") ? "deno-std" : package_.replace(/^npm:|@[^@]*$/g, ""));
    }
  }
  assertEquals([...used].sort(), [...COMMAND_PACKAGES]);
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
