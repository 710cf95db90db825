// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { ConversionTable } from "../exploration/conversions.ts";
import type { L1Caps } from "../l1/l1_branching.ts";
import type { Sharing } from "./sharing.ts";
import type { WayTable } from "../exploration/way_table.ts";

/** Prices that stand for those of a space and its conversions; equal objects for equal prices. */
export interface ProblemPrices {
  /** The ways of an op: the same, in the same order. */
  table(op: OpId, table: WayTable): WayTable;
  /** The conversions of a value. */
  conversions(value: ValueId, table: ConversionTable): ConversionTable;
}

/** What is asked of a layout problem besides the layouts of its space. */
export interface ProblemTerms {
  /** How readers share the price of copies; in equal parts where it says nothing of a value. */
  readonly sharings?: ReadonlyMap<ValueId, Sharing>;
  /** What has to take less L1; nothing has to without it. */
  readonly caps?: L1Caps;
  /** In place of the space's and of its conversions'. */
  readonly prices?: ProblemPrices;
}
