// SPDX-License-Identifier: Apache-2.0
import { ChainContext } from "../lib/chains/chain_context.ts";
import type { ChainOptions } from "../lib/chains/chain_model.ts";
import { isDecided } from "../lib/graph/function_role.ts";
import type { Graph, GraphFunction } from "../lib/graph/graph.ts";
import { isSharded, type TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { OpModel } from "../lib/opmodel/op_model.ts";
import { describeOutputLayoutOverride } from "../lib/overrides/output_layout_override.ts";
import { nameOfLocation } from "../lib/overrides/overrides.ts";
import type { TellOp } from "../sim/export/model_explorer.ts";

/**
 * Reports per op the layouts that its results may have, in the syntax of `--override-output-layout`, and the
 * override name of the op, so that a viewer of the graph can offer them (tt-mlir:tensor-layout-document,
 * Concerns).
 */
export function tellOfferedLayouts(graph: Graph, opModel: OpModel, options: ChainOptions): TellOp {
  const contexts = new Map<GraphFunction, ChainContext>();
  return (fn, op) => {
    if (!isDecided(fn)) return [];
    const context = contexts.getOrInsertComputed(
      fn,
      () => new ChainContext(fn, opModel, options, graph.constEvalL1Bytes),
    );
    const offered = new Set((context.legalConfigs[op.id] ?? []).map(({ outputLayout }) => outputLayout));
    // An op with one layout has no choice.
    if (offered.size < 2) return [];
    const name = nameOfLocation(op.location);
    const words = [...offered].map((layout) => overrideWords(opModel.layouts.get(layout)));
    return [
      ...(name === undefined ? [] : [{ key: "override name", value: name }]),
      { key: "legal layouts", value: words.join(", ") },
    ];
  };
}

function overrideWords(layout: TtnnLayout): string {
  const { bufferType, memoryLayout, tile, gridShape: [rows = 1, columns = 1] } = layout;
  return describeOutputLayoutOverride({
    ...(isSharded(layout) ? { grid: [rows, columns] } : {}),
    bufferType,
    ...(memoryLayout === undefined ? {} : { memoryLayout }),
    pageLayout: tile === undefined ? "row_major" : "tile",
  });
}
