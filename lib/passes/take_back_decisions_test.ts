// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { takeBackDecisions } from "./take_back_decisions.ts";
import { keepsMeaning } from "./testing/keeps_meaning.ts";
import { ttnnModule } from "./testing/passed_body.ts";

const copy = (result: string, of: string, from: "T" | "L", to: "T" | "L"): string =>
  `%${result} = "ttnn.to_memory_config"(%${of}) : (${from}<32x32>) -> ${to}<32x32>`;

keepsMeaning(
  "copies between memories are taken back",
  takeBackDecisions,
  fc.constant({
    text: ttnnModule("(%x: T<32x32>, %w: T<32x32>) -> T<32x32>", [
      copy("0", "x", "T", "L"),
      `%1 = "ttnn.tanh"(%0) : (L<32x32>) -> L<32x32>`,
      copy("2", "1", "L", "T"),
      `%3 = "ttnn.matmul"(%2, %w) : (T<32x32>, T<32x32>) -> L<32x32>`,
      `%4 = "ttnn.add"(%3, %1) : (L<32x32>, L<32x32>) -> T<32x32>`,
      "return %4 : T<32x32>",
    ]),
    ops: ["tanh", "matmul", "!to_memory_config"],
  }),
  1,
);

keepsMeaning(
  "a copy of what is written in place stays",
  takeBackDecisions,
  fc.constantFrom("0", "1").map((written) => ({
    text: ttnnModule("(%x: T<1x1x32x32>, %r: T<1x1x32x32>) -> (T<1x1x32x32>, T<1x1x32x32>)", [
      `%0 = "ttnn.tanh"(%x) : (T<1x1x32x32>) -> T<1x1x32x32>`,
      `%1 = "ttnn.to_memory_config"(%0) : (T<1x1x32x32>) -> L<1x1x32x32>`,
      `"ttnn.fill_cache"(%${written}, %r) <{batch_offset = 0 : i32}> : (${
        written === "0" ? "T" : "L"
      }<1x1x32x32>, T<1x1x32x32>) -> ()`,
      `%2 = "ttnn.neg"(%1) : (L<1x1x32x32>) -> T<1x1x32x32>`,
      `%3 = "ttnn.abs"(%0) : (T<1x1x32x32>) -> T<1x1x32x32>`,
      "return %2, %3 : T<1x1x32x32>, T<1x1x32x32>",
    ]),
    ops: ["to_memory_config"],
  })),
  2,
);

keepsMeaning(
  "a copy whose place a property says stays",
  takeBackDecisions,
  fc.constant({
    text: ttnnModule("(%x: T<32x32>) -> T<32x32>", [
      '%0 = "ttnn.to_memory_config"(%x) <{memory_config = #ttnn.memory_config<#ttnn.buffer_type<l1>, <interleaved>>}> : ' +
      "(T<32x32>) -> L<32x32>",
      '%1 = "ttnn.tanh"(%0) : (L<32x32>) -> T<32x32>',
      "return %1 : T<32x32>",
    ]),
    ops: ["to_memory_config"],
  }),
  1,
);
