// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ValueId } from "../graph/graph.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { planToJson } from "../plan/plan_json.ts";
import { policies } from "../policy/policies.ts";
import { decide } from "./testing/decide.ts";
import { unconfirmedChanges } from "./testing/unconfirmed_changes.ts";
import { present } from "../../testing/present.ts";

/** One op of a random function: its kind, and which of the earlier values it reads. */
interface RandomOp {
  readonly kind: "unary" | "binary" | "matmul" | "softmax" | "reshape" | "concat" | "update";
  readonly left: number;
  readonly right: number;
}

interface RandomFunction {
  readonly rows: number;
  readonly columns: number;
  readonly ops: readonly RandomOp[];
  readonly returned: number;
}

const randomFunction: fc.Arbitrary<RandomFunction> = fc.record({
  rows: fc.constantFrom(32, 96, 1024, 4096),
  columns: fc.constantFrom(32, 512, 4096),
  ops: fc.array(
    fc.record({
      kind: fc.constantFrom("unary", "binary", "matmul", "softmax", "reshape", "concat", "update"),
      left: fc.nat(),
      right: fc.nat(),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  returned: fc.nat(),
});

/** Builds the function; every value has the same shape, so that any op can read any value. */
function build({ rows, columns, ops, returned }: RandomFunction, builder: GraphBuilder): void {
  const tensor: TensorShape = { shape: [rows, columns], dataType: "bf16" };
  const weight = builder.argument({ shape: [columns, columns], dataType: "bf16" }, {
    argumentType: "parameter",
  });
  const cache = builder.argument({ shape: [1, 1, rows, columns], dataType: "bf16" }, { isKvCache: true });
  const values: ValueId[] = [builder.argument(tensor), builder.argument(tensor)];
  const integer = (value: number) => ({ kind: "integer", value: BigInt(value), type: "i32" }) as const;
  const shapeAttribute = (shape: readonly number[]) =>
    ({ shape: { kind: "array", elements: shape.map(integer) } }) as const;
  for (const { kind, left, right } of ops) {
    const a = present(values[left % values.length]);
    const b = present(values[right % values.length]);
    switch (kind) {
      case "unary":
        values.push(builder.op("ttnn.relu", [a], tensor));
        break;
      case "binary":
        values.push(builder.op("ttnn.add", [a, b], tensor));
        break;
      case "matmul":
        values.push(builder.op("ttnn.matmul", [a, weight], tensor));
        break;
      case "softmax":
        values.push(builder.op("ttnn.softmax", [a], tensor, { attributes: { dimension: integer(1) } }));
        break;
      case "reshape": {
        const reshaped: TensorShape = { shape: [1, rows, columns], dataType: "bf16" };
        const wide = builder.op("ttnn.reshape", [a], reshaped, {
          attributes: shapeAttribute(reshaped.shape),
        });
        values.push(builder.op("ttnn.reshape", [wide], tensor, { attributes: shapeAttribute(tensor.shape) }));
        break;
      }
      case "concat": {
        const joined: TensorShape = { shape: [rows, 2 * columns], dataType: "bf16" };
        const both = builder.op("ttnn.concat", [a, b], joined, { attributes: { dim: integer(1) } });
        const parameter = builder.argument(
          { shape: [2 * columns, columns], dataType: "bf16" },
          { argumentType: "parameter" },
        );
        values.push(builder.op("ttnn.matmul", [both, parameter], tensor));
        break;
      }
      case "update": {
        const update: TensorShape = { shape: [1, 1, rows, columns], dataType: "bf16" };
        const lifted = builder.op("ttnn.reshape", [a], update, { attributes: shapeAttribute(update.shape) });
        builder.multiOp("ttnn.fill_cache", [cache, lifted], [], { attributes: { batch_offset: integer(0) } });
      }
    }
  }
  builder.return(present(values.at(-1)), present(values[returned % values.length]));
}

/** Two cache updates; more L1 would be free for the later one if it ran before the other ops. */
const TWO_UPDATES: RandomFunction = {
  rows: 1024,
  columns: 4096,
  ops: (["update", "concat", "update", "unary"] as const).map((kind) => ({ kind, left: 0, right: 0 })),
  returned: 0,
};

for (const policy of policies.filter(({ planKind }) => planKind === "confirmed")) {
  // Everything else that `auto` tries takes ten times as long as the chains.
  const [runs, repeated] = policy.name === "auto" ? [6, 2] : [24, 8];
  for (const legacyQuirks of [false, true]) {
    Deno.test(`${policy.name} plans random functions soundly${legacyQuirks ? " with legacy quirks" : ""}`, () => {
      let sharded = 0;
      let repeats = 0;
      fc.assert(
        fc.property(randomFunction, (random) => {
          const run = () =>
            decide(policy.name, (builder) => build(random, builder), { options: { legacyQuirks } });
          const decided = run();
          assert(decided.l1.timeline.withinBudget);
          assertEquals(unconfirmedChanges(decided.fn, decided.functionPlan, decided.opModel), []);
          if (repeats++ < repeated) {
            assertEquals(planToJson(run().plan), planToJson(decided.plan), "two runs differ");
          }
          const order = decided.functionPlan.schedule ?? decided.fn.ops.map((op) => op.id);
          const writes = order.filter((op) => decided.fn.ops[op]?.name === "ttnn.fill_cache");
          assertEquals(writes, writes.toSorted((a, b) => a - b), "cache updates change places");
          if (decided.outputs.some((layout) => layout.startsWith("l1/"))) sharded++;
        }),
        { numRuns: runs, seed: 5, examples: [[TWO_UPDATES]] },
      );
      assert(sharded > runs / 3, `only ${sharded} of the random functions use L1`);
    });
  }
}
