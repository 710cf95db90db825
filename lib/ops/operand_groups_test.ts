// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { signatureOf, tensorOf } from "../../testing/op_queries.ts";
import { entryForOperand, operandOfGroup } from "./operand_groups.ts";

const TENSOR = tensorOf([32, 32]);
const op = signatureOf("ttnn.concat", [TENSOR, TENSOR, TENSOR], [TENSOR]);

Deno.test("operands are groups in order, and the last entry of a list holds for all further ones", () => {
  assertEquals([0, 1, 2].map((operand) => entryForOperand(["first", "rest"], op, operand)), [
    "first",
    "rest",
    "rest",
  ]);
  assertEquals([operandOfGroup(op, 2), operandOfGroup(op, 3)], [2, undefined]);
});

Deno.test("segment sizes say which group an operand is of where optional ones are left out", () => {
  const segmented = { ...op, operandSegmentSizes: [1, 0, 2] };
  assertEquals([0, 1, 2].map((operand) => entryForOperand(["a", "b", "c"], segmented, operand)), [
    "a",
    "c",
    "c",
  ]);
  assertEquals([0, 1, 2].map((group) => operandOfGroup(segmented, group)), [0, undefined, 1]);
});
