// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../layout/extents.ts";
import { splitTopLevel } from "../ir/balanced.ts";
import { errorIn, type ModuleText, type Span, type Value } from "../ir/module_text.ts";
import { perModule } from "../ir/per_module.ts";
import { type TensorType, tensorTypeOf, withoutAlias } from "../ir/tensor_type.ts";
import { type AffineMap, evaluateAffineMap } from "../layout/affine/affine_map.ts";
import { parseAffineMap } from "../layout/affine/affine_parser.ts";
import { type CoreRange, mergeCoreRanges } from "../layout/core_range.ts";
import { parseDataType } from "../layout/data_type.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { canonicalCoreRanges, physicalUnits, type WorkerGrid } from "../layout/make_layout.ts";
import {
  BUFFER_TYPES,
  type BufferType,
  TENSOR_MEMORY_LAYOUTS,
  type TensorMemoryLayout,
  type TileShape,
  type TtnnLayout,
} from "../layout/ttnn_layout.ts";
import { type AliasText, parseCoreRangeSet } from "./core_range_set.ts";
import { parseTileType } from "./data_type.ts";

/**
 * How a layout spells where its shards are (tt-mlir:ir-generations): `G1` a bare grid and nothing else, `G2` a map
 * inside the grid, `G3` two named maps inside the grid, `G4` core ranges behind the memory layout. Layouts that spell
 * no place (DRAM interleaved, system memory) look alike in all of them and are `undefined`.
 */
export type LayoutGeneration = "G1" | "G2" | "G3" | "G4";

/** A `#ttnn.ttnn_layout` with everything that stands in it. */
export interface TtnnLayoutAttribute {
  readonly layout: TtnnLayout;
  readonly generation: LayoutGeneration | undefined;
  /** The map from tensor dimensions to the two dimensions of the memref. */
  readonly collapseMap: AffineMap;
  /** Source text of that map. */
  readonly mapText: string;
  /** Whether tiles are spelled `!tt.tile`, as before June 2025. */
  readonly dialect: "ttcore" | "tt";
  /** Text of the mesh over whose chips the tensor is spread; its shape and this layout are those of one chip. */
  readonly mesh: string | undefined;
  /** Parameters that we carry but do not read: `exactGrid = true`. */
  readonly extra: readonly string[];
}

/** A `ttnn_layout` whose text makes no sense; the message says what. */
export class LayoutSyntaxError extends Error {
  override readonly name = "LayoutSyntaxError";
}

/** What is made of a part of a layout's text; an error of it is one of the layout. */
function partOf<Part>(make: () => Part): Part {
  try {
    return make();
  } catch (error) {
    if (error instanceof LayoutError) throw new LayoutSyntaxError(error.message);
    throw error;
  }
}

/** Parsed layouts per module, by text. `undefined` as a value means: no `ttnn_layout`. */
const parsedOf = perModule(() => new Map<string, TtnnLayoutAttribute | LayoutSyntaxError | undefined>());

/**
 * The layout that the encoding of a tensor type spells, memoised by text.
 *
 * @param workerGrid worker cores, to place sharded layouts of generation G1, which do not say where they are
 * @returns `undefined` when the type has no encoding or one that we do not understand (`ttnn_nd_layout`, `trace_id`)
 * @throws {DiagnosticError} when the encoding is a `ttnn_layout` that makes no sense
 */
export function readTtnnLayout(
  module: ModuleText,
  span: Span,
  type: TensorType,
  workerGrid?: WorkerGrid,
): TtnnLayout | undefined {
  const said = readLayoutAttribute(module, span, type)?.layout;
  const layout = said === undefined ? undefined : inOnePiece(said, type);
  if (layout === undefined || workerGrid === undefined) return layout;
  return placeShards(spreadPages(layout, type, workerGrid), workerGrid);
}

/**
 * Interleaved DRAM and host memory hold the whole tensor. Compilers of before July 2025 left the grid of worker cores in
 * the layouts of tensors that they put there (tt-mlir issue 3879).
 */
function inOnePiece(layout: TtnnLayout, { shape }: TensorType): TtnnLayout {
  const isWhole = layout.memoryLayout === undefined ||
    (layout.memoryLayout === "interleaved" && layout.bufferType === "dram");
  if (!isWhole || layout.gridShape.every((extent) => extent === 1)) return layout;
  return { ...layout, gridShape: [1, 1], shardShape: physicalUnits(shape, layout.tile) };
}

/**
 * Pages of a tensor that is interleaved in L1 lie on all worker cores. A text may say so as for DRAM, with a grid of
 * one and the whole tensor in the memref (tt-mlir: lit tests of spill management), or spell out what one core has, in
 * one row or in a block of the tensor, of the chip that it was compiled for.
 */
