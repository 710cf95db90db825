// SPDX-License-Identifier: Apache-2.0
import { option, options, type OptionSpec, type PipelineWord } from "../command.ts";
import { POLICIES, POLICY_OPTIONS } from "../policy_manifest.ts";
import { GRAPH_OPTIONS } from "./graph_options.ts";

/** Names for `--policy` and similar options. */
export const POLICY_NAMES: readonly string[] = POLICIES.map(({ name }) => name);

export const POLICY: OptionSpec = option("policy NAME", "Policy: " + POLICY_NAMES.join(", "), {
  suggestions: POLICY_NAMES,
  default: "auto",
  pipeline: [
    // The chain optimizer ran if the pass-based one was switched off (tt-mlir:dfsharding).
    {
      name: "enable-greedy-optimizer",
      values: { "false": "df-sharding", "0": "df-sharding" },
      takesOurs: false,
    },
    {
      name: "memory-layout-analysis-policy",
      values: Object.fromEntries(
        POLICIES.flatMap(({ name, compilerName }) =>
          compilerName === undefined ? [] : [[compilerName, name]]
        ),
      ),
      takesOurs: true,
    },
    {
      name: "enable-greedy-optimizer",
      values: { "": "beam", "true": "beam", "1": "beam" },
      takesOurs: false,
    },
  ],
});

/** A name that an option had in 2024, with the same values (tt-mlir:options). */
function formerName(name: string): PipelineWord {
  return { name, values: {}, takesOurs: true };
}

/** Upstream's words for policy options, by our name. */
const PIPELINE_WORDS: Readonly<Record<string, readonly PipelineWord[]>> = {
  // Upstream shards the weights of all decode matmuls over the DRAM banks; this shards those that gain
  // (tt-mlir:dram-sharded-draft).
  "free": [{
    name: "enable-dram-sharded-matmul",
    values: { "": "+weights", "true": "+weights", "1": "+weights", "false": "-weights", "0": "-weights" },
    takesOurs: false,
  }],
  "override-output-layout": [formerName("override-grid-sizes")],
  "insert-memreconfig": [formerName("insert-reshard")],
  "memreconfig-enabled": [formerName("resharding-enabled")],
};

/**
 * Options of commands that decide layouts: the optimization level, every option that some policy reads, and what
 * changes the graph before.
 */
export const DECISION_OPTIONS: readonly OptionSpec[] = options(
  "optimization-level 0|1|2|3 (one of 0|1|2|3, default 2) — 0 keeps everything DRAM interleaved, 1 uses no sharding, 2 does, 3 also ranks by predicted time instead of cores",
  "enable-optimizer (default true) — Off is --optimization-level 0",
  option("memory-layout-analysis-enabled", "Off is at most --optimization-level 1", {
    default: true,
    pipeline: [formerName("sharding-pass-enabled")],
  }),
  ...POLICY_OPTIONS.map((spec): OptionSpec => {
    const pipeline = PIPELINE_WORDS[spec.name];
    return pipeline === undefined ? spec : { ...spec, pipeline };
  }),
  "allow NAMES — What freed formats and fidelities may become: bfp8, bfp4, hifi2, lofi; default: bfp8,hifi2,lofi",
  ...GRAPH_OPTIONS,
);

/**
 * Policy options that the command itself reads, independent of the policy.
 *
 * @throws {RangeError} for a name that no policy knows
 */
export function ownOptions(...names: readonly string[]): readonly OptionSpec[] {
  return names.map((name) => {
    const spec = POLICY_OPTIONS.find((candidate) => candidate.name === name);
    if (spec === undefined) throw new RangeError(`Cannot offer --${name}: no policy reads it`);
    const { readBy: _, ...own } = spec;
    return own;
  });
}
