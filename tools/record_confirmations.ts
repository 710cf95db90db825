// SPDX-License-Identifier: Apache-2.0

/**
 * Records what the real backend says of a few programs into testdata/confirm, for the tests of `confirm`. Equal programs
 * give equal bytes.
 *
 * Usage: `TILEWRIGHT_TTNN=DIR deno task record:confirm`
 *
 * @module
 */

import { join } from "@std/path";
import { findBackend } from "../cli/backend/environment.ts";
import { denoHost } from "../cli/deno_host.ts";
import type { Host } from "../cli/host.ts";
import { askBackend } from "../cli/run/confirm/ask.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { pythonProgramOf } from "../pipeline/python_program.ts";
import { ROOT } from "./steps.ts";

/** Programs, relative to testdata. */
const RECORDED: readonly string[] = [
  "confirm/crash.mlir",
  "confirm/different.mlir",
  "confirm/refused.mlir",
  "models/mnist.mlir",
];

/** The host, with all that a program says kept per run. */
function listening(runs: string[][]): Host {
  return {
    ...denoHost,
    startProgram: async (start) => {
      const running = await denoHost.startProgram?.(start);
      if (running === undefined) throw new Error("Cannot start Python");
      const said: string[] = [];
      runs.push(said);
      const lines = async function* (): AsyncIterable<string> {
        for await (const line of running.lines) {
          said.push(line);
          yield line;
        }
      };
      return { ...running, lines: lines() };
    },
  };
}

const place = await findBackend(denoHost);
for (const path of RECORDED) {
  const file = join(ROOT, "testdata", path);
  const workbench = loadModule(await Deno.readTextFile(file), { device: "n150", fileName: path });
  const program = pythonProgramOf(workbench.module, workbench, { title: path, standIns: true });
  const runs: string[][] = [];
  await askBackend(listening(runs), place, program, "n150");
  const name = path.replace(/^.*\/|\.mlir$/g, "");
  for (const [index, lines] of runs.entries()) {
    await Deno.writeTextFile(
      join(ROOT, "testdata", "confirm", `${name}.${index + 1}.jsonl`),
      lines.map((line) => `${line}\n`).join(""),
    );
  }
  console.log(`${path}: ${runs.length} runs`);
}
