// SPDX-License-Identifier: Apache-2.0

/** How a text is written changes nothing about what is decided: forms, names, line ends, comments. */

import { assertEquals } from "@std/assert";
import { parseModule, printGeneric } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

const PROGRAMS = [
  "ttir/text_encoder.mlir",
  "ttir/mobile_block.mlir",
  "models/mnist.mlir",
  "models/segformer_block.mlir",
];

/** Parts of a text that are no string. */
function outsideStrings(text: string, change: (part: string) => string): string {
  return text.split(/("(?:[^"\\]|\\.)*")/).map((part, index) => (index % 2 === 0 ? change(part) : part)).join(
    "",
  );
}

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  "in generic form": (text) => printGeneric(parseModule(text, "custom.mlir")),
  "with aliases for attributes": (text) => {
    const names = new Map<string, string>();
    const body = text.replace(/(?<== )#ttnn\.\w+<[^<>]*>(?=[,}])/g, (attribute) => {
      const name = names.get(attribute) ?? `#of${names.size}`;
      names.set(attribute, name);
      return name;
    });
    return [...names].map(([attribute, name]) => `${name} = ${attribute}\n`).join("") + body;
  },
  "with other names": (text) =>
    outsideStrings(text, (part) => part.replace(/%([\w$.-]+)/g, (_, name: string) => `%of.${name}_`)),
  "with carriage returns": (text) => text.replaceAll("\n", "\r\n"),
  "with a comment on every line": (text) => text.replaceAll("\n", ` // é % " }> #a\n`),
  "with comments inside of attributes": (text) =>
    text.split("\n").map((line) =>
      line.trimStart().startsWith("//")
        ? line
        : outsideStrings(line, (part) => part.replace(/[<,] |<(?=[({[\w#])/g, '$& // > "\n'))
    ).join("\n"),
};

/** What must not change: the plan's size, its time, the baseline's time, whether it fits. */
function decided(text: string): readonly unknown[] {
  const workbench = loadModule(text, { device: "n150", passes: DEFAULT_PASS_OPTIONS });
  const { plan, timeline, baseline, memory, text: written } = optimizeModule(
    workbench,
    getPolicy("greedy"),
    DEFAULT_POLICY_OPTIONS,
  );
  assertEquals(verifyModule(parseModule(written, "written.mlir")), []);
  return [
    plan.functions.map(({ decisions, conversions }) => [decisions.length, conversions.length]),
    timeline.inference.totalUs,
    baseline.inference.totalUs,
    memory.verdict.status,
  ];
}

for (const program of PROGRAMS) {
  Deno.test(`${program} is decided the same in every form of its text`, () => {
    const text = Deno.readTextFileSync(new URL(`../testdata/${program}`, import.meta.url));
    const expected = decided(text);
    for (const [name, write] of Object.entries(FORMS)) {
      const form = write(text);
      if (form === text) continue;
      assertEquals(decided(form), expected, name);
    }
  });
}
