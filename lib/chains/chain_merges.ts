// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { shrinksCores } from "./chain_oracle.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";
import type { MergeState, Residents } from "./merge_state.ts";

const SHRINKS = "the join would run on fewer cores (tt-metal#34765)";

/** A chain whose output an op of another chain could read from L1. */
interface MergeCandidate {
  readonly source: L1ChainConfig;
  readonly last: OpId;
  readonly layout: LayoutId;
  /** Of the output, per core. */
  readonly bytes: number;
  /** The chain that could read it, with its op and operand. */
  readonly chain: L1ChainConfig;
  readonly join: OpId;
  readonly operand: number;
}

/**
 * Keeps outputs of chains in L1 until the next chain reads them (tt-mlir `applyChainMerges`): first both
 * operands of a join (3-way), then single outputs, largest first. A merge changes where outputs of chains go,
 * not the chains.
 *
 * Upstream makes one merge per chain, on operand 0 only if the op is unary or the output a concat's, and reserves no
 * L1 for merged outputs.
 */
export function applyChainMerges(state: MergeState): void {
  const { mergesAllOutputs } = state.context.conventions;
  for (const chain of state.chains) {
    if (chain.state !== "Completed") continue;
    const candidates = mergeCandidates(state, chain);
    if (threeWayMerge(state, candidates)) continue;
    if (mergesAllOutputs) singleMerges(state, candidates);
    else legacySingleMerge(state, candidates);
  }
}

function mergeCandidates(state: MergeState, chain: L1ChainConfig): MergeCandidate[] {
  const { context } = state;
  const candidates: MergeCandidate[] = [];
  for (const [place, join] of chain.ops.entries()) {
    context.op(join).operands.forEach((value, operand) => {
      if (place > 0 && operand === 0) return;
      const source = state.chainEndingWith(value);
      const last = source?.lastOp;
      const layout = source?.outputLayout;
      if (source === undefined || last === undefined || layout === undefined) return;
      if (source.spillLocation === "None" && context.conventions.mergesAllOutputs) return;
      candidates.push({ source, last, layout, bytes: state.bytes(layout), chain, join, operand });
    });
  }
  return candidates;
}

/** The outputs of candidates, as what waits in L1. */
function heldBy(...candidates: readonly MergeCandidate[]): Residents {
  return new Map(candidates.map(({ last, layout }) => [last, layout]));
}

/** Keeps both operands of the chain's first op in L1, if both come from chains. */
function threeWayMerge(state: MergeState, candidates: readonly MergeCandidate[]): boolean {
  const { context } = state;
  const ofFirstOp = candidates.filter(({ chain, join }) => join === chain.firstOp);
  const left = ofFirstOp.find(({ operand }) => operand === 0);
  const right = ofFirstOp.find(({ operand }) => operand === 1);
  if (left === undefined || right === undefined || left.source === right.source) return false;
  if (context.op(left.join).operands.length !== 2) return false;
  const shared = [left, right].find(({ last }) => context.useCount(last) !== 1);
  const refusal = shared !== undefined
    ? `${context.describeOp(shared.last)} has other readers`
    : context.conventions.mergesAllOutputs
    ? threeWayRefusal(state, left, right)
    : legacyThreeWayRefusal(state, left, right);
  if (refusal !== undefined) {
    const merge = `3-way merge of chains ${left.source.id} and ${right.source.id}`;
    state.decided.reasons.add(left.join, `${merge} refused: ${refusal}`);
    return false;
  }
  for (const candidate of [left, right]) apply(state, candidate, "3-way merge");
  return true;
}

/**
 * Why a 3-way merge is impossible. The output produced first waits for the second; then both wait for the
 * join.
 */
function threeWayRefusal(state: MergeState, left: MergeCandidate, right: MergeCandidate): string | undefined {
  const at = (op: OpId): number => state.placeOf(op);
  const [first, second] = at(left.last) <= at(right.last) ? [left, right] : [right, left];
  const held = heldBy(left, right);
  return state.rangeRefusal(at(first.last) + 1, at(second.last), heldBy(first)) ??
    state.rangeRefusal(at(second.last) + 1, at(left.join) - 1, held) ??
    joinRefusal(state, left, joinInputs(state, left, right), held);
}

/**
 * Upstream's check: it assumes that operand 0 is produced first, and does not count waiting outputs at the
 * join itself.
 */
function legacyThreeWayRefusal(
  state: MergeState,
  left: MergeCandidate,
  right: MergeCandidate,
): string | undefined {
  const { ops, firstOp } = right.source;
  const end = (firstOp === undefined ? 0 : state.placeOf(firstOp)) - 1;
  const inputs = state.context.operandLayouts(left.join);
  for (const { operand, layout } of [left, right]) inputs[operand] = layout;
  return state.rangeRefusal(state.placeOf(left.last) + 1, end, heldBy(left)) ??
    opsRefusal(state, ops, heldBy(left)) ??
    joinRefusal(state, left, inputs, new Map()) ??
    fragmentationRefusal(state, left, heldBy(left, right));
}

/** Operand layouts of a join with the outputs that are kept; converted operands have their converted layout. */
function joinInputs(
  state: MergeState,
  ...kept: readonly [MergeCandidate, ...MergeCandidate[]]
): (LayoutId | undefined)[] {
  const inputs = state.chainInputs(kept[0].join, state.residents);
  for (const { chain, join, operand, layout } of kept) {
    if (chain.reconfigOf(join, operand) === undefined) inputs[operand] = layout;
  }
  return inputs;
}

