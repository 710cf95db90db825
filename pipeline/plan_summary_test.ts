// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { planDocument } from "./plan_document.ts";

/** `tensor<SHAPExbf16>` in tiles in interleaved DRAM. */
function inDram(shape: string, rows: number, map: string): string {
  return `tensor<${shape}xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (${map}, d3), <1x1>, ` +
    `memref<${rows}x4x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>`;
}

const CACHE = inDram("32x1x64x128", 64, "d0 * 64 + d1 * 64 + d2");
const STEP = inDram("1x32x1x128", 32, "d0 * 32 + d1 * 32 + d2");
const POSITIONS = "tensor<32xi32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, " +
  "memref<1x32xi32, #ttnn.buffer_type<dram>>, <interleaved>>>";

function summaryOf(ops: string) {
  const text =
    `func.func @main(%cache: ${CACHE} {ttcore.kv_cache}, %step: ${STEP}, %at: ${POSITIONS}) -> ${STEP} {\n` +
    `${ops}  %0 = "ttnn.relu"(%step) : (${STEP}) -> ${STEP}\n  return %0 : ${STEP}\n}\n`;
  const workbench = loadModule(text, { device: "n150" });
  const optimized = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
  return planDocument(optimized, { input: "step.mlir", version: "0.0.0", wallMs: 0 }).summary;
}

const UPDATE =
  `  "ttnn.paged_update_cache"(%cache, %step, %at) <{share_cache = false}> : (${CACHE}, ${STEP}, ${POSITIONS}) -> ()\n`;
/** No layout helps: positions are whole numbers. */
const REFUSED =
  `  "ttnn.paged_update_cache"(%cache, %step, %step) <{share_cache = false}> : (${CACHE}, ${STEP}, ${STEP}) -> ()\n`;

Deno.test("the dram baseline gives an op shards where it takes nothing else: a shard per user", () => {
  const { baselineStatus, verdict } = summaryOf(UPDATE);
  assertEquals([baselineStatus, verdict.status], [undefined, "fits"]);
});

Deno.test("a summary names the op on which its baseline cannot run, before an unchecked one", () => {
  const unknown = `  %u = "ttnn.moe_gpt"(%step) : (${STEP}) -> ${STEP}\n`;
  const named = (ops: string) => {
    const { baselineOp } = summaryOf(ops);
    return [baselineOp?.name, baselineOp?.rule.split("/")[0]];
  };
  assertEquals(named(unknown + REFUSED), ["ttnn.paged_update_cache", "cache"]);
  assertEquals(summaryOf(REFUSED).baselineStatus, "does_not_run");
  assertEquals(named(unknown), ["ttnn.moe_gpt", "op"]);
  assertEquals(named(""), [undefined, undefined]);
});
