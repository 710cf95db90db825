// SPDX-License-Identifier: Apache-2.0
import type { RuntimeEstimate } from "../lib/cost/cost_model.ts";
import { isDecided } from "../lib/graph/function_role.ts";
import { type GraphFunction, opAt, type OpId, valueAt } from "../lib/graph/graph.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import type { Operation } from "../lib/ir/mod.ts";
import { gridCores, makeLayout, physicalUnits } from "../lib/layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { activationToFuse, dramShardedConfigs, isOneTileRow } from "../lib/opmodel/matmul_program_config.ts";
import { parseOpConfig } from "../lib/op_config/parse.ts";
import { MATMUL } from "../lib/ops/attributes/matmul.ts";
import { readAttributes } from "../lib/ops/attributes/read_attributes.ts";
import type { TensorShape } from "../lib/ops/op_signature.ts";
import { constEval } from "../lib/passes/const_eval.ts";
import { overBanks, shardWeights } from "../lib/passes/shard_weights.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import { largestDivisor } from "../lib/programs/matmul/matmul_blocking.ts";
import type { InstanceId } from "../lib/plan/steps.ts";
import { FunctionModel } from "../lib/search/function_model.ts";
import { opRoles } from "../lib/search/op_roles.ts";
import type { FunctionTimeline, Timeline } from "../sim/timeline/timeline.ts";
import { afterPasses, type DecidedGraph, isBetter } from "./decided_graph.ts";
import type { Workbench } from "./load.ts";
import { refuseUnspeakable } from "./refuse_unspeakable.ts";
import type { Saving } from "./saving.ts";

/** A matmul: function name and index among its matmuls; stable when weights are sharded. */
type ProductKey = string;

/**
 * The fastest of a plan and plans with weights sharded over the DRAM banks. The first trial shards the weights of all matmuls that the DRAM-sharded program runs faster in isolation; each further trial keeps those whose matmuls became faster including adjacent copies.
 *
 * @param decide decides a graph with the same policy
 */
export function withShardedWeights(
  first: DecidedGraph,
  options: PolicyOptions,
  decide: (workbench: Workbench) => DecidedGraph,
): DecidedGraph {
  const before = productTimes(first.timeline);
  let best = first;
  let chosen = new Set(shardedWeightSavings(first).keys());
  while (chosen.size > 0) {
    const sharded = shardedWorkbench(first.workbench, chosen, options);
    if (sharded === undefined) break;
    const tried = decide(sharded);
    if (isBetter(tried.timeline, best.timeline)) best = tried;
    const after = productTimes(tried.timeline);
    const faster = new Set(
      [...chosen].filter((key) => (after.get(key) ?? Infinity) < (before.get(key) ?? 0)),
    );
    if (faster.size === chosen.size) break;
    chosen = faster;
  }
  return best;
}

/** µs per matmul, gaps and copies of operands and result included. */
function productTimes({ functions }: Timeline): ReadonlyMap<ProductKey, number> {
  return new Map(functions.flatMap((fn) => {
    const copies = fn.steps.filter(({ kind }) => kind === "conversion");
    const copiesFor = Map.groupBy(copies, ({ op }) => op);
    const copiesOf = new Map<InstanceId, FunctionTimeline["steps"][number][]>();
    for (const copy of copies) {
      for (const instance of copy.reads) copiesOf.getOrInsertComputed(instance, () => []).push(copy);
    }
    const products = fn.steps.filter(({ kind, costClass }) => kind === "op" && costClass === "matmul")
      .toSorted((a, b) => a.id - b.id);
    return products.map((product, index): [ProductKey, number] => {
      const near = new Set([
        product,
        ...copiesFor.get(product.op) ?? [],
        ...product.makes.flatMap((instance) => copiesOf.get(instance) ?? []),
      ]);
      return [
        `${fn.name} ${index}`,
        [...near].reduce((sum, { deviceUs, gapUs }) => sum + deviceUs + gapUs, 0),
      ];
    });
  }));
}

