// SPDX-License-Identifier: Apache-2.0
import { parseTileType } from "../../../lib/dialect/data_type.ts";
import { LayoutSyntaxError, parseTtnnLayout } from "../../../lib/dialect/ttnn_layout.ts";
import { type DiagnosticError, inputError } from "../../../lib/diagnostics/diagnostic.ts";
import { parseAffineMap } from "../../../lib/layout/affine/affine_parser.ts";
import { type DataType, parseDataType } from "../../../lib/layout/data_type.ts";
import { normalDim } from "../../../lib/layout/extents.ts";
import { type LayoutRequest, makeLayout } from "../../../lib/layout/make_layout.ts";
import {
  type CollapseInterval,
  defaultCollapse,
  makeMetalLayout,
  MEMORY_SPACES,
  type MetalLayout,
  OOB_VALUES,
} from "../../../lib/layout/metal/metal_layout.ts";
import {
  type DeviceTensorType,
  parseLogicalMetalLayout,
  parseMetalLayout,
  saysLogicalShape,
} from "../../../lib/layout/metal/metal_layout_text.ts";
import { LayoutWordError, memoryLayoutOf, parseLayoutWords } from "../../../lib/layout/parse_layout_words.ts";
import type { ChipNodes } from "../../../lib/layout/ttnn/nodes.ts";
import { DEFAULT_TILE, type TileShape, type TtnnLayout } from "../../../lib/layout/ttnn_layout.ts";
import { verifyLayout } from "../../../lib/layout/verify_layout.ts";
import { type Options, UsageError } from "../../command.ts";

/** A tensor, its layout and the options of the question. */
export interface LayoutQuestion {
  readonly tensorText: string;
  readonly shape: readonly number[];
  readonly layout:
    | { readonly kind: "metal"; readonly metal: MetalLayout; readonly written?: WrittenMetalLayout }
    | { readonly kind: "ttnn"; readonly ttnn: TtnnLayout };
  /** Devices of the outer grid dimensions. */
  readonly devices: number;
  readonly at: readonly number[] | undefined;
  readonly reshardTo: TtnnLayout | undefined;
}

/** The text of a layout with more information than {@linkcode MetalLayout}. */
export interface WrittenMetalLayout {
  readonly attribute: string;
  /** Number of results of an index map whose terms are not in the text; 0 without one. */
  readonly indexMapResults: number;
}

const TENSOR =
  /^\s*(?:tensor<)?\s*((?:-?\d+\s*x\s*)*)(!(?:ttcore|tt)\.tile<[^>]*>|\w+)\s*(?:,\s*([^]*?))?>?\s*$/;

/**
 * Reads the command line of `layout`.
 *
 * @throws {UsageError} for invalid options
 * @throws {DiagnosticError} for a tensor that cannot be read
 * @throws {LayoutError} for layouts that cannot exist
 */
export function readLayoutQuestion(text: string, options: Options, chip: ChipNodes): LayoutQuestion {
  const match = TENSOR.exec(text);
  const elementText = match?.[2] ?? "";
  const tile = parseTileType(elementText);
  const dataType = tile?.dataType ?? parseDataType(elementText);
  if (/^\s*tensor</.test(text) && balance(text) !== text) throw badTensor(text, "its '<' is never closed");
  if (match === null || dataType === undefined) {
    throw badTensor(
      text,
      "expected a type such as tensor<2x3x64x128xf32> with an element type of the device",
    );
  }
  const written = (match[1] ?? "").split("x").filter((extent) => extent.trim() !== "").map(Number);
  // The type of the encoding may consume the closing bracket of the tensor; give it back.
  const encoding = match[3] === undefined ? undefined : balance(match[3]);
  const { shape = written, ...layout } = encoding === undefined
    ? layoutFromOptions(written, dataType, options, chip)
    : layoutFromEncoding(text, encoding, { shape: written, dataType, tile: tile?.tile }, options);
  return {
    tensorText: text.trim(),
    shape,
    layout,
    devices: options.number("devices") ?? 1,
    at: readNumbers(options, "at"),
    reshardTo: readReshardTarget(
      options,
      shape,
      layout.kind === "metal" ? layout.metal.memref : layout.ttnn,
      chip,
    ),
  };
}

