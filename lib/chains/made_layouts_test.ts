// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { describeLayout } from "../layout/describe.ts";
import { type LayoutIds, LayoutTable } from "../layout/layout_table.ts";
import { gridVolume } from "../layout/ttnn_layout.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import type { OpId } from "../graph/graph.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { parseOutputLayoutOverrides } from "../overrides/output_layout_override.ts";
import { NO_OVERRIDES } from "../overrides/overrides.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { ChainContext, madeConfigs } from "./chain_context.ts";
import { ChainModel } from "./chain_model.ts";
import type { ChainOptions } from "./chain_model.ts";

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

/** Legal sharded layouts of every op of a function. */
function legalShards(make: (builder: GraphBuilder) => void, options: Partial<ChainOptions> = {}) {
  const builder = new GraphBuilder();
  make(builder);
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const [fn] = builder.buildGraph().functions;
  assert(fn !== undefined);
  const context = new ChainContext(fn, opModel, { ...DEFAULT_POLICY_OPTIONS, ...options }, 0);
  return fn.ops.map(({ id }) =>
    [
      ...new Set((context.shardedConfigs[id] ?? []).map(({ outputLayout }) => outputLayout)),
    ].map((id) => opModel.layouts.get(id))
  );
}

Deno.test("a layout that the op model makes from no operands is no candidate, and takes no place of the limit", () => {
  // A rotary embedding makes shards of rows only: it never produces width shards, nor blocks of several columns.
  const angles = bf16(1, 1, 2048, 64);
  const rotary = (builder: GraphBuilder): void => {
    const [x, cos, sin] = [0, 1, 2].map(() => builder.argument(angles));
    assert(x !== undefined && cos !== undefined && sin !== undefined);
    builder.return(builder.op("ttnn.rotary_embedding", [x, cos, sin], angles));
  };
  const kinds = (options: Partial<ChainOptions>): readonly string[] =>
    [...new Set((legalShards(rotary, options)[0] ?? []).map(({ memoryLayout }) => `${memoryLayout}`))].sort();
  assertEquals(kinds({ legacyQuirks: true }), ["block_sharded", "height_sharded", "width_sharded"]);
  assertEquals(kinds({}), ["block_sharded", "height_sharded"]);
  const first = legalShards(rotary, { maxLegalLayouts: 4 })[0] ?? [];
  assertEquals(first.length, 4);
  assertEquals(first.filter(({ memoryLayout }) => memoryLayout === "width_sharded").length, 0);
});

Deno.test("one shard is no candidate where there are more, and is one where there is no other", () => {
  const shards = (shape: TensorShape, options: Partial<ChainOptions> = {}): readonly number[] =>
    (legalShards(
      (builder) => builder.return(builder.op("ttnn.relu", [builder.argument(shape)], shape)),
      options,
    )[0] ?? []).map(gridVolume);
  assertEquals(shards(bf16(64, 32)), [2, 2]);
  assert(shards(bf16(64, 32), { legacyQuirks: true }).includes(1));
  assertEquals(new Set(shards(bf16(32, 32))), new Set([1]));
  const [overridden] = legalShards((builder) =>
    builder.return(
      builder.op("ttnn.relu", [builder.argument(bf16(64, 32))], bf16(64, 32), { location: 'loc("one")' }),
    ), {
    overrides: { ...NO_OVERRIDES, outputLayouts: parseOutputLayoutOverrides("one=1x1:block_sharded") },
  });
  assertEquals(overridden?.map(gridVolume), [1]);
});

Deno.test("what a chain can feed an op with keeps its layouts: shards of the first operand, and of all", () => {
  const half = bf16(1024, 512);
  const whole = bf16(1024, 1024);
  const [, , concat, product] = legalShards((builder) => {
    const left = builder.op("ttnn.relu", [builder.argument(half)], half);
    const right = builder.op("ttnn.relu", [builder.argument(half)], half);
    const both = builder.op("ttnn.concat", [left, right], whole, {
      attributes: { dim: { kind: "integer", value: 1n, type: "si32" } },
    });
    const weight = builder.argument(whole, { argumentType: "parameter" });
    builder.return(builder.op("ttnn.matmul", [both, weight], whole));
  });
  // Joined along the width, operands are height sharded; blocks and widths of newer backends are tested in their rule.
  assert(concat?.some((layout) => describeLayout(layout) === "l1/height_sharded/32x1"));
  assert(product?.some((layout) => describeLayout(layout) === "l1/block_sharded/8x8"));
});

Deno.test("what only the operands of the input lead to, or the first one in shards beside them, stays a candidate", () => {
  // With one tile of output columns there are only blocks of one column, which come back height sharded; a sharded
  // operand would divide K among its columns.
  const [product] = legalShards((builder) => {
    const weight = builder.argument(bf16(512, 10), { argumentType: "parameter" });
    builder.return(builder.op("ttnn.matmul", [builder.argument(bf16(128, 512)), weight], bf16(128, 10)));
  });
  assert(product?.some((layout) => describeLayout(layout) === "l1/height_sharded/4x1"));
  const x = bf16(1024, 1024);
  const [norm] = legalShards((builder) => {
    const weight = builder.argument(bf16(1024), { argumentType: "parameter" });
    builder.return(builder.op("ttnn.rms_norm", [builder.argument(x), weight], x));
  });
  assert(norm?.some((layout) => describeLayout(layout) === "l1/block_sharded/8x8"));
});

Deno.test("an operand that is too large for the grid of the result is tried on most cores", () => {
  const f32 = (...shape: number[]): TensorShape => ({ shape, dataType: "f32" });
  const [product] = legalShards((builder) => {
    const weight = builder.argument(f32(32, 32, 64, 128), { argumentType: "parameter" });
    const input = builder.argument(f32(32, 32, 18, 64));
    builder.return(builder.op("ttnn.matmul", [input, weight], f32(32, 32, 18, 128)));
  });
  assert(product?.some((layout) => describeLayout(layout) === "l1/height_sharded/32x1"));
});

/** Tells which operand layouts are tried, and finds none of them legal. */
class AskedModel extends ChainModel {
  readonly asked: string[] = [];

  override madeOutputs(_id: OpId, inputs: LayoutIds): undefined {
    const texts = inputs.map((id) => id === undefined ? "none" : describeLayout(this.layouts.get(id)));
    this.asked.push(texts.join(" + "));
  }

  override chosenOutput(): undefined {}
}

Deno.test("operands are tried as the input has them, the first one in shards, and all in shards like the result", () => {
  const builder = new GraphBuilder();
  const x = bf16(1024, 1024);
  builder.return(builder.op("ttnn.add", [builder.argument(x), builder.argument(x)], x));
  const [fn] = builder.buildGraph().functions;
  assert(fn !== undefined);
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const model = new AskedModel(fn, opModel, DEFAULT_POLICY_OPTIONS, 0, new Set());
  const [op] = fn.ops;
  assert(op !== undefined);
  const result = model.shardedOperandLayouts(op.id, 0).find((id) =>
    describeLayout(opModel.layouts.get(id)) === "l1/height_sharded/16x1"
  );
  assert(result !== undefined);
  assert(!madeConfigs(model, op.id)({ outputLayout: result, attributes: undefined }));
  const [dram, onGrid, onMost] = ["dram/interleaved", "l1/height_sharded/16x1", "l1/height_sharded/32x1"];
  assertEquals(model.asked, [
    `${dram} + ${dram}`,
    `${onGrid} + ${dram}`,
    `${onMost} + ${dram}`,
    `${onGrid} + ${onGrid}`,
  ]);
});