/** Savings in µs of matmuls with DRAM-sharded weights; operand 0's reshard is not counted. */
export function shardedWeightSavings({ workbench, timeline }: DecidedGraph): ReadonlyMap<ProductKey, Saving> {
  const before = productTimes(timeline);
  const found = new Map<ProductKey, Saving>();
  for (const fn of workbench.binding.graph.functions.filter(isDecided)) {
    const { constantDerived } = opRoles(new FunctionModel(fn, workbench.opModel));
    for (const [key, op] of productsOf(workbench, fn)) {
      const [, weight] = opAt(fn, op).operands;
      if (weight === undefined || constantDerived[weight] !== true) continue;
      const { microseconds, relativeError } = dramSharded(workbench, fn, op) ?? NEVER;
      const savedUs = (before.get(key) ?? 0) - microseconds;
      if (savedUs > 0) found.set(key, { savedUs, relativeError });
    }
  }
  return found;
}

function productsOf({ opModel }: Workbench, fn: GraphFunction): readonly (readonly [ProductKey, OpId])[] {
  const signatures = opSignatures(fn);
  return fn.ops.filter(({ id }) => {
    const signature = signatures[id];
    return signature !== undefined && opModel.traits(signature).costClass === "matmul";
  }).map(({ id }, index) => [`${fn.name} ${index}`, id]);
}

const NEVER = { microseconds: Infinity, relativeError: 0 };

/** Least time of a matmul by a DRAM-sharded program, operand 0 and result on the most cores that divide their tiles; `undefined` if none is valid. */
function dramSharded(workbench: Workbench, fn: GraphFunction, op: OpId): RuntimeEstimate | undefined {
  const { chip, planning } = workbench;
  const { opModel, cost } = planning();
  const signature = opSignatures(fn)[op];
  const [a, b] = signature?.operands ?? [];
  const [output] = signature?.results ?? [];
  if (signature === undefined || a === undefined || b === undefined || output === undefined) return undefined;
  const declared = opAt(fn, op).operands.map((value) => valueAt(fn, value).layout);
  const weight = declared[1];
  const isMovable = weight?.tile !== undefined && weight.bufferType === "dram" && !isSharded(weight);
  if (!isMovable || !isOneTileRow(output.shape)) return undefined;
  const shards = (tensor: TensorShape): TtnnLayout => {
    const [, columns] = physicalUnits(tensor.shape, DEFAULT_TILE);
    return makeLayout({
      ...tensor,
      bufferType: "l1",
      memoryLayout: "width_sharded",
      grid: [1, largestDivisor(columns, gridCores(chip.workerGrid))],
    }, chip.workerGrid);
  };
  const layout = shards(output);
  const inputs = opModel.layouts.internAll([shards(a), overBanks(chip, b).layout, ...declared.slice(2)]);
  const result = opModel.layouts.intern(layout);
  const { transpose_a: transposeA, transpose_b: transposeB } = readAttributes(signature, MATMUL);
  const fusedActivation = activationToFuse(
    signature.attributes,
    parseOpConfig(signature.name, signature.attributes),
  );
  if (fusedActivation === "twice") return undefined;
  const request = {
    a: a.shape,
    b: b.shape,
    output: output.shape,
    layout,
    transposeA,
    transposeB,
    fusedActivation,
  };
  return dramShardedConfigs(request).flatMap((programConfig) => {
    const config = { kind: "matmul", programConfig } as const;
    const answer = opModel.queryOpConstraints(signature, inputs, result, config);
    return answer.status === "valid" ? [cost.getOpRuntime(signature, inputs, [result], config)] : [];
  }).toSorted((one, other) => one.microseconds - other.microseconds)[0];
}

/**
 * The graph with the weights of some matmuls sharded; `undefined` if none can be.
 *
 * @throws {DiagnosticError} if the generation of the text cannot spell such weights
 */
function shardedWorkbench(
  workbench: Workbench,
  chosen: ReadonlySet<ProductKey>,
  options: PolicyOptions,
): Workbench | undefined {
  const operations = workbench.binding.functions.flatMap(({ fn, ops }) =>
    productsOf(workbench, fn).flatMap(([key, op]): readonly Operation[] => {
      const operation = chosen.has(key) ? ops[op] : undefined;
      return operation === undefined ? [] : [operation];
    })
  );
  return refuseUnspeakable(() =>
    afterPasses(workbench, [shardWeights(new Set(operations)), constEval], options)
  );
}
