// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { integerAttribute, tensorOf } from "../../../testing/op_queries.ts";
import { describeLayout } from "../../layout/describe.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { policy as dfSharding2 } from "../../policy/policies/df_sharding_2.ts";
import { ToyCostModel } from "../../propagation/testing/toy_models.ts";
import { createOpModel } from "../create_op_model.ts";
import { answerOf, type TensorText } from "../testing/recorded_answer.ts";

/** Answer to a join along a dimension; the memory of the result is the hint. */
function join(inputs: readonly TensorText[], dim: number, memory: string) {
  const shapes = inputs.map((input) => (input.split(" ")[0] ?? "").split("x").map(Number));
  const [first = []] = shapes;
  const axis = dim < 0 ? first.length + dim : dim;
  const result = first.map((extent, at) =>
    at === axis ? shapes.reduce((sum, shape) => sum + (shape[at] ?? 0), 0) : extent
  );
  const format = inputs[0]?.includes("bfp_bf8") === true ? " bfp_bf8" : "";
  return answerOf({
    op: "concat",
    inputs,
    results: [`${result.join("x")}${format} ${memory}`],
    attributes: { dim: integerAttribute(dim) },
  });
}

/** Peak bytes of tensors in L1 per core; a refusal's rule. */
function peakOf(answer: ReturnType<typeof join>): number | string | undefined {
  return typeof answer === "string" ? answer : answer.bytes[1];
}

const times = (count: number, text: TensorText) => new Array<TensorText>(count).fill(text);

Deno.test("interleaved tensors are joined page by page, into any memory; NULL gives DRAM", () => {
  assertEquals(join(["2x4096x320 l1", "2x4096x320 l1", "2x4096x32 l1"], -1, "l1"), {
    bytes: [4096, 172_032, 172_032],
    layouts: ["l1/interleaved"],
  });
  assertEquals(join(times(3, "1x1x1024x320 dram"), -1, "bs 8x1"), {
    bytes: [4096, 245_760, 245_760],
    layouts: ["l1/block_sharded/8x1"],
  });
  assertEquals(join(times(3, "1x384x768 l1-rm"), -2, "null"), {
    bytes: [3072, 0, 0],
    layouts: ["dram/interleaved/row_major"],
  });
  assertEquals(join(times(2, "1x1x784x128 dram"), -1, "~hs 25x1"), "output/no-shard-spec");
});

