// SPDX-License-Identifier: Apache-2.0

/**
 * The command line as one program: the entry of `deno bundle` and `deno compile`. Unlike `main.ts` it names
 * the code of every command, so that the bundle contains all of it.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };
import { serveBench } from "./bench_thread.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./command_table.ts";
import { denoHostWithThreads } from "./deno_host.ts";
import { runCommandLine } from "./dispatch.ts";

const CODE: Readonly<Record<string, NonNullable<Command["load"]>>> = {
  advise: () => import("./run/advise.ts"),
  audit: () => import("./run/audit.ts"),
  bench: () => import("./run/bench.ts"),
  calibrate: () => import("./run/calibrate.ts"),
  completions: () => import("./run/completions.ts"),
  confirm: () => import("./run/confirm.ts"),
  devices: () => import("./run/devices.ts"),
  diff: () => import("./run/diff.ts"),
  doctor: () => import("./run/doctor.ts"),
  explain: () => import("./run/explain.ts"),
  layout: () => import("./run/layout.ts"),
  lint: () => import("./run/lint.ts"),
  mcp: () => import("./run/mcp.ts"),
  minimise: () => import("./run/minimise.ts"),
  ops: () => import("./run/ops.ts"),
  optimize: () => import("./run/optimize.ts"),
  price: () => import("./run/price.ts"),
  print: () => import("./run/print.ts"),
  report: () => import("./run/report.ts"),
  serve: () => import("./run/serve.ts"),
  simulate: () => import("./run/simulate.ts"),
};

/** The command table with the code in a bundle. */
export const BUNDLED_COMMANDS: readonly Command[] = COMMANDS.map((command) => {
  const load = CODE[command.name];
  if (load === undefined) throw new Error(`Cannot bundle ${command.name}: name its code in cli/bundled.ts`);
  return { ...command, load };
});

/** URL fragment under which the bundle is its own thread. */
const THREAD = "#thread";

if (import.meta.url.endsWith(THREAD)) serveBench();
else if (import.meta.main) {
  const host = denoHostWithThreads(new URL(THREAD, import.meta.url));
  Deno.exitCode = await runCommandLine(Deno.args, host, config.version, BUNDLED_COMMANDS);
}
