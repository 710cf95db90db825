// SPDX-License-Identifier: Apache-2.0

/**
 * The weaknesses of the chain architecture that tt-mlir's own document names (tt-mlir:optimizer-document
 * §3.3.9), each as a case that `df-sharding` misses and the pass-based policies solve.
 */

import { assert, assertEquals } from "@std/assert";
import type { TensorShape } from "../ops/op_signature.ts";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { ToyOpModel } from "../propagation/testing/toy_models.ts";
import { decide, type TestedDecision } from "./testing/decide.ts";

const PASS_BASED = ["greedy", "beam", "beam-cost"] as const;

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

/** Checks that the chain policy misses something that every pass-based policy finds. */
function assertWeakness(
  make: (builder: GraphBuilder) => void,
  opModel: () => OpModel | undefined,
  isAchieved: (decided: TestedDecision) => boolean,
): void {
  const achieves = (policy: string): boolean => {
    const model = opModel();
    const decided = decide(policy, make, model === undefined ? {} : { opModel: model });
    assert(decided.l1.timeline.withinBudget, `${policy} does not fit`);
    return isAchieved(decided);
  };
  assertEquals(achieves("df-sharding"), false, "df-sharding");
  for (const policy of PASS_BASED) assertEquals(achieves(policy), true, policy);
}

Deno.test("weakness 1: a conversion is inserted only where nothing else works, not where it would pay", () => {
  // relu gives at most 8 shards. multiply accepts them, so the solver never checks whether 64 cores would be
  // better; the pass-based policies convert the operand, or read it from DRAM, and use 64.
  const square = bf16(1024, 1024);
  assertWeakness(
    (builder) => {
      const narrow = builder.op("ttnn.relu", [builder.argument(square)], square);
      builder.return(builder.op("ttnn.multiply", [narrow, builder.argument(square)], square));
    },
    () =>
      new ToyOpModel({
        "ttnn.relu": {
          legal: (_, output) =>
            output.bufferType === "dram" ||
            (output.memoryLayout === "height_sharded" && (output.gridShape[0] ?? 0) <= 8),
        },
      }),
    (decided) => decided.outputs[1] === "l1/block_sharded/8x8" || decided.outputs[1] === "dram/interleaved",
  );
});

Deno.test("weakness 2: only operand 0 is followed, the other operand of a join comes from DRAM", () => {
  const square = bf16(1024, 1024);
  assertWeakness(
    (builder) => {
      const left = builder.op("ttnn.relu", [builder.argument(square)], square);
      const right = builder.op("ttnn.gelu", [builder.argument(square)], square);
      builder.return(builder.op("ttnn.add", [left, right], square));
    },
    () => undefined,
    (decided) => decided.inputs[2]?.[1]?.startsWith("l1/") === true,
  );
});

Deno.test("weakness 3: one edge without a solution sends the whole chain to DRAM", () => {
  // rsqrt produces shards, but only from interleaved operands: it has legal layouts, but its edge has no pair.
  const square = bf16(1024, 1024);
  assertWeakness(
    (builder) => {
      let value = builder.op("ttnn.relu", [builder.argument(square)], square);
      value = builder.op("ttnn.gelu", [value], square);
      value = builder.op("ttnn.rsqrt", [value], square);
      builder.return(builder.op("ttnn.silu", [value], square));
    },
    () =>
      new ToyOpModel({
        "ttnn.rsqrt": {
          unhinted: ([input]) => input?.memoryLayout === "interleaved" ? input : undefined,
          legal: ([input]) => input?.memoryLayout === "interleaved",
        },
      }),
    (decided) => decided.outputs[0]?.startsWith("l1/") === true,
  );
});

Deno.test("weakness 4: a chain sees its own memory only, and falls as a whole when the function's does not suffice", () => {
  // 800 KiB per core in and out of gelu: only one of them can stay in L1, but the chain wants both.
  const big = bf16(8192, 3200);
  assertWeakness(
    (builder) => {
      const first = builder.op("ttnn.relu", [builder.argument(big)], big);
      builder.return(builder.op("ttnn.gelu", [first], big));
    },
    () => undefined,
    (decided) => decided.outputs.some((layout) => layout.startsWith("l1/")),
  );
});
