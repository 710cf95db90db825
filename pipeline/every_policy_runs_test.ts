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

/**
 * With the blocks that the backend chooses for it, this convolution is refused: the table of a block's reads is larger
 * than the backend foresees (`ttnn:backend-0-81-1`). With others it runs.
 */
const LARGE_TABLE_OF_READS = `module {
  func.func @main(%arg0: tensor<6x6x3x2xbf16>, %arg1: tensor<3x6x2x2xbf16>) -> tensor<6x3x3x2xbf16> {
    %0 = "ttir.conv2d"(%arg0, %arg1) <{
      batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, groups = 1 : i32,
      dilation = array<i32: 1, 1>, padding = array<i32: 1, 1, 0, 0>, stride = array<i32: 1, 1>
    }> : (tensor<6x6x3x2xbf16>, tensor<3x6x2x2xbf16>) -> tensor<6x3x3x2xbf16>
    return %0 : tensor<6x3x3x2xbf16>
  }
}`;

const MODULES = [
  ...FILES.map((file) => ({
    what: file,
    read: () => Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", file)),
  })),
  { what: "a convolution whose default blocks are refused", read: () => LARGE_TABLE_OF_READS },
];

for (const { what, read } of MODULES) {
  for (const policy of policies) {
    // What the op model refuses, or does not know, is no decision.
    Deno.test(`the plan of ${policy.name} for ${what} is checked and fits`, () => {
      const module = loadModule(read(), { device: "n150" });
      const { memory: { verdict } } = optimizeModule(module, policy, DEFAULT_POLICY_OPTIONS);
      assertEquals(verdict.uncheckedOps, []);
      assertEquals(verdict.status, "fits");
    });
  }
}
