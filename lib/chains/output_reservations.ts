// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";
import type { MergeState } from "./merge_state.ts";

/**
 * Keeps results of reshapes in L1 interleaved until their last reader (tt-mlir
 * `applyL1ReservationsForReshapes`), in schedule order. A chain that ends directly before such a reshape also
 * passes its output on in L1 interleaved.
 *
 * Upstream stops at the first returned reshape; here it is skipped. A reshape that is a view of a DRAM tensor
 * is skipped too, because in L1 it would be a copy.
 */
export function applyL1ReservationsForReshapes(state: MergeState): void {
  const { context, decided } = state;
  for (const [position, op] of decided.schedule.entries()) {
    const { name, operands } = context.op(op);
    if (name !== "ttnn.reshape" || state.chainOf(op) !== undefined) continue;
    const source = state.chainEndingWith(operands[0]);
    const isOnlyOperand = source?.lastOp !== undefined && state.context.useCount(source.lastOp) === 1 &&
      source.spillLocation === "DRAM" && state.position(source.lastOp) === position - 1;
    if (context.conventions.keepsReshapesThatGain && losesView(state, op, isOnlyOperand)) {
      decided.reasons.add(
        op,
        "its result does not stay in L1: in DRAM it is a view, in L1 it would be a copy",
      );
      continue;
    }
    if (isOnlyOperand) source.spillLocation = "L1Interleaved";
    const kept = keepL1Interleaved(state, op);
    if (kept === "returned" && !context.conventions.keepsReshapesThatGain) return;
    if (kept === "kept") continue;
    // If the reshape is not kept in L1, passing its operand in L1 has no advantage over DRAM.
    if (isOnlyOperand && context.conventions.keepsReshapesThatGain) source.spillLocation = "DRAM";
  }
}

/** Whether a reshape is a view now and would become a copy if its result were in L1. */
function losesView(state: MergeState, op: OpId, readsL1: boolean): boolean {
  const { context } = state;
  const config = l1InterleavedConfig(state, op);
  const [operand] = context.op(op).operands;
  const inputs = context.operandLayouts(op);
  const [input] = inputs;
  if (config === undefined || operand === undefined || input === undefined) return false;
  const aliases = (first: LayoutId, hint: LayoutId | undefined): boolean => {
    const answer = context.constraints(op, [first, ...inputs.slice(1)], hint, undefined);
    return answer.status === "valid" && answer.aliasedOperand !== undefined;
  };
  const l1Input = readsL1 ? context.interleavedOf(operand, input, "l1") : input;
  return aliases(input, context.declaredOutput(op)) && !aliases(l1Input, config.outputLayout);
}

function keepL1Interleaved(state: MergeState, op: OpId): "kept" | "returned" | "refused" {
  const config = l1InterleavedConfig(state, op);
  if (config === undefined) return "refused";
  const uses = usersOf(state, op);
  if (uses === "returned") return "returned";
  const position = state.placeOf(op);
  const end = Math.max(position, ...uses);
  const held = new Map([[op, config.outputLayout]]);
  const refusal = state.rangeRefusal(firstWait(state, op), end, held);
  if (refusal !== undefined) {
    state.decided.reasons.add(op, `its result does not stay in L1: ${refusal}`);
    return "refused";
  }
  state.addResidentOp(op, config);
  const chain = state.chainOf(op);
  if (chain !== undefined) state.keep(chain, config.outputLayout, end, true);
  state.decided.reasons.add(op, "its result stays in L1 interleaved until its last reader");
  return "kept";
}

/**
 * Keeps outputs with several readers in L1 (tt-mlir `applyL1ReservationsForForkOps`): sharded as they are if
 * every reader accepts that, otherwise interleaved; otherwise they go to DRAM as before.
 */
