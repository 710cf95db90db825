// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { OpEvaluator } from "./op_evaluator.ts";

Deno.test("no move leads to a layout that the op makes otherwise: interleaved over the cores of another chip", () => {
  const tensor = { shape: [256, 256], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  builder.return(builder.op("ttnn.relu", [builder.argument(tensor)], tensor));
  const [fn] = builder.buildGraph().functions;
  assert(fn !== undefined);
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const [declared] = evaluator.declared;
  assert(declared !== undefined);
  const { rows, columns } = opModel.chip.workerGrid;
  const interleavedOver = (grid: { readonly rows: number; readonly columns: number }) => {
    const request = { ...tensor, bufferType: "l1", memoryLayout: "interleaved" } as const;
    const layout = makeLayout(request, grid);
    assert(layout !== undefined);
    return opModel.layouts.intern(layout);
  };
  const own = interleavedOver({ rows, columns });
  const others = interleavedOver({ rows, columns: columns + 1 });
  for (const from of [declared, evaluator.catalog.reshardTargets(tensor, declared)[0]]) {
    assert(from !== undefined);
    assertEquals(evaluator.reshard(tensor, from, own)?.via, undefined);
    assert(evaluator.reshardMicroseconds(tensor, from, own) > 0);
    assertEquals(evaluator.reshard(tensor, from, others), undefined);
  }
});
