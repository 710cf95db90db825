// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { loadModule } from "../../pipeline/load_module.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { getPolicy } from "../policy/policies.ts";
import { freeResults } from "./free_results.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "./pass_options.ts";
import { passed, passedBody, ttnnModule } from "./testing/passed_body.ts";

const FREED: PassOptions = { ...DEFAULT_PASS_OPTIONS, freesResults: true };

/** A sum, and conversions of it to the given pages and back; the last one is returned, and the sum as well if asked. */
function converted(conversions: number, returnsSum = false): string {
  const [tiles, rows] = ["T<32x64>", "R<32x64>"];
  const pages = (index: number): string => index % 2 === 0 ? tiles : rows;
  const result = pages(conversions);
  return ttnnModule(`(%x: ${tiles}) -> ${returnsSum ? `(${result}, ${tiles})` : result}`, [
    `%0 = "ttnn.add"(%x, %x) : (${tiles}, ${tiles}) -> ${tiles}`,
    ...Array.from(
      { length: conversions },
      (_, index) => `%${index + 1} = "ttnn.to_layout"(%${index}) : (${pages(index)}) -> ${pages(index + 1)}`,
    ),
    returnsSum ? `return %${conversions}, %0 : ${result}, ${tiles}` : `return %${conversions} : ${result}`,
  ]);
}

Deno.test("a result leaves in the pages in which it is made only if the caller frees that, and is told", () => {
  const conversions = (text: string, options: PassOptions): number =>
    passedBody(text, freeResults, options).filter((line) => line.includes("to_layout")).length;
  assertEquals(conversions(converted(1), DEFAULT_PASS_OPTIONS), 1);
  assertEquals(conversions(converted(1), FREED), 0);
  // A tensor is not returned twice.
  assertEquals(conversions(converted(1, true), FREED), 1);
  const { changes } = passed(converted(1), freeResults, FREED);
  assertEquals(changes.flatMap(({ note }) => note ?? []), ["result 0 of @main leaves in tiles"]);
});

Deno.test("results of a function that another calls stay, since that reads them", () => {
  const text = converted(1).replace(
    /\n}\n$/,
    (end) => {
      const type = /-> (tensor<[^{]*) \{/.exec(converted(1))?.[1] ?? "";
      const given = /%x: (tensor<[^)]*)\)/.exec(converted(1))?.[1] ?? "";
      return `\n  func.func @outer(%x: ${given}) -> ${type} {\n    %0 = call @main(%x) : (${given}) -> ${type}\n    return %0 : ${type}\n  }${end}`;
    },
  );
  assert(passedBody(text, freeResults, FREED).some((line) => line.includes("to_layout")));
});

/** Rows of one element regrouped so that tiles are mostly padding, as decoders return the scores of a vocabulary. */
const SCORES = ttnnModule("(%x: T<32x4096>, %w: T<4096x4096>) -> T<32x1x4096>", [
  '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x4096>, T<4096x4096>) -> T<32x4096>',
  '%1 = "ttnn.reshape"(%0) <{shape = [32 : i32, 1 : i32, 4096 : i32]}> : (T<32x4096>) -> T<32x1x4096>',
  "return %1 : T<32x1x4096>",
]);

Deno.test("what declared pages of results cost is advised, and freeing them saves about that", () => {
  const decide = (passes: PassOptions) => {
    const free = passes.freesResults === true ? ["+results" as const] : [];
    return optimizeModule(loadModule(SCORES, { device: "n150", passes }), getPolicy("greedy"), {
      ...DEFAULT_POLICY_OPTIONS,
      free,
    });
  };
  const [kept, freed] = [decide(DEFAULT_PASS_OPTIONS), decide(FREED)];
  const [first] = kept.advice;
  assertEquals(first?.freedom, "results");
  const saved = kept.timeline.inference.totalUs - freed.timeline.inference.totalUs;
  // With the rest of the plan as it is: a new decision saves more.
  const advised = first?.savedUs ?? 0;
  assert(advised <= saved && advised > saved / 2, `${advised} of ${saved} µs`);
  assertEquals(freed.advice.filter(({ freedom }) => freedom === "results"), []);
});
