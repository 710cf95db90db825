// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { usableL1Bytes } from "../device/chip_description.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { dramInterleavedTiled, GraphBuilder } from "../../testing/graph_builder.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { identityPlan } from "../plan/steps.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { ChainContext } from "./chain_context.ts";
import { greedyL1Choice, type L1Candidate } from "./interleaved_choices.ts";
import { l1InterleavedFallback } from "./l1_interleaved_fallback.ts";
import { decide } from "./testing/decide.ts";
import { idOf } from "../../testing/ids.ts";

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

Deno.test("greedyL1Choice() keeps all four of upstream's example and orders the operands C, A, B", () => {
  // test/unittests/Optimizer/TestGreedyL1InterleavedPolicy.cpp in tt-mlir, limit 15.
  const [a, b, c, d] = [idOf(0), idOf(1), idOf(2), idOf(3)];
  const choice = greedyL1Choice(
    { op: d, outputBytes: 4, requiredBytes: 0 },
    [
      { op: a, outputBytes: 2, requiredBytes: 8 },
      { op: b, outputBytes: 3, requiredBytes: 7 },
      { op: c, outputBytes: 1, requiredBytes: 9 },
    ],
    15,
  );
  assertEquals([...choice.inL1].toSorted(), [a, b, c, d]);
  assertEquals(choice.precedence, [c, a, b]);
});

Deno.test("greedyL1Choice() is never beaten by another subset, and its order stays below the limit", () => {
  const candidate = fc.record({ outputBytes: fc.integer({ min: 1, max: 9 }), requiredBytes: fc.nat(20) });
  fc.assert(fc.property(
    fc.array(candidate, { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 30 }),
    (list, limit) => {
      const operands = list.map((one, op): L1Candidate => ({ op: idOf(op), ...one }));
      const choice = greedyL1Choice(undefined, operands, limit);
      const total = (set: ReadonlySet<number>) =>
        operands.filter(({ op }) => set.has(op)).reduce((sum, one) => sum + one.outputBytes, 0);
      const peakOf = (order: readonly number[]): number => {
        let used = 0;
        let peak = 0;
        for (const op of order) {
          peak = Math.max(peak, used + (operands[op]?.requiredBytes ?? 0));
          used += operands[op]?.outputBytes ?? 0;
        }
        return peak;
      };
      const chosen = choice.precedence.filter((op) => choice.inL1.has(op));
      assertEquals(choice.precedence.toSorted(), operands.map(({ op }) => op));
      assert(chosen.length === 0 || peakOf(chosen) < limit);
      const permutations = (rest: readonly number[]): number[][] =>
        rest.length === 0
          ? [[]]
          : rest.flatMap((op) => permutations(rest.filter((one) => one !== op)).map((tail) => [op, ...tail]));
      for (let mask = 0; mask < 1 << operands.length; mask++) {
        const subset = operands.map(({ op }) => op).filter((op) => (mask & (1 << op)) !== 0);
        const bytes = total(new Set(subset));
        if (bytes > limit || !permutations(subset).some((order) => peakOf(order) < limit)) continue;
        assert(bytes <= total(choice.inL1));
      }
    },
  ));
});

for (const policy of ["greedy-l1-interleaved", "bf-interleaved"]) {
  Deno.test(`${policy} keeps a line of ops in L1 interleaved and returns DRAM`, () => {
    const decided = decide(policy, (builder) => {
      let value = builder.argument(bf16(256, 256));
      for (const name of ["ttnn.relu", "ttnn.gelu", "ttnn.silu"]) {
        value = builder.op(name, [value], bf16(256, 256));
      }
      builder.return(value);
    });
    assertEquals(decided.outputs, ["l1/interleaved", "l1/interleaved", "l1/interleaved"]);
    assertEquals(decided.conversions, ["%2 dram/interleaved return"]);
  });

  Deno.test(`${policy} hands a callee what the input hands it, and lets what moves to the host read L1`, () => {
    const readersOf = (name: string): readonly string[] =>
      decide(policy, (builder) => {
        const made = builder.op("ttnn.relu", [builder.argument(bf16(256, 256))], bf16(256, 256));
        builder.return(builder.op(name, [made], bf16(256, 256)));
      }).inputs[1] ?? [];
    assertEquals(readersOf("func.call"), ["dram/interleaved"]);
    assertEquals(readersOf("ttnn.from_device"), ["l1/interleaved"]);
  });

  Deno.test(`${policy} fits by address when not everything can stay`, () => {
    const big = bf16(4096, 4096);
    const decided = decide(policy, (builder) => {
      const x = builder.argument(big);
      const parts = [0, 1, 2, 3].map(() => builder.op("ttnn.relu", [x], big));
      builder.return(
        parts.slice(1).reduce((sum, part) => builder.op("ttnn.add", [sum, part], big), parts[0] ?? x),
      );
    });
    assert(decided.l1.timeline.withinBudget);
    assert(decided.outputs.some((layout) => layout.startsWith("l1/")));
    assert(decided.outputs.some((layout) => layout.startsWith("dram/")));
  });
}

