// SPDX-License-Identifier: Apache-2.0
import { CONCAT } from "../ops/attributes/movement.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { isSharded, type TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import type { ChainContext } from "./chain_context.ts";
import type { DecidedChains } from "./decide_chains.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";
import type { MergeState } from "./merge_state.ts";
import { readersRefusal, usersOf } from "./output_reservations.ts";

/**
 * Memory layout that a concat prefers for its inputs: height sharded along the last dimension, width sharded
 * along the one before; along others it has none, and never block sharded (tt-mlir:optimizer-document §4.1.2).
 */
export function concatInputMemLayout(context: ChainContext, op: OpId): TensorMemoryLayout | undefined {
  const { attributes, results } = context.op(op);
  const rank = results[0] === undefined ? 0 : context.value(results[0]).tensor?.shape.length ?? 0;
  const dim = readAttributes({ attributes }, CONCAT).dim;
  const fromEnd = dim < 0 ? -dim : rank - dim;
  return fromEnd === 1 ? "height_sharded" : fromEnd === 2 ? "width_sharded" : undefined;
}

/**
 * Before solving (tt-mlir `setConcatChainPreferences`): the producer chains of a concat prefer the concat's
 * memory layout for their output, and so does the chain that the concat's only reader starts.
 */
export function setConcatChainPreferences(context: ChainContext, decided: DecidedChains): void {
  const chainOf = (op: OpId | undefined): L1ChainConfig | undefined =>
    op === undefined ? undefined : decided.chains.find((chain) => chain.ops.includes(op));
  for (const concat of decided.chains) {
    const op = concat.lastOp;
    if (!concat.isConcatChain || op === undefined) continue;
    const wanted = concatInputMemLayout(context, op);
    if (wanted === undefined) continue;
    for (const value of context.op(op).operands) {
      const chain = chainOf(context.producer(value));
      if (chain !== undefined) chain.preferredOutputMemLayout = wanted;
    }
    const [reader] = context.useCount(op) === 1
      ? context.op(op).results.flatMap((value) => context.value(value).uses)
      : [];
    const behind = chainOf(reader?.op);
    if (behind !== undefined && behind.firstOp === reader?.op) behind.preferredOutputMemLayout = wanted;
  }
}

/**
 * After solving (tt-mlir `resolveConcatChains`): a concat whose operands are all outputs of completed chains
 * reads them from L1, if it and every op that runs while they are live still fits. An operand with further
 * readers (a skip connection) stays live until the last of them, and all of them must accept its layout.
 */
export function resolveConcatChains(state: MergeState): void {
  for (const chain of state.chains) {
    const op = chain.lastOp;
    if (!chain.isConcatChain || op === undefined) continue;
    const refusal = resolveConcatChain(state, chain, op);
    if (refusal === undefined) {
      state.decided.reasons.add(op, `chain ${chain.id}: the inputs stay in L1 for the concat`);
      continue;
    }
    chain.fail(refusal);
    state.decided.reasons.add(op, `chain ${chain.id} failed: ${refusal}`);
  }
}

/** An output of a chain that waits for a concat. */
interface ConcatInput {
  readonly chain: L1ChainConfig;
  readonly last: OpId;
  readonly layout: LayoutId;
  /** Positions of the op that produces it and of its last reader. */
  readonly position: number;
  readonly end: number;
  /** Whether other ops read it as well. */
  readonly isShared: boolean;
}

