// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  type LayoutText,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { Attribute } from "../ir/attribute.ts";
import type { DataType } from "../layout/data_type.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "./create_op_model.ts";

/** `64x1024 f32 hs 8x1`: shape, format (bf16 when absent), memory. */
type TensorText = string;

/** One recorded answer of the backend (tt-mlir:op-model-tests). */
interface Fact {
  readonly op: string;
  readonly inputs: readonly TensorText[];
  /** Result shapes and formats; memory is the hint, `null` for NULL. */
  readonly result: TensorText;
  readonly attributes?: Readonly<Record<string, Attribute>>;
  /** Circular buffers, tensor peak, output; bytes per core. `undefined` is a refusal. */
  readonly bytes: readonly [cb: number, tensorPeak: number, output: number] | undefined;
}

const dimMinusOne = { dimension: integerAttribute(-1) };

const FACTS: readonly Fact[] = [
  { op: "relu", inputs: ["64x1024 dram"], result: "64x1024 l1", bytes: [8192, 2048, 2048] },
  {
    op: "logical_and",
    inputs: ["64x1024 dram", "64x1024 l1"],
    result: "64x1024 l1",
    bytes: [16_384, 2048, 2048],
  },
  {
    op: "bitwise_or",
    inputs: ["64x1024 si32 l1", "64x1024 si32 dram"],
    result: "64x1024 si32 dram",
    bytes: [24_576, 0, 0],
  },
  {
    op: "add",
    inputs: ["32768x32 hs 8x1", "32768x32 dram"],
    result: "32768x32 hs 8x1",
    bytes: [12_288, 262_144, 262_144],
  },
  {
    op: "where",
    inputs: ["64x1024 dram", "64x1024 dram", "64x1024 dram"],
    result: "64x1024 l1",
    bytes: [16_384, 2048, 2048],
  },
  { op: "typecast", inputs: ["32768x32 dram"], result: "32768x32 f32 dram", bytes: [12_288, 0, 0] },
  { op: "typecast", inputs: ["32768x32 dram"], result: "32768x32 f32 hs 64x1", bytes: undefined },
  {
    op: "matmul",
    inputs: ["1792x1792 bs 7x8", "1792x1792 dram"],
    result: "1792x1792 bs 7x8",
    bytes: [430_080, 114_688, 114_688],
  },
  {
    op: "matmul",
    inputs: ["1792x1792 bs 7x8", "1792x1792 dram"],
    result: "1792x1792 dram",
    bytes: [544_768, 0, 0],
  },
  {
    op: "matmul",
    inputs: ["32x1792 ws 1x56", "1792x1792 dram"],
    result: "32x1792 ws 1x56",
    bytes: [8192, 2048, 2048],
  },
  {
    op: "matmul",
    inputs: ["1792x32 hs 56x1", "32x1792 dram"],
    result: "1792x1792 hs 56x1",
    bytes: [114_688, 114_688, 114_688],
  },
  {
    op: "matmul",
    inputs: ["1792x1792 bs 7x8", "1792x1792 hs 56x1"],
    result: "1792x1792 dram",
    bytes: undefined,
  },
  {
    op: "linear",
    inputs: ["32x1792 ws 1x56", "1792x1792 dram", "32x1792 dram"],
    result: "32x1792 ws 1x56",
    bytes: [20_480, 4096, 2048],
  },
  {
    op: "softmax",
    inputs: ["64x1024 dram"],
    result: "64x1024 l1",
    attributes: dimMinusOne,
    bytes: [110_592, 2048, 2048],
  },
  {
    op: "softmax",
    inputs: ["32768x32 hs 64x1"],
    result: "32768x32 l1",
    attributes: { dimension: integerAttribute(-2) },
    bytes: [38_912, 32_768, 32_768],
  },
  {
    op: "rms_norm",
    inputs: ["1x32x128x128 dram", "128 dram", "128 dram"],
    result: "1x32x128x128 dram",
    bytes: [159_744, 0, 0],
  },
  {
    op: "sum",
    inputs: ["64x1024 dram"],
    result: "64x1 dram",
    attributes: { dim_arg: integersAttribute([1]) },
    bytes: [22_528, 0, 0],
  },
  {
    op: "prod",
    inputs: ["64x64 l1"],
    result: "1x64 l1",
    attributes: { dim_arg: integerAttribute(0) },
    bytes: [8192, 8192, 2048],
  },
  {
    op: "argmax",
    inputs: ["64x64 dram-rm"],
    result: "64 u32 dram-rm",
    attributes: { dim: integerAttribute(1) },
    bytes: [1856, 0, 0],
  },
  {
    op: "argmax",
    inputs: ["64x64 dram-rm"],
    result: "64x1 u32 dram-rm",
    attributes: { dim: integerAttribute(1) },
    bytes: [320, 0, 0],
  },
  {
    op: "moreh_cumsum",
    inputs: ["64x1024 dram"],
    result: "64x1024 l1",
    attributes: { dim: integerAttribute(0) },
    bytes: [16_384, 2048, 2048],
  },
  { op: "reshape", inputs: ["64x1024 dram"], result: "256x256 l1", bytes: [5120, 2048, 2048] },
  {
    op: "transpose",
    inputs: ["64x1024 dram"],
    result: "1024x64 l1",
    attributes: { dim0: integerAttribute(0), dim1: integerAttribute(1) },
    bytes: [8192, 2048, 2048],
  },
  {
    op: "pad",
    inputs: ["64x1024 dram"],
    result: "66x1026 l1",
    attributes: { padding: integersAttribute([0, 2, 0, 2]) },
    bytes: [6144, 4096, 4096],
  },
  { op: "to_layout", inputs: ["64x1024 dram"], result: "64x1024 dram-rm", bytes: [8192, 0, 0] },
  {
    op: "concat",
    inputs: ["64x1024 l1", "64x1024 l1"],
    result: "128x1024 dram",
    attributes: { dim: integerAttribute(0) },
    bytes: [4096, 0, 0],
  },
  {
    op: "rotary_embedding",
    inputs: ["1x32x1024x64 l1", "1x1x1024x64 l1", "1x1x1024x64 l1"],
    result: "1x32x1024x64 l1",
    bytes: [49_152, 65_536, 65_536],
  },
  {
    op: "concatenate_heads",
    inputs: ["4x24x2048x128 dram"],
    result: "4x2048x3072 dram",
    bytes: [393_216, 0, 0],
  },
];

