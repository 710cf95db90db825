// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { ChainOptions } from "./chain_model.ts";
import { decide, reasonsOf } from "./testing/decide.ts";

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

const SQUARE = bf16(1024, 1024);

Deno.test("df-sharding keeps a chain in L1 and spills its end to the layout of the signature", () => {
  const decided = decide("df-sharding", (builder) => {
    const x = builder.argument(SQUARE);
    const w = builder.argument(SQUARE);
    const product = builder.op("ttnn.matmul", [x, w], SQUARE);
    builder.return(builder.op("ttnn.relu", [product], SQUARE));
  });
  assertEquals(decided.outputs, ["l1/block_sharded/8x8", "l1/block_sharded/8x8"]);
  assertEquals(decided.conversions, ["%1 dram/interleaved spill"]);
  assertEquals(decided.functionPlan.decisions[0]?.config?.kind, "matmul");
  assertStringIncludes(reasonsOf(decided, 1), "chain 0 ends: the function returns its result");
});

Deno.test("df-sharding spills between chains, df-sharding-2 keeps both operands of the join", () => {
  const make = (builder: GraphBuilder) => {
    const left = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const right = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.add", [left, right], SQUARE));
  };
  const first = decide("df-sharding", make);
  assertEquals(first.inputs[2], ["dram/interleaved", "dram/interleaved"]);
  const second = decide("df-sharding-2", make);
  assertEquals(second.inputs[2], ["l1/block_sharded/8x8", "l1/block_sharded/8x8"]);
  assertEquals(second.conversions, ["%2 dram/interleaved spill"]);
  assertStringIncludes(reasonsOf(second, 0), "stays in L1 for operand 0 of %2 ttnn.add (3-way merge)");
});

Deno.test("df-sharding-2 merges a chain into operand 1 of a chain that runs on", () => {
  const make = (builder: GraphBuilder) => {
    const other = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const head = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    const next = builder.op("ttnn.silu", [head], SQUARE);
    builder.return(builder.op("ttnn.multiply", [next, other], SQUARE));
  };
  const decided = decide("df-sharding-2", make);
  assertEquals(decided.inputs[3], ["l1/block_sharded/8x8", "l1/block_sharded/8x8"]);
  assertStringIncludes(reasonsOf(decided, 0), "stays in L1 for operand 1 of %3 ttnn.multiply (merge)");
  assert(decided.l1.timeline.withinBudget);
});

Deno.test("df-sharding-2 refuses a merge and names the op that would not run under it", () => {
  const wide = bf16(4096, 4096);
  const decided = decide("df-sharding-2", (builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(wide)], wide);
    const w = builder.argument(wide);
    const product = builder.op("ttnn.matmul", [builder.argument(wide), w], wide);
    builder.return(builder.op("ttnn.multiply", [product, kept], wide));
  });
  assert(decided.l1.timeline.withinBudget);
  assertEquals(decided.inputs[2]?.filter((layout) => layout.startsWith("l1/")).length, 1);
  assertStringIncludes(reasonsOf(decided, 2), "merge of chain 0 into operand 1 refused: %2 ttnn.multiply: ");
});

Deno.test("df-sharding-2 keeps a forked result for all its readers, sharded when they take it so", () => {
  const make = (builder: GraphBuilder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [fork], SQUARE), builder.op("ttnn.silu", [fork], SQUARE));
  };
  assertEquals(decide("df-sharding", make).conversions[0], "%0 dram/interleaved spill");
  const decided = decide("df-sharding-2", make);
  assertEquals(decided.inputs.slice(1), [["l1/block_sharded/8x8"], ["l1/block_sharded/8x8"]]);
  assertStringIncludes(reasonsOf(decided, 0), "stays in L1, sharded, for all its readers");
});

Deno.test("df-sharding-2 keeps a forked result interleaved when a reader takes no shards", () => {
  const decided = decide("df-sharding-2", (builder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    // rms_norm produces shards only from shards, and its result is interleaved.
    builder.return(...[0, 1].map(() => builder.op("ttnn.rms_norm", [fork], SQUARE)));
  });
  assertEquals(decided.outputs[0], "l1/block_sharded/8x8");
  assertEquals(decided.inputs.slice(1), [["l1/interleaved"], ["l1/interleaved"]]);
  assertEquals(decided.conversions[0], "%0 l1/interleaved spill");
  assertStringIncludes(reasonsOf(decided, 0), "stays in L1, interleaved, for all its readers");
});

