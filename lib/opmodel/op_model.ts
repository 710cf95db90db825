// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { LayoutId, LayoutIds, LayoutTable } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { OpTraits } from "../ops/op_traits.ts";
import type { LaunchEvent } from "../programs/launch_sequence.ts";
import type { L1Room, RunAssumptions } from "../programs/op_launch.ts";
import type { DeviceProgram, OpPrograms } from "../programs/program.ts";

/** Class of a refusal, as in tt-mlir's `ValidationStatus` (tt-mlir:validation). */
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
  /** The same with the circular buffers of a single core: the op's demand in an L1 without holes. */
  readonly ownPeakBytes: number;
  /** L1 bytes of all outputs, as upstream computes them: `ceil(pages / cores) × page`. */
  readonly outputL1Bytes: number;
  /** The op's allocations, programs and frees, in the backend's order. */
  readonly events: readonly LaunchEvent[];
  /**
   * Whether the backend reads the free L1 when it chooses, so that another room may change the answer; see
   * {@linkcode OpModel.constraintsInRoom}.
   */
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
  /** The violated condition in a sentence that names operand and layout. */
  readonly message: string;
  /** Source of the rule, a key of docs/sources.md: `tt-metal:matmul inputs`. */
  readonly source: string;
  /**
   * The layout that an attribute with the same grid states, if the only fault is that the first result's
   * shards cannot be written.
   */
  readonly written?: LayoutId;
}

/** Answer of a constraint query. */
export type OpConstraints = ValidConstraints | InvalidConstraints;

/** An output hint to try for an op (tt-mlir `OutputHints`, tt-mlir:op-rules). */
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
 * Op configs of hints: `upstream`, one per layout; `free`, others that are often faster are listed before it;
 * `dram_sharded`, those of a product whose weight is sharded over the banks of DRAM.
 */
export type HintConfigs = "upstream" | "free" | "dram_sharded";

/** Counters of one op model instance. */
export interface OpModelStatistics {
  /**
   * Calls of `queryOpConstraints` since the model was created; queries by the cost model, one per structure, are not
   * counted.
   */
  readonly queries: number;
  /** Queries answered from the cache. */
  readonly hits: number;
  /** Queries made for the first time since {@linkcode OpModel.countAnew}, cached or not. */
  readonly firstAsked: number;
  /** Operands beyond {@linkcode FEW_OPERANDS}, summed over the first queries. */
  readonly furtherOperands: number;
}

/** Answers as the backend would. Pure: equal queries get equal answers. */
export interface OpModel {
  /** The chip. */
  readonly chip: ChipDescription;
  /** Facts about a run that programs depend on but no graph states. */
  readonly assumed: RunAssumptions;
  /** The table of all {@linkcode LayoutId}s in queries and answers. */
  readonly layouts: LayoutTable;
  /** A snapshot; read it again for later figures. */
  readonly statistics: OpModelStatistics;

  /**
   * Resets the bookkeeping of first queries, so that the counted work of a search does not depend on earlier
   * queries.
   */
  countAnew?(): void;

  /** Layout-independent properties of an op. */
  traits(op: OpSignature): OpTraits;

  /**
   * Stateless query: whether the op runs with these operand layouts, hint and config, and its result layouts.
   * Checks the op's own peak against all of usable L1; the caller accounts for other live tensors through
   * `extraL1Bytes`.
   *
   * @param inputs layout per operand, `undefined` if the operand is not a tensor or has no layout
   * @param hint requested output layout; `undefined` lets the backend choose (NULL hint)
   * @param extraL1Bytes bytes per core that other live tensors hold, default 0; `-Infinity` disables the
   * budget, for callers that place buffers by address
   */
  queryOpConstraints(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    extraL1Bytes?: number,
  ): OpConstraints;

  /**
   * {@linkcode OpModel.queryOpConstraints} without caching the answer: for copies, whose programs would fill
   * the cache and are needed once. Absent if the model has no cache.
   */
  queryOnce?(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpConstraints;

  /**
   * {@linkcode OpModel.queryOpConstraints} without a budget, given the free L1 when the op runs, on which the
   * backend's own choices depend. Absent if no choice does.
   */
  constraintsInRoom?(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    room: L1Room,
  ): OpConstraints;

  /** Counts a query that a caller of {@linkcode OpModel.queryOnce} answers itself. */
  countAnswered?(): void;

  /**
   * Device programs that the op launches between these layouts: those of the valid answer, or those of the
   * layouts as written if the op model refuses the op. Ignores the L1 budget.
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
   * The config that a plan writes for an op in these layouts: `config`, or one that fixes every field for
   * which the backend's choice depends on other L1 contents. Absent if the op model queries ops as they are.
   */
  writtenConfig?(
    op: OpSignature,
    inputs: LayoutIds,
    output: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): OpSpecificAttributes | undefined;

  /**
   * Alternative configs with the same operands, result layout and computed values, as lists that each vary
   * one field of `used`. Some may be illegal. Absent if none are known.
   *
   * @param output layout of the first result
   * @param used the config that runs now, with the backend's derived fields
   * @param room bytes of L1 per core for circular buffers
   */
  freeConfigs?(
    op: OpSignature,
    inputs: LayoutIds,
    output: LayoutId | undefined,
    used: OpSpecificAttributes | undefined,
    room: number,
  ): readonly (readonly OpSpecificAttributes[])[];

  /** Programs that move a tensor from one layout to another. */
  reshardPrograms(tensor: TensorShape, from: LayoutId, to: LayoutId): OpPrograms;

  /**
   * Output hints to try for the op, given its legal layouts (tt-mlir:op-rules).
   *
   * @param configs default: those that upstream writes
   */
  outputHints(op: OpSignature, legalLayouts: readonly LayoutId[], configs?: HintConfigs): OutputHints;

  /**
   * `false` if the op's rule refuses the hint for these operand layouts regardless of shapes, so that
   * {@linkcode OpModel.queryOpConstraints} need not be called. Absent if nothing is known in advance.
   */
  mayFollow?(
    op: OpSignature,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): boolean;

  /** Whether an operand may be offered a layout at all (the rule's input filter, tt-mlir:op-rules). */
  acceptsInput(op: OpSignature, operand: number, layout: LayoutId): boolean;

  /**
   * The representative of all operand layouts that the op reads equally under this hint: queries that differ
   * only in such layouts have the same answer. The layout itself if the op reads all of it.
   */
  operandAsRead(op: OpSignature, operand: number, layout: LayoutId, hint: LayoutId): LayoutId;

  /** Whether reshard candidates should be explored for the operand (tt-mlir:op-rules). */
  exploresReshards(op: OpSignature, operand: number): boolean;

  /** Clears the cache; later queries are computed again. */
  forgetAnswers?(): void;
}

/**
 * Whether an op's first result is an operand's buffer unchanged. A pad that fills padding in place runs a
 * program and is no view.
 */
export function isView(
  { aliasedOperand, programs }: Pick<ValidConstraints, "aliasedOperand" | "programs">,
): boolean {
  return aliasedOperand !== undefined && programs.length === 0;
}
