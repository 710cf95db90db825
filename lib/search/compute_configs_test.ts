// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { withComputeConfigs } from "./compute_configs.ts";

const PLAIN = [{ layout: undefined, config: undefined }];

Deno.test("hints of an op without a compute config stay as they are where no fidelity is offered", () => {
  assertEquals(withComputeConfigs(PLAIN, [], undefined), PLAIN);
  assertEquals(withComputeConfigs(PLAIN, [], { kind: "matmul" }), PLAIN);
});

Deno.test("what a compute config leaves open is tried both ways, what it says stays", () => {
  const own = (computeConfig: object) => ({ kind: "matmul", computeConfig }) as const;
  const configs = (given: object, fidelities: readonly ("lofi" | "hifi2")[] = []) =>
    withComputeConfigs(PLAIN, fidelities, own(given)).map(({ config }) => config?.computeConfig);
  assertEquals(configs({ mathFidelity: "hifi4" }), [{ mathFidelity: "hifi4", packerL1Acc: true }, undefined]);
  assertEquals(configs({ packerL1Acc: false }), [undefined]);
  assertEquals(configs({ packerL1Acc: true, fp32DestAccEn: true }, ["lofi", "hifi2"]), [
    { packerL1Acc: true, fp32DestAccEn: true, mathFidelity: "lofi" },
    { packerL1Acc: true, fp32DestAccEn: true, mathFidelity: "hifi2" },
  ]);
});
