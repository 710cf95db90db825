// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { WorkAccount } from "../search/work_account.ts";
import { WorkBudget } from "./work_budget.ts";

const fn = (ops: number) => ({ ops: new Array<undefined>(ops).fill(undefined) });

function openAccount(): { readonly account: WorkAccount; readonly spend: (microseconds: number) => void } {
  const account = new WorkAccount({ statistics: { queries: 0, hits: 0 } });
  account.charge("solvedOp", 1);
  const each = account.microseconds;
  return { account, spend: (microseconds) => account.charge("solvedOp", microseconds / each) };
}

Deno.test("a budget is spent by work from its beginning on", () => {
  const { account, spend } = openAccount();
  spend(500);
  const budget = new WorkBudget(account, 100);
  assertEquals(budget.isSpent, false);
  spend(60);
  assertEquals(budget.isSpent, false);
  spend(60);
  assertEquals(budget.isSpent, true);
  assertEquals(new WorkBudget(account, 0).isSpent, true);
});

Deno.test("a budget without an end is never used", () => {
  const { account, spend } = openAccount();
  const budget = new WorkBudget(account);
  spend(1e12);
  assertEquals(budget.isSpent, false);
});

Deno.test("functions share a budget by their ops, and what one leaves the next ones have", () => {
  const { account, spend } = openAccount();
  const [small, large] = [fn(100), fn(300)];
  const budget = new WorkBudget(account, 400);
  const first = budget.shareFor(small, [small, large]);
  spend(50);
  assertEquals(first.isSpent, false);
  const second = budget.shareFor(large, [large]);
  spend(345);
  assertEquals([first.isSpent, second.isSpent], [true, false]);
  spend(10);
  assertEquals([second.isSpent, budget.isSpent], [true, true]);
  assertEquals(budget.shareFor(large, [large]).isSpent, true);
});
