// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { WorkAccount } from "./work_account.ts";

Deno.test("WorkAccount sums its charges and every query since it was opened", () => {
  const opModel = { statistics: { queries: 1000, hits: 0, firstAsked: 0, furtherOperands: 0 } };
  const account = new WorkAccount(opModel);
  assertEquals(account.microseconds, 0);
  account.charge("solvedOp", 10);
  const solved = account.microseconds;
  assert(solved > 0);
  account.charge("solvedOp", 10);
  assertAlmostEquals(account.microseconds, 2 * solved);
  opModel.statistics.queries += 100;
  const asked = account.microseconds - 2 * solved;
  opModel.statistics.queries += 100;
  assertAlmostEquals(account.microseconds - 2 * solved, 2 * asked);
  assert(asked > 0);
});

Deno.test("accounts of one op model count the same questions, each from its own beginning", () => {
  const opModel = { statistics: { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 0 } };
  const first = new WorkAccount(opModel);
  opModel.statistics.queries = 50;
  const second = new WorkAccount(opModel);
  opModel.statistics.queries = 80;
  assertAlmostEquals(first.microseconds * 30, second.microseconds * 80);
});

Deno.test("WorkAccount counts operands of questions and prices, beyond the first ones", () => {
  const opModel = { statistics: { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 40 } };
  const account = new WorkAccount(opModel);
  account.chargePrice(12);
  assertEquals(account.microseconds, 0);
  opModel.statistics.furtherOperands += 988;
  const asked = account.microseconds;
  account.chargePrice(1000);
  assert(asked > 0 && account.microseconds > 2 * asked);
});
