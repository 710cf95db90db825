// SPDX-License-Identifier: Apache-2.0

/**
 * Decisions of tt-mlir's compiler and of ours as compact tables, and how alike they are.
 *
 * @module
 */

import { align } from "../sim/audit/run/pair_run.ts";
import { isDecided } from "../lib/graph/function_role.ts";
import { type Graph, type GraphFunction, type GraphOp, valueAt } from "../lib/graph/graph.ts";
import { readGraph } from "../lib/graph/read_graph.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { describeLayoutOr } from "../lib/layout/describe.ts";
import type { OpSpecificAttributes } from "../lib/op_config/op_config.ts";
import { parseOpConfig } from "../lib/op_config/parse.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { optimizeModule } from "../pipeline/optimize.ts";
import { BOOKKEEPING } from "./op_multiset.ts";

/** What was decided for one op. */
export interface UpstreamDecision {
  /** Without the dialect. */
  readonly op: string;
  /** Extents of the first result. */
  readonly shape: string;
  /** Memory, kind and grid of the first result, as `describeLayout` spells them. */
  readonly result: string;
  /** The same of each operand; `-` for what is no tensor. */
  readonly operands: readonly string[];
  /** The program config of a product, the sharding of a convolution; empty for none. */
  readonly config: string;
}

/** Columns of a table, in order. */
const COLUMNS = ["op", "shape", "result", "operands", "config"] as const;

/** The decisions of a module, op by op, without moves between layouts. */
export function decisionsOf(graph: Graph): readonly UpstreamDecision[] {
  return graph.functions.filter(isDecided).flatMap((fn) =>
    fn.ops.filter(({ name, results }) =>
      name.startsWith("ttnn.") && !BOOKKEEPING.has(name) && results.length > 0
    )
      .map((op) => decisionOf(fn, op))
  );
}

function decisionOf(fn: GraphFunction, { name, attributes, operands, results }: GraphOp): UpstreamDecision {
  const layoutAt = (id: typeof operands[number]): string => describeLayoutOr(valueAt(fn, id).layout, "-");
  const [result] = results;
  return {
    op: name.slice("ttnn.".length),
    shape: result === undefined ? "" : valueAt(fn, result).tensor?.shape.join("x") ?? "",
    result: result === undefined ? "-" : layoutAt(result),
    operands: operands.map(layoutAt),
    config: configText(parseOpConfig(name, attributes)),
  };
}

/** What a search decides of a config, in a word per fact. */
function configText(config: OpSpecificAttributes | undefined): string {
  if (config?.kind === "conv2d") {
    const { shardLayout = "", actBlockHOverride } = config.conv2dConfig ?? {};
    return actBlockHOverride === undefined
      ? shardLayout
      : `${shardLayout} act_block_h=${actBlockHOverride}`.trim();
  }
  if (config?.kind !== "matmul" || config.programConfig === undefined) return "";
  const { kind, ...fields } = config.programConfig;
  return Object.entries({ kind: kind.replace("matmul_multi_core_", ""), ...fields })
    .filter(([field]) => field !== "hopCores")
    .map(([field, value]) => `${field}=${typeof value === "object" ? JSON.stringify(value) : value}`)
    .toSorted()
    .join(" ");
}

/** A table as text: a line of columns, a line per op. */
export function writeDecisions(decisions: readonly UpstreamDecision[]): string {
  const lines = decisions.map((decision) =>
    COLUMNS.map((column) => column === "operands" ? decision.operands.join(" ") : decision[column]).join("\t")
  );
  return [COLUMNS.join("\t"), ...lines, ""].join("\n");
}

/** Reads what {@linkcode writeDecisions} wrote. @throws {Error} for another table */
export function readDecisions(text: string): readonly UpstreamDecision[] {
  const [head, ...lines] = text.trimEnd().split("\n");
  if (head !== COLUMNS.join("\t")) throw new Error(`Cannot read decisions below the columns '${head}'`);
  return lines.map((line) => {
    const [op = "", shape = "", result = "", operands = "", config = ""] = line.split("\t");
    return { op, shape, result, operands: operands === "" ? [] : operands.split(" "), config };
  });
}

/** What `greedy` decides for a graph that was not optimized yet, left as it is; and on which device. */
export function greedyDecisions(
  text: string,
  fileName: string,
): { readonly device: string; readonly status: string; readonly decisions: readonly UpstreamDecision[] } {
  const loaded = loadModule(text, { fileName, passes: "none" });
  const optimized = optimizeModule(loaded, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
  return {
    device: loaded.device.name,
    status: optimized.memory.verdict.status,
    decisions: decisionsOf(readGraph(parseModule(optimized.text, fileName), loaded.chip.workerGrid).graph),
  };
}

/** The decisions of a text that another compiler wrote. */
export function writtenDecisions(text: string, fileName: string): readonly UpstreamDecision[] {
  return decisionsOf(loadModule(text, { fileName }).binding.graph);
}

/** An op that is decided in two ways. */
export interface DecisionDifference {
  readonly ours: UpstreamDecision;
  readonly theirs: UpstreamDecision;
  /** Whether both read their operands in the same layouts: then the op itself is the cause. */
  readonly isRoot: boolean;
}

/** How alike two lists of decisions are; counts are of ops that both have. */
export interface DecisionAgreement {
  readonly ops: number;
  /** With results in the same memory, DRAM or L1. */
  readonly memories: number;
  /** With results of the same memory, kind and grid. */
  readonly results: number;
  /** The same, with operands in the same layouts as well. */
  readonly operands: number;
  /** With a config on either side. */
  readonly configured: number;
  /** With the same config on both sides. */
  readonly configs: number;
  /** Ops that only one side has. */
  readonly alone: number;
  /** Ops whose results differ. */
  readonly differences: readonly DecisionDifference[];
}

/** Compares decisions for one graph, ops matched by name and shape in order. */
export function agreementOf(
  ours: readonly UpstreamDecision[],
  theirs: readonly UpstreamDecision[],
): DecisionAgreement {
  const pairs: (readonly [UpstreamDecision, UpstreamDecision])[] = [];
  const key = ({ op, shape }: UpstreamDecision): string => `${op} ${shape}`;
  align(ours, theirs, key, key, (a, b) => pairs.push([a, b]));
  const count = (holds: (a: UpstreamDecision, b: UpstreamDecision) => boolean): number =>
    pairs.filter(([a, b]) => holds(a, b)).length;
  // Weights that the compiler prepared on the device are not decided here.
  const readsEqual = (a: UpstreamDecision, b: UpstreamDecision): boolean =>
    a.operands.every((layout, operand) =>
      layout === b.operands[operand] || layout.startsWith("system_memory")
    );
  return {
    ops: pairs.length,
    memories: count((a, b) => a.result.split("/")[0] === b.result.split("/")[0]),
    results: count((a, b) => a.result === b.result),
    operands: count((a, b) => a.result === b.result && readsEqual(a, b)),
    configured: count((a, b) => a.config !== "" || b.config !== ""),
    configs: count((a, b) => a.config !== "" && a.config === b.config),
    alone: ours.length + theirs.length - 2 * pairs.length,
    differences: pairs.filter(([a, b]) => a.result !== b.result)
      .map(([a, b]) => ({ ours: a, theirs: b, isRoot: readsEqual(a, b) })),
  };
}
