// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { ConversionTable } from "../exploration/conversions.ts";
import type { L1Caps } from "../l1/l1_caps.ts";
import type { Sharing } from "./sharing.ts";
import type { ImplTable } from "../exploration/impl_table.ts";

/** Prices that replace those of a space and its conversions; equal prices are the same objects. */
export interface ProblemPrices {
  /** The implementations of an op. */
  table(op: OpId, table: ImplTable): ImplTable;
  conversions(value: ValueId, table: ConversionTable): ConversionTable;
}

/** Requirements of a layout problem beyond the layouts of its space. */
export interface ProblemTerms {
  /** How readers share the price of copies; equal shares for values that are not listed. */
  readonly sharings?: ReadonlyMap<ValueId, Sharing>;
  /** Ops and values that must take less L1; none if absent. */
  readonly caps?: L1Caps;
  /** Prices that replace those of the space and its conversions. */
  readonly prices?: ProblemPrices;
}
