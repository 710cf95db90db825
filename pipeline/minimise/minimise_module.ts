// SPDX-License-Identifier: Apache-2.0
import { CALLS } from "../../lib/ops/calls.ts";
import { functionsOf, type FunctionView, type ModuleText, type Operation } from "../../lib/ir/mod.ts";
import { type Condition, holds, holdsForInput, type Trial } from "./condition.ts";
import { minimise } from "./delta_debugging.ts";
import { removableOps, sliceFunction } from "./slice_function.ts";

/** The smallest function that was found. */
export interface MinimalModule {
  /** A module with that function. */
  readonly text: string;
  /** Function of the input that it is a part of. */
  readonly function: string;
  readonly opsBefore: number;
  readonly opsAfter: number;
  /** Candidates that were judged. */
  readonly tries: number;
  /** Whether tries ran out while more might be left out. */
  readonly stoppedEarly: boolean;
}

/** Why there is nothing to minimise. */
export interface NotMinimised {
  readonly reason: "does_not_hold" | "needs_several_functions";
}

/** Limit and progress callback. */
export interface MinimiseLimits {
  readonly mostTries: number;
  /** Called before every try: candidates judged so far, and ops of the smallest that held. */
  readonly onTry?: (tries: number, ops: number) => void;
}

/**
 * The smallest part of one function for which a condition still holds, as a stand-alone module: values
 * defined outside become arguments, unused results become returns. First replaces results of calls by
 * arguments, where the condition still holds.
 *
 * @throws {DiagnosticError} where the input cannot be judged, and the condition is not that it cannot
 */
export function minimiseModule(
  module: ModuleText,
  condition: Condition,
  trial: Trial,
  { mostTries, onTry = () => {} }: MinimiseLimits,
): MinimalModule | NotMinimised {
  if (!holdsForInput(condition, module, trial)) return { reason: "does_not_hold" };
  let tries = 1;
  let smallest = Infinity;
  const shows = (view: FunctionView, ops: readonly Operation[]): boolean => {
    onTry(tries++, smallest);
    const text = sliceOf(module, view, ops);
    if (text === undefined || !holds(condition, text, trial)) return false;
    smallest = ops.length;
    return true;
  };
  const views = functionsOf(module).map((view) => ({ view, ops: removableOps(view) }))
    .filter(({ ops }) => ops.length > 0).sort((a, b) => b.ops.length - a.ops.length);
  for (const { view, ops } of views) {
    const withoutCalls = ops.filter(({ name }) => !CALLS.has(name));
    const start = [withoutCalls, ops].find((candidate) => shows(view, candidate));
    if (start === undefined) continue;
    const { items, stoppedEarly } = minimise(start, (some) => shows(view, some), mostTries - tries);
    return {
      text: sliceFunction(module, view, items),
      function: view.name,
      opsBefore: ops.length,
      opsAfter: items.length,
      tries,
      stoppedEarly,
    };
  }
  return { reason: "needs_several_functions" };
}

/** A slice, `undefined` where the text does not tell a type that it needs. */
function sliceOf(module: ModuleText, view: FunctionView, ops: readonly Operation[]): string | undefined {
  try {
    return sliceFunction(module, view, ops);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
