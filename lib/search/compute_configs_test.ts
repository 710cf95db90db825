// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { ComputeKernelConfig } from "../op_config/op_config.ts";
import type { DataType } from "../layout/data_type.ts";
import { type ComputedOp, withComputeConfigs } from "./compute_configs.ts";

const PLAIN = [{ layout: undefined, config: undefined }];

function product(own: ComputedOp["own"], dataType: DataType = "bf16"): ComputedOp {
  const tensor = { shape: [64, 64], dataType };
  const op = {
    name: "ttnn.matmul",
    attributes: new Map(),
    operands: [tensor, tensor],
    operandSegmentSizes: undefined,
    results: [tensor],
  };
  return { op, own, architecture: "wormhole_b0" };
}

Deno.test("hints of an op without a compute config stay as they are where no fidelity is offered", () => {
  assertEquals(withComputeConfigs(PLAIN, [], product(undefined)), PLAIN);
  assertEquals(withComputeConfigs(PLAIN, [], product({ kind: "matmul" })), PLAIN);
});

function configs(
  given: ComputeKernelConfig | undefined,
  fidelities: readonly ("lofi" | "hifi2")[] = [],
  dataType?: DataType,
) {
  const own = given === undefined ? undefined : { kind: "matmul", computeConfig: given } as const;
  return withComputeConfigs(PLAIN, fidelities, product(own, dataType)).map(({ config }) =>
    config?.computeConfig
  );
}

Deno.test("open fields of a compute config are tried both ways, given ones stay", () => {
  const left = { mathFidelity: "hifi4", fp32DestAccEn: false, mathApproxMode: true } as const;
  assertEquals(configs({ mathFidelity: "hifi4" }), [{ ...left, packerL1Acc: true }, undefined]);
  assertEquals(configs({ packerL1Acc: false }), [undefined]);
  const said = { packerL1Acc: true, fp32DestAccEn: true } as const;
  assertEquals(configs(said, ["lofi", "hifi2"]), [
    { ...said, mathApproxMode: true, mathFidelity: "lofi" },
    { ...said, mathApproxMode: true, mathFidelity: "hifi2" },
  ]);
});

Deno.test("a tried fidelity keeps the backend's other defaults", () => {
  assertEquals(configs(undefined, ["lofi"], "f32"), [
    { mathFidelity: "lofi", fp32DestAccEn: true, packerL1Acc: true, mathApproxMode: false },
    { mathFidelity: "lofi", fp32DestAccEn: true, packerL1Acc: false, mathApproxMode: false },
  ]);
  assertEquals(configs(undefined, ["lofi"]), [
    { mathFidelity: "lofi", fp32DestAccEn: false, packerL1Acc: true, mathApproxMode: false },
  ]);
});
