// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { policies } from "../lib/policy/policies.ts";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

const FILES = [
  "models/llama_3_2_1b_decode.mlir",
  "models/segformer_block.mlir",
  "ttir/heads_apart.mlir",
  "ttir/mobile_block.mlir",
  "ttir/recurrent.mlir",
];

for (const file of FILES) {
  for (const policy of policies) {
    // What the op model refuses, or does not know, is no decision.
    Deno.test(`the plan of ${policy.name} for ${file} is checked and fits`, () => {
      const text = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", file));
      const module = loadModule(text, { device: "n150" });
      const { memory: { verdict } } = optimizeModule(module, policy, DEFAULT_POLICY_OPTIONS);
      assertEquals(verdict.uncheckedOps, []);
      assertEquals(verdict.status, "fits");
    });
  }
}
