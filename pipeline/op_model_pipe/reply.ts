// SPDX-License-Identifier: Apache-2.0
import { coreRangeSetText } from "../../lib/dialect/core_range_set.ts";
import type { LayoutId, LayoutTable } from "../../lib/layout/layout_table.ts";
import { isSharded } from "../../lib/layout/ttnn_layout.ts";
import type { AllocationRecord } from "../../lib/memory/allocation_query.ts";
import type { FailureClass, InvalidConstraints } from "../../lib/opmodel/op_model.ts";

/** A layout that tt-mlir's `TTNNLayoutAttr::Builder` makes; `null` is the one that was asked for, else the declared. */
export type WireLayout = null | {
  readonly bufferType: string;
  readonly memLayout: string | null;
  readonly grid: readonly number[];
  readonly tiled: boolean;
  readonly dtype: string;
  readonly coreRanges?: string;
};

/** The answer to one question, without its id. */
export type Reply =
  | { readonly ok: true; readonly [field: string]: unknown }
  | { readonly ok: false; readonly status?: RefusalStatus; readonly reason?: string };

/** How a compiler reacts to a refusal: the config is impossible, evict and retry, or no verdict. */
export type RefusalStatus = "error" | "oom" | "notImplemented";

/** Sizes and layouts of an op that can run; bytes per core. */
export interface ConstraintsReply {
  readonly ok: true;
  readonly outputLayouts: readonly WireLayout[];
  readonly cbPeak: number;
  readonly tensorPeak: number;
  readonly totalPeak: number;
  readonly outputL1: number;
  /** In answers to stateful questions only. */
  readonly outputAllocations?: readonly AllocationRecord[];
}

const STATUS: Readonly<Record<FailureClass, RefusalStatus>> = {
  out_of_memory: "oom",
  unsupported_layout: "error",
  unsupported_config: "error",
  not_implemented: "notImplemented",
};

/** A refusal of the op model. */
export function refusalReply({ failure, rule, message }: InvalidConstraints): Reply {
  return { ok: false, status: STATUS[failure], reason: `${message} [${rule}]` };
}

/** A line that is not a valid question. */
export function unreadableReply(reason: string): Reply {
  return { ok: false, status: "error", reason };
}

/**
 * A layout for the wire: `null` where the compiler comes to it by itself, else what its builder needs.
 *
 * @param asked layout that the compiler wanted, else the one that its IR declares
 */
export function wireLayout(
  layouts: LayoutTable,
  made: LayoutId | undefined,
  asked: LayoutId | undefined,
): WireLayout {
  if (made === undefined) return null;
  if (asked !== undefined) {
    const exact = layouts.intern({ ...layouts.get(asked), ignorePhysicalLayout: false });
    if (exact === made) return null;
  }
  const layout = layouts.get(made);
  return {
    bufferType: layout.bufferType,
    memLayout: layout.memoryLayout ?? null,
    grid: layout.gridShape,
    tiled: layout.tile !== undefined,
    dtype: layout.dataType,
    ...(isSharded(layout)
      ? { coreRanges: `#ttnn.core_range_set${coreRangeSetText(layout.coreRanges)}` }
      : {}),
  };
}
