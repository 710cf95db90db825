// SPDX-License-Identifier: Apache-2.0
import {
  firstResult,
  type Graph,
  type GraphFunction,
  opAt,
  type OpId,
  valueAt,
  type ValueId,
} from "../graph/graph.ts";
import type { DataType } from "../layout/data_type.ts";
import { describeLayout } from "../layout/describe.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { nameOfLocation, type OptimizerOverrides } from "../overrides/overrides.ts";
import type { LegalTensorLayoutAnalysis } from "./legal_tensor_layouts.ts";
import { attributesKey, type OpConfig, pickOpConfig } from "./op_config.ts";

/** Printable analyses, each after those that it builds on; named as in tt-mlir. */
export const ANALYSIS_NAMES = [
  "ScalarDataTypeAnalysis",
  "LegalTensorLayoutAnalysis",
  "LegalOpLayoutAnalysis",
  "LegalOpConfigAnalysis",
  "MemoryLayoutAnalysis",
  "OpConfigAnalysis",
] as const;

export type AnalysisName = (typeof ANALYSIS_NAMES)[number];

/** The results of the analyses for one function. */
export interface FunctionAnalyses {
  readonly fn: GraphFunction;
  readonly legalTensorLayouts: LegalTensorLayoutAnalysis;
  /** Legal configs per op; empty for ops that are not decided. */
  readonly legalConfigs: readonly (readonly OpConfig[])[];
  /** The decisions of a policy based on them; absent if nothing is moved (optimization level 1). */
  readonly memoryLayout?: {
    readonly lines: readonly string[];
    configOf(op: OpId): OpConfig | undefined;
  };
}

/**
 * The results of an analysis as text: one line per fact, grouped by function.
 *
 * @param functions analysed functions
 */
export function printAnalysis(
  name: AnalysisName,
  graph: Graph,
  opModel: OpModel,
  overrides: OptimizerOverrides,
  functions: readonly FunctionAnalyses[],
): string {
  if (name === "ScalarDataTypeAnalysis") return `${scalarDataTypes(graph, overrides).join(" ")}\n`;
  const lines: string[] = [];
  for (const analyses of functions) {
    lines.push(`@${analyses.fn.name}`);
    lines.push(...functionLines(name, analyses, opModel));
  }
  return `${lines.join("\n")}\n`;
}

function functionLines(
  name: Exclude<AnalysisName, "ScalarDataTypeAnalysis">,
  analyses: FunctionAnalyses,
  opModel: OpModel,
): string[] {
  switch (name) {
    case "LegalTensorLayoutAnalysis":
      return tensorLines(analyses, opModel.layouts);
    case "LegalOpLayoutAnalysis":
      return opLines(analyses, (configs) => {
        const layouts = [...new Set(configs.map(({ outputLayout }) => outputLayout))];
        return `${layouts.length}: ${layoutList(layouts, opModel.layouts)}`;
      });
    case "LegalOpConfigAnalysis":
      return opLines(analyses, (configs) => {
        const layouts = new Set(configs.map(({ outputLayout }) => outputLayout)).size;
        const attributes = new Set(configs.map((config) => attributesKey(config.attributes)));
        attributes.delete("");
        return `${configs.length} configs: ${layouts} layouts, ${attributes.size} op configs`;
      });
    case "MemoryLayoutAnalysis":
      return [...analyses.memoryLayout?.lines ?? ["  off: every op takes its first legal config"]];
    case "OpConfigAnalysis":
      return opLines(analyses, (configs, op) => {
        const current = firstResult(analyses.fn, opAt(analyses.fn, op))?.layout;
        const picked = analyses.memoryLayout?.configOf(op) ??
          pickOpConfig(configs, current?.tile !== undefined, opModel.layouts);
        return picked === undefined ? "-" : describeLayout(opModel.layouts.get(picked.outputLayout));
      });
  }
}

function opLines(
  { fn, legalConfigs }: FunctionAnalyses,
  describe: (configs: readonly OpConfig[], op: OpId) => string,
): string[] {
  return fn.ops.flatMap((op) => {
    const configs = legalConfigs[op.id] ?? [];
    if (configs.length === 0) return [];
    return [`  ${firstResult(fn, op)?.name ?? op.id} ${op.name}  ${describe(configs, op.id)}`];
  });
}

/** One line per shape and element format, in order of first occurrence. */
function tensorLines({ fn, legalTensorLayouts }: FunctionAnalyses, layouts: LayoutTable): string[] {
  const seen = new Set<string>();
  return fn.ops.flatMap((op) =>
    [...op.operands, ...op.results].flatMap((id) => {
      const tensor = valueAt(fn, id).tensor;
      const key = tensor === undefined ? "" : `${tensor.shape.join("x")}x${tensor.dataType}`;
      if (tensor === undefined || seen.has(key)) return [];
      seen.add(key);
      const { row_major: rowMajor, tiled } = legalTensorLayouts.layoutsOf(tensor);
      const all = [...rowMajor.interleaved, ...tiled.interleaved, ...rowMajor.sharded, ...tiled.sharded];
      return [`  ${key}  ${all.length}: ${layoutList(all, layouts)}`];
    })
  );
}

function layoutList(ids: readonly LayoutId[], layouts: LayoutTable): string {
  return ids.map((id) => describeLayout(layouts.get(id))).join(" ");
}

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
