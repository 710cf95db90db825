// SPDX-License-Identifier: Apache-2.0
import { FEW_OPERANDS, type OpModel } from "../opmodel/op_model.ts";

/**
 * What searches do, with the µs that one of each takes on a slow core (derived:work-budget), without what V8 compiles and
 * collects on threads of its own. Work is counted and not clocked, so that a search that ends when its time is up finds the
 * same plan on every machine.
 */
const WORK_MICROSECONDS = {
  /**
   * A question to the op model, known ones included, with what the answer is made into and what is priced of it. Scaled, not
   * fitted with the others: from 4.9, by the questions of prices that no longer count.
   */
  question: 5.5,
  /** An operand beyond {@linkcode FEW_OPERANDS} of such a question that nobody knows the answer to (joins of 50 to 1,000). */
  furtherOperand: 0.3,
  /** An operand beyond {@linkcode FEW_OPERANDS} of an op that is priced. */
  pricedOperand: 3,
  /** A result that an explored combination of operand layouts is asked for, beside the question if it leads to one. */
  exploredResult: 1.1,
  /**
   * A combination of operand layouts that is not explored because L1 is too small for it. Nobody is asked: this is what the
   * questions took (44 to 75 in five models), so that what a budget pays for is what it was measured with.
   */
  overfullRead: 60,
  /** A move from or to a layout for which L1 is too small, about which nobody is asked: two or three questions. */
  overfullMove: 14,
  /** A row of an op's table beside a choice of a producer, when a factor is made. */
  pricedRow: 0.0056,
  /** A joint choice that variable elimination looks at. */
  jointChoice: 0.013,
  /** An op of a layout problem that is set up, solved and read back. */
  solvedOp: 10,
  /** A factor of an op that is made: none of an equal op or an earlier problem stands for it. */
  changedOp: 30,
  /** A value whose readers are served as none of an equal layer or an earlier problem is. */
  servedValue: 110,
  /** A move that is priced with what its flows lose to each other. */
  congestedMove: 2200,
  /** An op that a beam comes to. */
  beamedOp: 25,
  /** A candidate of a beam. */
  candidate: 0.2,
  /** An op whose neighbourhood is looked at for a better way to run it. */
  refinedOp: 7.5,
  /** An op of a program that pass 2 makes fit. */
  finishedOp: 10,
  /** A step of a program that is brought into order and priced. */
  arrangedStep: 0.11,
  /** A program of an order of ops whose start is worked out, when orders are tried by how long their programs wait. */
  sentProgram: 0.07,
  /** A step of a program that is laid out in L1. */
  placedStep: 0.11,
  /** A tensor that is looked at for what it costs to move it out of L1. */
  victim: 38,
  /** A state of the exact spill method. */
  spillState: 4.5,
  /** A bound that the search step by step solves, with the states between. */
  stepBound: 90,
  /** An op of a plan that the simulator prices. */
  simulatedOp: 15,
} as const;

export type WorkKind = keyof typeof WORK_MICROSECONDS;

/** Work done so far for one graph by all searches that share the account. */
export class WorkAccount {
  readonly #opModel: Pick<OpModel, "statistics">;
  readonly #answered: number;
  readonly #lookedAt: number;
  #microseconds = 0;

  /** @param opModel whose answers from now on count */
  constructor(opModel: Pick<OpModel, "statistics">) {
    this.#opModel = opModel;
    const { queries, furtherOperands } = opModel.statistics;
    this.#answered = queries;
    this.#lookedAt = furtherOperands;
  }

  /** Counts some work of one kind. */
  charge(kind: Exclude<WorkKind, "question" | "furtherOperand">, amount: number): void {
    this.#microseconds += amount * WORK_MICROSECONDS[kind];
  }

  /** Counts the price of an op: of few operands it is a part of the question. */
  chargePrice(operands: number): void {
    if (operands > FEW_OPERANDS) this.charge("pricedOperand", operands - FEW_OPERANDS);
  }

  /** µs that the work so far is reckoned to take. */
  get microseconds(): number {
    const { queries, furtherOperands } = this.#opModel.statistics;
    return this.#microseconds + (queries - this.#answered) * WORK_MICROSECONDS.question +
      (furtherOperands - this.#lookedAt) * WORK_MICROSECONDS.furtherOperand;
  }
}