function balance(encoding: string): string {
  const open = encoding.replaceAll("->", "").split("<").length;
  const close = encoding.replaceAll("->", "").split(">").length;
  return encoding + ">".repeat(Math.max(0, open - close));
}

function badTensor(text: string, reason: string): DiagnosticError {
  return inputError("layout/tensor", `Cannot read the tensor '${text.trim()}': ${reason}`);
}

/** Options that describe a layout and are invalid if the tensor has one. */
const LAYOUT_OPTIONS = [
  "grid",
  "sharding",
  "memory",
  "tile",
  "dtype",
  "collapse",
  "align",
  "linear",
  "oob",
  "orientation",
];

/** A layout, and the logical shape if the type has the shape of the shards. */
type LayoutOfTensor = LayoutQuestion["layout"] & { readonly shape?: readonly number[] };

function layoutFromEncoding(
  text: string,
  encoding: string,
  tensor: DeviceTensorType,
  options: Options,
): LayoutOfTensor {
  const surplus = LAYOUT_OPTIONS.find((name) => options.given(name));
  if (surplus !== undefined) {
    throw new UsageError(`Option --${surplus} has no meaning for a tensor that has a layout already`);
  }
  if (saysLogicalShape(encoding)) {
    const { shape, layout, indexMapResults } = parseLogicalMetalLayout(encoding, tensor);
    return { kind: "metal", metal: layout, shape, written: { attribute: encoding, indexMapResults } };
  }
  if (/^#(ttcore|tt)\.metal_layout/.test(encoding)) {
    return { kind: "metal", metal: parseMetalLayout(encoding) };
  }
  try {
    const ttnn = parseTtnnLayout(encoding)?.layout;
    if (ttnn === undefined) throw badTensor(text, "its layout is neither a metal_layout nor a ttnn_layout");
    verifyLayout(ttnn);
    return { kind: "ttnn", ttnn };
  } catch (error) {
    if (error instanceof LayoutSyntaxError) throw badTensor(text, error.message);
    throw error;
  }
}

function layoutFromOptions(
  shape: readonly number[],
  tensorType: DataType,
  options: Options,
  chip: ChipNodes,
): LayoutOfTensor {
  const dtype = options.text("dtype");
  const dataType = dtype === undefined ? tensorType : parseDataType(dtype);
  if (dataType === undefined) {
    throw new UsageError(`Option --dtype cannot be '${dtype}'; try bf16, f32 or bfp_bf8`);
  }
  const grid = readExtents(options.text("grid"), "grid");
  const sharding = options.text("sharding");
  if (sharding === undefined) {
    refuseOption(options, "orientation", "give --sharding as well");
    return { kind: "metal", metal: metalFromOptions(shape, dataType, grid, options) };
  }
  for (const name of ["collapse", "align", "linear", "oob"]) {
    refuseOption(options, name, "TTNN layouts have none; leave out --sharding");
  }
  const memory = options.text("memory");
  if (memory === "mmio") {
    throw new UsageError("Option --memory mmio is not for TTNN layouts; leave out --sharding");
  }
  const bufferType = memory === "system"
    ? "system_memory"
    : memory === "dram" || memory === "l1"
    ? memory
    : undefined;
  const tile = readTile(options);
  const request: LayoutRequest = {
    shape,
    dataType,
    tile: tile === undefined ? DEFAULT_TILE : tile,
    bufferType: bufferType ?? (sharding === "interleaved" ? "dram" : "l1"),
    memoryLayout: bufferType === "system_memory" && sharding === "interleaved"
      ? undefined
      : memoryLayoutOf(sharding),
    ...(grid === undefined ? {} : { grid }),
    shardOrientation: options.text("orientation") === "col_major" ? "col_major" : "row_major",
  };
  if (sharding === "interleaved" && grid !== undefined) {
    throw new UsageError("Option --grid has no meaning for --sharding interleaved: pages go over all banks");
  }
  return { kind: "ttnn", ttnn: makeLayout(request, chip.workerGrid, chip.dramBanks) };
}

