// SPDX-License-Identifier: Apache-2.0
import type { Severity } from "../diagnostics/diagnostic.ts";
import { dataTypeOfElement, tensorElementText } from "../dialect/data_type.ts";
import {
  LayoutSyntaxError,
  parseLayoutOnce,
  readTtnnLayout,
  type TtnnLayoutAttribute,
} from "../dialect/ttnn_layout.ts";
import type { Operation, Span } from "../ir/module_text.ts";
import { DYNAMIC, type TensorType, tensorTypeAt } from "../ir/tensor_type.ts";
import { affineMapsEqual, formatAffineMap, ttnnLinearMap } from "../layout/affine/affine_map.ts";
import { sameCoreRanges } from "../layout/core_range.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import { formatExtents, LayoutError } from "../layout/layout_error.ts";
import { emptyAxes, physicalUnits, type WorkerGrid } from "../layout/make_layout.ts";
import { gridVolume, isDramBuffer, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { verifyLayout } from "../layout/verify_layout.ts";
import type { Reporter } from "./reporter.ts";

/** The facts that layouts are checked against. */
export interface LayoutRules {
  readonly workerGrid: WorkerGrid | undefined;
  readonly dramBanks: number | undefined;
  /** Whether affine maps count rows of whole tiles, as in all but the oldest files. */
  readonly paddedMaps: boolean;
  /** Whether sharded layouts of the file must state their cores, as in all but the oldest files. */
  readonly placesShards: boolean;
  /**
   * Whether we created a layout, given by the encoding of its tensor type; its arithmetic is then checked
   * strictly.
   */
  readonly isCreated: (encoding: string) => boolean;
}

/**
 * V5: layouts obey the rules of upstream's verifier; V6: memref, grid and map follow from the tensor shape; V7:
 * the tensor's element matches the layout's; V9: shards are on cores of the device and leave none of them
 * empty. V6 and V7 are errors for layouts that we created and warnings for others: upstream does not check
 * them, and its own old output violates them (derived:structural-checks).
 */
export function verifyLayouts(reporter: Reporter, rules: LayoutRules): void {
  const seen = new Set<string>();
  const verifyOnce = (type: Span): void => {
    const text = reporter.module.text.slice(type.start, type.end);
    if (seen.has(text)) return;
    seen.add(text);
    verifyType(reporter, type, rules);
  };
  for (const operation of reporter.module.operations) {
    operation.resultTypes?.forEach(verifyOnce);
    if (operation.regions.length === 0 && operation.signature === undefined) continue;
    for (const type of typesOfHolder(operation)) verifyOnce(type);
  }
  verifyUse(reporter);
}

/** Types of a function's signature, and of block arguments. */
function* typesOfHolder(operation: Operation): Iterable<Span> {
  yield* operation.signature?.argumentTypes ?? [];
  for (const result of operation.signature?.results ?? []) yield result.type;
  for (const region of operation.regions) {
    for (const block of region.blocks) {
      for (const { value } of block.arguments) if (value.type !== undefined) yield value.type;
    }
  }
}

function verifyType(reporter: Reporter, span: Span, rules: LayoutRules): void {
  const { module } = reporter;
  const type = tensorTypeAt(module, span);
  if (type?.encoding === undefined) return;
  const attribute = parseLayoutOnce(module, type.encoding);
  if (attribute === undefined) return;
  if (type.shape.includes(DYNAMIC)) {
    reporter.error(
      "V5/dynamic-shape",
      span,
      "a tensor with a layout has a dynamic dimension; use static shapes",
    );
    return;
  }
  if (attribute instanceof LayoutSyntaxError) {
    reporter.error("V5/syntax", span, `malformed ttnn_layout '${type.encoding}': ${attribute.message}`);
    return;
  }
  const placed = rules.placesShards ? undefined : readTtnnLayout(module, span, type, rules.workerGrid);
  const layout = placed ?? attribute.layout;
  if (!verifyRules(reporter, span, layout, attribute, rules)) return;
  const severity = rules.isCreated(type.encoding) ? "error" : "warning";
  verifyArithmetic(reporter, { span, type, severity }, attribute, rules);
  verifyElement(reporter, { span, type, severity }, layout);
  verifyPlacement(reporter, span, layout, rules);
}

function verifyRules(
  reporter: Reporter,
  span: Span,
  layout: TtnnLayout,
  attribute: TtnnLayoutAttribute,
  rules: LayoutRules,
): boolean {
  try {
    verifyLayout(layout);
    return true;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    // Layouts of old files need not state their cores; without a device they are unknown.
    if (error.rule === "core-ranges/required" && (!rules.placesShards || attribute.extra.length > 0)) {
      return true;
    }
    // The oldest compilers left the worker grid on tensors that they put into DRAM; readers know this.
    const isOld = error.rule === "grid/one-by-one" &&
      (!rules.placesShards || attribute.generation === "G2" || attribute.generation === "G3");
    reporter.report(`V5/${error.rule}`, isOld ? "warning" : "error", span, error.message);
    return false;
  }
}

/** The memref shape that follows from the tensor shape, the memory and the grid (tt-mlir:layout-attribute). */
function expectedShardShape(shape: readonly number[], layout: TtnnLayout): readonly number[] | undefined {
  const extents = physicalUnits(shape, layout.tile);
  if (layout.memoryLayout === "nd_sharded") return undefined;
  if (isSharded(layout)) {
    return extents.map((extent, dim) => Math.ceil(extent / (layout.gridShape[dim] ?? 1)));
  }
  if (layout.bufferType !== "l1") return extents;
  return [1, Math.ceil((extents[0] * extents[1]) / gridVolume(layout))];
}

/**
 * Whether shards of rows hold more than the shape needs: the backend keeps what tiles were padded with, and pools round the
 * channels of a core up (`ttnn:backend-0-81-1`).
 */
function holdsRows(layout: TtnnLayout, expected: readonly number[]): boolean {
  return layout.tile === undefined && isSharded(layout) &&
    expected.every((extent, dim) => extent <= (layout.shardShape[dim] ?? 0));
}

/** A type with a layout, and the severity if the layout does not match. */
interface LaidOutType {
  readonly span: Span;
  readonly type: TensorType;
  readonly severity: Severity;
}

function verifyArithmetic(
  reporter: Reporter,
  { span, type, severity }: LaidOutType,
  attribute: TtnnLayoutAttribute,
  rules: LayoutRules,
): void {
  const { layout } = attribute;
  if (layout.ignorePhysicalLayout) return;
  const expected = expectedShardShape(type.shape, layout);
  if (
    expected !== undefined && formatExtents(expected) !== formatExtents(layout.shardShape) &&
    !(severity === "error" && holdsRows(layout, expected))
  ) {
    reporter.report(
      "V6/memref-shape",
      severity,
      span,
      `memref of ${layout.memoryLayout === "interleaved" ? "an" : "a"} ${
        layout.memoryLayout ?? layout.bufferType
      } tensor of shape ${formatExtents(type.shape)} on grid ` +
        `${formatExtents(layout.gridShape)} must be ${formatExtents(expected)}, but is ` +
        formatExtents(layout.shardShape),
    );
  }
  if (attribute.collapseMap.dimCount !== type.shape.length) {
    // The compiler gives scalars that it computes in shards the map of the matrix that holds them
    // (tt-mlir:greedy-2026-10).
    if (type.shape.length === 0 && attribute.collapseMap.dimCount === 2 && isSharded(layout)) return;
    reporter.report(
      "V6/map-rank",
      severity,
      span,
      `affine map of the layout takes ${attribute.collapseMap.dimCount} dimension(s), but the tensor has ` +
        type.shape.length,
    );
    return;
  }
  const map = ttnnLinearMap(type.shape, rules.paddedMaps ? layout.tile : undefined);
  if (type.shape.includes(0) || affineMapsEqual(map, attribute.collapseMap)) return;
  reporter.report(
    "V6/map",
    severity,
    span,
    `affine map of the layout of a tensor of shape ${formatExtents(type.shape)} must be ` +
      `${formatAffineMap(map)}, but is ${attribute.mapText}`,
  );
}

function verifyElement(
  reporter: Reporter,
  { span, type, severity }: LaidOutType,
  layout: TtnnLayout,
): void {
  const dataType = dataTypeOfElement(type.elementType);
  if (dataType !== undefined && isBlockFloat(dataType) && layout.tile === undefined) {
    const message = `tensor of ${type.elementType} has a layout of rows; ${dataType} exists only in tiles`;
    return reporter.report("V5/block-float", "error", span, message);
  }
  // Quantized elements have their own storage type, which only the layout states.
  if (dataType === undefined || type.elementType === tensorElementText(layout.dataType)) return;
  if (type.elementType.startsWith("!tt.") && dataType === layout.dataType) return;
  reporter.report(
    "V7/element-type",
    severity,
    span,
    dataType === layout.dataType
      ? `tensor of ${type.elementType} is read as ${dataType}, as its layout is; write its element, also in the ` +
        `memref, as tt-mlir does: ${tensorElementText(dataType)}`
      : `tensor of ${type.elementType} has a layout of ${layout.dataType}; its element must be ` +
        tensorElementText(layout.dataType),
  );
}

/**
 * A sharded tensor of tiles has at least one tile per grid row and column (tt-mlir
 * `LegalTensorLayoutAnalysis`), unless the kernel that produces it keeps the grid rows or columns of its
 * operand: reductions and splits of heads keep both, convolutions the rows (tt-metal
 * `determine_output_parallel_config`), and upstream allows that.
 */
function verifyUse(reporter: Reporter): void {
  const reported = new Set<string>();
  for (const { operandTypes = [], resultTypes = [] } of reporter.module.operations) {
    for (const span of resultTypes) {
      const made = shardedTiles(reporter, span);
      const text = reporter.module.text.slice(span.start, span.end);
      if (made === undefined || reported.has(text)) continue;
      const { tiles, layout, short } = made;
      if (short.length === 0) continue;
      const read = operandTypes.map((operand) => shardedTensor(reporter, operand)?.layout);
      const keepsCores = read.some((operand) =>
        operand !== undefined && operand.memoryLayout !== layout.memoryLayout &&
        sameCoreRanges(operand.coreRanges, layout.coreRanges)
      );
      if (keepsCores || short.every((dim) => read.some((operand) => keepsExtent(operand, layout, dim)))) {
        continue;
      }
      reported.add(text);
      reporter.warning(
        "V9/empty-cores",
        span,
        `a tensor of ${formatExtents(tiles)} tiles cannot fill a grid of ${
          formatExtents(layout.gridShape)
        }: some cores would hold nothing`,
      );
    }
  }
}

/** The tiles of a sharded tensor, its layout, and the axes with fewer tiles than cores; `undefined` for any other type. */
function shardedTiles(
  reporter: Reporter,
  span: Span,
): Record<"tiles" | "short", readonly number[]> & { readonly layout: TtnnLayout } | undefined {
  const tensor = shardedTensor(reporter, span);
  if (tensor === undefined || tensor.layout.tile === undefined) return undefined;
  const { shape, layout } = tensor;
  return { tiles: physicalUnits(shape, layout.tile), layout, short: emptyAxes(shape, layout) };
}

/** Shape and layout of a sharded tensor with pages of any kind; `undefined` for any other type. */
function shardedTensor(
  { module }: Reporter,
  span: Span,
): { readonly shape: readonly number[]; readonly layout: TtnnLayout } | undefined {
  const type = tensorTypeAt(module, span);
  const attribute = type?.encoding === undefined ? undefined : parseLayoutOnce(module, type.encoding);
  if (type === undefined || attribute === undefined || attribute instanceof LayoutSyntaxError) {
    return undefined;
  }
  const { layout } = attribute;
  if (!isSharded(layout) || layout.memoryLayout === "nd_sharded") return undefined;
  if (type.shape.includes(0) || type.shape.includes(DYNAMIC)) return undefined;
  return { shape: type.shape, layout };
}

/** Whether a grid has as many rows (0) or columns (1) as that of an operand with the same kind of sharding. */
function keepsExtent(
  operand: TtnnLayout | undefined,
  { memoryLayout, gridShape }: TtnnLayout,
  dim: number,
): boolean {
  return operand !== undefined && operand.memoryLayout === memoryLayout &&
    operand.gridShape[dim] === gridShape[dim];
}

function verifyPlacement(reporter: Reporter, span: Span, layout: TtnnLayout, rules: LayoutRules): void {
  if (!isSharded(layout)) return;
  if (isDramBuffer(layout.bufferType)) {
    const banks = rules.dramBanks;
    if (banks === undefined || layout.coreRanges.every(({ end }) => end.x < banks && end.y === 0)) return;
    reporter.error("V9/dram-banks", span, `shards lie outside of the ${banks} DRAM banks of the device`);
    return;
  }
  const grid = rules.workerGrid;
  if (grid === undefined) return;
  if (layout.coreRanges.every(({ end }) => end.x < grid.columns && end.y < grid.rows)) return;
  reporter.error(
    "V9/worker-grid",
    span,
    `shards lie outside of the device's worker grid of ${grid.rows}x${grid.columns} (rows x columns)`,
  );
}
