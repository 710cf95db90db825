// SPDX-License-Identifier: Apache-2.0
import {
  PASS_SELECTIONS,
  PASS_SWITCHES,
  type PassOptions,
  WEIGHT_FORMATS,
} from "../lib/passes/pass_options.ts";
import { freeOf, parseFreeWords } from "../lib/policy/free.ts";
import { FREE, KEEP } from "../lib/policy/options.ts";
import { fidelityNamed } from "../lib/op_config/math_fidelity.ts";
import type { ComputeKernelConfig } from "../lib/op_config/op_config.ts";
import type { Options } from "./command.ts";
import { freedOptions } from "./freed_options.ts";

/** Options of the other fields of compute configs. */
const COMPUTE_FLAGS = {
  "compute-cfg-fp32-dest-acc-en": "fp32DestAccEn",
  "compute-cfg-math-approx-mode": "mathApproxMode",
  "compute-cfg-packer-l1-acc": "packerL1Acc",
  "compute-cfg-dst-full-sync-en": "dstFullSyncEn",
} as const;

/**
 * Load options of commands that decide layouts: with graph passes, unless `--keep-graph` is given.
 *
 * @param leftOut names of patterns that are left out
 */
export function decidedGraph(
  given: Options,
  leftOut?: ReadonlySet<string>,
): { readonly passes: PassOptions | "none"; readonly isStrict: boolean } {
  const options = freedOptions(given);
  return { passes: passOptions(options, leftOut), isStrict: options.flag("strict") };
}

function passOptions(options: Options, leftOut: ReadonlySet<string> = new Set()): PassOptions | "none" {
  if (options.flag("keep-graph")) return "none";
  const selection = PASS_SELECTIONS.find((name) => name === options.text("graph-passes"));
  const weightDtype = WEIGHT_FORMATS.find((name) => name === options.text("experimental-weight-dtype"));
  const computeConfig = computeFields(options);
  const free = parseFreeWords(options.text(FREE.name) ?? "");
  const freed = freeOf({ free: [] }, { free });
  const keptOps = KEEP.read(options.text(KEEP.name));
  return {
    off: new Set(PASS_SWITCHES.filter((name) => !options.flag(name))),
    ...(selection === undefined ? {} : { selection }),
    ...(weightDtype === undefined ? {} : { weightDtype }),
    ...(computeConfig === undefined ? {} : { computeConfig }),
    ...(freed.includes("inputs") ? { freesInputs: true } : {}),
    ...(freed.includes("results") ? { freesResults: true } : {}),
    ...(keptOps.size === 0 ? {} : { keptOps }),
    ...(leftOut.size === 0 ? {} : { leftOut }),
  };
}

/** The fields of `--compute-cfg-…`; `undefined` if none is given. */
function computeFields(options: Options): ComputeKernelConfig | undefined {
  const fidelity = options.text("compute-cfg-math-fidelity");
  const mathFidelity = fidelityNamed(fidelity ?? "");
  const flags = Object.entries(COMPUTE_FLAGS).flatMap(([option, field]) => {
    const given = options.text(option);
    return given === "true" || given === "false" ? [[field, given === "true"] as const] : [];
  });
  if (fidelity === undefined && flags.length === 0) return undefined;
  return { ...Object.fromEntries(flags), ...(mathFidelity === undefined ? {} : { mathFidelity }) };
}
