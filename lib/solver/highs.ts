// SPDX-License-Identifier: Apache-2.0
import type { Highs, Model } from "highs";
import type { BinaryProgram, BinarySolution, SolveBinaryProgram, SolveLimits } from "./binary_program.ts";

/**
 * Loads HiGHS (WebAssembly) and returns it as a solver of 0/1 programs. Takes some 100 ms, once.
 *
 * @example
 * ```ts
 * import { loadHighs } from "@tilewright/tilewright/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const solve = await loadHighs();
 * // The cheapest choice with at least one of two: -x - y <= -1.
 * const program = { costs: [3, 2], rows: [{ terms: [[0, -1], [1, -1]], bound: -1 }] } as const;
 * assertEquals(solve(program, { relativeGap: 0, nodes: 100 }).values, [false, true]);
 * ```
 *
 * @throws {TypeError} when the package is none that can be loaded
 */
export async function loadHighs(): Promise<SolveBinaryProgram> {
  // Loaded only when asked for. The package's types describe its CommonJS form, what is loaded is the module form.
  const { default: loader }: { readonly default: unknown } = await import("highs");
  if (!isLoader(loader)) throw new TypeError("Cannot load HiGHS: the package exports no loader");
  const runtime = await loader();
  return (program, limits) => solve(runtime, program, limits);
}

function isLoader(value: unknown): value is () => Promise<Highs> {
  return typeof value === "function";
}

function solve(highs: Highs, program: BinaryProgram, limits: SolveLimits): BinarySolution {
  const variables = program.costs.length;
  const source = {
    numCols: variables,
    numRows: program.rows.length,
    colCost: program.costs,
    colLower: new Array<number>(variables).fill(0),
    colUpper: new Array<number>(variables).fill(1),
    rowLower: new Array<number>(program.rows.length).fill(-highs.infinity),
    rowUpper: program.rows.map((row) => row.bound),
    matrix: {
      format: "csr" as const,
      numRows: program.rows.length,
      numCols: variables,
      starts: rowStarts(program),
      indices: program.rows.flatMap((row) => row.terms.map(([variable]) => variable)),
      values: program.rows.flatMap((row) => row.terms.map(([, coefficient]) => coefficient)),
    },
    integrality: new Array(variables).fill(highs.constants.variableType.integer),
  };
  return highs.withModel(source, (model) => {
    model.options.set({
      output_flag: false,
      mip_rel_gap: limits.relativeGap,
      mip_abs_gap: 0,
      mip_max_nodes: limits.nodes,
    });
    model.run();
    return readSolution(highs, model);
  });
}

function rowStarts(program: BinaryProgram): number[] {
  const starts = [0];
  for (const row of program.rows) starts.push((starts.at(-1) ?? 0) + row.terms.length);
  return starts;
}

function readSolution(highs: Highs, model: Model): BinarySolution {
  const status = model.getModelStatus();
  const { modelStatus } = highs.constants;
  if (status === modelStatus.infeasible) {
    return { status: "infeasible", objective: Infinity, bound: Infinity, values: [] };
  }
  const bound = Number(model.info.get("mip_dual_bound"));
  const objective = model.getObjectiveValue();
  if (!Number.isFinite(objective) || Number(model.info.get("primal_solution_status")) !== 2) {
    return { status: "unknown", objective: Infinity, bound, values: [] };
  }
  return {
    status: status === modelStatus.optimal ? "optimal" : "feasible",
    objective,
    bound,
    values: Array.from(model.getSolution().colValue, (value) => value > 0.5),
  };
}
