// SPDX-License-Identifier: Apache-2.0

/** Programs as front ends write them, from TTIR to the decided file. They are nobody's: written for these tests. */

import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { createdLayouts, verifyModule } from "../lib/verify/verify_module.ts";
import { assertSameMeaning, randomInputs } from "../testing/interpreter/same_meaning.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

const FOLDER = new URL("../testdata/ttir/", import.meta.url);

/** Integers of the programs are token ids and indices of tables of this many rows at least. */
const INDICES = 8;

/** What a fusion of each program leaves behind; a pattern that no longer matches is seen here first. */
const FUSED: Readonly<Record<string, readonly string[]>> = {
  "experts.mlir": ["matmul", "argmax"],
  "heads_apart.mlir": [
    "split_query_key_value_and_split_heads",
    "scaled_dot_product_attention",
    "concatenate_heads",
  ],
  "image_decoder.mlir": ["conv2d", "upsample"],
  "mobile_block.mlir": ["conv2d"],
  "recurrent.mlir": ["linear"],
  "shifted_windows.mlir": ["split_query_key_value_and_split_heads", "scaled_dot_product_attention"],
  "text_encoder.mlir": ["layer_norm", "scaled_dot_product_attention", "concatenate_heads"],
  "training_step.mlir": ["softmax", "matmul"],
};

for (const { name } of [...Deno.readDirSync(FOLDER)].sort((a, b) => a.name.localeCompare(b.name))) {
  Deno.test(`${name}: fits, is priced, is no slower than in DRAM, lints, and computes its TTIR's values`, () => {
    const text = Deno.readTextFileSync(new URL(name, FOLDER));
    const workbench = loadModule(text, { device: "n150", fileName: name });
    assertEquals(workbench.remarks.map(({ code }) => code), ["load/lowered"]);
    const { memory, timeline, baseline, text: written } = optimizeModule(
      workbench,
      getPolicy("auto"),
      DEFAULT_POLICY_OPTIONS,
    );
    assertEquals(memory.verdict.status, "fits");
    assertEquals([timeline.unpriced, baseline.unpriced], [[], []]);
    const { totalUs } = timeline.inference;
    assert(totalUs <= baseline.inference.totalUs, `${totalUs} µs, in DRAM ${baseline.inference.totalUs} µs`);
    const again = parseModule(written, name);
    assertEquals(verifyModule(again, { isCreated: createdLayouts(workbench.binding.module, again) }), []);
    const missing = (FUSED[name] ?? []).filter((op) => !written.includes(`"ttnn.${op}"`));
    assertEquals([name in FUSED, missing], [true, []]);
    const before = parseModule(text, name);
    assertSameMeaning(before, again, "main", randomInputs(before, "main", 20261122, INDICES));
  });
}
