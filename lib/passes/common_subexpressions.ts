// SPDX-License-Identifier: Apache-2.0
import { isDeterministicOp } from "../ops/effects.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { sameType, type TtnnValue } from "../ttnn/value.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { type GraphPass, isForward, recordAt } from "./graph_pass.ts";

/**
 * Merges deterministic ops of equal operands, attributes and result types (MLIR's `cse`), within each function that runs
 * in every inference. Ops stay if memory that they read or make is written in place, if their regions use values from
 * outside, or if the text elides their constants.
 */
export const commonSubexpressions: GraphPass = {
  name: "cse",
  upstream: "level-0",
  run: (context) => {
    for (const body of context.functions.filter(isForward)) {
      for (const op of joined(body)) recordAt(context, commonSubexpressions.name, body, op);
    }
  },
};

/** Merges the ops of a function. @returns the ops that are gone, each the later one of two */
function joined(body: TtnnFunction): readonly TtnnOp[] {
  const numbers = new Map<TtnnValue, number>();
  const numberOf = (value: TtnnValue): number => {
    return numbers.getOrInsertComputed(value, () => numbers.size);
  };
  const first = new Map<string, TtnnOp[]>();
  const gone: TtnnOp[] = [];
  for (const op of body.ops()) {
    if (!isDeterministicOp(op.name) || op.captured.length > 0 || isElided(op)) continue;
    const key = `${op.name}(${op.operands.map(numberOf).join(",")})`;
    const candidates = first.getOrInsertComputed(key, () => []);
    const twin = candidates.find((candidate) => isTwin(candidate, op));
    if (twin === undefined) {
      candidates.push(op);
      continue;
    }
    op.results.forEach((result, index) => {
      const other = twin.results[index];
      if (other !== undefined) body.replaceAllUses(result, other);
    });
    body.erase(op);
    gone.push(op);
  }
  return gone;
}

/** Whether its text elides constants: equal texts may then hold different numbers. */
function isElided({ properties }: TtnnOp): boolean {
  return [...properties.values()].some((text) => text.includes("__elided__"));
}

/** Whether two ops on the same operands have the same attributes, callee and result types. */
function isTwin(a: TtnnOp, b: TtnnOp): boolean {
  return a.results.length === b.results.length && a.callee === b.callee &&
    a.results.every((result, index) => {
      const other = b.results[index];
      return other !== undefined && sameType(result.type, other.type);
    }) && sameTexts(a.properties, b.properties) && sameTexts(a.attributes, b.attributes);
}

function sameTexts(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, text]) => b.get(key) === text);
}
