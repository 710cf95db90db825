// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { testChipWithGrid } from "../../testing/chips.ts";
import { integerAttribute, signatureOf, tensorOf } from "../../testing/op_queries.ts";
import { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { createOpModel } from "./create_op_model.ts";

const product = (rows: number, inner: number, columns: number): OpSignature =>
  signatureOf("ttnn.matmul", [tensorOf([rows, inner]), tensorOf([inner, columns])], [
    tensorOf([rows, columns]),
  ]);
const join = (dim: number, rows: number, columns: number): OpSignature =>
  signatureOf(
    "ttnn.concat",
    [tensorOf([rows, columns]), tensorOf([rows, columns])],
    [dim === 0 ? tensorOf([2 * rows, columns]) : tensorOf([rows, 2 * columns])],
    { dim: integerAttribute(dim) },
  );
const OPS = [
  product(512, 512, 256),
  product(96, 1024, 320),
  product(32, 2048, 1024),
  product(2048, 64, 64),
  join(0, 256, 128),
  join(1, 256, 128),
];

Deno.test("hints that a rule excludes are refused, and most refused hints are excluded by a rule", () => {
  const chip = testChipWithGrid(8, 8);
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip, layouts });
  const analysis = new LegalTensorLayoutAnalysis(chip, layouts, { rowMajorEnabled: true });
  for (const op of OPS) {
    let [ruledOut, refused] = [0, 0];
    const [a, b] = op.operands;
    const [result] = op.results;
    assert(a !== undefined && b !== undefined && result !== undefined);
    const legal = (tensor: typeof a) => {
      const { interleaved, sharded } = analysis.pageLayoutsOf(tensor, "bf16", "tiled");
      return [...interleaved, ...sharded];
    };
    const [dram] = legal(b);
    const { primary, fallback } = opModel.outputHints(op, legal(result));
    for (const first of legal(a)) {
      for (const second of op.name === "ttnn.concat" ? new Set([dram, first]) : [dram]) {
        for (const { layout, config } of [...primary, ...fallback]) {
          const inputs = [first, second];
          const mayFollow = opModel.mayFollow?.(op, inputs, layout, config) ?? true;
          const { status } = opModel.queryOpConstraints(op, inputs, layout, config);
          if (!mayFollow) assertEquals(status, "invalid", `${op.name} ${layouts.get(first).memoryLayout}`);
          if (!mayFollow) ruledOut++;
          if (status === "invalid") refused++;
        }
      }
    }
    assert(ruledOut > 0.6 * refused, `${op.name}: ${ruledOut} of ${refused}`);
  }
});
