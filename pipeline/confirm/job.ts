// SPDX-License-Identifier: Apache-2.0
import type { OpStatement, PythonProgram } from "../../lib/python/program.ts";

/** Machines of which a mock device can be opened. */
export const MOCK_BOARDS = ["n150", "p150", "p150-13x10", "n300", "p150x2", "p150x4"] as const;

export type MockBoard = (typeof MOCK_BOARDS)[number];

/** Chips of each machine, and the machine that one of them is. */
const CHIPS: Readonly<Record<MockBoard, readonly [chips: number, one: MockBoard]>> = {
  n150: [1, "n150"],
  p150: [1, "p150"],
  "p150-13x10": [1, "p150-13x10"],
  n300: [2, "n150"],
  p150x2: [2, "p150"],
  p150x4: [4, "p150"],
};

/** The mock machine for a number of chips of a device; `undefined` if there is none. */
export function mockBoardOf(device: string, chips: number): MockBoard | undefined {
  const board = MOCK_BOARDS.find((name) => name === device);
  if (board === undefined) return undefined;
  const [most, one] = CHIPS[board];
  return chips === 1 ? one : chips <= most ? board : undefined;
}

/** How a program is run. */
export interface JobOptions {
  readonly device: MockBoard;
  /** Indices of ops that crashed an earlier run: their results are replaced by stand-ins. */
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
      results: results.map(({ text, standIn, type }) => ({ variable: text, standIn, shape: type.shape })),
    })),
  });
}

/** The ops of a program that are run on the backend, in order. */
export function askedOps({ ops }: Pick<PythonProgram, "ops">): readonly OpStatement[] {
  return ops.filter(({ unsayable }) => unsayable === undefined);
}
