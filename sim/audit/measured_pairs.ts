// SPDX-License-Identifier: Apache-2.0
import type { RowModel } from "./row_model.ts";
import { quantile } from "./statistics.ts";

/** Two measurements of one op on one chip that differ in a single parameter that a plan decides. */
export interface MeasuredPair {
  /** Report group of both. */
  readonly family: string;
  /** The parameter that differs. */
  readonly parameter: string;
  /** One run. */
  readonly a: RowModel;
  /** The other. */
  readonly b: RowModel;
  /** Median time of the repeats of `a` over that of `b`. */
  readonly measuredRatio: number;
}

/** Parameters that a plan decides, by the names of both collections. */
const DECIDED: ReadonlySet<string> = new Set([
  ...["kernel", "program", "factory", "route", "algorithm", "implementation", "variant", "mode", "plan"],
  ...["cores", "in0_cores", "grid", "core_grid", "grid_cores", "mm_grid", "max_cores_per_head_batch"],
  ...["in0_block_w", "subblock", "out_subblock", "num_out_blocks", "blocks", "block", "config"],
  ...["q_chunk", "k_chunk", "chunks", "block_size", "slices"],
  ...["fidelity", "fp32_dest_acc", "packer_l1_acc", "exp", "math_approx"],
  ...["dtype", "dtypes", "weights", "activations", "kv_dtype"],
  ...["memory", "in0", "in1", "out", "q", "kv", "shard", "paged", "weights_layout"],
  ...["layout", "page_layout", "input_layout", "in_layout", "out_layout"],
  ...["act_double_buffer", "weights_double_buffer", "activation_reuse", "double_buffer", "split_reader"],
  ...["links", "workers", "workers_per_link", "chunk", "topology"],
]);

/** Parameters by which a row restricts its op to certain cores. */
const GRID = ["cores", "grid", "core_grid"] as const;

function isDecided(name: string): boolean {
  return DECIDED.has(name) || name.startsWith("layout.");
}

/** Parameters about the run or its result, not about what was run. */
const LABEL =
  /(_us|_ns|cycles|_gbs)$|^(step|model|role|test|note|what|stage|samples|id|layer|seq|trace|k_chunk_effective|active_cores)$/;

/**
 * The pairs of a file: rows of one group, chip and unit that are equal in all parameters but one that a plan decides,
 * which both state. Repeats of one configuration count once, with their median time. In the order of the rows.
 */
export function measuredPairs(rows: readonly RowModel[]): readonly MeasuredPair[] {
  const runs = distinctRuns(rows);
  const pairs: MeasuredPair[] = [];
  const parameters = new Set(runs.flatMap(({ facts }) => [...facts.keys()]).filter(isDecided));
  for (const parameter of parameters) {
    const equivalent = Map.groupBy(
      runs.filter(({ facts }) => facts.has(parameter)),
      ({ scope, facts }) => `${scope} ${JSON.stringify([...facts].filter(([name]) => name !== parameter))}`,
    );
    for (const group of equivalent.values()) {
      for (const [index, a] of group.entries()) {
        for (const b of group.slice(index + 1)) {
          pairs.push({ family: a.row.group, parameter, a: a.row, b: b.row, measuredRatio: a.time / b.time });
        }
      }
    }
  }
  return pairs;
}

interface ConfigurationRuns {
  readonly row: RowModel;
  /** Facts that two rows of a pair share, whatever the pair compares. */
  readonly scope: string;
  /** Parameters by name, in alphabetical order, without labels. */
  readonly facts: ReadonlyMap<string, string>;
  readonly time: number;
}

function distinctRuns(rows: readonly RowModel[]): readonly ConfigurationRuns[] {
  const repeats = new Map<string, { run: Omit<ConfigurationRuns, "time">; times: number[] }>();
  for (const row of rows) {
    if (row.parameters === undefined) continue;
    // A row that says its cores differs by them from another one: they are none of what both share.
    const grid = GRID.some((name) => row.parameters?.[name] !== undefined)
      ? ""
      : row.workerGrid?.join("x") ?? "";
    const scope = [row.group, row.device, row.unit, grid].join(" ");
    const facts = new Map(
      Object.entries(row.parameters).filter(([name]) => !LABEL.test(name)).sort(([a], [b]) => a < b ? -1 : 1),
    );
    const key = `${scope} ${JSON.stringify([...facts])}`;
    const run = { row, scope, facts };
    repeats.getOrInsertComputed(key, () => ({ run, times: [] })).times.push(row.measured);
  }
  return [...repeats.values()].map(({ run, times }) => ({
    ...run,
    time: quantile(times.toSorted((a, b) => a - b), 0.5),
  }));
}
