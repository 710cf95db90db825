// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { WorkAccount } from "../search/work_account.ts";
import { WorkBudget } from "./work_budget.ts";

const fn = (ops: number) => ({ ops: new Array<undefined>(ops).fill(undefined) });

function openAccount(): { readonly account: WorkAccount; readonly spend: (microseconds: number) => void } {
  const account = new WorkAccount({ statistics: { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 0 } });
  account.charge("solvedOp", 1);
  const each = account.microseconds;
  return { account, spend: (microseconds) => account.charge("solvedOp", microseconds / each) };
}

Deno.test("a budget is spent by work from its beginning on", () => {
  const { account, spend } = openAccount();
  spend(500);
  const budget = new WorkBudget(account, 100);
  assertEquals(budget.leftUs, 100);
  spend(60);
  assertAlmostEquals(budget.leftUs, 40);
  spend(60);
  assertEquals(budget.leftUs, 0);
  assertEquals(new WorkBudget(account, 0).leftUs, 0);
});

Deno.test("a budget without an end is never used", () => {
  const { account, spend } = openAccount();
  const budget = new WorkBudget(account);
  spend(1e12);
  assertEquals(budget.leftUs, Infinity);
});

Deno.test("functions share a budget by their number of ops, and inherit the remainder of earlier ones", () => {
  const { account, spend } = openAccount();
  const [small, large] = [fn(100), fn(300)];
  const budget = new WorkBudget(account, 400);
  const first = budget.shareFor(small, [small, large]);
  spend(50);
  assertAlmostEquals(first.leftUs, 50);
  const second = budget.shareFor(large, [large]);
  assertAlmostEquals(second.leftUs, 350);
  spend(345);
  assertEquals(first.leftUs, 0);
  assertAlmostEquals(second.leftUs, 5);
  spend(10);
  assertEquals([second.leftUs, budget.leftUs, budget.shareFor(large, [large]).leftUs], [0, 0, 0]);
});