function parse(text: TensorText): { readonly type: TensorShape; readonly memory: LayoutText } {
  const [shape = "", ...rest] = text.split(" ");
  const formats: readonly DataType[] = ["f32", "si32", "u32"];
  const format = formats.find((name) => name === rest[0]);
  return {
    type: tensorOf(shape.split("x").map(Number), format ?? "bf16"),
    memory: rest.slice(format === undefined ? 0 : 1).join(" "),
  };
}

for (const { op, inputs, result, attributes, bytes } of FACTS) {
  Deno.test(`ttnn.${op}(${inputs.join(", ")}) -> ${result} answers as the backend did`, () => {
    const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
    const operands = inputs.map(parse);
    const wanted = parse(result);
    const signature = signatureOf(
      `ttnn.${op}`,
      operands.map(({ type }) => type),
      [wanted.type],
      attributes ?? {},
    );
    const answer = model.queryOpConstraints(
      signature,
      operands.map(({ type, memory }) => layoutOf(model, type, memory)),
      wanted.memory === "null" ? undefined : layoutOf(model, wanted.type, wanted.memory),
      undefined,
    );
    if (bytes === undefined) {
      assertEquals(answer.status, "invalid");
      return;
    }
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    assertEquals([answer.cbPeakBytes, answer.tensorL1PeakBytes, answer.outputL1Bytes], bytes);
  });
}

Deno.test("a reshape that keeps its tiles is a view without program and buffer", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const from = tensorOf([1, 1, 1024, 1024]);
  const to = tensorOf([1, 4, 256, 1024]);
  const reshape = signatureOf("ttnn.reshape", [from], [to]);
  const answer = model.queryOpConstraints(reshape, [layoutOf(model, from, "l1")], undefined, undefined);
  assert(answer.status === "valid");
  assertEquals([answer.cbPeakBytes, answer.aliasedOperand, answer.events], [0, 0, []]);
  assertEquals(model.traits(reshape).viewOf, 0);
  const other = signatureOf("ttnn.reshape", [tensorOf([1, 1, 18, 64])], [tensorOf([1, 1, 9, 128])]);
  assertEquals(model.traits(other).viewOf, undefined);
});

Deno.test("a cache update makes no buffer and writes into its first operand", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const cache = tensorOf([1, 32, 64, 512]);
  const entries = tensorOf([1, 32, 3, 512]);
  const fill = signatureOf("ttnn.fill_cache", [cache, entries], []);
  const answer = model.queryOpConstraints(
    fill,
    [layoutOf(model, cache, "l1"), layoutOf(model, entries, "l1")],
    undefined,
    undefined,
  );
  assert(answer.status === "valid");
  assertEquals([answer.cbPeakBytes, answer.tensorL1PeakBytes, answer.outputL1Bytes], [4096, 0, 32_768]);
  assertEquals(answer.events.some(({ kind }) => kind === "allocate"), false);
  assertEquals(model.traits(fill).inPlaceOperand, 0);
});

Deno.test("a sharded norm derives the program config of its shard", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const type = tensorOf([256, 2048]);
  const norm = signatureOf("ttnn.rms_norm", [type], [type]);
  const block = layoutOf(model, type, "bs 4x8");
  const answer = model.queryOpConstraints(norm, [block], undefined, undefined);
  assert(answer.status === "valid" && answer.config?.kind === "norm");
  assertEquals(answer.config.programConfig, {
    computeWithStorageGridSize: [8, 4],
    subblockW: 8,
    blockH: 2,
    blockW: 8,
    inplace: false,
  });
  const tall = model.queryOpConstraints(norm, [layoutOf(model, type, "hs 8x1")], undefined, undefined);
  assertEquals(tall.status === "invalid" ? tall.rule : "", "norm/height-sharded");
});
