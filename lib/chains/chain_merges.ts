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
  readonly bytes: number;
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
  for (const chain of state.chains) {
    if (chain.state !== "Completed") continue;
    const candidates = mergeCandidates(state, chain);
    if (threeWayMerge(state, chain, candidates)) continue;
    if (state.context.conventions.mergesAllOutputs) singleMerges(state, chain, candidates);
    else legacySingleMerge(state, chain, candidates);
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
      candidates.push({ source, last, layout, bytes: state.bytes(layout), join, operand });
    });
  }
  return candidates;
}

/** Keeps both operands of the chain's first op in L1, if both come from chains. */
function threeWayMerge(
  state: MergeState,
  chain: L1ChainConfig,
  candidates: readonly MergeCandidate[],
): boolean {
  const { context } = state;
  const join = chain.firstOp;
  if (join === undefined || context.op(join).operands.length !== 2) return false;
  const left = candidates.find((candidate) => candidate.join === join && candidate.operand === 0);
  const right = candidates.find((candidate) => candidate.join === join && candidate.operand === 1);
  if (left === undefined || right === undefined || left.source === right.source) return false;
  const shared = [left, right].find(({ last }) => context.useCount(last) !== 1);
  const refusal = shared !== undefined
    ? `${context.describeOp(shared.last)} has other readers`
    : context.conventions.mergesAllOutputs
    ? threeWayRefusal(state, chain, left, right)
    : legacyThreeWayRefusal(state, chain, left, right);
  if (refusal !== undefined) {
    state.decided.reasons.add(
      join,
      `3-way merge of chains ${left.source.id} and ${right.source.id} refused: ${refusal}`,
    );
    return false;
  }
  for (const candidate of [left, right]) apply(state, candidate, "3-way merge");
  return true;
}

/**
 * Why a 3-way merge is impossible. The output produced first waits for the second; then both wait for the
 * join.
 */
function threeWayRefusal(
  state: MergeState,
  chain: L1ChainConfig,
  left: MergeCandidate,
  right: MergeCandidate,
): string | undefined {
  const at = (op: OpId): number => state.placeOf(op);
  const { join } = left;
  const [first, second] = at(left.last) <= at(right.last) ? [left, right] : [right, left];
  const heldFirst: Residents = new Map([[first.last, first.layout]]);
  const held: Residents = new Map([...heldFirst, [second.last, second.layout]]);
  const bytes = first.bytes + second.bytes;
  return state.rangeRefusal(at(first.last) + 1, at(second.last), first.bytes, heldFirst) ??
    state.rangeRefusal(at(second.last) + 1, at(join) - 1, bytes, held) ??
    joinRefusal(state, chain, join, joinInputs(state, chain, [left, right]), { bytes, held });
}

/**
 * Upstream's check: it assumes that operand 0 is produced first, and does not count waiting outputs at the
 * join itself.
 */
function legacyThreeWayRefusal(
  state: MergeState,
  chain: L1ChainConfig,
  left: MergeCandidate,
  right: MergeCandidate,
): string | undefined {
  const { join } = left;
  const start = state.placeOf(left.last) + 1;
  const { firstOp } = right.source;
  const end = (firstOp === undefined ? 0 : state.placeOf(firstOp)) - 1;
  const inputs = state.context.operandLayouts(join);
  for (const { operand, layout } of [left, right]) inputs[operand] = layout;
  return state.rangeRefusal(start, end, left.bytes, new Map([[left.last, left.layout]])) ??
    predecessorRefusal(state, right.source, left.bytes) ??
    joinRefusal(state, chain, join, inputs, NOBODY) ??
    fragmentationRefusal(state, chain, 0, left.bytes + right.bytes);
}

/** Operand layouts of a join with the outputs that are kept; converted operands have their converted layout. */
function joinInputs(
  state: MergeState,
  chain: L1ChainConfig,
  kept: readonly MergeCandidate[],
): (LayoutId | undefined)[] {
  const join = kept[0]?.join;
  const inputs = join === undefined ? [] : state.chainInputs(join, state.residents);
  for (const { operand, layout } of kept) {
    const isConverted = chain.reconfigs.some((entry) => entry.op === join && entry.operand === operand);
    if (!isConverted) inputs[operand] = layout;
  }
  return inputs;
}

/** Outputs that wait in L1 for a join, with their bytes per core. */
interface Waiting {
  readonly bytes: number;
  readonly held: Residents;
}

const NOBODY: Waiting = { bytes: 0, held: new Map() };

/** Why a join does not run on these operands while outputs wait for it. */
function joinRefusal(
  state: MergeState,
  chain: L1ChainConfig,
  join: OpId,
  inputs: LayoutIds,
  { bytes, held }: Waiting,
): string | undefined {
  const config = chain.configOf(join);
  if (config === undefined) return "the join has no config";
  if (shrinksCores(state.context, join, config.outputLayout, inputs)) return SHRINKS;
  return state.refusal(
    join,
    inputs,
    config,
    state.reservations.bytesAt(state.placeOf(join)) + bytes,
    held,
  );
}

