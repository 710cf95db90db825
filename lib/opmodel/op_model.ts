// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { LayoutId, LayoutIds, LayoutTable } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { OpTraits } from "../ops/op_traits.ts";
import type { LaunchEvent } from "../programs/launch_sequence.ts";
import type { L1Room, RunAssumptions } from "../programs/op_launch.ts";
import type { DeviceProgram, OpPrograms } from "../programs/program.ts";

/** Class of a refusal, as tt-mlir's `ValidationStatus` tells them apart (tt-mlir:validation). */
export type FailureClass = "out_of_memory" | "unsupported_layout" | "unsupported_config" | "not_implemented";

/** The op can run with these layouts. All byte figures are per core. */
export interface ValidConstraints {
  /** Discriminates it from {@linkcode InvalidConstraints}. */
  readonly status: "valid";
  /** The layouts actually produced, one per result (`undefined` for results that are not tensors). */
  readonly outputLayouts: LayoutIds;
  /** Config actually used, if the backend derives one (matmul program config, conv config). */
  readonly config: OpSpecificAttributes | undefined;
  /** Peak of the circular buffers over the op's programs, as the graph trace reports it. */
  readonly cbPeakBytes: number;
  /** The same for a single core: less if groups of cores have buffers of their own, which the trace adds up. */
  readonly cbPlacedBytes: number;
  /** Peak of L1 tensors that the op allocates itself (outputs and intermediates), whole shards. */
  readonly tensorL1PeakBytes: number;
  /** Peak of both together at one time, with circular buffers as the graph trace reports them. */
  readonly l1PeakBytes: number;
  /** The same with the circular buffers of a single core: what the op needs in an L1 without holes. */
  readonly ownPeakBytes: number;
  /** L1 bytes of all outputs, as upstream computes them: `ceil(pages / cores) × page`. */
  readonly outputL1Bytes: number;
  /** What the op allocates, runs and frees, in the backend's order. */
  readonly events: readonly LaunchEvent[];
  /** Whether the backend would choose otherwise with less room in L1: {@linkcode OpModel.constraintsInRoom} says how. */
  readonly dependsOnRoom: boolean;
  /** The programs that the op launches, in order; the op's cores, circular buffers and times are derived from them. */
  readonly programs: readonly DeviceProgram[];
  /** Cores that the op's programs run on; 0 when it launches nothing. */
  readonly cores: number;
  /** Operand whose buffer result 0 shares (view) or overwrites (in place); `undefined` otherwise. */
  readonly aliasedOperand: number | undefined;
}

/** The op cannot run with these layouts. */
export interface InvalidConstraints {
  /** Discriminates it from {@linkcode ValidConstraints}. */
  readonly status: "invalid";
  /** `out_of_memory` is the only class that depends on `extraL1Bytes`. */
  readonly failure: FailureClass;
  /** Stable name of the violated rule, for example `softmax/sharded-input-needs-program-config`. */
  readonly rule: string;
  /** What is wrong, in a sentence that names the operand and the layout. */
  readonly message: string;
  /** Source of the rule, a key of docs/sources.md: `tt-metal:matmul inputs`. */
  readonly source: string;
  /** Where only the shards of the first result cannot be written: the layout that an attribute of the same grid says. */
  readonly written?: LayoutId;
}

/** Answer of a constraint query. */
export type OpConstraints = ValidConstraints | InvalidConstraints;

/** Output hints to try for an op, by its rule, as tt-mlir's `OutputHints` (tt-mlir:op-rules). */
export interface OutputHint {
  /** `undefined` lets the backend choose. */
  readonly layout: LayoutId | undefined;
  /** Config of the query; `undefined` keeps the op's own. */
  readonly config: OpSpecificAttributes | undefined;
}

/** Primary hints are always tried; fallback hints only when no primary gave a sharded output. */
export interface OutputHints {
  /** In the order in which to try them. */
  readonly primary: readonly OutputHint[];
  /** Likewise. */
  readonly fallback: readonly OutputHint[];
}

/** Up to this many operands, their number hardly affects the work of a query and of pricing. */
export const FEW_OPERANDS = 12;

/**
 * Op configs of hints: one per layout, which upstream writes; other ones that are often faster before it; or those of a product
 * whose weight is sharded over the banks of DRAM.
 */
export type HintConfigs = "upstream" | "free" | "dram_sharded";

/** Counters of one op model instance. */
export interface OpModelStatistics {
  /**
   * Calls of `queryOpConstraints` since the model was created; queries by the cost model, one per structure, are not
   * counted.
   */
  readonly queries: number;
  /** Those answered from the cache. */
  readonly hits: number;
  /** Questions that were asked for the first time since {@linkcode OpModel.countAnew}, whatever the cache holds. */
  readonly firstAsked: number;
  /** Operands beyond {@linkcode FEW_OPERANDS}, summed over these. */
  readonly furtherOperands: number;
}

