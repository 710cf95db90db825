#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// Starts the bundle with the flags and permissions that the checkout gives it, on the deno of npm.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const launch = JSON.parse(readFileSync(join(here, "launch.json"), "utf8"));
const given = process.argv.slice(2);
const more = launch.more.find(({ words }) => new RegExp(words).test(` ${given.join(" ")} `));
const runtime = join(dirname(createRequire(import.meta.url).resolve("deno/package.json")), "bin.cjs");
const child = spawn(process.execPath, [
  runtime,
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  `--v8-flags=${launch.v8Flags}`,
  ...(more ?? launch).permissions,
  join(here, "bundled.js"),
  ...given,
], { stdio: "inherit" });
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 130);
});