/** Why a join does not run on these operands while outputs wait for it. */
function joinRefusal(
  state: MergeState,
  { chain, join }: MergeCandidate,
  inputs: LayoutIds,
  held: Residents,
): string | undefined {
  const config = chain.configOf(join);
  if (config === undefined) return "the join has no config";
  if (shrinksCores(state.context, join, config.outputLayout, inputs)) return SHRINKS;
  return state.placeRefusal(join, inputs, config, held);
}

/** Keeps every output that fits, largest first; later ones are checked with the reservations of earlier ones. */
function singleMerges(state: MergeState, candidates: readonly MergeCandidate[]): void {
  for (const candidate of candidates.toSorted((a, b) => b.bytes - a.bytes)) {
    const { source, join, operand } = candidate;
    const refusal = source.spillLocation === "None" ? undefined : singleMergeRefusal(state, candidate);
    if (refusal === undefined) apply(state, candidate, "merge");
    else {
      const merge = `merge of chain ${source.id} into operand ${operand}`;
      state.decided.reasons.add(join, `${merge} refused: ${refusal}`);
    }
  }
}

function singleMergeRefusal(state: MergeState, candidate: MergeCandidate): string | undefined {
  const { join, last } = candidate;
  if (state.context.useCount(last) !== 1) return `${state.context.describeOp(last)} has other readers`;
  const inputs = joinInputs(state, candidate);
  if (copiesView(state, candidate, inputs)) {
    return "the join is a view of what it gets, and would be a copy";
  }
  const held = heldBy(candidate);
  return state.rangeRefusal(state.placeOf(last) + 1, state.placeOf(join) - 1, held) ??
    joinRefusal(state, candidate, inputs, held);
}

/** Whether a reshape is a view of its operand now, and would become a copy if the output were merged. */
function copiesView(
  { context }: MergeState,
  { source, last, layout, chain, join, operand }: MergeCandidate,
  inputs: LayoutIds,
): boolean {
  const config = chain.configOf(join);
  const value = context.result(last);
  if (config === undefined || value === undefined || source.spillLocation !== "L1Interleaved") return false;
  const aliases = (input: LayoutId | undefined): boolean => {
    const answer = context.constraints(
      join,
      inputs.with(operand, input),
      config.outputLayout,
      config.attributes,
    );
    return answer.status === "valid" && answer.aliasedOperand === operand;
  };
  return aliases(context.interleavedOf(value, layout, "l1")) && !aliases(inputs[operand]);
}

/** Upstream's choice: the largest candidate that fits, at most one. */
function legacySingleMerge(state: MergeState, candidates: readonly MergeCandidate[]): void {
  let best: MergeCandidate | undefined;
  for (const candidate of candidates) {
    const { source, join, operand, bytes } = candidate;
    const joinsOnOperand0 = operand === 0 && !source.isConcatChain &&
      state.context.op(join).operands.length !== 1;
    if (joinsOnOperand0) continue;
    const refusal = legacySingleMergeRefusal(state, candidate);
    if (refusal !== undefined) {
      state.decided.reasons.add(join, `merge of chain ${source.id} refused: ${refusal}`);
    } else if (bytes > (best?.bytes ?? 0)) best = candidate;
  }
  if (best !== undefined) apply(state, best, "merge");
}

function legacySingleMergeRefusal(state: MergeState, candidate: MergeCandidate): string | undefined {
  const { context } = state;
  const { last, layout, chain, join, operand } = candidate;
  const held = heldBy(candidate);
  const inputs = state.chainInputs(join, state.residents).with(operand, layout);
  const refusal = opsRefusal(state, chain.ops.slice(0, chain.ops.indexOf(join)), held) ??
    joinRefusal(state, candidate, inputs, held) ??
    fragmentationRefusal(state, candidate, held);
  if (refusal !== undefined) return refusal;
  if (context.useCount(last) !== 1) return `${context.describeOp(last)} has other readers`;
  return state.rangeRefusal(state.placeOf(last) + 1, state.placeOf(join) - 1, held);
}

/**
 * Upstream's check for fragmentation: why the op after the join does not run while the merged outputs are held;
 * `undefined` if it does.
 */
function fragmentationRefusal(
  state: MergeState,
  { chain, join }: MergeCandidate,
  held: Residents,
): string | undefined {
  const next = chain.ops[chain.ops.indexOf(join) + 1];
  const config = next === undefined ? undefined : chain.configOf(next);
  if (next === undefined || config === undefined) return undefined;
  const inputs = state.context.operandLayouts(next).with(0, chain.configOf(join)?.outputLayout);
  return state.placeRefusal(next, inputs, config, held);
}

/** Why an op of a chain does not run while outputs are held (tt-mlir `validateChainWithPredecessorInL1`). */
function opsRefusal(state: MergeState, ops: readonly OpId[], held: Residents): string | undefined {
  return ops.values().map((op) => {
    const config = state.configOf(op);
    const inputs = state.chainInputs(op, state.residents);
    return config === undefined ? undefined : state.placeRefusal(op, inputs, config, held);
  }).find((refusal) => refusal !== undefined);
}

function apply(
  state: MergeState,
  { source, last, layout, join, operand }: MergeCandidate,
  kind: string,
): void {
  if (source.spillLocation === "None" && state.residents.has(last)) return;
  source.spillLocation = "None";
  state.keep(source, layout, state.placeOf(join), state.context.conventions.reservesMerges);
  state.decided.reasons.add(
    last,
    `its result stays in L1 for operand ${operand} of ${state.context.describeOp(join)} (${kind})`,
  );
  state.decided.reasons.add(join, `reads operand ${operand} from L1 (${kind} with chain ${source.id})`);
}
