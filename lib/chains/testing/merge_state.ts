// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { opId } from "../../graph/graph.ts";
import { usableL1Bytes } from "../../device/chip_description.ts";
import { type LayoutId, LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../../opmodel/create_op_model.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../../policy/options.ts";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { ChainContext } from "../chain_context.ts";
import { scheduleChains, solveChains } from "../decide_chains.ts";
import type { L1ChainConfig } from "../l1_chain_config.ts";
import { MergeState } from "../merge_state.ts";
import { idOf } from "../../../testing/ids.ts";

/** Bytes per core that ops and outputs waiting beside them may take on the test chip. */
export const USABLE: number = usableL1Bytes(TEST_WORMHOLE, DEFAULT_POLICY_OPTIONS.tensorL1UsageCap, 0);

/** The solved chains of a function, on the real op model, before any step of DFSharding 2.0. */
export function solvedChains(
  make: (builder: GraphBuilder) => void,
  options: Partial<PolicyOptions> = {},
  before: (context: ChainContext, state: ReturnType<typeof scheduleChains>) => void = () => {},
): MergeState {
  const builder = new GraphBuilder();
  make(builder);
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const context = new ChainContext(builder.build(), opModel, { ...DEFAULT_POLICY_OPTIONS, ...options }, 0);
  const decided = scheduleChains(context);
  before(context, decided);
  solveChains(context, decided, { countOperandBytes: true });
  return new MergeState(context, decided);
}

/** The chain of an op. */
export function chainOf(state: MergeState, op: number): L1ChainConfig {
  const chain = state.chainOf(idOf(op));
  assert(chain !== undefined, `op ${op} is in no chain`);
  return chain;
}

/** Bytes per core of a chain's output in L1. */
export function outputBytes(state: MergeState, op: number): number {
  const { outputLayout } = chainOf(state, op);
  assert(outputLayout !== undefined);
  return state.bytes(outputLayout);
}

/**
 * Bytes per core that an op takes while it runs: its own peak, and its operands in L1 that nothing else counts.
 *
 * @param index of the op
 * @param residents layouts of operands that wait in L1, by producer op
 * @param counted ops whose waiting output is counted elsewhere
 */
export function needOf(
  state: MergeState,
  index: number,
  residents: ReadonlyMap<number, LayoutId> = new Map(),
  counted: readonly number[] = [],
): number {
  const { context } = state;
  const op = opId(context.fn, index);
  const config = state.chainOf(op)?.configOf(op);
  const declared = context.declaredOutput(op);
  const outputLayout = config?.outputLayout ?? declared;
  assert(outputLayout !== undefined);
  const producers = context.op(op).operands.map((value) => context.producer(value));
  const inputs = context.op(op).operands.map((value, index) => {
    const producer = producers[index];
    if (producer === undefined) return context.declared[value];
    const inChain = state.chainOf(producer) === state.chainOf(op)
      ? state.chainOf(producer)?.configOf(producer)?.outputLayout
      : undefined;
    return residents.get(producer) ?? inChain ?? context.declared[value];
  });
  const requested = [outputLayout, context.requestedLayout(op, outputLayout)];
  const answer = requested.map((hint) => context.constraints(op, inputs, hint, config?.attributes, -Infinity))
    .find(({ status }) => status === "valid");
  assert(answer?.status === "valid", `op ${op} does not run`);
  const read = new Map(inputs.flatMap((layout, index) => {
    const producer = producers[index];
    const isCounted = layout === undefined || (producer !== undefined && counted.includes(producer));
    return isCounted ? [] : [[context.op(op).operands[index], state.bytes(layout)] as const];
  }));
  return answer.l1PeakBytes + [...read.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Runs a step under added reservations; returns whether it keeps the same outputs as without them. */
export type Step = (state: MergeState) => boolean;

/**
 * Asserts, to the byte, how much others may hold at a place of the schedule before a step gives up.
 *
 * @param room bytes per core; `Infinity` if the step does not look at the place
 */
export function assertRoom(
  make: (builder: GraphBuilder) => void,
  step: Step,
  position: number,
  room: number,
  prepare: typeof solvedChains = solvedChains,
): void {
  const accepts = (bytes: number): boolean => {
    const state = prepare(make);
    state.reservations.add({ op: idOf(0), start: position, end: position, bytes });
    return step(state);
  };
  const most = Math.min(room, 10 * USABLE);
  assert(accepts(most), `refuses with ${most} bytes held at position ${position}`);
  assertEquals(accepts(most + 1), room === Infinity, `at position ${position}, ${most + 1} bytes`);
}
