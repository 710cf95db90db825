// SPDX-License-Identifier: Apache-2.0
import { boundingBox, coreCount, coreRangeVolume } from "../layout/core_range.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { isOverBanks, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpFamily } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { LaunchContext } from "../programs/op_launch.ts";
import type { Tensor } from "./tensor.ts";
import type { Verdict } from "./verdict.ts";

/** What is the same for all queries of an op model. */
export interface RuleContext extends LaunchContext {
  readonly layouts: LayoutTable;
  /** Bytes of L1 per core that a plan may fill. */
  readonly usableL1Bytes: number;
  readonly cores: number;
  /** Whether the target text supports slice configs of convolutions. */
  readonly writesSliceConfig: boolean;
  /** Whether to refuse ops that run but whose text upstream's verifier rejects. */
  readonly checksWrittenText: boolean;
}

/**
 * One query as a rule sees it. Operands have been checked if the op's layouts may change (`movable`): they are known,
 * on cores or banks of the chip, and cover the tensor.
 */
export interface ConstraintQuery extends RuleContext {
  readonly op: OpSignature;
  /** One entry per operand; `undefined` for operands that are not tensors, or have no layout in an op that is not movable. */
  readonly operands: readonly (Tensor | undefined)[];
  readonly hint: TtnnLayout | undefined;
  readonly hintId: LayoutId | undefined;
  /** The query's config, merged over the op's own. */
  readonly config: OpSpecificAttributes | undefined;
}

/** A hint that a search considers. */
export interface ConsideredHint {
  readonly layout: TtnnLayout | undefined;
  readonly config: OpSpecificAttributes | undefined;
}

/** The output hints that an op tries (tt-mlir:op-rules). */
export type HintStrategy =
  /** NULL hint; every sharded legal layout when NULL gave no sharded output. */
  | "default"
  /** NULL hint only. */
  | "null"
  /** Every legal layout that is not sharded. */
  | "non_sharded"
  /** Every legal layout: those that are not sharded, then all shards. */
  | "any"
  /** NULL hint and every sharded legal layout. */
  | "null_and_sharded"
  /** NULL hint and, for results of whole tiles, every sharded legal layout. */
  | "concat"
  /** NULL hint or DRAM interleaved. */
  | "null_or_dram"
  | "matmul"
  | "conv2d"
  | "conv3d";

/** The layouts that an operand may be offered (tt-mlir:op-rules). */
export type InputFilter =
  | "any"
  | "not_sharded"
  | "not_sharded_in_l1"
  | "not_width_sharded"
  | "not_height_sharded"
  | "dram_interleaved"
  /** DRAM of any kind, or sharded. */
  | "not_l1_interleaved"
  | "interleaved_or_height_sharded"
  | "row_major"
  | "tile"
  | "tile_dram_interleaved"
  | "tile_not_sharded"
  /** Interleaved, or block or width sharded over a full rectangle of cores. */
  | "interleaved_or_full_box";

/** How layouts are searched for an op. */
export interface LayoutStrategy {
  readonly hints: HintStrategy;
  /** Filter per operand group; the last entry holds for all further ones. */
  readonly inputs: readonly InputFilter[];
  readonly exploresReshards: boolean;
}

