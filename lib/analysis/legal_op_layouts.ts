// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputError } from "../diagnostics/diagnostic.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import {
  emptyAxes,
  type LayoutRequest,
  makeInterleaved,
  makeLayout,
  physicalUnits,
  type WorkerGrid,
} from "../layout/make_layout.ts";
import { gridVolume, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { describeOutputLayoutOverride, fitsGrid } from "../overrides/output_layout_override.ts";
import { obeysOverride } from "../overrides/op_overrides.ts";
import { isFullOverride, type OutputLayoutOverride } from "../overrides/overrides.ts";
import type { LegalTensorLayoutAnalysis, TensorPageLayout } from "./legal_tensor_layouts.ts";

/** The facts about an op that {@linkcode legalOpLayouts} needs. */
export interface LegalOpLayoutsRequest {
  /** Name for messages. */
  readonly name: string;
  /** Result 0. */
  readonly tensor: TensorShape;
  /** Layout of result 0 in the input. */
  readonly current: TtnnLayout;
  /** False for ops that no policy may change; they keep their layout. */
  readonly movable: boolean;
  readonly override: OutputLayoutOverride | undefined;
  /** Whether the op can produce a sharded layout at all; others are dropped. Overrides are not checked. */
  readonly isMade?: ((layout: LayoutId) => boolean) | undefined;
}

/** Limits of the enumeration. */
export interface LegalOpLayoutsLimits {
  /** `--max-legal-layouts`: sharded layouts per op, half of them per page layout if both are offered. */
  readonly maxLegalLayouts: number;
  /** `--row-major-enabled`; an override states its own pages. */
  readonly rowMajorEnabled: boolean;
}

/**
 * The output layouts that an op may have (tt-mlir `LegalOpLayoutAnalysis`): all interleaved ones (row-major
 * before tiled, DRAM before L1), then the sharded ones that it can produce, those with the most shards first. A
 * single shard is dropped if there are layouts with more (tt-mlir:optimizer-document §3.1.5, "not enough
 * parallelism").
 *
 * A full override is the only layout, whether the op can make it or not. A partial one filters the list after the limit was applied,
 * and keeps the kind of pages of the result if it does not state any.
 *
 * @throws {DiagnosticError} when an override leaves no layout, or its grid does not exist on the chip
 */
export function legalOpLayouts(
  request: LegalOpLayoutsRequest,
  analysis: LegalTensorLayoutAnalysis,
  layouts: LayoutTable,
  workerGrid: WorkerGrid,
  limits: LegalOpLayoutsLimits,
): readonly LayoutId[] {
  const { override, tensor, current } = request;
  if (override !== undefined && isFullOverride(override)) {
    return [layouts.intern(overriddenLayout(request, override, workerGrid))];
  }
  if (!request.movable) return [layouts.intern(current)];
  const pages = pagesOnOffer(request, limits);
  const limit = Math.floor(limits.maxLegalLayouts / pages.length);
  const found = analysis.layoutsOf(tensor, override?.dataType ?? current.dataType);
  const sharded = pages.flatMap((page) => firstMade(request, found[page].sharded, limit, layouts))
    .toSorted((a, b) => gridVolume(layouts.get(b)) - gridVolume(layouts.get(a)));
  const interleaved = [
    ...pages.flatMap((page) => found[page].interleaved),
    ...rowsInL1(request, pages, layouts, workerGrid),
  ];
  const all = [...interleaved, ...sharded];
  if (override === undefined) return all;
  const kept = all.filter((id) => obeysOverride(layouts.get(id), override));
  if (kept.length === 0) {
    throw impossible(request, override, `none of its ${all.length} legal layouts is like that`);
  }
  return kept;
}

/**
 * Row-major layouts in interleaved L1, which tt-mlir does not enumerate: only an override that asks for
 * row-major pages gets them.
 */
function rowsInL1(
  { override, tensor, current }: LegalOpLayoutsRequest,
  pages: readonly TensorPageLayout[],
  layouts: LayoutTable,
  workerGrid: WorkerGrid,
): readonly LayoutId[] {
  const dataType = override?.dataType ?? current.dataType;
  if (override === undefined || !pages.includes("row_major") || isBlockFloat(dataType)) return [];
  const rows = { shape: tensor.shape, dataType, tile: undefined };
  return [layouts.intern(makeInterleaved("l1", rows, workerGrid))];
}

/** The first sharded layouts that an op can produce, at most `limit`, in the given order (most shards first). */
function firstMade(
  { override, isMade }: LegalOpLayoutsRequest,
  sharded: readonly LayoutId[],
  limit: number,
  layouts: LayoutTable,
): readonly LayoutId[] {
  if (isMade === undefined || override !== undefined) return sharded.slice(0, limit);
  const made: LayoutId[] = [];
  for (const layout of sharded) {
    if (made.length === limit) break;
    const [most] = made;
    if (gridVolume(layouts.get(layout)) === 1 && most !== undefined && gridVolume(layouts.get(most)) > 1) {
      break;
    }
    if (isMade(layout)) made.push(layout);
  }
  return made;
}

function pagesOnOffer(
  { override, current }: LegalOpLayoutsRequest,
  limits: LegalOpLayoutsLimits,
): readonly TensorPageLayout[] {
  if (override === undefined) return limits.rowMajorEnabled ? ["row_major", "tiled"] : ["tiled"];
  const isTiled = override.pageLayout === undefined
    ? current.tile !== undefined
    : override.pageLayout === "tile";
  return [isTiled ? "tiled" : "row_major"];
}

function overriddenLayout(
  request: LegalOpLayoutsRequest,
  override: OutputLayoutOverride & Required<Omit<OutputLayoutOverride, "dataType">>,
  workerGrid: WorkerGrid,
): TtnnLayout {
  const layoutRequest: LayoutRequest = {
    shape: request.tensor.shape,
    dataType: override.dataType ?? request.current.dataType,
    ...(override.pageLayout === "row_major" ? { tile: null } : {}),
    bufferType: override.bufferType,
    memoryLayout: override.bufferType === "system_memory" ? undefined : override.memoryLayout,
    grid: override.grid,
  };
  if (override.memoryLayout === "nd_sharded") {
    throw impossible(
      request,
      override,
      "an nd_sharded layout needs a shard shape, which overrides cannot give",
    );
  }
  const [rows, columns] = override.grid;
  if (!fitsGrid(override, workerGrid)) {
    throw impossible(request, override, `the worker grid is ${workerGrid.rows}x${workerGrid.columns}`);
  }
  const oneLine = (override.memoryLayout === "height_sharded" && columns !== 1) ||
    (override.memoryLayout === "width_sharded" && rows !== 1);
  if (oneLine) {
    const grid = override.memoryLayout === "height_sharded" ? "Nx1" : "1xN";
    throw impossible(request, override, `a ${override.memoryLayout} grid is ${grid}`);
  }
  // An interleaved L1 layout spreads over the grid it names: here the user's grid instead of the whole worker grid.
  if (override.memoryLayout === "interleaved" && override.bufferType === "l1") {
    return makeLayout(layoutRequest, { rows, columns });
  }
  try {
    const layout = makeLayout(layoutRequest, workerGrid);
    if (isSharded(layout) && emptyAxes(request.tensor.shape, layout).length > 0) {
      const tiles = physicalUnits(request.tensor.shape, layout.tile).join("x");
      throw impossible(request, override, `${tiles} tiles leave cores of the grid without any`);
    }
    return layout;
  } catch (error) {
    if (error instanceof RangeError) throw impossible(request, override, error.message);
    throw error;
  }
}

function impossible(
  request: LegalOpLayoutsRequest,
  override: OutputLayoutOverride,
  reason: string,
): DiagnosticError {
  const wanted = describeOutputLayoutOverride(override);
  return inputError(
    "override/impossible",
    `Cannot override the output layout of ${request.name} with ${wanted}: ${reason}`,
  );
}

/** Number of shards of a layout that is sharded in L1; otherwise `undefined`. */
export function l1Shards(layout: TtnnLayout): number | undefined {
  return layout.bufferType === "l1" && isSharded(layout) ? gridVolume(layout) : undefined;
}
