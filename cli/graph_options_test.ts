// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { PASS_SELECTIONS, WEIGHT_FORMATS } from "../lib/passes/pass_options.ts";
import { ALLOWED } from "../lib/policy/free.ts";
import { GRAPH_OPTIONS } from "./commands/graph_options.ts";
import { DECISION_OPTIONS } from "./commands/policy_options.ts";

/** The choices of an option as the help has them, which loads no library to know them. */
function choicesOf(name: string): readonly string[] {
  const option = GRAPH_OPTIONS.find((spec) => spec.name === name);
  return option?.choices ?? [];
}

Deno.test("help offers only names that passes know, because unknown ones would be ignored", () => {
  assertEquals(choicesOf("graph-passes"), PASS_SELECTIONS);
  assertEquals(choicesOf("experimental-weight-dtype"), ["none", ...WEIGHT_FORMATS]);
});

Deno.test("--allow is described with the words that it knows", () => {
  const described = DECISION_OPTIONS.find(({ name }) => name === "allow")?.description ?? "";
  assertStringIncludes(described, ALLOWED.every.join(", "));
  assertStringIncludes(described, `default: ${ALLOWED.byDefault.join(",")}`);
});
