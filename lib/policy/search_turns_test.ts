// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { WorkAccount } from "../search/work_account.ts";
import { interruptedAfter, once, withGrace } from "./search_turns.ts";

/** An account whose work comes in units of `unitUs`. */
function openAccount(): { readonly work: WorkAccount; readonly unitUs: number; readonly spend: () => void } {
  const work = new WorkAccount({ statistics: { queries: 0, hits: 0, furtherOperands: 0 } });
  const spend = () => work.charge("solvedOp", 1);
  spend();
  return { work, unitUs: work.microseconds, spend };
}

Deno.test("what is done once is not done again, not even while it is done", () => {
  let calls = 0;
  const act = once(() => {
    calls++;
    act();
  });
  act();
  act();
  assertEquals(calls, 1);
});

Deno.test("a step that may go on anyway is not told that the budget is spent before its work is done", () => {
  const { work, unitUs, spend } = openAccount();
  let isSpent = true;
  const isEnough = withGrace(work, 1.5 * unitUs, () => isSpent);
  const answers = [isEnough()];
  spend();
  answers.push(isEnough());
  spend();
  answers.push(isEnough());
  isSpent = false;
  assertEquals([...answers, isEnough()], [false, false, true, false]);
});

Deno.test("a long step makes way once, after its work, and not when everything is spent", () => {
  const { work, unitUs, spend } = openAccount();
  const acts: string[] = [];
  let isSpent = false;
  const ask = interruptedAfter(work, 1.5 * unitUs, () => acts.push("way"), () => isSpent);
  spend();
  assertEquals([ask(), acts.length], [false, 0]);
  spend();
  isSpent = true;
  assertEquals([ask(), acts.length], [true, 0]);
  isSpent = false;
  assertEquals([ask(), acts.length], [false, 1]);
  spend();
  assertEquals([ask(), acts.length], [false, 1]);
});

Deno.test("a step ends when what it makes way for spends all that is left", () => {
  const { work } = openAccount();
  let isSpent = false;
  const ask = interruptedAfter(work, 0, () => isSpent = true, () => isSpent);
  assertEquals(ask(), true);
});
