// SPDX-License-Identifier: Apache-2.0

/** Copies between memories do nothing where a plan gives both sides one layout: what is written into one is in both. */

import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy, POLICY_NAMES } from "../lib/policy/policies.ts";
import { assertSameMeaning, randomInputs } from "../testing/interpreter/same_meaning.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

const layout = (pages: number, grid: string, shard: number, memory: "dram" | "l1"): string =>
  `#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * ${pages} + d1 * ${pages / 2} + d2, d3), <${grid}>, ` +
  `memref<${shard}x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${memory}>>, <interleaved>>`;

const CACHE = "tensor<1x2x128x32xbf16, #dram>";
const IN_L1 = "tensor<1x2x128x32xbf16, #l1>";
const NEWS = "tensor<1x2x64x32xbf16, #news>";
const FILL = "<{batch_offset = 0 : i32}>";

/** Bodies of functions of a cache `%cache` and of `%news`; two caches are returned. */
const BODIES: Readonly<Record<string, string>> = {
  "the copy is written, its source read": `
    %0 = "ttnn.relu"(%cache) : (${CACHE}) -> ${CACHE}
    %1 = "ttnn.to_memory_config"(%0) : (${CACHE}) -> ${IN_L1}
    "ttnn.fill_cache"(%1, %news) ${FILL} : (${IN_L1}, ${NEWS}) -> ()
    %2 = "ttnn.exp"(%0) : (${CACHE}) -> ${CACHE}
    %3 = "ttnn.to_memory_config"(%1) : (${IN_L1}) -> ${CACHE}
    return %3, %2 : ${CACHE}, ${CACHE}`,
  "the source is written, its copy read": `
    %0 = "ttnn.relu"(%cache) : (${CACHE}) -> ${CACHE}
    %1 = "ttnn.to_memory_config"(%0) : (${CACHE}) -> ${IN_L1}
    "ttnn.fill_cache"(%0, %news) ${FILL} : (${CACHE}, ${NEWS}) -> ()
    %2 = "ttnn.exp"(%1) : (${IN_L1}) -> ${CACHE}
    return %0, %2 : ${CACHE}, ${CACHE}`,
  "the copy of a copy of an argument is written": `
    %0 = "ttnn.to_memory_config"(%cache) : (${CACHE}) -> ${IN_L1}
    %1 = "ttnn.to_memory_config"(%0) : (${IN_L1}) -> ${CACHE}
    "ttnn.fill_cache"(%1, %news) ${FILL} : (${CACHE}, ${NEWS}) -> ()
    %2 = "ttnn.exp"(%0) : (${IN_L1}) -> ${IN_L1}
    %3 = "ttnn.to_memory_config"(%2) : (${IN_L1}) -> ${CACHE}
    return %3, %cache : ${CACHE}, ${CACHE}`,
  "both sides have one layout": `
    %0 = "ttnn.relu"(%cache) : (${CACHE}) -> ${IN_L1}
    %1 = "ttnn.to_memory_config"(%0) : (${IN_L1}) -> ${IN_L1}
    "ttnn.fill_cache"(%1, %news) ${FILL} : (${IN_L1}, ${NEWS}) -> ()
    %2 = "ttnn.add"(%0, %1) : (${IN_L1}, ${IN_L1}) -> ${IN_L1}
    %3 = "ttnn.to_memory_config"(%0) : (${IN_L1}) -> ${CACHE}
    %4 = "ttnn.to_memory_config"(%2) : (${IN_L1}) -> ${CACHE}
    return %3, %4 : ${CACHE}, ${CACHE}`,
};

for (const [what, body] of Object.entries(BODIES)) {
  Deno.test(`plans keep the meaning of copies between memories: ${what}`, () => {
    const text = `#dram = ${layout(256, "1x1", 8, "dram")}
#l1 = ${layout(256, "8x8", 1, "l1")}
#news = ${layout(128, "1x1", 4, "dram")}
module {
  func.func @main(%news: ${NEWS}, %cache: ${CACHE}) -> (${CACHE}, ${CACHE}) {${body}
  }
}
`;
    const before = parseModule(text, "before.mlir");
    for (const device of ["n150", "p150"]) {
      for (const policy of POLICY_NAMES) {
        const loaded = loadModule(text, { device });
        const { text: written } = optimizeModule(loaded, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
        const after = parseModule(written, `${policy}.mlir`);
        assertSameMeaning(before, after, "main", randomInputs(before, "main", 1));
      }
    }
  });
}
