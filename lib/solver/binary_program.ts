// SPDX-License-Identifier: Apache-2.0

/** One coefficient of a row. */
export type Term = readonly [variable: number, coefficient: number];

/** `Σ terms ≤ bound`. A variable occurs at most once. */
export interface UpperRow {
  /** In any order. */
  readonly terms: readonly Term[];
  /** Inclusive; may be negative. */
  readonly bound: number;
}

/** A minimisation over 0/1 variables, numbered from 0. */
export interface BinaryProgram {
  /** Coefficient of each variable in the objective. */
  readonly costs: readonly number[];
  /** All must hold. */
  readonly rows: readonly UpperRow[];
}

/** What a solver found out. */
export interface BinarySolution {
  /** `feasible` when a limit stopped it with a solution in hand, `unknown` without one. */
  readonly status: "optimal" | "feasible" | "infeasible" | "unknown";
  /** Sum of the costs of the chosen variables; `Infinity` without a solution. */
  readonly objective: number;
  /** Proven lower bound of the objective. */
  readonly bound: number;
  /** Value per variable; empty without a solution. */
  readonly values: readonly boolean[];
}

/** Limits of one solve. They count work, not seconds, so that a result never depends on the machine's speed. */
export interface SolveLimits {
  /** Relative gap at which to stop; 0 proves optimality. */
  readonly relativeGap: number;
  /** Nodes of the branch-and-bound tree. */
  readonly nodes: number;
}

/** A solver. HiGHS loads asynchronously, so whoever decides synchronously is handed one. */
export type SolveBinaryProgram = (program: BinaryProgram, limits: SolveLimits) => BinarySolution;

/** Builds a {@linkcode BinaryProgram} variable by variable. */
export class BinaryProgramBuilder {
  readonly #costs: number[] = [];
  readonly #rows: UpperRow[] = [];

  /** Adds a variable and returns it. */
  variable(cost: number): number {
    return this.#costs.push(cost) - 1;
  }

  /** Adds `Σ terms ≤ bound`; terms of one variable are summed. */
  atMost(terms: readonly Term[], bound: number): void {
    const sums = new Map<number, number>();
    for (const [variable, coefficient] of terms) {
      sums.set(variable, (sums.get(variable) ?? 0) + coefficient);
    }
    this.#rows.push({ terms: [...sums].filter(([, coefficient]) => coefficient !== 0), bound });
  }

  /** The program so far. */
  build(): BinaryProgram {
    return { costs: [...this.#costs], rows: [...this.#rows] };
  }
}
