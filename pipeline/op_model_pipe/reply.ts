// SPDX-License-Identifier: Apache-2.0
import { coreRangeSetText } from "../../lib/dialect/core_range_set.ts";
import type { LayoutId, LayoutTable } from "../../lib/layout/layout_table.ts";
import { isSharded } from "../../lib/layout/ttnn_layout.ts";
import type { AllocationRecord } from "../../lib/memory/allocation_query.ts";
import type { FailureClass, InvalidConstraints } from "../../lib/opmodel/op_model.ts";

/**
 * A layout in the terms of tt-mlir's `TTNNLayoutAttr::Builder`; `null` is the requested layout, else the
 * declared one.
 */
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

/**
 * The compiler's reaction to a refusal: `error`, the config is impossible; `oom`, evict and retry;
 * `notImplemented`, no verdict.
 */
export type RefusalStatus = "error" | "oom" | "notImplemented";

/** Sizes and layouts of an op that can run; bytes per core. */
export interface ConstraintsReply {
  readonly ok: true;
  readonly outputLayouts: readonly WireLayout[];
  readonly cbPeak: number;
  readonly tensorPeak: number;
  readonly totalPeak: number;
  readonly outputL1: number;
  /** Only in answers to stateful questions. */
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

/** Reply to an invalid question. */
export function unreadableReply(reason: string): Reply {
  return { ok: false, status: "error", reason };
}

/**
 * A layout for the protocol: `null` if the compiler derives it by itself, else the arguments of its builder.
 *
 * @param asked the layout that the compiler requested, else the one that its IR declares
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
