// SPDX-License-Identifier: Apache-2.0

/** How the time to decide grows with the number of ops: towers of one residual block, 24 to 384 ops. */

import { parseModule } from "../lib/ir/mod.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { createWorkbench } from "../pipeline/load.ts";
import { getDevice } from "../sim/devices/device_registry.ts";

const LAYOUT = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
  "memref<32x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>";
const TENSOR = `tensor<1024x1024xbf16, ${LAYOUT}>`;

/** Blocks of matmul, relu, add with the block's input: a fork and a join each. */
function tower(blocks: number): string {
  const lines = [`func.func @main(%0: ${TENSOR}, %w: ${TENSOR}) -> ${TENSOR} {`];
  let last = 0;
  for (let block = 0; block < blocks; block++) {
    const [product, active, sum] = [last + 1, last + 2, last + 3];
    lines.push(
      `  %${product} = "ttnn.matmul"(%${last}, %w) : (${TENSOR}, ${TENSOR}) -> ${TENSOR}`,
      `  %${active} = "ttnn.relu"(%${product}) : (${TENSOR}) -> ${TENSOR}`,
      `  %${sum} = "ttnn.add"(%${active}, %${last}) : (${TENSOR}, ${TENSOR}) -> ${TENSOR}`,
    );
    last = sum;
  }
  return [...lines, `  return %${last} : ${TENSOR}`, "}", ""].join("\n");
}

for (const name of ["greedy", "beam", "beam-cost", "df-sharding-2"]) {
  const policy = getPolicy(name);
  for (const blocks of [8, 32, 128]) {
    const module = parseModule(tower(blocks), "tower.mlir");
    Deno.bench({
      name: `${name}, ${3 * blocks} ops`,
      group: `scale of ${name}`,
      n: 3,
      warmup: 1,
      fn: (b) => {
        const { binding, planning } = createWorkbench(module, getDevice("n150"));
        const { opModel, cost } = planning();
        b.start();
        policy.decide({ graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
        b.end();
      },
    });
  }
}
