// SPDX-License-Identifier: Apache-2.0

/**
 * The decisions of DFSharding 2.0 for small graphs, with the real op model; every number is derived beside its
 * test.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { decide, reasonsOf } from "./testing/decide.ts";

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

function dim(value: number) {
  return { dim: { kind: "integer", value: BigInt(value), type: "si32" } } as const;
}

Deno.test("a merge does not turn a reshape that is a view of a resident tensor into a copy", () => {
  // A matmul, a reshape of whole tile rows, relu. In L1 interleaved the reshape is a view; of shards it is a copy.
  const flat = bf16(1024, 1024);
  const deep = bf16(2, 512, 1024);
  const make = (builder: GraphBuilder) => {
    const product = builder.op("ttnn.matmul", [builder.argument(flat), builder.argument(flat)], flat);
    builder.return(builder.op("ttnn.relu", [builder.op("ttnn.reshape", [product], deep)], deep));
  };
  const decided = decide("df-sharding-2", make);
  assertEquals(decided.inputs[1], ["l1/interleaved"]);
  assertEquals(decided.outputs, ["l1/block_sharded/8x8", "l1/interleaved", "l1/block_sharded/8x8"]);
  assertEquals(decided.conversions, ["%0 l1/interleaved spill", "%2 dram/interleaved spill"]);
  assertStringIncludes(reasonsOf(decided, 1), "merge of chain 0 into operand 0 refused: the join is a view");
  assertEquals(decide("df-sharding-2", make, { options: { legacyQuirks: true } }).inputs[1], [
    "l1/block_sharded/8x8",
  ]);
});

Deno.test("a concat tells its preference to the chains that feed it and to the chain behind it", () => {
  for (
    const [axis, part, whole, kind] of [
      [1, bf16(1024, 256), bf16(1024, 768), "height_sharded"],
      [0, bf16(256, 1024), bf16(768, 1024), "width_sharded"],
    ] as const
  ) {
    const make = (behind: string) => (builder: GraphBuilder) => {
      const parts = ["ttnn.relu", "ttnn.gelu", "ttnn.silu"]
        .map((name) => builder.op(name, [builder.argument(part)], part));
      const joined = builder.op("ttnn.concat", parts, whole, { attributes: dim(axis) });
      builder.return(builder.op(behind, [joined], whole));
    };
    const decided = decide("df-sharding-2", make("ttnn.relu"));
    assertEquals(decided.outputs.map((layout) => layout.split("/")[1]), [kind, kind, kind, kind, kind]);
    // Alone, the same relu is spread over all 64 cores in blocks.
    const alone = decide("df-sharding-2", (builder) => {
      builder.return(builder.op("ttnn.relu", [builder.argument(whole)], whole));
    });
    assertEquals(alone.outputs, ["l1/block_sharded/8x8"]);
  }
});

Deno.test("a concat says nothing to chains that do not start with it, or share it", () => {
  const part = bf16(1024, 256);
  const whole = bf16(1024, 512);
  const decided = decide("df-sharding-2", (builder) => {
    const parts = ["ttnn.relu", "ttnn.gelu"].map((name) => builder.op(name, [builder.argument(part)], part));
    const joined = builder.op("ttnn.concat", parts, whole, { attributes: dim(1) });
    builder.return(builder.op("ttnn.relu", [joined], whole), builder.op("ttnn.gelu", [joined], whole));
  });
  assert(decided.outputs.slice(3).every((layout) => layout.startsWith("l1/block_sharded/8x8")));
});