function metalFromOptions(
  shape: readonly number[],
  dataType: DataType,
  grid: readonly number[] | undefined,
  options: Options,
): MetalLayout {
  const tile = readTile(options);
  const linearText = options.text("linear");
  if (linearText !== undefined && (options.given("collapse") || options.given("align"))) {
    throw new UsageError("Option --linear is the whole map; leave out --collapse and --align");
  }
  const collapse = options.texts("collapse").flatMap((text) => text.split(",")).map(readInterval);
  const alignments = readNumbers(options, "align");
  const request = {
    shape,
    dataType,
    tile: tile ?? undefined,
    ...(linearText === undefined ? {} : { linear: parseAffineMap(linearText) }),
    ...(collapse.length === 0 ? {} : { collapseIntervals: collapse }),
    ...(alignments === undefined ? {} : { dimAlignments: alignments }),
    memorySpace: MEMORY_SPACES.find((space) => space === options.text("memory")) ?? "l1",
    oobValue: OOB_VALUES.find((value) => value === options.text("oob")) ?? "undef",
  } as const;
  if (grid !== undefined) return makeMetalLayout({ ...request, grid });
  // One shard: as many ones as the map has results.
  const results = request.linear?.results.length ?? defaultRank(shape.length, collapse);
  return makeMetalLayout({ ...request, grid: new Array<number>(results).fill(1) });
}

function defaultRank(rank: number, collapse: readonly CollapseInterval[]): number {
  const intervals = collapse.length === 0 ? defaultCollapse(rank) : collapse;
  return intervals.reduce((results, [start, end]) => {
    const from = normalDim(start, rank);
    const to = normalDim(end, rank);
    return results - Math.max(0, to - from - 1);
  }, rank);
}

function refuseOption(options: Options, name: string, advice: string): void {
  if (options.given(name)) throw new UsageError(`Option --${name} has no meaning here; ${advice}`);
}

function readExtents(text: string | undefined, name: string): number[] | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d+(x-?\d+)*$/.test(text)) {
    throw new UsageError(`Option --${name} needs extents such as 2x4, not '${text}'`);
  }
  return text.split("x").map(Number);
}

/** `undefined` if the option is not given, `null` for `none`. */
function readTile(options: Options): TileShape | null | undefined {
  const text = options.text("tile");
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const [height, width, ...rest] = readExtents(text, "tile") ?? [];
  if (height === undefined || width === undefined || rest.length > 0) {
    throw new UsageError(`Option --tile needs two extents such as 32x32, not '${text}'`);
  }
  return { height, width };
}

function readInterval(text: string): CollapseInterval {
  const match = /^\s*(-?\d+):(-?\d+)\s*$/.exec(text);
  if (match === null) throw new UsageError(`Option --collapse needs a range such as 1:-1, not '${text}'`);
  return [Number(match[1]), Number(match[2])];
}

function readNumbers(options: Options, name: string): number[] | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const parts = text.replace(/^\[(.*)\]$/, "$1").split(",").map((part) => part.trim());
  if (!parts.every((part) => /^-?\d+$/.test(part))) {
    throw new UsageError(`Option --${name} needs integers such as 1,1,6,100, not '${text}'`);
  }
  return parts.map(Number);
}

/** Reads `l1/height/8x1`, `dram/interleaved`, `l1/block_sharded/2x4/row_major/bf16`; words in any order. */
function readReshardTarget(
  options: Options,
  shape: readonly number[],
  source: { readonly dataType: DataType; readonly tile: TileShape | undefined },
  chip: ChipNodes,
): TtnnLayout | undefined {
  const text = options.text("reshard-to");
  if (text === undefined) return undefined;
  try {
    return parseLayoutWords(text, { shape, ...source }, chip.workerGrid, chip.dramBanks);
  } catch (error) {
    if (!(error instanceof LayoutWordError)) throw error;
    throw new UsageError(`Option --reshard-to ${error.message}; write for example l1/height/8x1`);
  }
}
