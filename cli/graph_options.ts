// SPDX-License-Identifier: Apache-2.0
import {
  PASS_SELECTIONS,
  PASS_SWITCHES,
  type PassOptions,
  WEIGHT_FORMATS,
} from "../lib/passes/pass_options.ts";
import { freeOf, parseFreeWords } from "../lib/policy/free.ts";
import { FREE, KEEP } from "../lib/policy/options.ts";
import type { Options } from "./command.ts";
import { freedOptions } from "./freed_options.ts";

const FIDELITIES = ["lofi", "hifi2", "hifi3", "hifi4", "undefined"] as const;

/** Load options of commands that decide layouts: with graph passes, unless `--keep-graph` is given. */
export function decidedGraph(
  given: Options,
): { readonly passes: PassOptions | "none"; readonly isStrict: boolean } {
  const options = freedOptions(given);
  return { passes: passOptions(options), isStrict: options.flag("strict") };
}

function passOptions(options: Options): PassOptions | "none" {
  if (options.flag("keep-graph")) return "none";
  const selection = PASS_SELECTIONS.find((name) => name === options.text("graph-passes"));
  const weightDtype = WEIGHT_FORMATS.find((name) => name === options.text("experimental-weight-dtype"));
  const mathFidelity = FIDELITIES.find((name) => name === options.text("compute-cfg-math-fidelity"));
  const free = parseFreeWords(options.text(FREE.name) ?? "");
  const freesInputs = freeOf({ free: [] }, { free }).includes("inputs");
  const keptOps = KEEP.read(options.text(KEEP.name));
  const accumulates = options.text("compute-cfg-fp32-dest-acc-en");
  return {
    off: new Set(PASS_SWITCHES.filter((name) => !options.flag(name))),
    ...(selection === undefined ? {} : { selection }),
    ...(weightDtype === undefined ? {} : { weightDtype }),
    ...(mathFidelity === undefined ? {} : { mathFidelity }),
    ...(freesInputs ? { freesInputs } : {}),
    ...(keptOps.size === 0 ? {} : { keptOps }),
    ...(accumulates === undefined ? {} : { fp32DestAccEn: accumulates === "true" }),
  };
}
