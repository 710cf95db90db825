// SPDX-License-Identifier: Apache-2.0
import type { ReconfigEdge, ShardSolver, SolverPhase } from "./shard_solver.ts";

/** Paths shown per path set; further ones are only counted. */
const MAX_PATHS = 16;

/**
 * The solver's state after a phase, in the terms of tt-mlir's ShardSolver deep dive: bitsets, path sets, conversions,
 * selection. Lines end without a newline.
 */
export function renderSolverPhase(phase: SolverPhase, solver: ShardSolver): string {
  const names = solver.problem.ops.map((op) => op.name);
  const name = (op: number): string => names[op] ?? `op ${op}`;
  const lines = [title(phase, name)];
  if (phase.kind === "constructor") {
    names.forEach((own, op) => {
      const edges = solver.problem.edges.filter((edge) => edge.consumer === op);
      const list = edges.map((edge) => `Edge(${name(edge.producer)}, ${own}, ${edge.operand})`).join(", ");
      lines.push(`  operandOpEdges[${own}] = [${list}]`);
    });
    return lines.join("\n");
  }
  if (phase.kind === "finish") {
    const selected = names.map((own, op) => `${own}: config${solver.selectedConfig(op)}`);
    lines.push(`  selectedOpConfig = {${selected.join(", ")}}`);
    lines.push(...memReconfigLines(solver, name));
    return lines.join("\n");
  }
  names.forEach((own, op) => {
    if (!solver.hasBitset(op)) {
      lines.push(`  bitset[${own}] = (not created yet)`);
      return;
    }
    const live = solver.liveConfigs(op);
    const configs = `${live.length === 1 ? "config" : "configs"} ${compactList(live) || "none"}`;
    lines.push(`  bitset[${own}] = ${solver.bitsetText(op)}  ${configs}`);
  });
  solver.pathSets.forEach((pathSet, index) => {
    const { producer, consumer, operand } = pathSet.edge;
    const paths = pathSet.paths;
    const shown = paths.slice(0, MAX_PATHS).map((path) => `Path(${path.producerId}, ${path.consumerId})`);
    if (paths.length > MAX_PATHS) shown.push(`… ${paths.length - MAX_PATHS} more`);
    lines.push(
      `  pathSets[${index}] = Edge(${name(producer)}, ${name(consumer)}, ${operand}) [${shown.join(", ")}]`,
    );
  });
  lines.push(...memReconfigLines(solver, name));
  return lines.join("\n");
}

function title(phase: SolverPhase, name: (op: number) => string): string {
  switch (phase.kind) {
    case "constructor":
      return "After constructor";
    case "preprocessFirstOp":
      return "After preprocessFirstOp()";
    case "insertReshard":
      return `After insertReshard(${describeEdge(phase.edge, name)})`;
    case "processOp":
      return `After processing ${name(phase.op)} in resolveStep()`;
    case "updateSolver":
      return "After updateSolver() calls";
    case "set":
      return `After set(${name(phase.op)}, config${phase.config})`;
    case "finish":
      return "After finish()";
  }
}

function memReconfigLines(solver: ShardSolver, name: (op: number) => string): string[] {
  return solver.memReconfigs.map(([edge, entry]) => {
    const configs = compactList([...entry.reshardLayouts.keys()].toSorted((a, b) => a - b));
    const selected = entry.selected === undefined ? "" : `, selected config ${entry.selected}`;
    return `  memReconfig[${describeEdge(edge, name)}] = configs ${configs}${selected}`;
  });
}

function describeEdge(edge: ReconfigEdge, name: (op: number) => string): string {
  return `${name(edge.consumer)}, operand ${edge.operand}`;
}

/** Ascending numbers with runs of three or more folded: `0, 2, 5-9`. */
function compactList(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < numbers.length;) {
    let end = start;
    while (end + 1 < numbers.length && numbers[end + 1] === (numbers[end] ?? 0) + 1) end++;
    if (end - start >= 2) {
      parts.push(`${numbers[start]}-${numbers[end]}`);
      start = end + 1;
    } else {
      parts.push(`${numbers[start]}`);
      start++;
    }
  }
  return parts.join(", ");
}
