// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** The exact searches: bucket elimination, and addresses with the waits to spill. */
export const EXACT_MUTATIONS: Mutations = {
  "lib/optimal/elimination/sum_and_minimize.ts: exact layouts by variable elimination (optimizer-refactoring-proposal)":
    [
      "if (sum «<→>» least) {",
      "best[entry] = «at→0»;",
      "const step = «wraps ? 1 - next : →»1;",
    ],
  "lib/optimal/elimination/factor.ts: exact layouts by variable elimination (optimizer-refactoring-proposal)":
    [
      "for (let index = at« + 1→»; index < scope.length; index++) stride",
      "if (at < 0) return «0→1»;",
    ],
  "lib/optimal/elimination/variable_elimination.ts: exact layouts by variable elimination (optimizer-refactoring-proposal)":
    [
      "«isGone[variable] = 1;→»",
      "«bound += least;→»",
      "«for (const variable of splitVariables) choice[variable] = bestValue(problem, choice, variable);→»",
      "for (let index = «steps.length - 1; index >= 0; index--→0; index < steps.length; index++») {",
      "if (cost «>=→<» least) continue;",
      "splitUs += «message.least→2 * message.least + 1»;",
    ],
  "lib/optimal/elimination/message_cache.ts: exact layouts by variable elimination (optimizer-refactoring-proposal)":
    [
      "«for (const other of scope) key += `.${others.indexOf(other)}`;→»",
      "key += `|${«this.#idOf(table)→table.length»}`;",
      "«for (const other of others) key += `,${domains[other]}`;→»",
    ],
  "lib/optimal/addresses/address_search.ts: search for assignments that fit by address": [
    "«search.found(leastUs);→»",
    "solution.microseconds >= leastUs« || tried.has(solution.key)→»",
  ],
  "lib/optimal/l1/waits_to_spill.ts: waits to spill so that byte sums fit": [
    "«/ Math.max(candidate.microseconds, Number.MIN_VALUE)→»",
    "«for (const step of best.steps) missing[step] = (missing[step] ?? 0) - best.item.bytes;→»",
    "    «if (isNeeded(candidate)) →»return true;\n",
    "(missing[step] ?? 0) «<= 0 && (missing[step] ?? 0) →»+ item.bytes > 0",
  ],
  "lib/optimal/addresses/spilled_waits.ts: programs that fit because waits are spilled": [
    "«if (solution.conflict === undefined) →»return { solution, placing, spilled };",
    "if (isBetter) «[solution, placing] = [back, without]→placing = without»;",
    "« && back.conflict === undefined→»",
    "solution.waitsToSpill(«share→1»)",
  ],
  "lib/optimal/addresses/conflict_search.ts: search for room for the steps of a function": [
    "«microseconds < this.#leastUs && →»us < least",
    "return guessUs« * 2 ** Math.floor(this.#trials / DOUBLED_AFTER)→»;",
    "for (const fewer of [«1, →»shortBytes]) {",
  ],
  "lib/optimal/elimination/elimination_order.ts: exact layouts by variable elimination (optimizer-refactoring-proposal)":
    [
      "«for (const b of around) if (a !== b) neighbours[a]?.add(b);→»",
      "«neighbours[a]?.delete(variable);→»",
      "work += «weight→1»;",
      "a.weight «<→>» b.weight ||",
    ],
};
