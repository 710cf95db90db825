// SPDX-License-Identifier: Apache-2.0
import { FEW_OPERANDS, type OpModel, type OpModelStatistics } from "../opmodel/op_model.ts";

/**
 * Kinds of work, with the µs of CPU time of one unit on a slow core (derived:work-budget), without V8's
 * compilation and collection on its own threads. Work is counted, not clocked, so that a search with a time
 * budget finds the same plan on every machine.
 */
const WORK_MICROSECONDS = {
  /** A query to the op model, cached or not. */
  question: 1.5,
  /**
   * A first query, including its answer's processing and pricing (mean; a convolution takes ten times as long
   * as an eltwise op).
   */
  answer: 14,
  /** An operand beyond {@linkcode FEW_OPERANDS} of such a query (joins of 50 to 1,000). */
  furtherOperand: 0.3,
  /** An operand beyond {@linkcode FEW_OPERANDS} of an op that is priced. */
  pricedOperand: 3,
  /** A result that is requested for an explored combination of operand layouts, on top of its query. */
  exploredResult: 1.1,
  /** A row of an op's table for one choice of a producer, when a factor is made. */
  pricedRow: 0.0056,
  /** A joint choice that variable elimination examines. */
  jointChoice: 0.013,
  /** An op of a layout problem that is set up, solved and read back. */
  solvedOp: 10,
  /** A factor of an op that is computed because neither an equal op nor an earlier problem has it. */
  changedOp: 30,
  /** A value whose copy trees are solved because neither an equal layer nor an earlier problem has them. */
  servedValue: 110,
  /** A move that is priced with congestion between its flows. */
  congestedMove: 2200,
  /** An op that a beam reaches. */
  beamedOp: 25,
  /** A candidate of a beam. */
  candidate: 0.2,
  /** An op that refinement examines. */
  refinedOp: 7.5,
  /** An op of a program in pass 2. */
  finishedOp: 10,
  /** A step of a program that is ordered and priced. */
  arrangedStep: 0.11,
  /** A step of a program that is placed in L1. */
  placedStep: 0.11,
  /** A tensor whose cost of leaving L1 is computed, including the search for it among all live ones. */
  victim: 100,
  /** An op of a plan that the simulator prices. */
  simulatedOp: 15,
} as const;

export type WorkKind = keyof typeof WORK_MICROSECONDS;

/** Work done so far for one graph, by all searches that share the account. */
export class WorkAccount {
  readonly #opModel: Pick<OpModel, "statistics">;
  readonly #start: OpModelStatistics;
  #microseconds = 0;

  /** @param opModel queries answered from now on are counted */
  constructor(opModel: Pick<OpModel, "statistics" | "countAnew">) {
    this.#opModel = opModel;
    opModel.countAnew?.();
    this.#start = { ...opModel.statistics };
  }

  /** Counts work of one kind. */
  charge(kind: Exclude<WorkKind, "question" | "answer" | "furtherOperand">, amount: number): void {
    this.#microseconds += amount * WORK_MICROSECONDS[kind];
  }

  /** Counts pricing an op; with few operands this is included in the query. */
  chargePrice(operands: number): void {
    if (operands > FEW_OPERANDS) this.charge("pricedOperand", operands - FEW_OPERANDS);
  }

  /** Runs work that every search does first, without counting it. */
  uncounted<Result>(run: () => Result): Result {
    const before = this.microseconds;
    const result = run();
    this.#microseconds -= this.microseconds - before;
    return result;
  }

  /** Estimated µs of the work so far. */
  get microseconds(): number {
    const { queries, firstAsked, furtherOperands } = this.#opModel.statistics;
    const asked = queries - this.#start.queries;
    return this.#microseconds + asked * WORK_MICROSECONDS.question +
      (firstAsked - this.#start.firstAsked) * WORK_MICROSECONDS.answer +
      (furtherOperands - this.#start.furtherOperands) * WORK_MICROSECONDS.furtherOperand;
  }
}