function spreadPages(layout: TtnnLayout, { shape }: TensorType, { rows, columns }: WorkerGrid): TtnnLayout {
  if (layout.bufferType !== "l1" || layout.memoryLayout !== "interleaved") return layout;
  const pages = physicalUnits(shape, layout.tile).reduce((product, extent) => product * extent, 1);
  const [gridShape, shardShape] = [[rows, columns], [1, Math.ceil(pages / (rows * columns))]];
  const isSpread = sameExtents(layout.gridShape, gridShape) && sameExtents(layout.shardShape, shardShape);
  return isSpread ? layout : { ...layout, gridShape, shardShape };
}

/**
 * The layout attribute of a tensor type with everything in it, memoised by text; see {@linkcode readTtnnLayout}.
 *
 * @throws {DiagnosticError} when the encoding is a `ttnn_layout` that makes no sense
 */
function readLayoutAttribute(
  module: ModuleText,
  span: Span,
  type: TensorType,
): TtnnLayoutAttribute | undefined {
  if (type.encoding === undefined) return undefined;
  const found = parseLayoutOnce(module, type.encoding);
  if (!(found instanceof LayoutSyntaxError)) return found;
  const reason = `malformed ttnn_layout '${type.encoding}': ${found.message}`;
  throw errorIn(module, "layout/syntax", span.start, reason);
}

/** Like {@linkcode parseTtnnLayout} for an encoding of a module, memoised; errors are returned. */
export function parseLayoutOnce(
  module: ModuleText,
  encoding: string,
): TtnnLayoutAttribute | LayoutSyntaxError | undefined {
  const parsed = parsedOf(module);
  if (parsed.has(encoding)) return parsed.get(encoding);
  let result: TtnnLayoutAttribute | LayoutSyntaxError | undefined;
  try {
    result = parseTtnnLayout(encoding, aliasTextOf(module));
  } catch (error) {
    if (!(error instanceof LayoutSyntaxError)) throw error;
    result = error;
  }
  parsed.set(encoding, result);
  return result;
}

/**
 * The mesh that a tensor of a module is spread over, as its layout spells it; `undefined` if it spells none. A decision
 * about the layout keeps it.
 */
export function meshOf(module: ModuleText, type: TensorType): string | undefined {
  return wellFormed(module, type)?.mesh;
}

/** The layout of a value; `undefined` without one, or for a malformed one. */
export function layoutOfValue(module: ModuleText, value: Value | undefined): TtnnLayout | undefined {
  const type = value === undefined ? undefined : tensorTypeOf(module, value);
  return type === undefined ? undefined : wellFormed(module, type)?.layout;
}

function wellFormed(module: ModuleText, { encoding }: TensorType): TtnnLayoutAttribute | undefined {
  const attribute = encoding === undefined ? undefined : parseLayoutOnce(module, encoding);
  return attribute instanceof LayoutSyntaxError ? undefined : attribute;
}

/** Replaces attribute aliases of a module by the text they stand for, chains included. */
export function aliasTextOf(module: ModuleText): AliasText {
  return (text) => withoutAlias(module, "#", text);
}

/**
 * Parses the text of a layout attribute of any generation, also of the `#tt.layout` of 2024.
 *
 * @param text `#ttnn.ttnn_layout<…>`, `#tt.layout<…>` or an alias of one
 * @returns `undefined` when the text is another attribute, or one whose element type no device format has
 * @throws {LayoutSyntaxError} when it is a `ttnn_layout` that makes no sense
 */
export function parseTtnnLayout(
  text: string,
  alias: AliasText = (name) => name,
): TtnnLayoutAttribute | undefined {
  const spelled = alias(text.trim());
  const body = /^#ttnn\.ttnn_layout\s*<([^]*)>$/.exec(spelled)?.[1] ??
    /^#ttnn\s*<\s*ttnn_layout\s*<([^]*)>\s*>$/.exec(spelled)?.[1] ?? bodyOf2024(spelled, alias);
  if (body === undefined) return undefined;
  const [mapText = "", gridText = "", ...rest] = splitTopLevel(body, ",");
  const collapseMap = partOf(() => parseAffineMap(alias(mapText)));
  const grid = parseGrid(gridText);
  const memrefIndex = rest.findIndex((part) => part.startsWith("memref<"));
  const memrefText = rest[memrefIndex];
  if (memrefText === undefined) throw new LayoutSyntaxError("the memref is missing");
  const memref = parseMemref(memrefText, alias);
  if (memref === undefined) return undefined;
  const tail = parseTail(rest.slice(memrefIndex + 1), alias);
  const sharded = tail.memoryLayout !== undefined && tail.memoryLayout !== "interleaved";
  const layout: TtnnLayout = {
    bufferType: memref.bufferType,
    memoryLayout: tail.memoryLayout,
    dataType: memref.dataType,
    tile: memref.tile,
    gridShape: grid.shape,
    shardShape: memref.shardShape,
    coreRanges: tail.coreRanges ?? (sharded ? coresOfGrid(grid) : []),
    shardOrientation: "row_major",
    ignorePhysicalLayout: tail.ignorePhysicalLayout,
  };
  return {
    layout,
    generation: generationOf(grid, tail.coreRanges !== undefined, layout),
    collapseMap,
    mapText,
    dialect: memrefText.includes("!tt.tile") ? "tt" : "ttcore",
    mesh: parameterOf(rest.slice(0, memrefIndex), "mesh"),
    extra: [
      ...rest.slice(0, memrefIndex).filter((part) => parameterOf([part], "mesh") === undefined),
      ...tail.extra,
    ],
  };
}

