// SPDX-License-Identifier: Apache-2.0

/** What the two interleaved policies keep and in which order, with the real op model; sizes are tiles per core of 64. */

import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../policy/options.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { ChainContext } from "./chain_context.ts";
import { bfInterleavedChoices, greedyL1Choice, greedyL1InterleavedChoices } from "./interleaved_choices.ts";
import { idOf, idsOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";
import type { ValueId } from "../graph/graph.ts";

/** A tensor of so many tiles per core: 32 x 1024 is half a tile per core. */
function sized(tiles: number): TensorShape {
  return { shape: [tiles * 64, 1024], dataType: "bf16" };
}

/** 400 tiles per core are 819200 of 1325652 bytes: one fits, two do not. */
const BIG = sized(400);

function contextOf(
  make: (builder: GraphBuilder) => void,
  options: Partial<PolicyOptions> = {},
): ChainContext {
  const builder = new GraphBuilder();
  make(builder);
  const { opModel } = realModels();
  return new ChainContext(builder.build(), opModel, { ...DEFAULT_POLICY_OPTIONS, ...options }, 0);
}

const keptBy = (choices: ReturnType<typeof bfInterleavedChoices>): readonly number[] =>
  [...choices.singles.keys()].toSorted((a, b) => a - b);

/** A matmul that reads `a` of [1024, 1024] and produces so many tiles per core. */
function matmulOf(builder: GraphBuilder, a: ValueId, tiles: number): ValueId {
  const width = tiles * 64;
  const weight: TensorShape = { shape: [1024, width], dataType: "bf16" };
  return builder.op("ttnn.matmul", [a, builder.argument(weight)], { shape: [1024, width], dataType: "bf16" });
}

Deno.test("bf-interleaved keeps what fits beside what it keeps, and gives back what nobody reads any more", () => {
  const two = contextOf((builder) => {
    const [a, b] = [0, 1].map(() => builder.op("ttnn.relu", [builder.argument(BIG)], BIG));
    builder.return(builder.op("ttnn.add", [present(a), present(b)], BIG));
  });
  assertEquals(keptBy(bfInterleavedChoices(two)), [0]);
  // In a line, the second result does not fit beside the first; the third fits where the first was.
  const line = contextOf((builder) => {
    let value = builder.argument(BIG);
    for (let op = 0; op < 4; op++) value = builder.op("ttnn.relu", [value], BIG);
    builder.return(value);
  });
  assertEquals(keptBy(bfInterleavedChoices(line)), [0, 2]);
});

Deno.test("bf-interleaved keeps to --tensor-l1-usage-cap; the original did not see it", () => {
  const make = (builder: GraphBuilder): void => {
    builder.return(builder.op("ttnn.gelu", [builder.op("ttnn.relu", [builder.argument(BIG)], BIG)], BIG));
  };
  // Half of 1395424 bytes is less than 819200.
  const kept = (options: Partial<PolicyOptions>) => keptBy(bfInterleavedChoices(contextOf(make, options)));
  assertEquals(kept({ tensorL1UsageCap: 0.5 }), []);
  assertEquals(kept({ tensorL1UsageCap: 0.5, legacyQuirks: true }), [0]);
});

Deno.test("bf-interleaved runs first what adds least, and frees a tensor with its last reader only", () => {
  // After relu (16 tiles), each matmul adds 18, because relu is read by both; gelu adds 17 and goes first.
  const { order } = bfInterleavedChoices(contextOf((builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(sized(16))], sized(16));
    const products = [0, 1].map(() => matmulOf(builder, kept, 18));
    builder.return(...products, builder.op("ttnn.gelu", [builder.argument(sized(17))], sized(17)));
  }));
  assertEquals(order, idsOf(0, 3, 1, 2));
  // The smaller one goes first, whatever its number.
  const cheaper = bfInterleavedChoices(contextOf((builder) => {
    builder.return(
      ...[17, 16].map((tiles) => builder.op("ttnn.relu", [builder.argument(sized(tiles))], sized(tiles))),
    );
  }));
  assertEquals(cheaper.order, idsOf(1, 0));
});

Deno.test("bf-interleaved runs early what frees more than it takes; the original took that for very much", () => {
  const order = (legacyQuirks: boolean) =>
    bfInterleavedChoices(contextOf((builder) => {
      const kept = builder.op("ttnn.relu", [builder.argument(sized(16))], sized(16));
      const other = builder.op("ttnn.gelu", [builder.argument(sized(17))], sized(17));
      builder.return(other, matmulOf(builder, kept, 2));
    }, { legacyQuirks })).order;
  assertEquals([order(false), order(true)], [[0, 2, 1], [0, 1, 2]]);
});

Deno.test("greedy-l1-interleaved keeps only what one op reads", () => {
  const context = contextOf((builder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(sized(16))], sized(16));
    const single = builder.op("ttnn.gelu", [fork], sized(16));
    builder.return(builder.op("ttnn.add", [single, fork], sized(16)));
  });
  const kept = keptBy(greedyL1InterleavedChoices(context));
  assert(kept.includes(1) && !kept.includes(0), kept.join());
});

Deno.test("greedyL1Choice() never takes more than the limit together with the op's own result, and runs the rest first", () => {
  const base = { op: idOf(0), outputBytes: 10, requiredBytes: 0 };
  const together = greedyL1Choice(base, [{ op: idOf(1), outputBytes: 6, requiredBytes: 0 }], 12);
  assertEquals([...together.inL1], [0]);
  const [large, small] = [7, 6].map((outputBytes, index) => ({
    op: idOf(index + 1),
    outputBytes,
    requiredBytes: 0,
  }));
  assert(large !== undefined && small !== undefined);
  const one = greedyL1Choice(undefined, [large, small], 8);
  assertEquals([[...one.inL1], one.precedence], [[1], [2, 1]]);
});
