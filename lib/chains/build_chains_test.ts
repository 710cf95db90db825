// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { GraphFunction, ValueId } from "../graph/graph.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { GraphBuilder, OVER_COLUMNS } from "../../testing/graph_builder.ts";
import { buildChains } from "./build_chains.ts";
import { CURRENT_CONVENTIONS, LEGACY_CONVENTIONS } from "./conventions.ts";
import { scheduleDependencies } from "./dependencies.ts";
import { present } from "../../testing/present.ts";

const TENSOR: TensorShape = { shape: [64, 64], dataType: "bf16" };

function build(
  make: (builder: GraphBuilder, x: ValueId, y: ValueId) => readonly ValueId[],
  hasShardedConfigs: (fn: GraphFunction, op: number) => boolean = () => true,
  conventions = CURRENT_CONVENTIONS,
): { chains: string[]; breaks: Record<number, string>; schedule: readonly number[] } {
  const builder = new GraphBuilder();
  builder.return(...make(builder, builder.argument(TENSOR), builder.argument(TENSOR)));
  const fn = builder.build();
  const built = buildChains(
    fn,
    scheduleDependencies(fn, () => ({ writtenOperands: [], shared: [] })),
    (op) => hasShardedConfigs(fn, op),
    conventions,
  );
  return {
    chains: built.chains.map((chain) =>
      `${chain.state}${chain.isConcatChain ? " concat" : ""}: ${
        chain.ops.map((op) => `${fn.ops[op]?.name.slice(5)}%${op}`).join(" ")
      }`
    ),
    breaks: Object.fromEntries(built.breaks),
    schedule: built.schedule,
  };
}

Deno.test("buildChains() gathers a line into one chain", () => {
  const { chains, breaks } = build((builder, x, y) => {
    const product = builder.op("ttnn.matmul", [x, y], TENSOR);
    return [builder.op("ttnn.relu", [builder.op("ttnn.add", [product, y], TENSOR)], TENSOR)];
  });
  assertEquals(chains, ["Built: matmul%0 add%1 relu%2"]);
  assertEquals(breaks, { 2: "the function returns its result" });
});

Deno.test("buildChains() ends a chain at a fork, at a join that waits, and at operand 1", () => {
  const { chains, breaks, schedule } = build((builder, x, y) => {
    const fork = builder.op("ttnn.relu", [x], TENSOR);
    const left = builder.op("ttnn.neg", [fork], TENSOR);
    const right = builder.op("ttnn.gelu", [fork], TENSOR);
    const join = builder.op("ttnn.add", [left, right], TENSOR);
    return [builder.op("ttnn.multiply", [y, join], TENSOR)];
  });
  assertEquals(schedule, [0, 1, 2, 3, 4]);
  assertEquals(chains, [
    "Built: relu%0",
    "Built: neg%1",
    "Built: gelu%2",
    "Built: add%3",
    "Built: multiply%4",
  ]);
  assertEquals(breaks, {
    0: "its result has 2 uses",
    1: "ttnn.add still waits for another operand",
    2: "ttnn.add does not read it as operand 0",
    3: "ttnn.multiply does not read it as operand 0",
    4: "the function returns its result",
  });
});

Deno.test("buildChains() counts both operands of add(x, x) as uses", () => {
  const { breaks } = build((builder, x) => {
    const twice = builder.op("ttnn.relu", [x], TENSOR);
    return [builder.op("ttnn.add", [twice, twice], TENSOR)];
  });
  assertEquals(breaks[0], "its result has 2 uses");
});

Deno.test("buildChains() breaks at ops that no chain may contain and at ops without sharded configs", () => {
  const make = (builder: GraphBuilder, x: ValueId) => {
    const first = builder.op("ttnn.relu", [x], TENSOR);
    const second = builder.op("ttnn.softmax", [first], TENSOR, OVER_COLUMNS);
    const third = builder.op("ttnn.silu", [second], TENSOR);
    return [builder.op("ttnn.neg", [third], TENSOR)];
  };
  assertEquals(build(make).chains, ["Built: relu%0", "Built: silu%2 neg%3"]);
  assertEquals(build(make).breaks[1], "ttnn.softmax is not an op that chains may hold");
  const limited = build(make, (fn, op) => fn.ops[op]?.name !== "ttnn.silu");
  assertEquals(limited.chains, ["Built: relu%0", "Built: neg%3"]);
  assertEquals(limited.breaks[2], "it has no legal sharded config");
});

// tt-mlir:optimizer-document §3.2.3, §5.4.1: elementwise ops shard, `subtract(a, b)` among them.
Deno.test("buildChains() holds every elementwise op, the original only those of its list", () => {
  const make = (builder: GraphBuilder, x: ValueId, y: ValueId) => {
    const difference = builder.op("ttnn.subtract", [builder.op("ttnn.exp", [x], TENSOR), y], TENSOR);
    return [builder.op("ttnn.relu", [builder.op("ttnn.where", [difference, x, y], TENSOR)], TENSOR)];
  };
  assertEquals(build(make).chains, ["Built: exp%0 subtract%1 where%2 relu%3"]);
  assertEquals(build(make, () => true, LEGACY_CONVENTIONS).chains, ["Built: relu%3"]);
});

Deno.test("buildChains() makes a concat a chain of its own and keeps it out of its producers' chains", () => {
  const { chains } = build((builder, x, y) => {
    const left = builder.op("ttnn.neg", [builder.op("ttnn.relu", [x], TENSOR)], TENSOR);
    const right = builder.op("ttnn.gelu", [y], TENSOR);
    const joined = builder.op("ttnn.concat", [left, right], { shape: [64, 128], dataType: "bf16" });
    return [builder.op("ttnn.relu", [joined], { shape: [64, 128], dataType: "bf16" })];
  });
  // The branch that feeds the waiting concat directly goes first.
  assertEquals(chains, ["Built: gelu%2", "Built: relu%0 neg%1", "Built concat: concat%3", "Built: relu%4"]);
});

Deno.test("buildChains() runs to_layout ops first, but only between chains", () => {
  const { schedule, chains } = build((builder, x, y) => {
    const first = builder.op("ttnn.relu", [x], TENSOR);
    const second = builder.op("ttnn.neg", [first], TENSOR);
    const moved = builder.op("ttnn.to_layout", [y], TENSOR);
    return [builder.op("ttnn.multiply", [second, moved], TENSOR)];
  });
  assertEquals(schedule, [2, 0, 1, 3]);
  assertEquals(chains, ["Built: relu%0 neg%1 multiply%3"]);
});

Deno.test("buildChains() goes on with the reader of the last op, not with what is ready before it", () => {
  const { chains, breaks } = build((builder, x, y) => {
    const head = builder.op("ttnn.relu", [x], TENSOR);
    const other = builder.op("ttnn.neg", [y], TENSOR);
    return [builder.op("ttnn.gelu", [head], TENSOR), other];
  });
  assertEquals(chains, ["Built: relu%0 gelu%2", "Built: neg%1"]);
  assertEquals(breaks[0], undefined);
});

Deno.test("buildChains() says at the op before a concat why its chain ends", () => {
  const { breaks } = build((builder, x, y) => {
    const parts = [builder.op("ttnn.relu", [x], TENSOR), builder.op("ttnn.neg", [y], TENSOR)];
    return [builder.op("ttnn.concat", [present(parts[1]), present(parts[0])], TENSOR)];
  });
  assertEquals(breaks, {
    0: "ttnn.concat still waits for another operand",
    1: "a concat is a chain of its own",
    2: "a concat is a chain of its own",
  });
});