Deno.test("df-sharding-2 sends a forked result to DRAM when the function returns it too", () => {
  const decided = decide("df-sharding-2", (builder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [fork], SQUARE), fork);
  });
  assertEquals(decided.inputs[1], ["dram/interleaved"]);
});

function concatOf(builder: GraphBuilder, dim: number): void {
  const part = dim === 1 ? bf16(2048, 32) : bf16(32, 2048);
  const left = builder.op("ttnn.relu", [builder.argument(part)], part);
  const right = builder.op("ttnn.gelu", [builder.argument(part)], part);
  const joined = builder.op("ttnn.concat", [left, right], dim === 1 ? bf16(2048, 64) : bf16(64, 2048), {
    attributes: { dim: { kind: "integer", value: BigInt(dim), type: "si32" } },
  });
  builder.return(joined);
}

Deno.test("df-sharding-2 feeds a concat along the width from height shards, along the height from width shards", () => {
  for (const [dim, kind] of [[1, "height_sharded"], [0, "width_sharded"]] as const) {
    const decided = decide("df-sharding-2", (builder) => concatOf(builder, dim));
    assertEquals(decided.inputs[2]?.map((layout) => layout.split("/")[1]), [kind, kind]);
    assertStringIncludes(reasonsOf(decided, 2), "the inputs stay in L1 for the concat");
    const plain = decide("df-sharding", (builder) => concatOf(builder, dim));
    assert(plain.inputs[2]?.every((layout) => layout === "dram/interleaved"));
  }
});

Deno.test("df-sharding-2 leaves a concat in DRAM when an input is returned too, read by who takes no shards, or from no chain", () => {
  const part = bf16(2048, 32);
  const joined = bf16(2048, 64);
  const attributes = { dim: { kind: "integer", value: 1n, type: "si32" } } as const;
  const fromArgument = decide("df-sharding-2", (builder) => {
    const left = builder.op("ttnn.relu", [builder.argument(part)], part);
    builder.return(builder.op("ttnn.concat", [left, builder.argument(part)], joined, { attributes }));
  });
  assertStringIncludes(reasonsOf(fromArgument, 1), "operand 1 is not an output of a completed chain");
  const shared = (reader: string, options: Partial<ChainOptions> = {}) =>
    decide("df-sharding-2", (builder) => {
      const left = builder.op("ttnn.relu", [builder.argument(part)], part);
      const right = builder.op("ttnn.gelu", [builder.argument(part)], part);
      const joint = builder.op("ttnn.concat", [left, right], joined, { attributes });
      const other = reader === "return" ? left : builder.op(reader, [left], part, { attributes });
      builder.return(joint, other);
    }, { options });
  assertStringIncludes(reasonsOf(shared("return"), 2), "operand 0 is used elsewhere too");
  assertStringIncludes(reasonsOf(shared("ttnn.cumsum"), 2), "ttnn.cumsum");
  // A skip connection waits for its last reader.
  const { inputs, conversions } = shared("ttnn.neg");
  assertEquals(inputs.slice(2), [
    ["l1/height_sharded/64x1", "l1/height_sharded/64x1"],
    ["l1/height_sharded/64x1"],
  ]);
  assertEquals(conversions.length, 2);
  const legacy = shared("ttnn.neg", { legacyQuirks: true });
  assertStringIncludes(reasonsOf(legacy, 2), "operand 0 is used elsewhere too");
});

Deno.test("df-sharding-2 keeps a reshape in L1 until its last reader, and what feeds it", () => {
  const decided = decide("df-sharding-2", (builder) => {
    const head = builder.op("ttnn.relu", [builder.argument(bf16(1024, 512))], bf16(1024, 512));
    const reshaped = builder.op("ttnn.reshape", [head], bf16(512, 1024));
    builder.return(builder.op("ttnn.rms_norm", [reshaped], bf16(512, 1024)));
  });
  assertEquals(decided.outputs.slice(0, 2), ["l1/block_sharded/8x8", "l1/interleaved"]);
  // It copies in any case, so the merge lets it read the shards: its operand need not be passed in L1 interleaved.
  assertEquals(decided.inputs.slice(1), [["l1/block_sharded/8x8"], ["l1/interleaved"]]);
});