/**
 * The body of a layout of 2024, which TTIR and TTNN shared, in the spelling of a `ttnn_layout`: without the value of
 * padding, the memory layout in brackets. `undefined` on a device without a memory layout, which TTNN has yet to decide.
 */
function bodyOf2024(text: string, alias: AliasText): string | undefined {
  const body = /^#tt\.layout\s*<([^]*)>$/.exec(text)?.[1];
  if (body === undefined) return undefined;
  const [map = "", , grid = "", memref = "", word = ""] = splitTopLevel(body, ",");
  if (!map.startsWith("(") || !grid.startsWith("<") || !memref.startsWith("memref<")) return undefined;
  if (TENSOR_MEMORY_LAYOUTS.some((known) => known === word)) {
    return [map, grid, memref, `<${word}>`].join(", ");
  }
  const space = splitTopLevel(memref.slice("memref<".length, -1), ",").at(-1) ?? "";
  return parseBufferType(space, alias) === "system_memory" ? [map, grid, memref].join(", ") : undefined;
}

/** Text of the parameter of a name among `name = text`. */
function parameterOf(parts: readonly string[], name: string): string | undefined {
  for (const part of parts) {
    const [key, ...value] = splitTopLevel(part, "=");
    if (key === name && value.length > 0) return value.join("=");
  }
  return undefined;
}

/** A grid `<8x8>`, `<61x1, (d0, d1) -> …>` or `<8x8, virt_to_physical_map = …, physical_to_virt_map = …>`. */
interface Grid {
  readonly shape: readonly number[];
  /** From the logical grid to (device, y, x). */
  readonly map: AffineMap | undefined;
  readonly named: boolean;
}

function parseGrid(text: string): Grid {
  const body = /^(?:#(?:ttcore|tt)\.grid\s*)?<([^]*)>$/.exec(text)?.[1];
  const [shapeText = "", ...maps] = splitTopLevel(body ?? "", ",");
  const shape = shapeText.split("x").map((extent) => Number(extent.trim() === "" ? NaN : extent));
  if (body === undefined || !shape.every(Number.isSafeInteger)) {
    throw new LayoutSyntaxError(`'${text}' is not a grid such as '<8x8>'`);
  }
  const named = maps.find((map) => map.startsWith("virt_to_physical_map"));
  const mapText = named?.slice(named.indexOf("=") + 1) ?? maps[0];
  if (mapText === undefined) return { shape, map: undefined, named: false };
  return { shape, map: partOf(() => parseAffineMap(mapText)), named: named !== undefined };
}

function generationOf(grid: Grid, hasCoreRanges: boolean, layout: TtnnLayout): LayoutGeneration | undefined {
  if (hasCoreRanges) return "G4";
  if (grid.map !== undefined) return grid.named ? "G3" : "G2";
  // A sharded layout without any place can be G1 only; `ignorePhysicalLayout` came with G4.
  if (layout.ignorePhysicalLayout) return "G4";
  return layout.memoryLayout === undefined || layout.memoryLayout === "interleaved" ? undefined : "G1";
}

/** More cores than any chip has; a grid beyond it is a mistake and not worth walking over. */
const MAXIMUM_GRID_VOLUME = 1 << 16;

/** The cores that a grid's map puts the shards on, in shard order. */
function coresOfGrid(grid: Grid): CoreRange[] {
  const { map, shape } = grid;
  if (map === undefined || map.dimCount !== 2 || map.symbolCount !== 0 || map.results.length !== 3) return [];
  const [rows = 1, columns = 1] = shape;
  if (rows * columns > MAXIMUM_GRID_VOLUME) {
    throw new LayoutSyntaxError(`the grid ${shape.join("x")} is too large`);
  }
  const cores: CoreRange[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [, y = 0, x = 0] = partOf(() => evaluateAffineMap(map, [row, column]));
      cores.push({ start: { x, y }, end: { x, y } });
    }
  }
  return mergeCoreRanges(cores);
}