export function applyL1ReservationsForForkOps(state: MergeState): void {
  for (const chain of state.chains) {
    const op = chain.lastOp;
    const layout = chain.outputLayout;
    if (chain.state !== "Completed" || chain.spillLocation !== "DRAM" || op === undefined) continue;
    if (
      layout === undefined || state.context.op(op).results.length !== 1 || state.context.useCount(op) === 1
    ) {
      continue;
    }
    const users = usersOf(state, op);
    if (users === "returned" || users.length === 0) continue;
    const end = Math.max(...users);
    const sharded = forkRefusal(state, op, layout, end);
    if (sharded === undefined) {
      chain.spillLocation = "None";
      state.keep(chain, layout, end, true);
      state.decided.reasons.add(op, "its result stays in L1, sharded, for all its readers");
      continue;
    }
    const interleaved = interleavedForkLayout(state, op, chain, end);
    if (typeof interleaved === "number") {
      chain.spillLocation = "L1Interleaved";
      state.keep(chain, interleaved, end, true);
      state.decided.reasons.add(
        op,
        `its result stays in L1, interleaved, for all its readers (not sharded: ${sharded})`,
      );
    } else {
      state.decided.reasons.add(
        op,
        `its result goes to DRAM: sharded, ${sharded}; interleaved, ${interleaved}`,
      );
    }
  }
}

function interleavedForkLayout(
  state: MergeState,
  op: OpId,
  chain: L1ChainConfig,
  end: number,
): LayoutId | string {
  const value = state.context.result(op);
  const layout = chain.outputLayout;
  if (value === undefined || layout === undefined) return "it has no layout";
  if (l1InterleavedConfig(state, op) === undefined) return "the op does not run in L1 interleaved";
  const interleaved = state.context.interleavedOf(value, layout, "l1");
  return forkRefusal(state, op, interleaved, end) ?? interleaved;
}

/** Why an output cannot stay in a layout until all its readers have run. */
function forkRefusal(state: MergeState, op: OpId, layout: LayoutId, end: number): string | undefined {
  return readersRefusal(state, op, layout) ??
    state.rangeRefusal(firstWait(state, op), end, new Map([[op, layout]]));
}

/**
 * Why a reader does not accept an output in a layout; `undefined` if all accept it.
 *
 * @param except a reader that is checked elsewhere
 */
export function readersRefusal(
  state: MergeState,
  op: OpId,
  layout: LayoutId,
  except?: OpId,
): string | undefined {
  const { context } = state;
  const value = context.result(op);
  const held = new Map([[op, layout]]);
  const users = new Set(value === undefined ? [] : context.value(value).uses.map((use) => use.op));
  for (const user of users) {
    if (user === except) continue;
    const config = state.configOf(user);
    if (config === undefined) return `${context.describeOp(user)} has no layout to hold on to`;
    const { seesWaitingOutputs } = context.conventions;
    const inputs = seesWaitingOutputs
      ? state.chainInputs(user, state.residents)
      : context.operandLayouts(user);
    for (const [index, operand] of context.op(user).operands.entries()) {
      const isConverted = state.chainOf(user)?.reconfigOf(user, index) !== undefined;
      if (operand === value && !(isConverted && seesWaitingOutputs)) inputs[index] = layout;
    }
    const refusal = state.refusal(user, inputs, config, 0, held);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The first position at which the output of an op counts as reserved. */
function firstWait(state: MergeState, op: OpId): number {
  return state.placeOf(op) + (state.context.conventions.waitsBehindItsOp ? 1 : 0);
}

/**
 * The config of an op with its result and all operands in L1 interleaved; `undefined` if the op refuses that
 * or its result is not in DRAM now (tt-mlir `tryGetL1InterleavedSize`).
 */
function l1InterleavedConfig(state: MergeState, op: OpId): OpConfig | undefined {
  const { context } = state;
  const value = context.result(op);
  const current = context.declaredOutput(op);
  if (value === undefined || current === undefined || context.layouts.get(current).bufferType !== "dram") {
    return undefined;
  }
  const inputs = context.op(op).operands.map((operand) => {
    const layout = context.declared[operand];
    return layout === undefined ? undefined : context.interleavedOf(operand, layout, "l1");
  });
  const config = { outputLayout: context.interleavedOf(value, current, "l1"), attributes: undefined };
  return context.madeOutputs(op, inputs, config) === undefined ? undefined : config;
}

/** Positions of the readers of an op's result, or `"returned"` if the function returns it. */
export function usersOf(state: MergeState, op: OpId): readonly number[] | "returned" {
  const value = state.context.result(op);
  if (value === undefined) return [];
  const { uses, returned } = state.context.value(value);
  if (returned > 0) return "returned";
  return uses.flatMap((use) => state.position(use.op) ?? []);
}
