// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { WorkAccount } from "../search/work_account.ts";
import { withGrace } from "./search_turns.ts";

/** An account whose work comes in units of `unitUs`. */
function openAccount(): { readonly work: WorkAccount; readonly unitUs: number; readonly spend: () => void } {
  const work = new WorkAccount({ statistics: { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 0 } });
  const spend = () => work.charge("solvedOp", 1);
  spend();
  return { work, unitUs: work.microseconds, spend };
}

Deno.test("a step with work of its own left is not stopped by the spent budget", () => {
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
