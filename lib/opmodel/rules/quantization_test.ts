// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import {
  integerAttribute,
  layoutOf,
  type LayoutText,
  signatureOf,
  tensorOf,
} from "../../../testing/op_queries.ts";
import type { DataType } from "../../layout/data_type.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";

const SHAPE = [1, 1, 64, 1024];
const CHANNELS = [1024];
const NUMBER = [1, 1];

// Answers of ttnn 0.81.1 on n150: memory of the tensor and of scales and zero points, format of both floats; circular
// buffers and peak of tensors, bytes per core.
const RUNS: readonly [
  op: "quantize" | "dequantize" | "requantize",
  vectors: readonly number[],
  memory: readonly [tensor: LayoutText, vectors: LayoutText, result: LayoutText],
  float: DataType,
  bytes: readonly [cb: number, tensorPeak: number],
][] = [
  ["quantize", CHANNELS, ["l1", "l1", "l1"], "bf16", [28672, 14336]],
  ["quantize", CHANNELS, ["l1", "l1", "l1"], "f32", [49152, 20480]],
  ["quantize", CHANNELS, ["dram", "l1", "dram"], "bf16", [28672, 8192]],
  ["quantize", NUMBER, ["l1", "l1", "l1"], "bf16", [28672, 10240]],
  ["quantize", NUMBER, ["l1", "l1", "l1"], "f32", [49152, 16384]],
  ["quantize", NUMBER, ["hs 2x1", "l1", "null"], "bf16", [20480, 264_192]],
  ["dequantize", CHANNELS, ["l1", "l1", "l1"], "bf16", [49152, 16384]],
  ["dequantize", CHANNELS, ["l1", "dram", "dram"], "bf16", [49152, 8192]],
  ["dequantize", NUMBER, ["l1", "l1", "l1"], "f32", [49152, 8192]],
  ["requantize", CHANNELS, ["l1", "l1", "l1"], "bf16", [49152, 40960]],
  ["requantize", CHANNELS, ["dram", "l1", "dram"], "bf16", [49152, 28672]],
  ["requantize", NUMBER, ["l1", "dram", "dram"], "bf16", [49152, 8192]],
  ["requantize", NUMBER, ["l1", "l1", "l1"], "f32", [49152, 12288]],
];

for (const [op, extents, [memory, vectors, result], float, bytes] of RUNS) {
  const by = extents === NUMBER ? "a number" : "channels";
  Deno.test(`${op} of ${float} by ${by}, ${memory} and ${vectors} to ${result}, takes what the backend reports`, () => {
    const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
    const input = tensorOf(SHAPE, op === "quantize" ? float : "si32");
    const output = tensorOf(SHAPE, op === "dequantize" ? float : "si32");
    const pair = [tensorOf(extents, float), tensorOf(extents, "si32")];
    const operands = [input, ...pair, ...(op === "requantize" ? pair : [])];
    const layouts = operands.map((tensor, index) => layoutOf(model, tensor, index === 0 ? memory : vectors));
    const hint = result === "null" ? undefined : layoutOf(model, output, result);
    const answer = model.queryOpConstraints(
      signatureOf(`ttnn.${op}`, operands, [output], extents === NUMBER ? {} : { axis: integerAttribute(3) }),
      layouts,
      hint,
      undefined,
    );
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    assertEquals([answer.cbPeakBytes, answer.tensorL1PeakBytes], bytes);
  });
}