/** Ops that the fallback moves to L1, by op name. */
function upgraded(
  make: (builder: GraphBuilder) => void,
  cap = 0.95,
): string[] {
  const builder = new GraphBuilder();
  make(builder);
  const fn = builder.build();
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable(), usableL1Cap: cap });
  const context = new ChainContext(fn, opModel, { ...DEFAULT_POLICY_OPTIONS, tensorL1UsageCap: cap }, 0);
  return [...l1InterleavedFallback(context, identityPlan(fn)).keys()].map((op) =>
    `${fn.ops[op]?.name.slice(5)}%${op}`
  );
}

Deno.test("l1InterleavedFallback() moves what upstream's tests expect", () => {
  // test/ttmlir/Silicon/TTNN/n150/optimizer/l1_interleaved in tt-mlir: minimal, addx10, fork_join.
  const small = bf16(256, 256);
  assertEquals(
    upgraded((builder) => {
      const x = builder.argument(small);
      const y = builder.argument(small);
      const product = builder.op("ttnn.multiply", [x, y], small);
      builder.return(builder.op("ttnn.relu", [builder.op("ttnn.add", [product, y], small)], small));
    }),
    ["multiply%0", "add%1"],
  );
  assertEquals(
    upgraded((builder) => {
      let value = builder.argument(small);
      const y = builder.argument(small);
      for (let index = 0; index < 10; index++) value = builder.op("ttnn.add", [value, y], small);
      builder.return(value);
    }).length,
    9,
  );
  assertEquals(
    upgraded((builder) => {
      const early = builder.op("ttnn.neg", [builder.argument(small)], small);
      const fork = builder.op("ttnn.relu", [builder.argument(small)], small);
      const left = builder.op("ttnn.gelu", [fork], small);
      const right = builder.op("ttnn.add", [left, fork], small);
      builder.return(builder.op("ttnn.multiply", [right, early], small));
    }),
    ["gelu%2", "add%3"],
  );
});

Deno.test("l1InterleavedFallback() passes over slices, typecasts, matmuls and what feeds them", () => {
  const small = bf16(256, 256);
  assertEquals(
    upgraded((builder) => {
      const x = builder.argument(small);
      const head = builder.op("ttnn.relu", [x], small);
      const product = builder.op("ttnn.matmul", [head, x], small);
      builder.return(builder.op("ttnn.abs", [builder.op("ttnn.neg", [product], small)], small));
    }),
    ["neg%2"],
  );
});

Deno.test("l1InterleavedFallback() looks whether the result and its reader have room", () => {
  // storage_fail_result.mlir: 8192 x 8192 does not fit. storage_fail_operand.mlir: 5120 x 5120 fits once, and the
  // reader of the next one has no room for both.
  const line = (side: number) => (builder: GraphBuilder): void => {
    const x = builder.argument(bf16(side, side));
    const y = builder.argument(bf16(side, side));
    let value = builder.op("ttnn.relu", [x], bf16(side, side));
    for (let index = 0; index < 2; index++) value = builder.op("ttnn.add", [value, y], bf16(side, side));
    builder.return(value);
  };
  assertEquals(upgraded(line(8192)), []);
  assertEquals(upgraded(line(5120)), ["relu%0"]);
});

Deno.test("l1InterleavedFallback() leaves a producer in DRAM when its sharded reader has no room beside it", () => {
  // storage_fail_nextop.mlir: usage cap 0.6, the add is height sharded.
  const tensor = bf16(4096, 4096);
  const sharded: TtnnLayout = makeLayout(
    { ...tensor, bufferType: "l1", memoryLayout: "height_sharded", grid: [64, 1] },
    TEST_WORMHOLE.workerGrid,
  );
  const make = (builder: GraphBuilder): void => {
    const head = builder.op("ttnn.relu", [builder.argument(tensor)], tensor);
    const joined = builder.op("ttnn.add", [head, builder.argument(tensor)], tensor, { layouts: [sharded] });
    builder.return(builder.op("ttnn.neg", [joined], tensor, { layouts: [dramInterleavedTiled(tensor)] }));
  };
  assert(usableL1Bytes(TEST_WORMHOLE, 0.6, 0) < 2 * 524288);
  assertEquals(upgraded(make, 0.6), []);
});

Deno.test("l1InterleavedFallback() leaves a reshape of DRAM alone that is a view", () => {
  const flat = bf16(512, 512);
  const moved = (shape: TensorShape): readonly string[] =>
    upgraded((builder) => {
      const reshaped = builder.op("ttnn.reshape", [builder.argument(shape)], flat);
      builder.return(builder.op("ttnn.gelu", [builder.op("ttnn.relu", [reshaped], flat)], flat));
    });
  assertEquals(moved(bf16(2, 256, 512)), ["relu%1"]);
  assertEquals(moved(bf16(1024, 256)), ["reshape%0", "relu%1"]);
});
