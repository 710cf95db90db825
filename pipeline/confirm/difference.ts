// SPDX-License-Identifier: Apache-2.0
import { memoryConfigOf } from "../../lib/dialect/memory_config.ts";
import { type CoreRange, formatCoreRange, walkCores } from "../../lib/layout/core_range.ts";
import { sameExtents, volume } from "../../lib/layout/extents.ts";
import { isSharded } from "../../lib/layout/ttnn_layout.ts";
import type { TtnnTensorType } from "../../lib/ttnn/value.ts";
import type { Prediction } from "./prediction.ts";
import type { OpFact, OpRan, RealResult } from "./trace_facts.ts";

/** A fact about an op on which our model and the backend differ. */
export interface Difference {
  readonly about: "legality" | "layout" | "circular buffers" | "peak" | "address";
  /** As a phrase: `runs`, `32768 B`, `l1 height_sharded …`. */
  readonly ours: string;
  readonly theirs: string;
}

/** The difference that a refusal is from a prediction that the op runs; none without a prediction. */
export function unforeseen(ours: Prediction | undefined, refusal: string): readonly Difference[] {
  return ours === undefined || ours.fault !== undefined
    ? []
    : [{ about: "legality", ours: "runs", theirs: refusal }];
}

/**
 * Differences between our replay of an op and the backend. If the backend refused the op, only legality is
 * compared; if our replay refused it, legality and layouts. Bytes that our replay does not know are not compared,
 * nor addresses of results that either side has outside of L1.
 *
 * @param declared types of the results, in order; `undefined` for results that are no tensors
 */
export function differencesOf(
  fact: OpFact,
  ours: Prediction | undefined,
  declared: readonly (TtnnTensorType | undefined)[],
): readonly Difference[] {
  if ("refused" in fact) return unforeseen(ours, fact.refused);
  const found: Difference[] = [];
  if (ours?.fault !== undefined) found.push({ about: "legality", ours: ours.fault, theirs: "runs" });
  for (const [index, result] of fact.results.entries()) {
    const written = declared[index];
    const type = written && { ...written, layout: ours?.layouts[index] ?? written.layout };
    const real = type === undefined ? undefined : otherThanDeclared(type, result, ours?.onlyReshaped);
    if (type !== undefined && real !== undefined) {
      found.push({ about: "layout", ours: declaredText(type), theirs: real });
    }
  }
  if (ours !== undefined && ours.fault === undefined) found.push(...otherBytes(fact, ours));
  return found;
}

function otherBytes(fact: OpRan, ours: Prediction): readonly Difference[] {
  const found: Difference[] = [];
  const bytes = (about: Difference["about"], a: number | undefined, b: number): void => {
    if (a !== undefined && a !== b) found.push({ about, ours: `${a} B`, theirs: `${b} B` });
  };
  bytes("circular buffers", ours.circularBuffers, Math.max(0, ...fact.circular_buffers));
  bytes("peak", ours.peak, fact.peak);
  for (const [index, address] of ours.addresses) {
    const result = fact.results[index];
    if (result?.bufferType !== "l1" || result.address === undefined || result.address === address) continue;
    found.push({ about: "address", ours: `${address}`, theirs: `${result.address}` });
  }
  return found;
}

/**
 * The real result in words; `undefined` if it is as declared. A tensor without elements may lie anywhere: ttnn moves
 * none (ttnn:backend-0-81-1).
 *
 * @param onlyReshaped whether only reshapes read it, so that an image `N×H×W×C` counts as its rows `1×1×NHW×C`: a pool that
 * ttnn slices returns an image
 */
export function otherThanDeclared(
  type: TtnnTensorType,
  real: RealResult,
  onlyReshaped: boolean = false,
): string | undefined {
  const isSame = (sameExtents(type.shape, real.shape) || onlyReshaped && isImageOf(type, real)) &&
    formatOf(type.layout.dataType) === real.dtype &&
    (type.shape.includes(0) || isPlaced(type, real));
  return isSame ? undefined : realText(real);
}

/** Whether a result is an image whose rows are those of the declared, flat type: the same pages. */
function isImageOf({ shape, layout }: TtnnTensorType, real: RealResult): boolean {
  const isFlat = layout.tile === undefined && !isSharded(layout) && shape.length === 4 && shape[0] === 1 &&
    shape[1] === 1;
  return isFlat && real.shape.length === 4 && shape[3] === real.shape[3] &&
    shape[2] === volume(real.shape.slice(0, -1));
}

function isPlaced(type: TtnnTensorType, real: RealResult): boolean {
  const { layout } = type;
  return (layout.tile !== undefined) === real.tiled && layout.bufferType === real.bufferType &&
    (layout.bufferType === "system_memory" || layout.memoryLayout === real.memLayout) &&
    sameShards(type, real);
}

/** The format that ttnn gives a result of a data type; it lacks `i1` and `f16` and takes `bf16` (tt-mlir:runtime-calls). */
function formatOf(dataType: string): string {
  return dataType === "i1" || dataType === "f16" ? "bf16" : dataType;
}

function sameShards({ layout }: TtnnTensorType, real: RealResult): boolean {
  if (!isSharded(layout) || layout.ignorePhysicalLayout || layout.coreRanges.length === 0) return true;
  if (real.shard === undefined || real.coreRanges === undefined) return false;
  const shape = memoryConfigOf(layout).shardSpec?.shape ?? [];
  return sameExtents(shape, real.shard) && layout.shardOrientation === (real.orientation ?? "row_major") &&
    coreKey(layout.coreRanges) === coreKey(rangesOf(real));
}

function rangesOf({ coreRanges = [] }: RealResult): readonly CoreRange[] {
  return coreRanges.map(([x0, y0, x1, y1]) => ({ start: { x: x0, y: y0 }, end: { x: x1, y: y1 } }));
}

/** A key of the cores, independent of their rectangles. */
function coreKey(ranges: readonly CoreRange[]): string {
  return walkCores(ranges).map(({ x, y }) => `${x},${y}`).sort().join(" ");
}

function declaredText({ shape, layout }: TtnnTensorType): string {
  const { bufferType, memoryLayout, dataType, tile } = layout;
  const shard = memoryConfigOf(layout).shardSpec;
  const words = { shape, dtype: dataType, tiled: tile !== undefined, bufferType, memLayout: memoryLayout };
  return resultText({ ...words, shard: shard?.shape }, shard?.coreRanges ?? []);
}

function realText(real: RealResult): string {
  return resultText(real, rangesOf(real));
}

function resultText(
  { shape, dtype, tiled, bufferType, memLayout, shard }: RealResult,
  cores: readonly CoreRange[],
): string {
  return [
    shape.join("x"),
    dtype,
    tiled ? "tiles" : "rows",
    bufferType,
    ...(memLayout === undefined ? [] : [memLayout]),
    ...(shard === undefined ? [] : [`${shard.join("x")} on ${cores.map(formatCoreRange).join(" ")}`]),
  ].join(" ");
}