Deno.test("tensors of one dimension are joined as rows, also those that end on tiles; of their shards columns alone", () => {
  // As asked of ttnn 0.81.1 on n150 (f32 takes twice as much).
  assertEquals(join(times(2, "64 dram"), 0, "dram"), {
    bytes: [16_384, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join(times(2, "32 dram"), -1, "dram"), {
    bytes: [8192, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join(times(2, "64 hs 1x1"), 0, "dram"), "concat/line");
  assertEquals(join(times(2, "64 dram"), 0, "hs 1x1"), "concat/line");
});

Deno.test("columns of two operands in height shards of rows need rows of whole 32 bytes, those of three do not", () => {
  // As asked of ttnn 0.81.1 on n150 and p150: bf16 rows of 48 and 16 bytes against 32, 64 and 96.
  const rows = (...widths: readonly number[]): TensorText[] =>
    widths.map((width): TensorText => `1x1x392x${width} hs 13x1`);
  for (const widths of [[24, 32], [32, 24], [8, 32], [24, 40], [24, 24]]) {
    assertEquals(join(rows(...widths), 3, "dram"), "concat/pair", widths.join());
  }
  for (const widths of [[16, 32], [48, 32], [16, 16], [24, 24, 16]]) {
    assertEquals(typeof join(rows(...widths), 3, "dram"), "object", widths.join());
  }
});

Deno.test("interleaved tensors in tiles and in rows are joined in the pages of the first; shards are not", () => {
  // As asked of ttnn 0.81.1 on n150.
  assertEquals(join(["1x1x3136x128 dram", "1x1x3136x128 dram-rm"], 3, "dram"), {
    bytes: [16_384, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join(["1x1x3136x128 l1", "1x1x3136x128 l1-rm"], 3, "l1"), {
    bytes: [16_384, 40_960, 26_624],
    layouts: ["l1/interleaved"],
  });
  assertEquals(join(["1x1x3136x128 dram-rm", "1x1x3136x128 dram", "1x1x3136x128 dram-rm"], 3, "dram"), {
    bytes: [34_304, 0, 0],
    layouts: ["dram/interleaved/row_major"],
  });
  assertEquals(join(["1x1x3136x128 hs 49x1", "1x1x3136x128 hs-rm 49x1"], 3, "hs 49x1"), "concat/page");
});

Deno.test("shards are joined where they lie along dimensions that they do not cut", () => {
  assertEquals(join(times(2, "1x1x784x128 bs 5x2"), -1, "bs 5x2"), {
    bytes: [0, 40_960, 40_960],
    layouts: ["l1/block_sharded/5x2"],
  });
  // Two height shards side by side pass buffers of their own.
  assertEquals(join(times(2, "1x32x32x32 hs 11x1"), -1, "hs 11x1"), {
    bytes: [12_288, 12_288, 12_288],
    layouts: ["l1/height_sharded/11x1"],
  });
  // What is joined in shards leaves them behind.
  assertEquals(join(["1x32x32x32 hs 1x1", "1x32x32x64 hs 1x1"], 3, "null"), {
    bytes: [18_432, 196_608, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join(times(2, "1x12x384x64 bfp_bf8 ws 1x2"), 2, "l1"), {
    bytes: [0, 323_136, 9792],
    layouts: ["l1/interleaved"],
  });
});

Deno.test("shards that the dimension cuts are spread first, if the result is interleaved", () => {
  assertEquals(join(times(4, "1x32x64x64 hs 4x1"), 2, "dram"), {
    bytes: [4096, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join(times(2, "1x1x1024x320 hs 8x1"), -2, "hs 8x1"), "concat/height");
  assertEquals(join(times(2, "1x1x1024x320 ws 1x10"), -1, "ws 1x10"), "concat/width");
  assertEquals(join(times(2, "8x128x768 bs 8x8"), 0, "bs 8x8"), "concat/batch");
});

Deno.test("operands lie in shards all or none, and share kind and cores where they are joined", () => {
  assertEquals(join(["1x1x784x128 bs 5x2", "1x1x784x128 dram"], -1, "dram"), "concat/mixed");
  assertEquals(join(["1x1x784x128 dram", "1x1x784x128 hs 5x1"], -1, "null"), "concat/mixed");
  assertEquals(join(["1x1x784x128 bs 5x2", "1x1x784x128 hs 5x1"], -1, "bs 5x2"), "concat/mixed");
  assertEquals(join(["1x1x784x128 bs 5x2", "1x1x784x128 bs 5x1"], -1, "bs 5x2"), "concat/grid");
  assertEquals(join(times(2, "1x1x784x128 bs 5x2"), -1, "hs 5x1"), "concat/output-kind");
  assertEquals(join(times(2, "1x1x784x128 bs 5x2"), -1, "bs 5x1"), "concat/output-grid");
});

Deno.test("tiles that do not end on the dimension go through rows, columns of interleaved ones in one program", () => {
  assertEquals(join(["1x1x32x48 l1", "1x1x32x32 l1"], -1, "null"), {
    bytes: [36_864, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join(times(2, "1x197x768 dram"), -2, "l1"), {
    bytes: [98_304, 20_992, 10_240],
    layouts: ["l1/interleaved"],
  });
  assertEquals(join(["1x197x768 bfp_bf8 hs 1x1", "1x1x768 bfp_bf8 hs 1x1"], 1, "dram"), {
    bytes: [688_128, 393_216, 0],
    layouts: ["dram/interleaved"],
  });
  // Shards of several matrices lose the padding of each.
  assertEquals(peakOf(join(times(2, "32x32x1x16 hs 64x1"), -1, "l1")), 34_816);
  assertEquals(peakOf(join(times(2, "3x1x20x64 hs 2x1"), -2, "l1")), 12_544);
  assertEquals(peakOf(join(times(2, "4x1x20x64 hs 4x1"), -2, "l1")), 10_624);
  assertEquals(join(times(2, "1x12x100x64 bs 8x1"), 2, "dram"), "concat/ragged-blocks");
  assertEquals(join(times(2, "1x1x100x64 dram"), 2, "ws 1x2"), "concat/ragged-result");
});

Deno.test("columns that do not end on tiles are joined by one kernel if it has room, else turned, here in DRAM only", () => {
  const ragged = (rows: number, count: number, memory: string) =>
    Array.from({ length: count }, (_, index) => `${rows}x${37 * index + 21} ${memory}`);
  assertEquals(join(ragged(256, 6, "dram"), 1, "l1"), {
    bytes: [282_624, 6144, 6144],
    layouts: ["l1/interleaved"],
  });
  assertEquals(join(ragged(32, 14, "dram"), 1, "dram"), {
    bytes: [65_856, 0, 0],
    layouts: ["dram/interleaved"],
  });
  assertEquals(join(ragged(32, 14, "l1"), 1, "dram"), "concat/wide-columns");
  assertEquals(join(ragged(32, 14, "dram"), 1, "l1"), "concat/wide-columns");
});

Deno.test("chains that end in block shards feed a concat", () => {
  const operand = tensorOf([1024, 1024]);
  const builder = new GraphBuilder();
  const wide = tensorOf([1024, 2048]);
  const chain = () => {
    const weight = builder.argument(operand, { argumentType: "parameter" });
    const product = builder.op("ttnn.matmul", [builder.argument(operand), weight], operand);
    return builder.op("ttnn.relu", [product], operand);
  };
  const joined = builder.op("ttnn.concat", [chain(), chain()], wide, {
    attributes: { dim: integerAttribute(1) },
  });
  builder.return(builder.op("ttnn.relu", [joined], wide));
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const [plan] = dfSharding2.decide({
    graph: builder.buildGraph(),
    opModel,
    cost: new ToyCostModel(opModel.layouts),
    options: DEFAULT_POLICY_OPTIONS,
  }).functions;
  const reads = plan?.decisions[4]?.operands.map((source, index) => {
    const layout = source.kind === "conversion"
      ? plan.conversions[source.conversion]?.layout
      : plan.decisions[index === 0 ? 1 : 3]?.outputLayouts[0];
    return layout === undefined ? "-" : describeLayout(layout);
  });
  assertEquals(reads, ["l1/block_sharded/8x8", "l1/block_sharded/8x8"]);
});
