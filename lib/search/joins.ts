// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../layout/layout_table.ts";
import type { OpId } from "../graph/graph.ts";
import { FEW_OPERANDS } from "../opmodel/op_model.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { FunctionModel } from "./function_model.ts";

/**
 * Whether an op is a concat: any number of operands, with layouts of one kind (tt-metal:concat). It copies
 * page by page: equal operands may exchange their layouts.
 */
export function isJoin(model: FunctionModel, op: OpId): boolean {
  return model.traits(op).costClass === "concat";
}

/** Whether an op has more than `FEW_OPERANDS` operands: too many for a query each. */
export function isWide(model: FunctionModel, op: OpId): boolean {
  return model.op(op).operands.length > FEW_OPERANDS;
}

/** Whether an op is a wide join. */
export function isWideJoin(model: FunctionModel, op: OpId): boolean {
  return isWide(model, op) && isJoin(model, op);
}

/**
 * Properties that all operands of a join must share: memory layout, kind of pages, and for shards the grid.
 * The op refuses other combinations.
 */
export function joinKindOf(layout: TtnnLayout): string {
  const kind = `${layout.memoryLayout}/${layout.tile === undefined}`;
  return isSharded(layout) ? `${kind}/${layout.gridShape.join("x")}` : kind;
}

/** Whether operand layouts differ in kind: a join refuses them (tt-metal:concat). */
export function mixesKinds(model: FunctionModel, inputs: LayoutIds): boolean {
  const kinds = new Set<string>();
  for (const id of new Set(inputs)) if (id !== undefined) kinds.add(joinKindOf(model.layouts.get(id)));
  return kinds.size > 1;
}

/** Whether an op has tiled and row-major operands as declared. A join refuses these: some must change. */
export function mixesPages(model: FunctionModel, op: OpId): boolean {
  const tiled = new Set(
    model.op(op).operands.map((value) => {
      const layout = model.declared[value];
      return layout === undefined ? undefined : model.layouts.get(layout).tile !== undefined;
    }),
  );
  return tiled.has(true) && tiled.has(false);
}
