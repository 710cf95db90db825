// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { ComputeKernelConfig } from "../op_config/op_config.ts";
import type { DataType } from "../layout/data_type.ts";
import { type ComputedOp, moreExact, withComputeConfigs } from "./compute_configs.ts";

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
  assertEquals(configs({ ...said, mathFidelity: "hifi4" }, ["lofi", "hifi2"]), [
    { ...said, mathApproxMode: true, mathFidelity: "lofi" },
  ]);
  // A config without a fidelity runs in LoFi (ttnn:backend-0-81-1).
  assertEquals(configs(said, ["lofi", "hifi2"]), [undefined]);
});

Deno.test("the fastest of the allowed fidelities is tried, unless the op's own is as fast", () => {
  const said = { mathFidelity: "hifi2", packerL1Acc: true } as const;
  const fidelities = (allowed: Parameters<typeof configs>[1]) =>
    configs(said, allowed).map((compute) => compute?.mathFidelity);
  assertEquals(fidelities(["lofi", "hifi2"]), ["lofi"]);
  assertEquals(fidelities(["lofi"]), fidelities(["hifi2", "lofi"]));
  assertEquals(fidelities(["hifi2"]), [undefined]);
  assertEquals(configs({ ...said, mathFidelity: "lofi" }, ["hifi2"]), [undefined]);
});

Deno.test("a fidelity rises to allowed ones and to that of the input, most phases first", () => {
  const risen = (allowed: readonly ("lofi" | "hifi2")[], own: ComputedOp["own"]) =>
    moreExact(
      { kind: "matmul", computeConfig: { mathFidelity: "lofi", packerL1Acc: true } },
      allowed,
      product(own),
    )
      .map(({ computeConfig }) => [computeConfig?.mathFidelity, computeConfig?.packerL1Acc]);
  const hifi4 = { kind: "matmul", computeConfig: { mathFidelity: "hifi4" } } as const;
  assertEquals(risen(["lofi", "hifi2"], hifi4), [["hifi4", true], ["hifi2", true]]);
  assertEquals(risen(["lofi"], hifi4), [["hifi4", true]]);
  assertEquals(moreExact({ kind: "matmul" }, ["hifi2"], product(hifi4)), []);
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
