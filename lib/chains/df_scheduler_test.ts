// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { GraphFunction } from "../graph/graph.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { type OpEffects, scheduleDependencies } from "./dependencies.ts";
import { DfScheduler } from "./df_scheduler.ts";
import { idOf, idsOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";

const TENSOR: TensorShape = { shape: [32, 32], dataType: "bf16" };
const NO_EFFECTS: OpEffects = { writtenOperands: [], shared: [] };

function scheduler(fn: GraphFunction, effects: OpEffects = NO_EFFECTS): DfScheduler {
  return new DfScheduler(fn, scheduleDependencies(fn, () => effects));
}

/** Runs what is offered first, which is also what is said to be first. */
function greedy(of: DfScheduler): readonly number[] {
  for (let op = of.first(); op !== undefined; op = of.first()) {
    const ready = of.schedulableOps();
    assertEquals(op, ready[0]);
    assert(ready.every((id) => of.isReady(id)));
    of.scheduleOp(op);
    assert(!of.isReady(op));
  }
  assertEquals(of.schedulableOps(), []);
  return of.fullSchedule();
}

Deno.test("DfScheduler keeps program order when the graph is a line", () => {
  const builder = new GraphBuilder();
  let value = builder.argument(TENSOR);
  for (let index = 0; index < 5; index++) value = builder.op("ttnn.relu", [value], TENSOR);
  builder.return(value);
  assertEquals(greedy(scheduler(builder.build())), [0, 1, 2, 3, 4]);
});

Deno.test("DfScheduler offers both users of a fork, and every user of a multi-result op in order", () => {
  const fork = new GraphBuilder();
  const root = fork.op("ttnn.relu", [fork.argument(TENSOR)], TENSOR);
  fork.return(
    fork.op("ttnn.add", [fork.op("ttnn.neg", [root], TENSOR), fork.op("ttnn.gelu", [root], TENSOR)], TENSOR),
  );
  const of = scheduler(fork.build());
  assertEquals(of.schedulableOps(), idsOf(0));
  assertThrows(() => of.scheduleOp(idOf(3)), RangeError, "not ready");
  of.scheduleOp(idOf(0));
  assertEquals(of.schedulableOps(), idsOf(1, 2));

  const split = new GraphBuilder();
  const parts = split.multiOp("ttnn.sort", [split.argument(TENSOR)], [TENSOR, TENSOR, TENSOR]);
  split.return(...parts.map((part) => split.op("ttnn.relu", [part], TENSOR)));
  const users = scheduler(split.build());
  users.scheduleOp(idOf(0));
  assertEquals(users.schedulableOps(), idsOf(1, 2, 3));
});

Deno.test("DfScheduler puts branches that feed a waiting join first", () => {
  // Op 0 leads to a unary that could run next; ops 1 and 2 feed the join 4, which would still wait after either
  // of them.
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const free = builder.op("ttnn.relu", [x], TENSOR);
  const left = builder.op("ttnn.neg", [x], TENSOR);
  const right = builder.op("ttnn.gelu", [x], TENSOR);
  const tail = builder.op("ttnn.silu", [free], TENSOR);
  builder.return(tail, builder.op("ttnn.add", [left, right], TENSOR));
  const of = scheduler(builder.build());
  assertEquals(of.schedulableOps(), idsOf(1, 2, 0));
  of.scheduleOp(idOf(1));
  assertEquals(of.schedulableOps(), idsOf(0, 2));
});

Deno.test("DfScheduler places unscheduled ops before the first op that needs them", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const first = builder.op("ttnn.relu", [x], TENSOR);
  const called = builder.op("func.call", [first], TENSOR);
  const unused = builder.op("ttcore.load_cached", [], TENSOR);
  const last = builder.op("ttnn.add", [called, first], TENSOR);
  builder.return(last, unused);
  assertEquals(greedy(scheduler(builder.build())), [0, 1, 3, 2]);
});

Deno.test("DfScheduler never moves a reader across an op that overwrites what it reads", () => {
  const builder = new GraphBuilder();
  const cache = builder.argument(TENSOR, { isKvCache: true });
  const update = builder.argument(TENSOR);
  const before = builder.op("ttnn.relu", [cache], TENSOR);
  builder.multiOp("ttnn.update_cache", [cache, update], []);
  const after = builder.op("ttnn.neg", [cache], TENSOR);
  builder.return(before, after);
  const fn = builder.build();
  const dependencies = scheduleDependencies(fn, (op) => ({
    writtenOperands: fn.ops[op]?.name === "ttnn.update_cache" ? [0] : [],
    shared: [],
  }));
  assertEquals(dependencies, [[], idsOf(0), idsOf(1)]);
});

Deno.test("DfScheduler keeps readers of a view on their side of a write through another view", () => {
  const builder = new GraphBuilder();
  const cache = builder.argument(TENSOR, { isKvCache: true });
  const update = builder.argument(TENSOR);
  const read = builder.op("ttnn.reshape", [cache], TENSOR);
  const written = builder.op("ttnn.reshape", [cache], TENSOR);
  const before = builder.op("ttnn.relu", [read], TENSOR);
  builder.multiOp("ttnn.update_cache", [written, update], []);
  const after = builder.op("ttnn.neg", [read], TENSOR);
  builder.return(before, after);
  const fn = builder.build();
  const dependencies = scheduleDependencies(fn, (op) => ({
    writtenOperands: fn.ops[op]?.name === "ttnn.update_cache" ? [0] : [],
    shared: fn.ops[op]?.name === "ttnn.reshape" ? [{ operand: 0, result: 0 }] : [],
  }));
  assertEquals(dependencies.slice(2), [idsOf(0), idsOf(0, 1, 2), idsOf(0, 3)]);
});

Deno.test("DfScheduler orders random graphs without ever breaking a dependency", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 30 }),
    (nodes) => {
      const builder = new GraphBuilder();
      const values = [builder.argument(TENSOR)];
      for (const [a, b, scheduled] of nodes) {
        const operands = [a, b].map((pick) => present(values[pick % values.length]));
        values.push(builder.op(scheduled ? "ttnn.add" : "func.call", operands, TENSOR));
      }
      builder.return(present(values.at(-1)));
      const fn = builder.build();
      const order = greedy(scheduler(fn));
      assertEquals(order.toSorted((a, b) => a - b), fn.ops.map((op) => op.id));
      const place = new Map(order.map((op, index) => [op, index]));
      for (const op of fn.ops) {
        for (const value of op.operands) {
          const definition = fn.values[value]?.definition;
          if (definition?.kind !== "result") continue;
          assert((place.get(definition.op) ?? 0) < (place.get(op.id) ?? 0));
        }
      }
    },
  ));
});

Deno.test("DfScheduler offers layout changes in the order of all ops", () => {
  const builder = new GraphBuilder();
  const argument = builder.argument(TENSOR);
  const [plain, feeding] = [1, 2].map(() => builder.op("ttnn.to_layout", [argument], TENSOR));
  const slow = builder.op("ttnn.relu", [argument], TENSOR);
  builder.return(builder.op("ttnn.add", [present(feeding), slow], TENSOR), present(plain));
  const of = scheduler(builder.build());
  assertEquals(of.schedulableOps(), idsOf(1, 2, 0));
  assertEquals(of.firstLayoutChange(), idOf(1));
  of.scheduleOp(idOf(2));
  assertEquals([of.first(), of.firstLayoutChange()], idsOf(0, 0));
});