/**
 * Places the L1 shards of a layout that does not say where they are. Other layouts come back as they are, as does one
 * whose grid does not fit `workerGrid`.
 */
export function placeShards(layout: TtnnLayout, workerGrid: WorkerGrid): TtnnLayout {
  const { memoryLayout, bufferType, gridShape } = layout;
  if (memoryLayout === undefined || memoryLayout === "interleaved" || layout.coreRanges.length > 0) {
    return layout;
  }
  if (layout.ignorePhysicalLayout || bufferType === "dram") return layout;
  try {
    return {
      ...layout,
      coreRanges: canonicalCoreRanges(bufferType, memoryLayout, gridShape, workerGrid, undefined),
    };
  } catch {
    // The grid does not fit the chip; the verifier says so, with the place of the layout.
    return layout;
  }
}

function parseMemref(
  text: string,
  alias: AliasText,
): Pick<TtnnLayout, "bufferType" | "dataType" | "tile" | "shardShape"> | undefined {
  const [typeText = "", ...parameters] = splitTopLevel(text.slice("memref<".length, -1), ",");
  const space = parameters.at(-1);
  if (space === undefined) throw new LayoutSyntaxError(`'${text}' names no memory space such as '#dram'`);
  const bufferType = parseBufferType(space, alias);
  if (bufferType === undefined) throw new LayoutSyntaxError(`'${space}' is not a buffer type`);
  const parts = /^((?:\d+\s*x\s*)*)([A-Za-z!][^]*)$/.exec(typeText);
  if (parts === null) throw new LayoutSyntaxError(`'${text}' has no static shape`);
  const shardShape = (parts[1] ?? "").split("x").map((extent) => extent.trim()).filter((extent) =>
    extent !== ""
  )
    .map(Number);
  const element = elementOf(parts[2] ?? "");
  return element === undefined ? undefined : { bufferType, shardShape, ...element };
}

function elementOf(
  text: string,
): { dataType: TtnnLayout["dataType"]; tile: TileShape | undefined } | undefined {
  const tile = parseTileType(text);
  if (tile !== undefined) return tile;
  const dataType = parseDataType(text.trim());
  return dataType === undefined ? undefined : { dataType, tile: undefined };
}

/** Parses `#ttnn.buffer_type<dram>` or an alias of it; `undefined` when it is none. */
export function parseBufferType(text: string, alias: AliasText): BufferType | undefined {
  const resolved = alias(text.trim());
  const word = /^(?:#ttnn\.buffer_type|#ttnn\s*<\s*buffer_type)?\s*<\s*(\w+)\s*>\s*>?$/.exec(resolved)?.[1];
  const bufferType = BUFFER_TYPES.find((known) => known === word);
  if (bufferType !== undefined) return bufferType;
  // Text from before the TTNN dialect had buffer types of its own.
  const old = /^#(?:tt|ttcore)\.memory_space<\s*(\w+)\s*>$/.exec(resolved)?.[1];
  if (old === "system") return "system_memory";
  if (old === "device_dram" || old === "dram") return "dram";
  return old === "device_l1" || old === "l1" ? "l1" : undefined;
}

/**
 * Parses `<interleaved>`, `#ttnn.tensor_memory_layout<interleaved>` or an alias, also the bare word of text from 2024;
 * `undefined` when it is none.
 */
export function parseMemoryLayout(text: string, alias: AliasText): TensorMemoryLayout | undefined {
  const [, word = alias(text.trim())] =
    /^(?:#ttnn\.tensor_memory_layout\s*)?<\s*(\w+)\s*>$/.exec(alias(text.trim())) ?? [];
  return TENSOR_MEMORY_LAYOUTS.find((known) => known === word);
}

/** What follows the memref: the memory layout, and parameters by name. */
function parseTail(parts: readonly string[], alias: AliasText) {
  const parameters = parts.filter((part) => parseMemoryLayout(part, alias) === undefined);
  const unnamed = parameters.find((part) => splitTopLevel(part, "=").length < 2);
  if (unnamed !== undefined) {
    throw new LayoutSyntaxError(`'${unnamed}' is not a memory layout such as '<interleaved>'`);
  }
  const cores = parameterOf(parameters, "core_ranges");
  const coreRanges = cores === undefined ? undefined : parseCoreRangeSet(cores, alias);
  if (cores !== undefined && coreRanges === undefined) {
    throw new LayoutSyntaxError(`'${cores}' is not a set of core ranges`);
  }
  return {
    memoryLayout: parts.map((part) => parseMemoryLayout(part, alias)).findLast((found) =>
      found !== undefined
    ),
    coreRanges,
    ignorePhysicalLayout: parameterOf(parameters, "ignorePhysicalLayout") === "true",
    extra: parameters.filter((part) => !/^(?:core_ranges|ignorePhysicalLayout)\s*=/.test(part)),
  };
}