function resolveConcatChain(state: MergeState, concat: L1ChainConfig, op: OpId): string | undefined {
  const { context } = state;
  const inputs: ConcatInput[] = [];
  const place = state.placeOf(op);
  for (const [operand, value] of context.op(op).operands.entries()) {
    const chain = state.chainEndingWith(value);
    const last = chain?.lastOp;
    const layout = chain?.outputLayout;
    if (chain === undefined || last === undefined || layout === undefined) {
      return `operand ${operand} is not an output of a completed chain`;
    }
    if (!isSharded(context.layouts.get(layout))) return `operand ${operand} is not sharded`;
    const isShared = context.useCount(last) !== context.op(op).operands.filter((other) =>
      other === value
    ).length;
    const users = usersOf(state, last);
    if (isShared && (users === "returned" || !context.conventions.sharesConcatInputs)) {
      return `operand ${operand} is used elsewhere too`;
    }
    const end = users === "returned" ? place : Math.max(place, ...users);
    inputs.push({ chain, last, layout, position: state.placeOf(last), end, isShared });
  }
  if ((context.shardedConfigs[op] ?? []).length === 0) return "it has no legal sharded config";
  const layouts = inputs.map(({ layout }) => layout);
  const config = concatConfig(state, op, layouts);
  if (typeof config === "string") return config;
  const refusal = context.conventions.checksConcatSchedule
    ? pressureRefusal(state, op, config, inputs)
    : legacyPressureRefusal(state, inputs);
  if (refusal !== undefined) return refusal;
  for (const { last, layout, end, isShared } of inputs) {
    if (!isShared) continue;
    const shared = readersRefusal(state, last, layout, op) ??
      state.rangeRefusal(place + 1, end, new Map([[last, layout]]));
    if (shared !== undefined) return shared;
  }
  for (const { chain, layout, end } of inputs) {
    chain.spillLocation = "None";
    state.keep(chain, layout, end, context.conventions.reservesMerges);
  }
  concat.resolve();
  concat.complete([config], []);
  concat.spillLocation = "DRAM";
  return undefined;
}

/** The first input's sharding applied to the concat's own shape, or the layout that the backend chooses. */
function concatConfig(state: MergeState, op: OpId, inputs: readonly LayoutId[]): OpConfig | string {
  const { context } = state;
  const result = context.result(op);
  const value = result === undefined ? undefined : context.value(result);
  const [first] = inputs;
  if (value?.tensor === undefined || value.layout === undefined || first === undefined) {
    return "it has no layout";
  }
  const { memoryLayout, gridShape, tile } = context.layouts.get(first);
  const hint = context.layouts.intern(makeLayout({
    shape: value.tensor.shape,
    dataType: value.layout.dataType,
    tile: tile ?? null,
    bufferType: "l1",
    memoryLayout,
    grid: [gridShape[0] ?? 1, gridShape[1] ?? 1],
  }, context.opModel.chip.workerGrid));
  const answer = context.constraints(op, inputs, hint, undefined);
  if (answer.status === "invalid") return answer.message;
  const outputLayout = context.inDeclaredFormats(op, answer.outputLayouts, hint)[0] ?? hint;
  return { outputLayout, attributes: undefined };
}

/**
 * The document's rule: every op that runs while concat inputs are live is checked with the inputs live at
 * that point.
 */
function pressureRefusal(
  state: MergeState,
  op: OpId,
  config: OpConfig,
  inputs: readonly { last: OpId; layout: LayoutId; position: number }[],
): string | undefined {
  const held = new Map<OpId, LayoutId>();
  const ordered = inputs.toSorted((a, b) => a.position - b.position);
  for (const [index, { last, layout, position }] of ordered.entries()) {
    if (held.has(last)) continue;
    held.set(last, layout);
    const end = ordered[index + 1]?.position ?? state.placeOf(op) - 1;
    const refusal = state.rangeRefusal(position + 1, end, held);
    if (refusal !== undefined) return refusal;
  }
  return state.placeRefusal(op, inputs.map(({ layout }) => layout), config, held);
}

/** Upstream's rule: only the producer chains of the concat are checked, in operand order. */
function legacyPressureRefusal(
  state: MergeState,
  inputs: readonly { chain: L1ChainConfig; layout: LayoutId }[],
): string | undefined {
  let bytes = 0;
  for (const [index, { chain, layout }] of inputs.entries()) {
    for (const member of index === 0 ? [] : chain.ops) {
      const config = chain.configOf(member);
      if (config === undefined) continue;
      const refusal = state.refusal(member, state.chainInputs(member, new Map()), config, bytes, new Map());
      if (refusal !== undefined) return refusal;
    }
    bytes += state.bytes(layout);
  }
  return undefined;
}