/** The backend's answers without the backend. Pure: the same question always gets the same answer. */
export interface OpModel {
  /** The chip that it answers for. */
  readonly chip: ChipDescription;
  /** Facts about a run that programs depend on and no graph states. */
  readonly assumed: RunAssumptions;
  /** Table that every {@linkcode LayoutId} in questions and answers is from. */
  readonly layouts: LayoutTable;
  /** A snapshot; read it again for later figures. */
  readonly statistics: OpModelStatistics;

  /**
   * From now on each question counts as asked for the first time once more, so that what a search is counted to do does not
   * depend on what others asked before.
   */
  countAnew?(): void;

  /** What the op is, independent of layouts. */
  traits(op: OpSignature): OpTraits;

  /**
   * Stateless query: can the op run with these operand layouts, this hint and config, and what comes out? Checks the
   * op's own peak against all of usable L1; the caller accounts for what else is live (see `extraL1Bytes`).
   *
   * @param inputs layout per operand, `undefined` where the operand is not a tensor or has no layout
   * @param hint wanted output, `undefined` lets the backend choose (NULL hint)
   * @param extraL1Bytes bytes per core that other live tensors hold, default 0; `-Infinity` leaves the budget out, for
   *   callers that place buffers by address
   */
  queryOpConstraints(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    extraL1Bytes?: number,
  ): OpConstraints;

  /**
   * As {@linkcode OpModel.queryOpConstraints}, of a question whose answer the caller makes all it needs of at once: programs
   * of moves between layouts are most of what a search would keep, and nobody asks for them again. Absent where nothing is
   * kept.
   */
  queryOnce?(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpConstraints;

  /**
   * As {@linkcode OpModel.queryOpConstraints} without a budget, with the L1 that is free when the op runs: what the
   * backend chooses by itself depends on it. Absent where nothing does.
   */
  constraintsInRoom?(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    room: L1Room,
  ): OpConstraints;

  /** Counts a question that a caller of {@linkcode OpModel.queryOnce} answers by itself. */
  countAnswered?(): void;

  /**
   * Device programs that the op launches between these layouts: those of the valid answer if the op model accepts the
   * op with them, else those that the layouts as written lead to. Ignores the L1 budget.
   *
   * @param inputs as for {@linkcode OpModel.queryOpConstraints}
   * @param outputs layout per result, `undefined` for results that are not tensors
   */
  programs(
    op: OpSignature,
    inputs: LayoutIds,
    outputs: LayoutIds,
    config: OpSpecificAttributes | undefined,
  ): OpPrograms;

  /**
   * The config that a plan writes for an op that it runs with these layouts: `config`, or one that leaves nothing to the
   * backend which depends on what else lies in L1. Absent where ops are asked about as they are.
   */
  writtenConfig?(
    op: OpSignature,
    inputs: LayoutIds,
    output: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpSpecificAttributes | undefined;

  /**
   * Other configs with which the op may make the same result of the same operands, and the same numbers: lists, each of
   * which varies one thing about `used`. Not every one is legal. Absent where none are known.
   *
   * @param output layout of the first result
   * @param used the config that the op runs with, the backend's choice included
   * @param room bytes of L1 per core for circular buffers
   */
  freeConfigs?(
    op: OpSignature,
    inputs: LayoutIds,
    output: LayoutId | undefined,
    used: OpSpecificAttributes | undefined,
    room: number,
  ): readonly (readonly OpSpecificAttributes[])[];

  /** Programs that bring a tensor from one layout to another. */
  reshardPrograms(tensor: TensorShape, from: LayoutId, to: LayoutId): OpPrograms;

  /**
   * Output hints worth trying for the op, given its legal layouts (tt-mlir:op-rules); of hints that the rule cannot
   * tell apart, the first.
   *
   * @param configs default: those that upstream writes
   */
  outputHints(op: OpSignature, legalLayouts: readonly LayoutId[], configs?: HintConfigs): OutputHints;

  /**
   * Whether {@linkcode OpModel.queryOpConstraints} is worth asking: `false` where the op's rule refuses the hint from these
   * operand layouts whatever the geometry. Absent where every question has to be asked.
   */
  mayFollow?(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): boolean;

  /** Whether a layout may be offered to an operand at all (the rule's input filter, tt-mlir:op-rules). */
  acceptsInput(op: OpSignature, operand: number, layout: LayoutId): boolean;

  /**
   * The representative of all operand layouts that the op cannot tell apart with this hint: questions that differ only
   * in such layouts have the same answer. The layout itself if the op reads all of it.
   */
  operandAsRead(op: OpSignature, operand: number, layout: LayoutId, hint: LayoutId): LayoutId;

  /** Whether reshard candidates should be explored for the operand (tt-mlir:op-rules). */
  exploresReshards(op: OpSignature, operand: number): boolean;

  /** Clears the cache, which grows large in a search; the next question is computed again. */
  forgetAnswers?(): void;
}

/** Whether an op's first result is an operand's buffer as it is: a pad that fills padding in place runs a program. */
export function isView(
  { aliasedOperand, programs }: Pick<ValidConstraints, "aliasedOperand" | "programs">,
): boolean {
  return aliasedOperand !== undefined && programs.length === 0;
}
