// SPDX-License-Identifier: Apache-2.0
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { type OpRoles, opRoles } from "../../search/op_roles.ts";
import { realModels } from "./real_models.ts";

/** A function with the real op model and the real cost model, ready for pass 1. */
export interface RealStudy {
  readonly evaluator: OpEvaluator;
  readonly roles: OpRoles;
  readonly l1Budget: number;
  /** The sharded layout of a tensor. */
  readonly sharded: (
    tensor: TensorShape,
    kind: TensorMemoryLayout,
    rows: number,
    columns: number,
  ) => LayoutId;
}

/** Sets up a {@linkcode RealStudy} on the chip of the tests. */
export function realStudy(make: (builder: GraphBuilder) => void): RealStudy {
  const builder = new GraphBuilder();
  make(builder);
  const { opModel, cost } = realModels();
  const { layouts } = opModel;
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, {
    maxLegalLayouts: 64,
    maxReshardCandidatesPerType: 4,
    enableL1ShardingLayouts: true,
    rowMajorEnabled: false,
  });
  return {
    evaluator,
    roles: opRoles(evaluator),
    l1Budget: l1Region(TEST_WORMHOLE, 0.95, 0).budget,
    sharded: ({ shape, dataType }, memoryLayout, rows, columns) =>
      layouts.intern(
        makeLayout(
          { shape, dataType, bufferType: "l1", memoryLayout, grid: [rows, columns] },
          TEST_WORMHOLE.workerGrid,
        ),
      ),
  };
}
