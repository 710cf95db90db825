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

/** Code that commands load at run time: an executable contains the code that is named here. */
export const LOADED_LATER: readonly (() => Promise<unknown>)[] = [
  () => import("../lib/lowering/lower_module.ts"),
  () => import("../lib/policy/policies/every_policy.ts"),
  () => import("../lib/python/capture/read_capture.ts"),
  () => import("../pipeline/lower_bound.ts"),
  () => import("../pipeline/offered_layouts.ts"),
  () => import("../pipeline/pins.ts"),
  () => import("../pipeline/python_program.ts"),
  () => import("../sim/export/model_explorer.ts"),
  () => import("./jsonc.ts"),
  () => import("./run/audit/against_backend.ts"),
  () => import("./run/confirm/decide_by_backend.ts"),
  () => import("./run/confirm/decide_confirmed.ts"),
  () => import("./run/print_analysis.ts"),
  () => import("./run/report_visualizer.ts"),
  () => import("./run_command.ts"),
  () => import("./serve_page.ts"),
  () => import("./start_program.ts"),
];

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
