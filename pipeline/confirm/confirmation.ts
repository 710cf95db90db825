// SPDX-License-Identifier: Apache-2.0
import type { Operation } from "../../lib/ir/mod.ts";
import type { OpStatement, PythonProgram } from "../../lib/python/program.ts";
import { type Difference, differencesOf, otherThanDeclared, unforeseen } from "./difference.ts";
import { askedOps } from "./job.ts";
import type { Prediction } from "./prediction.ts";
import type { OpFact, TraceFacts } from "./trace_facts.ts";

/**
 * State of an op in a run: it `runs`; its result is `different` from the declared one; the backend `refused`
 * it or `crashed` on it; it is `unsaid` (no Python call expresses it); or it was `not reached`.
 */
export type OpState = "runs" | "different" | "refused" | "crashed" | "unsaid" | "not reached";

/** An op of the text on the backend, with our prediction. */
export interface ConfirmedOp {
  /** Function without `@`. */
  readonly function: string;
  /** Id in the function's graph; `undefined` where it is in none. */
  readonly op: number | undefined;
  readonly name: string;
  /** Line of the program, from 1. */
  readonly line: number;
  readonly state: OpState;
  /**
   * Why it does not run: the backend's message, or ours for an op that cannot be expressed; `undefined` if it
   * runs or was not reached.
   */
  readonly words: string | undefined;
  /** The backend's facts; `undefined` if it was not queried. */
  readonly fact: OpFact | undefined;
  /** Our model's prediction; `undefined` for ops that it does not replay. */
  readonly prediction: Prediction | undefined;
  /** Facts on which our model differs. */
  readonly differences: readonly Difference[];
}

/** Whether a program runs on the backend, op by op. */
export interface Confirmation {
  /**
   * The first that holds. `refused`: the backend refuses an op or an argument, or crashes on an op.
   * `incomplete`: not every op was queried. `different`: all ops run, but some result is not as declared.
   * `confirmed`: all ops run, every result as declared.
   */
  readonly verdict: "confirmed" | "refused" | "different" | "incomplete";
  /** Version of ttnn. */
  readonly version: string;
  readonly ops: readonly ConfirmedOp[];
  readonly refusedArguments: TraceFacts["refusedArguments"];
  /**
   * Most bytes of L1 per core during any op that ran, by the backend and by our model; ours leaves out ops whose
   * buffers it does not know.
   */
  readonly peakBytes: { readonly theirs: number; readonly ours: number };
}

/**
 * Combines the facts from runs of a program with our own replay.
 *
 * @param runs in order: each but the last crashed on an op, which the next one skips
 * @throws {Error} if no run reported the backend's version
 */
export function confirmationOf(
  program: PythonProgram,
  predictions: ReadonlyMap<Operation, Prediction>,
  runs: readonly TraceFacts[],
): Confirmation {
  const last = runs.at(-1);
  if (last?.version === undefined) throw new Error("the backend did not start");
  const crashed = new Set(runs.flatMap(({ endedAt }) => endedAt ?? []));
  const facts = new Map(runs.flatMap(({ ops }) => [...ops]));
  const indices = new Map(askedOps(program).map((op, index) => [op, index]));
  const ops = program.ops.map((op) => {
    const index = indices.get(op);
    const fact = index === undefined ? undefined : facts.get(index);
    return confirmedOp(op, predictions.get(op.operation), fact, index !== undefined && crashed.has(index));
  });
  const { refusedArguments } = last;
  const peaks = ops.filter(({ state }) => state === "runs" || state === "different");
  return {
    verdict: verdictOf(ops, refusedArguments.length > 0, last.isDone),
    version: last.version,
    ops,
    refusedArguments,
    peakBytes: {
      theirs: Math.max(0, ...peaks.map(({ fact }) => fact?.peak ?? 0)),
      ours: Math.max(0, ...peaks.map(({ prediction }) => prediction?.peak ?? 0)),
    },
  };
}

function verdictOf(
  ops: readonly ConfirmedOp[],
  isArgumentRefused: boolean,
  isDone: boolean,
): Confirmation["verdict"] {
  const has = (...states: readonly OpState[]): boolean => ops.some(({ state }) => states.includes(state));
  if (isArgumentRefused || has("refused", "crashed")) return "refused";
  if (!isDone || has("unsaid", "not reached")) return "incomplete";
  return has("different") ? "different" : "confirmed";
}

function confirmedOp(
  { operation, line, function: functionName, results, unsayable }: OpStatement,
  prediction: Prediction | undefined,
  fact: OpFact | undefined,
  hasCrashed: boolean,
): ConfirmedOp {
  const types = results.map(({ type }) => type);
  const common = {
    function: prediction?.function ?? functionName,
    op: prediction?.op,
    name: operation.name,
    line,
    prediction,
    fact,
  };
  const none = { words: undefined, differences: [] };
  if (unsayable !== undefined) return { ...common, ...none, state: "unsaid", words: unsayable };
  if (hasCrashed) {
    const words = "the backend's process ended";
    return { ...common, state: "crashed", words, differences: unforeseen(prediction, words) };
  }
  if (fact === undefined) return { ...common, ...none, state: "not reached" };
  const differences = differencesOf(fact, prediction, types);
  if ("refused" in fact) return { ...common, state: "refused", words: fact.refused, differences };
  const isOther = fact.results.some((result, index) => {
    const type = types[index];
    return type !== undefined && otherThanDeclared(type, result, prediction?.onlyReshaped) !== undefined;
  });
  return { ...common, state: isOther ? "different" : "runs", words: undefined, differences };
}