/** Keeps every output that fits, largest first; later ones are checked with the reservations of earlier ones. */
function singleMerges(state: MergeState, chain: L1ChainConfig, candidates: readonly MergeCandidate[]): void {
  for (const candidate of candidates.toSorted((a, b) => b.bytes - a.bytes)) {
    const refusal = candidate.source.spillLocation === "None"
      ? undefined
      : singleMergeRefusal(state, chain, candidate);
    if (refusal === undefined) apply(state, candidate, "merge");
    else {
      state.decided.reasons.add(
        candidate.join,
        `merge of chain ${candidate.source.id} into operand ${candidate.operand} refused: ${refusal}`,
      );
    }
  }
}

function singleMergeRefusal(
  state: MergeState,
  chain: L1ChainConfig,
  candidate: MergeCandidate,
): string | undefined {
  const { join, last, layout, bytes } = candidate;
  if (state.context.useCount(last) !== 1) return `${state.context.describeOp(last)} has other readers`;
  const inputs = joinInputs(state, chain, [candidate]);
  if (copiesView(state, chain, candidate, inputs)) {
    return "the join is a view of what it gets, and would be a copy";
  }
  const held: Residents = new Map([[last, layout]]);
  const start = state.placeOf(last) + 1;
  const end = state.placeOf(join);
  return state.rangeRefusal(start, end - 1, bytes, held) ??
    joinRefusal(state, chain, join, inputs, { bytes, held });
}

/** Whether a reshape is a view of its operand now, and would become a copy if the output were merged. */
function copiesView(
  { context }: MergeState,
  chain: L1ChainConfig,
  { source, last, layout, join, operand }: MergeCandidate,
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
function legacySingleMerge(
  state: MergeState,
  chain: L1ChainConfig,
  candidates: readonly MergeCandidate[],
): void {
  let best: MergeCandidate | undefined;
  for (const candidate of candidates) {
    const joinsOnOperand0 = candidate.operand === 0 && !candidate.source.isConcatChain &&
      state.context.op(candidate.join).operands.length !== 1;
    if (joinsOnOperand0) continue;
    const refusal = legacySingleMergeRefusal(state, chain, candidate);
    if (refusal !== undefined) {
      state.decided.reasons.add(candidate.join, `merge of chain ${candidate.source.id} refused: ${refusal}`);
    } else if (candidate.bytes > (best?.bytes ?? 0)) best = candidate;
  }
  if (best !== undefined) apply(state, best, "merge");
}

function legacySingleMergeRefusal(
  state: MergeState,
  chain: L1ChainConfig,
  { join, last, layout, operand, bytes }: MergeCandidate,
): string | undefined {
  const { context } = state;
  const joinPlace = chain.ops.indexOf(join);
  for (const op of chain.ops.slice(0, joinPlace + 1)) {
    const config = chain.configOf(op);
    if (config === undefined) continue;
    const inputs = state.chainInputs(op, state.residents);
    if (op === join) {
      inputs[operand] = layout;
      const sides = [layout, inputs[operand === 0 ? 1 : 0]];
      if (shrinksCores(context, op, config.outputLayout, sides)) {
        return SHRINKS;
      }
    }
    const extra = bytes + state.reservations.bytesAt(state.placeOf(op));
    const refusal = state.refusal(op, inputs, config, extra, new Map());
    if (refusal !== undefined) return refusal;
  }
  const fragmented = fragmentationRefusal(state, chain, joinPlace, bytes);
  if (fragmented !== undefined) return fragmented;
  if (state.context.useCount(last) !== 1) return `${context.describeOp(last)} has other readers`;
  const start = state.placeOf(last) + 1;
  return state.rangeRefusal(start, state.placeOf(join) - 1, bytes, new Map([[last, layout]]));
}

/**
 * Upstream's check for fragmentation: why the op after the join does not run while the merged outputs are held;
 * `undefined` if it does.
 */
function fragmentationRefusal(
  state: MergeState,
  chain: L1ChainConfig,
  joinPlace: number,
  bytes: number,
): string | undefined {
  const join = chain.ops[joinPlace];
  const next = chain.ops[joinPlace + 1];
  const joinLayout = join === undefined ? undefined : chain.configOf(join)?.outputLayout;
  const config = next === undefined ? undefined : chain.configOf(next);
  if (next === undefined || config === undefined) return undefined;
  const inputs = state.context.operandLayouts(next);
  inputs[0] = joinLayout;
  const extra = state.reservations.bytesAt(state.placeOf(next)) + bytes;
  return state.refusal(next, inputs, config, extra, new Map());
}

/** Upstream's `validateChainWithPredecessorInL1`: why a chain does not run while its predecessor's output is held. */
function predecessorRefusal(state: MergeState, chain: L1ChainConfig, bytes: number): string | undefined {
  for (const op of chain.ops) {
    const config = chain.configOf(op);
    if (config === undefined) continue;
    const extra = bytes + state.reservations.bytesAt(state.placeOf(op));
    const refusal = state.refusal(op, state.chainInputs(op, state.residents), config, extra, new Map());
    if (refusal !== undefined) return refusal;
  }
  return undefined;
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