Deno.test("df-sharding repairs what does not fit by address, and says so", () => {
  // Each op fits alone (800 KiB of output per core). Input and output together do not, which chains do not check.
  const big = bf16(8192, 3200);
  const decided = decide("df-sharding", (builder) => {
    builder.return(builder.op("ttnn.gelu", [builder.op("ttnn.relu", [builder.argument(big)], big)], big));
  });
  assertEquals(decided.outputs, ["dram/interleaved", "dram/interleaved"]);
  assert(decided.l1.timeline.withinBudget);
  assertStringIncludes(
    reasonsOf(decided, 0),
    "chain 0 is given up: %1 ttnn.gelu does not fit: no hole in L1",
  );
});

Deno.test("df-sharding-2 spills the first operand of a join whose successor would not fit behind the hole", () => {
  // test/ttmlir/Dialect/TTNN/optimizer/threeway_merge_fragmentation_rejection.mlir in tt-mlir: the order is matmul,
  // spill to DRAM, matmul, multiply.
  const hidden = bf16(544, 16384);
  const decided = decide("df-sharding-2", (builder) => {
    const x = builder.argument(bf16(544, 4096));
    const gate = builder.op("ttnn.matmul", [x, builder.argument(bf16(4096, 16384))], hidden);
    const up = builder.op("ttnn.matmul", [x, builder.argument(bf16(4096, 16384))], hidden);
    const product = builder.op("ttnn.multiply", [gate, up], hidden);
    builder.return(
      builder.op("ttnn.matmul", [product, builder.argument(bf16(16384, 4096))], bf16(544, 4096)),
    );
  });
  assertEquals(decided.conversions[0], "%0 dram/interleaved spill");
  assertEquals(decided.functionPlan.conversions[0]?.beforeOp, 1);
  assertEquals(decided.inputs[2]?.map((layout) => layout.split("/")[0]), ["dram", "l1"]);
  assertStringIncludes(reasonsOf(decided, 0), "its result goes to DRAM: %3 ttnn.matmul does not fit");
});

Deno.test("legacyQuirks merges without reservations and at most once per chain", () => {
  const make = (builder: GraphBuilder) => {
    const others = [0, 1].map(() => builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE));
    let value = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    for (const other of others) value = builder.op("ttnn.multiply", [value, other], SQUARE);
    builder.return(value);
  };
  const fromL1 = (legacyQuirks: boolean): number =>
    decide("df-sharding-2", make, { options: { legacyQuirks } }).inputs.slice(3)
      .flatMap((inputs) => inputs.slice(1)).filter((layout) => layout.startsWith("l1/")).length;
  assertEquals([fromL1(true), fromL1(false)], [1, 2]);
});

Deno.test("--trace-solver tells every phase of every chain", () => {
  const phases: string[] = [];
  const make = (builder: GraphBuilder) => {
    const head = builder.op("ttnn.relu", [builder.argument(bf16(64, 64))], bf16(64, 64));
    builder.return(builder.op("ttnn.gelu", [head], bf16(64, 64)));
  };
  decide("df-sharding", make, { traceSolver: (text) => phases.push(text) });
  assertEquals(phases.map((text) => text.split("\n")[0]), [
    "chain 0: %0 ttnn.relu, %1 ttnn.gelu",
    "After constructor",
    "After preprocessFirstOp()",
    "After processing %0 ttnn.relu in resolveStep()",
    "After processing %1 ttnn.gelu in resolveStep()",
    "After updateSolver() calls",
    "After set(%0 ttnn.relu, config0)",
    "After set(%1 ttnn.gelu, config0)",
    "After finish()",
  ]);
});

Deno.test("the first op of a chain takes a config only where its operand in DRAM leads to it, else a conversion", () => {
  // Batches of both operands: the program that the backend takes for an A in DRAM writes other shards than asked for.
  const f32 = (...shape: number[]): TensorShape => ({ shape, dataType: "f32" });
  const decided = decide("df-sharding", (builder) => {
    const weight = builder.argument(f32(32, 32, 64, 128), { argumentType: "parameter" });
    const input = builder.argument(f32(32, 32, 18, 64));
    builder.return(builder.op("ttnn.matmul", [input, weight], f32(32, 32, 18, 128)));
  });
  assertEquals(decided.functionPlan.counters?.["given up"], 0);
  assertEquals(decided.inputs[0]?.[0], "l1/height_sharded/64x1");
  assert(decided.outputs[0]?.startsWith("l1/height_sharded/"));
});
