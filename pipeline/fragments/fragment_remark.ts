// SPDX-License-Identifier: Apache-2.0
import type { FragmentFunction } from "./fragment_function.ts";

/**
 * A remark on the additions to a part of a program, and on the omissions.
 *
 * @param cut lines that are cut, from 0
 * @param assumed aliases of which a definition is assumed
 */
export function fragmentRemark(
  functions: readonly FragmentFunction[],
  cut: readonly number[],
  assumed: readonly string[],
): string {
  const parts = functions.filter(({ isWhole }) => !isWhole).map(functionRemark);
  if (cut.length > 0) {
    const lines = cut.map((line) => `line ${line + 1}`).join(" and ");
    parts.push(`${lines} ${cut.length === 1 ? "is" : "are"} cut and left out`);
  }
  if (assumed.length > 0) {
    const are = assumed.length === 1 ? "is" : "are";
    parts.push(`${named(assumed)} ${are} not defined: taken for tensors interleaved in DRAM`);
  }
  return parts.length === 0 ? "functions that are whole, without a module around" : parts.join("; ");
}

function functionRemark(fn: FragmentFunction): string {
  const { ops, firstLine, lastLine, name, hasHead, returns, outsideNames } = fn;
  const count = ops === 1 ? "one op" : `${ops} ops`;
  const parts = [
    `${count} on ${linesText(firstLine, lastLine)}, ${
      hasHead ? `of @${name}` : `with a function @${name} around`
    }`,
  ];
  if (outsideNames.length > 0) {
    const [are, become] = outsideNames.length === 1
      ? ["is", "becomes its argument"]
      : ["are", "become its arguments"];
    parts.push(`${named(outsideNames)} ${are} not made there and ${become}`);
  }
  if (!returns) parts.push("what nothing reads is its result");
  return parts.join("; ");
}

/** Lines, counted from 1. */
export function linesText(first: number, last: number): string {
  return first === last ? `line ${first + 1}` : `lines ${first + 1} to ${last + 1}`;
}

/** Most names that a remark lists. */
const MOST_NAMED = 4;

function named(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  return rest <= 0 ? names.join(", ") : `${names.slice(0, MOST_NAMED).join(", ")} and ${rest} more`;
}
