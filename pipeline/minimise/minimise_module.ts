// SPDX-License-Identifier: Apache-2.0
import { functionsOf, type FunctionView, type ModuleText, type Operation } from "../../lib/ir/mod.ts";
import { CALLS } from "../../lib/ops/calls.ts";
import { type Condition, type ConditionContext, holds, holdsForInput } from "./condition.ts";
import { removableOps, sliceFunction } from "./slice_function.ts";

/** The smallest function found. */
export interface MinimalModule {
  /** A module with that function. */
  readonly text: string;
  /** Function of the input that it is part of. */
  readonly function: string;
  readonly opsBefore: number;
  readonly opsAfter: number;
  /** Number of candidates tested. */
  readonly tries: number;
  /** Whether the tries ran out before the function was minimal. */
  readonly stoppedEarly: boolean;
}

/** The reason why there is nothing to minimise. */
export interface NotMinimised {
  readonly reason: "does_not_hold" | "needs_several_functions";
}

/** Limit and progress callback. */
export interface MinimiseLimits {
  readonly mostTries: number;
  /** Called before every try with the candidates tested so far and the ops of the smallest match. */
  readonly onTry?: (tries: number, ops: number) => void;
}

/**
 * The smallest part of one function that still meets a condition, as a stand-alone module: values defined
 * outside become arguments, unused results become returns. First replaces results of calls by arguments, if
 * the condition still holds.
 *
 * @throws {DiagnosticError} if the input cannot be decided and the condition is not `fails with`
 */
export function minimiseModule(
  module: ModuleText,
  condition: Condition,
  trial: ConditionContext,
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

/** A slice; `undefined` if the text lacks a type that it needs. */
function sliceOf(module: ModuleText, view: FunctionView, ops: readonly Operation[]): string | undefined {
  try {
    return sliceFunction(module, view, ops);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The result and the number of tries. */
export interface Minimal<Item> {
  /** In the order of the input. Removing any single item breaks the condition, unless the tries ran out. */
  readonly items: readonly Item[];
  readonly tries: number;
  /** Whether the tries ran out before the result was minimal. */
  readonly stoppedEarly: boolean;
}

/**
 * Removes as many items as possible while a condition still holds: delta debugging (ddmin) of A. Zeller and
 * R. Hildebrandt, which tests each part alone, then all but each part, with ever smaller parts.
 *
 * @param items for which the condition holds; the full list is not tested again
 * @param holds whether the condition holds for some of the items, in their order
 * @param mostTries most calls of `holds`
 */
export function minimise<Item>(
  items: readonly Item[],
  holds: (some: readonly Item[]) => boolean,
  mostTries: number,
): Minimal<Item> {
  let current = items;
  let tries = 0;
  const keeps = (some: readonly Item[]): boolean => {
    tries++;
    return holds(some);
  };
  let parts = 2;
  while (current.length > 1) {
    const chunks = split(current, Math.min(parts, current.length));
    let found: readonly Item[] | undefined;
    let isPart = false;
    for (const chunk of chunks) {
      if (tries >= mostTries) return { items: current, tries, stoppedEarly: true };
      if (!keeps(chunk)) continue;
      found = chunk;
      isPart = true;
      break;
    }
    // With two parts, all but one is the other one.
    if (found === undefined && chunks.length > 2) {
      for (const chunk of chunks) {
        if (tries >= mostTries) return { items: current, tries, stoppedEarly: true };
        const left = new Set(chunk);
        const rest = current.filter((item) => !left.has(item));
        if (!keeps(rest)) continue;
        found = rest;
        break;
      }
    }
    if (found !== undefined) {
      current = found;
      parts = isPart ? 2 : Math.max(2, parts - 1);
    } else if (parts >= current.length) {
      break;
    } else {
      parts = Math.min(current.length, parts * 2);
    }
  }
  return { items: current, tries, stoppedEarly: false };
}

/** Splits into parts of nearly equal length, in order. */
function split<Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] {
  return Array.from({ length: parts }, (_, part) =>
    items.slice(
      Math.floor(items.length * part / parts),
      Math.floor(items.length * (part + 1) / parts),
    ));
}
