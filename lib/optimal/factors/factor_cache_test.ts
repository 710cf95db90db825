// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { Conversions } from "../exploration/conversions.ts";
import { type Impl, l1BytesAmong } from "../exploration/impl_table.ts";
import { FactorCache } from "./factor_cache.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";

Deno.test("under any L1 limit of an op, its table has every result of a candidate within the limit, as fast or by a copy", () => {
  const builder = new GraphBuilder();
  const tensorOf = (rows: number, columns: number) => ({ shape: [rows, columns], dataType: "bf16" } as const);
  const made = builder.op("ttnn.relu", [builder.argument(tensorOf(1024, 2048))], tensorOf(1024, 2048));
  const weight = builder.argument(tensorOf(2048, 512));
  const product = builder.op("ttnn.matmul", [made, weight], tensorOf(1024, 512));
  builder.return(builder.op("ttnn.relu", [product], tensorOf(1024, 512)));
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const { budget } = l1Region(opModel.chip, 0.95, 0);
  const limits = { combinations: 20_000, l1Bytes: budget, planKind: "hinted" } as const;
  const space = new LayoutSpace(evaluator, opRoles(evaluator), limits);
  const matmul = evaluator.fn.ops.find(({ name }) => name === "ttnn.matmul");
  assert(matmul !== undefined);
  const table = space.table(matmul.id);
  const cache = new FactorCache();
  const conversions = new Conversions(evaluator, budget);
  const sizes = [...new Set([...table.rows, ...table.smaller].map(({ l1Bytes }) => l1Bytes))];
  let onlySlower = 0;
  for (const most of sizes) {
    const capped = cache.capped(table, most);
    assert(capped.rows.every(({ l1Bytes }) => l1Bytes <= most));
    for (const operandCost of new Set(table.rows.map(({ reads }) => reads.join()))) {
      const inputs = operandCost.split(",").map((read, operand) => table.reads[operand]?.[Number(read)]);
      for (const impl of evaluator.impls(matmul.id, inputs)) {
        const needed = l1BytesAmong(budget, evaluator.operandL1Bytes(matmul.id, inputs), impl);
        if (needed === undefined || needed > most) continue;
        const operandUs = capped.rows.filter((row) => row.reads.join() === operandCost);
        const madeWithCopy = ({ output, microseconds }: Impl): number => {
          const [from] = table.outputs[output] ?? [];
          const [to] = impl.outputs;
          assert(from !== undefined && to !== undefined);
          return microseconds + conversions.direct(tensorOf(1024, 512), from, to);
        };
        const row = operandUs.toSorted((a, b) => madeWithCopy(a) - madeWithCopy(b))[0];
        assert(
          row !== undefined && madeWithCopy(row) <= impl.microseconds,
          `${operandCost}>${impl.outputs} in ${most} B`,
        );
        if (!table.rows.includes(row)) onlySlower++;
      }
    }
  }
  assert(onlySlower > 0, "no result is made in less L1 by another config");
});