/** The op model's knowledge about a family of ops, in addition to their definitions. */
export interface OpRule {
  readonly strategy: LayoutStrategy | ((op: OpSignature) => LayoutStrategy);
  /**
   * What a legal op makes.
   *
   * @throws {RuleRefusal} for an op that the backend refuses
   */
  readonly evaluate: (query: ConstraintQuery) => Verdict;
  /**
   * The config that a plan writes for the op in these layouts, if it differs from the query's.
   *
   * @param own the op's config in the input
   */
  readonly writtenConfig?: (
    query: ConstraintQuery,
    own: OpSpecificAttributes | undefined,
  ) => OpSpecificAttributes | undefined;
  /**
   * Alternative configs with the same operands and result, in lists that each vary one field of the query's
   * config and dependent fields. Some may be illegal.
   *
   * @param query its config is the one that runs, with the backend's derived fields
   * @param room bytes of L1 per core for circular buffers
   */
  readonly freeConfigs?: (
    query: ConstraintQuery,
    room: number,
  ) => readonly (readonly OpSpecificAttributes[])[];
  /**
   * Whether the op may produce a hint from operands in these layouts; `false` only if {@linkcode
   * OpRule.evaluate} refuses, so that a search can skip the query. Reads layouts only, no shapes.
   */
  readonly mayFollow?: (hint: ConsideredHint, inputs: readonly (TtnnLayout | undefined)[]) => boolean;
  /**
   * The part of an operand's layout that the rule and its programs read under a hint: valid operands with
   * equal parts share a positive answer. `undefined` if they read all of it.
   */
  readonly readsOfOperand?: (operand: TtnnLayout, hint: TtnnLayout) => string | undefined;
}

/** The rules of some families, as exported to the rule book. */
export type RulesOf<Family extends OpFamily> = Readonly<Record<Family, OpRule>>;

export function strategyOf(rule: OpRule, op: OpSignature): LayoutStrategy {
  return typeof rule.strategy === "function" ? rule.strategy(op) : rule.strategy;
}

/** Strategy of ops without a rule of their own (tt-mlir:op-rules). */
export const DEFAULT_STRATEGY: LayoutStrategy = { hints: "default", inputs: ["any"], exploresReshards: true };

/** A rule as it is written: what its strategy leaves out is the default one's. */
type GivenRule = Omit<OpRule, "strategy"> & {
  readonly strategy?: Partial<LayoutStrategy> | Exclude<OpRule["strategy"], LayoutStrategy>;
};

export function defineRule({ strategy, ...rule }: GivenRule): OpRule {
  return {
    ...rule,
    strategy: typeof strategy === "function" ? strategy : { ...DEFAULT_STRATEGY, ...strategy },
  };
}

const INPUT_FILTERS: Readonly<Record<InputFilter, (layout: TtnnLayout) => boolean>> = {
  any: () => true,
  not_sharded: (layout) => !isSharded(layout),
  not_sharded_in_l1: (layout) => !isSharded(layout) || isOverBanks(layout),
  not_width_sharded: ({ memoryLayout }) => memoryLayout !== "width_sharded",
  not_height_sharded: ({ memoryLayout }) => memoryLayout !== "height_sharded",
  dram_interleaved: isDramInterleaved,
  not_l1_interleaved: (layout) => isSharded(layout) || layout.bufferType === "dram",
  interleaved_or_height_sharded: (layout) => !isSharded(layout) || layout.memoryLayout === "height_sharded",
  row_major: ({ tile }) => tile === undefined,
  tile: ({ tile }) => tile !== undefined,
  tile_dram_interleaved: (layout) => layout.tile !== undefined && isDramInterleaved(layout),
  tile_not_sharded: (layout) => layout.tile !== undefined && !isSharded(layout),
  interleaved_or_full_box: (layout) =>
    !isSharded(layout) || (layout.memoryLayout !== "height_sharded" && fillsBoundingBox(layout)),
};

/** Whether a filter accepts a layout (tt-mlir:op-rules). */
export function acceptsLayout(filter: InputFilter, layout: TtnnLayout): boolean {
  return INPUT_FILTERS[filter](layout);
}

/** Whether a layout's cores fill their bounding box. */
function fillsBoundingBox({ coreRanges }: TtnnLayout): boolean {
  const box = boundingBox(coreRanges);
  return box !== undefined && coreCount(coreRanges) === coreRangeVolume(box);
}

/** Whether a layout is interleaved over the banks of DRAM. */
export function isDramInterleaved(layout: TtnnLayout): boolean {
  return layout.bufferType === "dram" && !isSharded(layout);
}
