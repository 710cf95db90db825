// SPDX-License-Identifier: Apache-2.0
import { FULL_RUN, type RunAssumptions } from "../lib/programs/op_launch.ts";
import type { AssumptionUse } from "../sim/timeline/timeline.ts";
import { COMMAND_LINE, type Options, UsageError } from "./command.ts";

/**
 * Assumptions of the command line about a run: `--cache-filled 25%` or a number of positions, `--active-users N`,
 * `--active-experts N`.
 *
 * @throws {UsageError} for a share outside of 0 to 100 %, or a number of positions that is not whole
 */
export function runAssumptions(options: Options): RunAssumptions {
  const filled = options.text("cache-filled");
  return {
    cacheFill: filled === undefined ? FULL_RUN.cacheFill : readFill(filled),
    activeUsers: options.number("active-users"),
    activeExperts: options.number("active-experts"),
  };
}

/**
 * Warns of assumptions on the command line that no time depends on. In the environment or the configuration
 * file, which are written for several runs, they are no mistake.
 *
 * @param uses assumptions of the program's times
 */
export function unusedAssumptionWarnings(options: Options, uses: readonly AssumptionUse[]): string {
  return ASSUMPTIONS.filter((name) =>
    options.origin(name) === COMMAND_LINE && !uses.some(({ option }) => option === name)
  ).map((name) => `warning: --${name} has no effect: no time of the program depends on it\n`).join("");
}

/**
 * Options about weights that change nothing in a written program: a pattern of values that ask for something, what the text
 * has where it was done, and what it takes.
 */
const OF_WEIGHTS: readonly (readonly [option: string, asks: RegExp, done: RegExp, takes: string])[] = [
  [
    "free",
    /(?:^|,|\+)weights\b/,
    /dram_sharded_program_config/,
    "shards of weights over the banks of DRAM (enable-dram-sharded-matmul) change nothing: no product here has a result of one row of tiles, reads its weight from constants and gains by them",
  ],
  [
    "experimental-weight-dtype",
    /^bfp/,
    /bfp_bf[48]/,
    "no product or convolution here reads a weight from constants that could take another format",
  ],
];

/** Warns of given options about weights that change nothing in the text that was written. */
export function unusedWeightWarnings(options: Options, text: string): string {
  return OF_WEIGHTS.flatMap(([name, asks, done, takes]) => {
    const origin = options.origin(name);
    // Not of files and the environment, which are written for several runs.
    const isGiven = origin === COMMAND_LINE || origin.startsWith("--ttir-to-ttnn");
    if (!isGiven || !asks.test(options.text(name) ?? "") || done.test(text)) return [];
    return [`warning: ${origin === COMMAND_LINE ? `--${name}` : origin}: ${takes}\n`];
  }).join("");
}

const ASSUMPTIONS = ["cache-filled", "active-users", "active-experts"] as const;

function readFill(text: string): RunAssumptions["cacheFill"] {
  const [, number = "", percent] = /^(\d+(?:\.\d+)?)(%)?$/.exec(text.trim()) ?? [];
  const value = Number(number);
  if (number !== "" && percent === "%" && value > 0 && value <= 100) {
    return { kind: "share", share: value / 100 };
  }
  if (number !== "" && percent === undefined && Number.isInteger(value) && value >= 1) {
    return { kind: "positions", positions: value };
  }
  throw new UsageError(
    `Option --cache-filled takes a share such as 25%, or a number of positions, not '${text}'`,
  );
}
