// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { parseModule } from "../lib/ir/mod.ts";
import { isSharded } from "../lib/layout/ttnn_layout.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";

const T = "tensor<1024x1024xbf16, #rows>";

/** Three elementwise ops on rows. */
const ROWS = `
#dram = #ttnn.buffer_type<dram>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1024x1024xbf16, #dram>, <interleaved>>
module {
  func.func @forward(%x: ${T}) -> ${T} attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.relu"(%x) : (${T}) -> ${T}
    %1 = "ttnn.gelu"(%0) : (${T}) -> ${T}
    %2 = "ttnn.silu"(%1) : (${T}) -> ${T}
    return %2 : ${T}
  }
}
`;

function decide(text: string, name: string, rowMajorEnabled: boolean) {
  const policy = getPolicy(name);
  const workbench = createWorkbench(parseModule(text, "rows.mlir"), getDevice("n150"));
  const optimized = optimizeModule(workbench, policy, { ...DEFAULT_POLICY_OPTIONS, rowMajorEnabled });
  const layouts = optimized.plan.functions.flatMap(({ decisions, conversions }) => [
    ...decisions.flatMap(({ outputLayouts }) => outputLayouts),
    ...conversions.map(({ layout }) => layout),
  ]);
  return {
    ...optimized,
    shardsOfRows:
      layouts.filter((layout) => layout !== undefined && layout.tile === undefined && isSharded(layout))
        .length,
  };
}

for (const name of ["greedy", "beam", "beam-cost", "optimal", "df-sharding", "df-sharding-2"]) {
  Deno.test(`--row-major-enabled lets ${name} shard rows`, () => {
    const { shardsOfRows, text, memory } = decide(ROWS, name, true);
    assert(shardsOfRows > 0);
    assertEquals(memory.verdict.status, "fits");
    assertEquals(verifyModule(parseModule(text, "rows.mlir")), []);
  });
}

for (const name of ["beam", "beam-cost"]) {
  Deno.test(`without --row-major-enabled ${name} shards no rows`, () => {
    assertEquals(decide(ROWS, name, false).shardsOfRows, 0);
  });
}

for (const name of ["greedy-l1-interleaved", "bf-interleaved"]) {
  Deno.test(`--row-major-enabled lets ${name} decide ops on rows, which else stay as the input has them`, () => {
    const rowsInL1 = ROWS.replace("type<dram>", "type<l1>").replace(
      "<1x1>, memref<1024x1024x",
      "<8x8>, memref<1x16384x",
    );
    const buffers = (isEnabled: boolean) =>
      decide(rowsInL1, name, isEnabled).plan.functions[0]?.decisions.flatMap(({ outputLayouts }) =>
        outputLayouts.map((layout) => layout?.bufferType)
      );
    assertEquals(buffers(false), ["l1", "l1", "l1"]);
    assertEquals(buffers(true), ["dram", "dram", "dram"]);
  });
}

Deno.test("--row-major-enabled makes no shards that end inside of tiles", () => {
  const mnist = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata/models/mnist.mlir"));
  const { text, timeline, baseline } = decide(mnist, "greedy", true);
  assertEquals(verifyModule(parseModule(text, "mnist.mlir")), []);
  assert(timeline.inference.totalUs < baseline.inference.totalUs);
});
