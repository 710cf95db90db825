// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { ComputeKernelConfig } from "../op_config/op_config.ts";
import { present } from "../../testing/present.ts";
import { blockTileBytes } from "./matmul.ts";
import { matmulProblem } from "./matmul_problem.ts";
import { tensor } from "./testing/launching.ts";

/** Bytes of a tile of partial sums of a product in bfp_bf8. */
function partialBytes(computeConfig: ComputeKernelConfig): number {
  const problem = matmulProblem({
    name: "ttnn.matmul",
    attributes: new Map(),
    inputs: [tensor([64, 64]), tensor([64, 64])],
    outputs: [tensor([64, 64], { dataType: "bfp_bf8" })],
    config: { kind: "matmul", computeConfig },
  });
  return blockTileBytes(present(problem)).partials;
}

Deno.test("partial sums of a matmul are f32 with such a destination, bf16 where L1 adds up, else as the result", () => {
  assertEquals(partialBytes({ fp32DestAccEn: true, packerL1Acc: true }), 4096);
  assertEquals(partialBytes({ fp32DestAccEn: false, packerL1Acc: true }), 2048);
  assertEquals(partialBytes({}), 1088);
});
