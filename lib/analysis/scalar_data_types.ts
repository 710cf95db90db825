// SPDX-License-Identifier: Apache-2.0
import { type Graph, valueAt, type ValueId } from "../graph/graph.ts";
import type { DataType } from "../layout/data_type.ts";
import { nameOfLocation, type OptimizerOverrides } from "../overrides/overrides.ts";

/**
 * All element formats of a graph (tt-mlir `ScalarDataTypeAnalysis`), in order of first occurrence: per op the
 * format of an override, then those of its results, then those of its operands. If a tensor has a layout, the
 * format is taken from there, because only the layout states the storage format of quantized tensors.
 */
export function scalarDataTypes(graph: Graph, overrides: OptimizerOverrides): readonly DataType[] {
  const found = new Set<DataType>();
  for (const graphFunction of graph.functions) {
    const add = (id: ValueId) => {
      const { layout, tensor } = valueAt(graphFunction, id);
      const dataType = layout?.dataType ?? tensor?.dataType;
      if (dataType !== undefined) found.add(dataType);
    };
    for (const op of graphFunction.ops) {
      const name = nameOfLocation(op.location);
      const wanted = name === undefined ? undefined : overrides.outputLayouts.get(name)?.dataType;
      if (wanted !== undefined) found.add(wanted);
      op.results.forEach(add);
      op.operands.forEach(add);
    }
  }
  return [...found];
}
