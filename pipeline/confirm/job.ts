// SPDX-License-Identifier: Apache-2.0
import type { OpStatement, PythonProgram } from "../../lib/python/program.ts";

/** Boards of which a mock device can be opened. */
export const MOCK_BOARDS = ["n150", "p150", "p150-13x10", "n300"] as const;

/** One of {@linkcode MOCK_BOARDS}. */
export type MockBoard = (typeof MOCK_BOARDS)[number];

/** Whether a device is one of {@linkcode MOCK_BOARDS}. */
export function isMockBoard(name: string): name is MockBoard {
  return MOCK_BOARDS.some((board) => board === name);
}

/** How a program is run. */
export interface JobOptions {
  readonly device: MockBoard;
  /** Indices of ops that ended the process in a former run: their results are stood in for. */
  readonly crashed: readonly number[];
}

/** The job that `cli/backend/trace.py` reads, as JSON. */
export function traceJob({ text, functions, ops }: PythonProgram, options: JobOptions): string {
  return JSON.stringify({
    ...options,
    program: text,
    functions,
    ops: askedOps({ ops }).map(({ line, results }) => ({
      line,
      results: results.map(({ text, standIn }) => ({ variable: text, standIn })),
    })),
  });
}

/** The ops of a program that the backend is asked about, in order. */
export function askedOps({ ops }: Pick<PythonProgram, "ops">): readonly OpStatement[] {
  return ops.filter(({ unsayable }) => unsayable === undefined);
}
