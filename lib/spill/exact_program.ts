// SPDX-License-Identifier: Apache-2.0
import {
  BinaryProgramBuilder,
  type SolveBinaryProgram,
  type SolveLimits,
  type Term,
} from "../solver/binary_program.ts";
import {
  allResident,
  residencyBytes,
  residencyCost,
  type SpillChoice,
  type SpillProblem,
  type SpillTensor,
  type TensorResidency,
} from "./spill_problem.ts";

/** An optimal or best-known spill choice with its bound. */
export interface ExactSpill {
  readonly choice: SpillChoice;
  /** No choice costs less than this. */
  readonly bound: number;
}

/** Variables of one tensor. */
interface TensorVariables {
  readonly born: number | undefined;
  readonly resident: readonly number[];
  readonly fromL1: readonly number[];
  /** Constant part of the tensor's cost. */
  readonly offset: number;
}

/**
 * Optimal choice as a 0/1 program for a solver. Variables: per tensor and gap between uses, whether it stays in
 * L1; per use, whether L1 is read; one store per tensor; one reload per use that reads L1 without having stayed
 * there.
 *
 * @returns `undefined` if the solver found nothing within its limits; an infinite cost if nothing is feasible
 */
export function solveByBinaryProgram(
  problem: SpillProblem,
  solve: SolveBinaryProgram,
  limits: SolveLimits,
): ExactSpill | undefined {
  const builder = new BinaryProgramBuilder();
  const usage: { constant: number; terms: Term[] }[] = problem.capacity.map(() => ({
    constant: 0,
    terms: [],
  }));
  const variables = problem.tensors.map((tensor) => addTensor(builder, tensor, usage));
  const full = residencyBytes(problem, allResident(problem));
  const impossible: ExactSpill = { choice: { ...allResident(problem), cost: Infinity }, bound: Infinity };
  for (const [step, { constant, terms }] of usage.entries()) {
    const capacity = problem.capacity[step] ?? 0;
    if (terms.length > 0) {
      const neverBinds = (full[step] ?? 0) <= capacity && terms.every(([, bytes]) => bytes >= 0);
      if (!neverBinds) builder.atMost(terms, capacity - constant);
    } else if (constant > capacity) {
      return impossible;
    }
  }
  const solution = solve(builder.build(), limits);
  if (solution.status === "unknown") return undefined;
  if (solution.status === "infeasible") return impossible;
  const on = (variable: number | undefined): boolean =>
    variable !== undefined && solution.values[variable] === true;
  const tensors = variables.map(({ born, resident, fromL1 }): TensorResidency => ({
    born: on(born),
    resident: resident.map(on),
    fromL1: fromL1.map(on),
  }));
  const cost = problem.tensors.reduce((sum, tensor, index) => {
    const residency = tensors[index];
    return residency === undefined ? sum : sum + residencyCost(tensor, residency);
  }, 0);
  const offset = variables.reduce((sum, tensor) => sum + tensor.offset, 0);
  return { choice: { tensors, cost }, bound: solution.bound + offset };
}

function addTensor(
  builder: BinaryProgramBuilder,
  tensor: SpillTensor,
  usage: { constant: number; terms: Term[] }[],
): TensorVariables {
  const spend = (from: number, to: number, terms: readonly Term[], constant = 0): void => {
    for (let step = from; step <= to; step++) {
      const entry = usage[step];
      if (entry === undefined) continue;
      entry.terms.push(...terms);
      entry.constant += constant;
    }
  };
  // A tensor produced in DRAM pays `bornCost` and gets back the cost of the store that it does not need.
  const canStore = tensor.storeCost < Infinity;
  const stored = builder.variable(canStore ? tensor.storeCost : 0);
  const born = tensor.bornCost < Infinity
    ? builder.variable(tensor.bornCost - (canStore ? tensor.storeCost : 0))
    : undefined;
  const resident: number[] = [];
  const fromL1: number[] = [];
  spend(
    tensor.birth,
    tensor.birth,
    born === undefined ? [] : [[born, tensor.bornBytes - tensor.bytes]],
    tensor.bytes,
  );
  let event = tensor.birth;
  let inL1Before: number | undefined;
  let offset = 0;
  tensor.uses.forEach((use, index) => {
    // µs of the use: directCost·(1 − read) + reloadCost·(read − stays), where stays ≤ read.
    const direct = use.directCost < Infinity ? use.directCost : 0;
    const reload = tensor.reloadCost < Infinity ? tensor.reloadCost : 0;
    const stays = builder.variable(-reload);
    const read = builder.variable(reload - direct);
    offset += direct;
    builder.atMost([[stays, 1], [read, -1]], 0);
    if (use.directCost === Infinity) builder.atMost([[read, -1]], -1);
    if (tensor.reloadCost === Infinity) builder.atMost([[read, 1], [stays, -1]], 0);
    builder.atMost([[stays, -1], [stored, -1]], -1);
    if (index === 0 && born !== undefined) builder.atMost([[stays, 1], [born, 1]], 1);
    if (inL1Before !== undefined) builder.atMost([[stays, 1], [inL1Before, -1]], 0);
    spend(event + 1, use.step - 1, [[stays, tensor.bytes]]);
    spend(use.step, use.step, [[read, tensor.bytes - use.directBytes]], use.directBytes);
    resident.push(stays);
    fromL1.push(read);
    event = use.step;
    inL1Before = read;
  });
  if (born !== undefined) builder.atMost([[born, 1], [stored, -1]], 0);
  if (!canStore) builder.atMost(born === undefined ? [[stored, 1]] : [[stored, 1], [born, -1]], 0);
  return { born, resident, fromL1, offset };
}
