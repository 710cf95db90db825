// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { splitArguments, testModules } from "./run_tests.ts";

Deno.test("splitArguments() finds the paths among options of the runner", () => {
  assertEquals(splitArguments(["--filter", "lib", "lib/ir", "--fail-fast", "cli/a_test.ts", "--", "x"]), {
    paths: ["lib/ir", "cli/a_test.ts"],
    options: ["--filter", "lib", "--fail-fast"],
    script: ["--", "x"],
  });
});

Deno.test("testModules() runs every file once: by folder, slow ones first, alone what looks for its snapshot", () => {
  const rules = Array.from({ length: 40 }, (_, index) => `lib/opmodel/rules/r${index}_test.ts`);
  const texts = new Map([
    ["README.md", "```ts\n```"],
    ["cli/terminal_test.ts", "await t." + "assertSnapshot(text);"],
    ["lib/ir/mod.ts", "/**\n * ```ts\n"],
    ...[
      "lib/ir/a_test.ts",
      "lib/ir/forms/b_test.ts",
      ...rules,
      "pipeline/c_test.ts",
      "pipeline/report/d_test.ts",
    ]
      .map((path): [string, string] => [path, ""]),
  ]);
  const { groups, alone } = testModules(texts);
  assertEquals(alone, ["README.md", "cli/terminal_test.ts", "lib/ir/mod.ts"]);
  assertEquals([...groups.keys()], [
    "pipeline_1.test.ts",
    "lib_ir_1.test.ts",
    "lib_opmodel_1.test.ts",
    "lib_opmodel_2.test.ts",
  ]);
  assertEquals(groups.get("pipeline_1.test.ts"), ["pipeline/c_test.ts", "pipeline/report/d_test.ts"]);
  assertEquals([...groups.values()].map(({ length }) => length), [2, 2, 20, 20]);
  assertEquals([...groups.values()].flat().concat(alone).sort(), [...texts.keys()].sort());
});
