// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../lib/graph/function_role.ts";
import {
  firstResult,
  type GraphFunction,
  type GraphValue,
  opAt,
  type SchedulePoint,
  type Use,
  valueAt,
} from "../lib/graph/graph.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import { type DataType, isBlockFloat } from "../lib/layout/data_type.ts";
import type { OpSpecificAttributes } from "../lib/op_config/op_config.ts";
import { onlyMoves } from "../lib/passes/free_inputs.ts";
import { FREE_NAMES, FREEDOMS, type FreeName } from "../lib/policy/free.ts";
import { FunctionModel } from "../lib/search/function_model.ts";
import { opRoles } from "../lib/search/op_roles.ts";
import type { FunctionTimeline, StepTimeline } from "../sim/timeline/timeline.ts";
import type { DecidedGraph } from "./decided_graph.ts";
import { shardedWeightSavings } from "./free_weights.ts";
import { pagesOfResults } from "./page_advice.ts";
import { type Saving, totalSaving } from "./saving.ts";

/** Predicted saving of a freedom, with the plan's other layouts and configs unchanged. */
export interface FreeAdvice extends Saving {
  /** The freedom. */
  readonly freedom: FreeName;
  /** Its changeable parts, in words. */
  readonly changes: string;
  /** Whether computed values stay the same, or their change can be estimated. */
  readonly numbers: "same" | "estimated";
  /** Option to paste. */
  readonly option: string;
}

/** A change of a step's op: its weight in another format, or another config. */
interface ChangedOp {
  readonly weight?: DataType;
  readonly config?: OpSpecificAttributes;
}

/**
 * Savings of the freedoms that are not taken, greatest first. They are computed without a search, by pricing the plan's ops with only that change; a new decision may save more.
 *
 * @param taken freedoms of the plan
 */
export function freeAdvice(decided: DecidedGraph, taken: readonly FreeName[]): readonly FreeAdvice[] {
  const { workbench: { binding: { graph } }, timeline } = decided;
  const functions = timeline.functions.flatMap((fn) => {
    const source = graph.functions.find(({ name }) => name === fn.name);
    return source === undefined || !isDecided(source) ? [] : [{ fn, source }];
  });
  const savings: Readonly<Partial<Record<FreeName, () => readonly Saving[]>>> = {
    weights: () => taken.includes("layouts") ? [...shardedWeightSavings(decided).values()] : [],
    inputs: () => functions.flatMap(({ fn, source }) => movesOfInputs(fn, source)),
    results: () => functions.flatMap(({ fn, source }) => pagesOfResults(decided, fn, source)),
    formats: () => functions.flatMap(({ fn, source }) => reprice(decided, fn, source, inBfp8)),
    fidelity: () => functions.flatMap(({ fn, source }) => reprice(decided, fn, source, atLoFi)),
  };
  return FREE_NAMES.flatMap((freedom): readonly FreeAdvice[] => {
    const found = taken.includes(freedom) ? [] : savings[freedom]?.() ?? [];
    const saving = totalSaving(found, timeline);
    const { changes, numbers } = FREEDOMS[freedom];
    return saving === undefined
      ? []
      : [{ freedom, changes, ...saving, numbers, option: `--free +${freedom}` }];
  }).toSorted((a, b) => b.savedUs - a.savedUs);
}

/** Changes a weight of 16 bits or more to bfp8, the default of `--free formats`. */
function inBfp8({ config }: StepTimeline, weight: DataType): ChangedOp | undefined {
  if (isBlockFloat(weight)) return undefined;
  return {
    weight: "bfp_bf8",
    ...(config?.kind === "conv2d"
      ? { config: { ...config, conv2dConfig: { ...config.conv2dConfig, weightsDtype: "bfp_bf8" } } }
      : {}),
  };
}

/** Changes an op to LoFi, the lowest fidelity that `--free fidelity` allows by default. */
function atLoFi({ config, costClass, fidelity }: StepTimeline): ChangedOp | undefined {
  if (fidelity === undefined || fidelity === "lofi") return undefined;
  const own: OpSpecificAttributes = config ?? { kind: costClass === "conv2d" ? "conv2d" : "matmul" };
  return { config: { ...own, computeConfig: { ...own.computeConfig, mathFidelity: "lofi" } } };
}

/** Savings of matmuls and convolutions with constant weights, each changed in its present layouts. */
function reprice(
  { workbench: { opModel, cost } }: DecidedGraph,
  { steps }: FunctionTimeline,
  source: GraphFunction,
  otherwise: (step: StepTimeline, weight: DataType) => ChangedOp | undefined,
): readonly Saving[] {
  const signatures = opSignatures(source);
  const { constantDerived } = opRoles(new FunctionModel(source, opModel));
  return steps.flatMap((step): readonly Saving[] => {
    const op = step.kind === "op" ? source.ops[step.id] : undefined;
    const signature = op === undefined ? undefined : signatures[op.id];
    const isProduct = step.costClass === "matmul" || step.costClass === "conv2d";
    const [, weight] = signature?.operands ?? [];
    const [, value] = op?.operands ?? [];
    if (!isProduct || signature === undefined || weight === undefined || value === undefined) return [];
    if (constantDerived[value] !== true) return [];
    const changed = otherwise(step, weight.dataType);
    if (changed === undefined) return [];
    const { config = step.config, weight: dataType = weight.dataType } = changed;
    const { microseconds, unknown } = cost.getOpRuntime(
      { ...signature, operands: signature.operands.with(1, { ...weight, dataType }) },
      opModel.layouts.internAll(
        step.inputLayouts.map((layout, operand) =>
          layout === undefined || operand !== 1 ? layout : { ...layout, dataType }
        ),
      ),
      opModel.layouts.internAll(step.outputLayouts),
      config,
    );
    const { relativeError } = step.estimate;
    const savedUs = unknown === undefined ? step.estimate.microseconds - microseconds : 0;
    return savedUs > 0 ? [{ savedUs, relativeError }] : [];
  });
}

/** Times of the ops that only move an input, and of their copies. */
function movesOfInputs({ steps }: FunctionTimeline, source: GraphFunction): readonly Saving[] {
  const moves = new Set<SchedulePoint>();
  for (const id of source.arguments) {
    const { definition, ...argument } = valueAt(source, id);
    const isInput = definition.kind === "argument" && !definition.isKvCache &&
      (definition.argumentType === "input" || definition.argumentType === "default");
    for (
      let value: GraphValue | undefined = isInput ? { definition, ...argument } : undefined;
      value !== undefined;
    ) {
      const [use, ...more]: readonly Use[] = value.uses;
      if (use === undefined || more.length > 0 || value.returned > 0) break;
      const reader = opAt(source, use.op);
      if (!onlyMoves(reader.name)) break;
      moves.add(reader.id);
      value = firstResult(source, reader);
    }
  }
  return steps.filter(({ op }) => moves.has(op))
    .map(({ deviceUs, gapUs, estimate: { relativeError } }) => ({
      savedUs: deviceUs + gapUs,
      relativeError,
    }));
}
