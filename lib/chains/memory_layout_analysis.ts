// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId } from "../graph/graph.ts";
import { describeLayout } from "../layout/describe.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { ChainContext } from "./chain_context.ts";
import {
  bfInterleavedChoices,
  greedyL1InterleavedChoices,
  type InterleavedChoices,
} from "./interleaved_choices.ts";
import type { L1ChainConfig, SpillLocation } from "./l1_chain_config.ts";
import type { L1Reservations } from "./merge_state.ts";
import { decideDfSharding, decideDfSharding2 } from "./plan_chains.ts";

/** The decisions of a chain policy before its plan is made to fit by address (tt-mlir `MemoryLayoutAnalysis`). */
export interface MemoryLayoutAnalysis {
  /** Schedule, chains with state and spill location, reservations; one line per fact. */
  readonly lines: readonly string[];
  /** The one config left for an op; `undefined` if the policy decides nothing for it. */
  configOf(op: OpId): OpConfig | undefined;
}

/** The analysis of one function by policy name, before anything is made to fit. */
export const MEMORY_LAYOUT_POLICIES: Readonly<
  Record<string, (context: ChainContext) => MemoryLayoutAnalysis>
> = {
  "df-sharding": (context) => {
    const { chains, schedule } = decideDfSharding(context);
    return ofChains(context, schedule, chains, undefined);
  },
  "df-sharding-2": (context) => {
    const { chains, decided, reservations } = decideDfSharding2(context);
    return ofChains(context, decided.schedule, chains, reservations);
  },
  "greedy-l1-interleaved": (context) => ofChoices(context, greedyL1InterleavedChoices(context)),
  "bf-interleaved": (context) => ofChoices(context, bfInterleavedChoices(context)),
};

const OUTPUT_WORDS: Readonly<Record<SpillLocation, string>> = {
  None: "its output stays in L1",
  L1Interleaved: "its output goes to L1 interleaved",
  DRAM: "its output goes to DRAM",
};

function ofChains(
  context: ChainContext,
  schedule: readonly OpId[],
  chains: readonly L1ChainConfig[],
  reservations: L1Reservations | undefined,
): MemoryLayoutAnalysis {
  return {
    lines: [
      scheduleLine(context, schedule),
      ...chains.flatMap((chain) => chainLines(context, chain)),
      ...(reservations === undefined ? [] : reservationLines(context, schedule, reservations)),
    ],
    configOf: (op) => chains.find(({ ops }) => ops.includes(op))?.configOf(op),
  };
}

function ofChoices(context: ChainContext, { order, singles }: InterleavedChoices): MemoryLayoutAnalysis {
  return {
    lines: [
      scheduleLine(context, order),
      ...order.flatMap((op) => {
        const config = singles.get(op);
        return config === undefined ? [] : [configLine(context, op, config)];
      }),
    ],
    configOf: (op) => singles.get(op),
  };
}

function scheduleLine(context: ChainContext, schedule: readonly OpId[]): string {
  return `  schedule  ${schedule.map((op) => context.describeOp(op)).join(", ")}`;
}

function chainLines(context: ChainContext, chain: L1ChainConfig): string[] {
  const { id, state, ops, reconfigs, failure, preferredOutputMemLayout: preferred } = chain;
  const outcome = failure === undefined ? OUTPUT_WORDS[chain.spillLocation] : failure;
  const kind = chain.isConcatChain ? " (concat)" : "";
  const lines = [
    `  chain ${id}${kind}  ${state}: ${outcome}` +
    (preferred === undefined ? "" : `; a concat wants it ${preferred}`),
  ];
  for (const op of ops) {
    for (const { operand, layout } of reconfigs.filter((entry) => entry.op === op)) {
      lines.push(`    operand ${operand} converted to ${nameOf(context, layout)}`);
    }
    const config = chain.configOf(op);
    lines.push(
      config === undefined ? `    ${context.describeOp(op)}` : `  ${configLine(context, op, config)}`,
    );
  }
  return lines;
}

/** The L1 reservation timeline, with schedule positions from 0, and the position of its peak. */
function reservationLines(
  context: ChainContext,
  schedule: readonly OpId[],
  reservations: L1Reservations,
): string[] {
  const lines = reservations.all.map(({ op, start, end, bytes }) =>
    `  reserved at ${start}-${end}  ${bytes} bytes per core for ${context.describeOp(op)}`
  );
  let [most, place] = [0, 0];
  for (const position of schedule.keys()) {
    const bytes = reservations.bytesAt(position);
    if (bytes > most) [most, place] = [bytes, position];
  }
  return lines.length === 0 ? [] : [...lines, `  most reserved at ${place}  ${most} bytes per core`];
}

function configLine(context: ChainContext, op: OpId, { outputLayout }: OpConfig): string {
  return `  ${context.describeOp(op)}  ${nameOf(context, outputLayout)}`;
}

function nameOf(context: ChainContext, layout: LayoutId): string {
  return describeLayout(context.layouts.get(layout));
}
