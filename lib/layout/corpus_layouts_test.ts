// SPDX-License-Identifier: Apache-2.0

/**
 * Recomputes every (tensor, layout) pair of the machine-printed files from shape, element type, grid, memory and
 * sharding alone, and compares map, memref and core ranges with what the compiler printed.
 */

import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { formatAffineMap, ttnnLinearMap } from "./affine/affine_map.ts";
import { parseAffineMap } from "./affine/affine_parser.ts";
import { type CoreRange, formatCoreRange } from "./core_range.ts";
import { parseDataType } from "./data_type.ts";
import { formatExtents, LayoutError } from "./layout_error.ts";
import { makeLayout } from "./make_layout.ts";
import {
  BUFFER_TYPES,
  type BufferType,
  TENSOR_MEMORY_LAYOUTS,
  type TensorMemoryLayout,
  type TileShape,
} from "./ttnn_layout.ts";

interface PrintedLayout {
  readonly map: string;
  readonly grid: number[];
  readonly memref: number[];
  readonly elementType: string;
  readonly tile: TileShape | null;
  readonly bufferType: BufferType;
  readonly memoryLayout: TensorMemoryLayout | undefined;
  readonly coreRanges: CoreRange[] | undefined;
}

const LAYOUT =
  /^#(ttnn_layout\w*) = #ttnn\.ttnn_layout<(\(.*?\) -> \(.*?\)), <([\dx]+)(?:, [^<]*?)?>, memref<((?:\d+x)*)(?:(?:!ttcore|!tt)\.tile<(\d+)x(\d+), (\w+)>|(\w+)), #(\w+)>(?:, <(\w+)>)?(?:, core_ranges = <\[(.*?)\]>)?>$/;

function printedLayouts(text: string): Map<string, PrintedLayout> {
  const layouts = new Map<string, PrintedLayout>();
  const buffers = new Map<string, BufferType>();
  for (const [, name = "", buffer = ""] of text.matchAll(/^#(\w+) = #ttnn\.buffer_type<(\w+)>$/gm)) {
    const known = BUFFER_TYPES.find((candidate) => candidate === buffer);
    if (known !== undefined) buffers.set(name, known);
  }
  for (const line of text.split("\n")) {
    if (!line.startsWith("#ttnn_layout")) continue;
    const match = LAYOUT.exec(line);
    assert(match !== null, `the test cannot read ${line}`);
    const [
      ,
      name = "",
      map = "",
      grid = "",
      dims = "",
      th,
      tw,
      tileType,
      scalar,
      buffer = "",
      sharding,
      ranges,
    ] = match;
    const bufferType = buffers.get(buffer);
    assert(bufferType !== undefined, `unknown buffer ${buffer}`);
    const memoryLayout = TENSOR_MEMORY_LAYOUTS.find((candidate) => candidate === sharding);
    layouts.set(name, {
      map,
      grid: grid.split("x").map(Number),
      memref: dims.split("x").filter((extent) => extent !== "").map(Number),
      elementType: tileType ?? scalar ?? "",
      tile: th === undefined ? null : { height: Number(th), width: Number(tw) },
      bufferType,
      memoryLayout,
      coreRanges: ranges === undefined
        ? undefined
        : [...ranges.matchAll(/<\((\d+),(\d+)\), \((\d+),(\d+)\)>/g)].map(([, x0, y0, x1, y1]) => ({
          start: { x: Number(x0), y: Number(y0) },
          end: { x: Number(x1), y: Number(y1) },
        })),
    });
  }
  return layouts;
}

/** Disagreements of one pair, empty when the layout is recomputed exactly. */
function disagreements(
  shape: number[],
  printed: PrintedLayout,
  workerGrid: { rows: number; columns: number },
): string[] {
  const dataType = parseDataType(printed.elementType);
  assert(dataType !== undefined, `unknown element type ${printed.elementType}`);
  const found: string[] = [];
  const layout = makeLayout(
    {
      shape,
      dataType,
      tile: printed.tile,
      bufferType: printed.bufferType,
      memoryLayout: printed.memoryLayout,
      grid: printed.grid,
    },
    printed.memoryLayout === "interleaved"
      ? { rows: printed.grid[0] ?? 1, columns: printed.grid[1] ?? 1 }
      : workerGrid,
    12,
  );
  const map = formatAffineMap(ttnnLinearMap(shape, layout.tile));
  if (map !== printed.map) found.push(`map ${map}, printed ${printed.map}`);
  assertEquals(formatAffineMap(parseAffineMap(printed.map)), printed.map);
  const memref = layout.shardShape.join("x");
  if (memref !== printed.memref.join("x")) {
    found.push(`memref ${memref}, printed ${printed.memref.join("x")}`);
  }
  if (printed.coreRanges !== undefined) {
    const ranges = layout.coreRanges.map(formatCoreRange).join(" ");
    const wanted = printed.coreRanges.map(formatCoreRange).join(" ");
    if (ranges !== wanted) found.push(`cores ${ranges}, printed ${wanted}`);
  }
  return found;
}

/** A pair that is not recomputed exactly, in words. */
interface Flag {
  readonly pair: string;
  readonly reasons: string[];
  /** Why, where the difference is known and wanted. */
  readonly explanation: string | undefined;
}

/** Modules of a file: aliases stand before their module, a file may hold several modules one after the other. */
function* moduleTexts(text: string): Generator<string> {
  let lines: string[] = [];
  let inModule = false;
  for (const line of text.split("\n")) {
    const isAlias = /^#(?!loc)/.test(line);
    if (isAlias && inModule) {
      yield lines.join("\n");
      lines = [];
    }
    inModule = !isAlias && (inModule || line.startsWith("module"));
    lines.push(line);
  }
  yield lines.join("\n");
}

/** All pairs of one file that cannot be recomputed. */
function checkFile(path: string): { pairs: number; flags: Flag[] } {
  let count = 0;
  const flags: Flag[] = [];
  for (const text of moduleTexts(Deno.readTextFileSync(path))) {
    const layouts = printedLayouts(text);
    const worker = /workerGrid = #(?:ttcore|tt)\.grid<(\d+)x(\d+)/.exec(text);
    const workerGrid = { rows: Number(worker?.[1] ?? 8), columns: Number(worker?.[2] ?? 8) };
    const pairs = new Set<string>();
    for (
      const [, dims = "", name = ""] of text.matchAll(
        /tensor<((?:\d+x)*)(?:!ttcore\.tile<[^>]*>|\w+), #(ttnn_layout\w*)>/g,
      )
    ) pairs.add(`${dims}|${name}`);
    count += pairs.size;
    for (const pair of pairs) {
      const [dims = "", name = ""] = pair.split("|");
      const printed = layouts.get(name);
      assert(printed !== undefined, `${name} is not defined`);
      const shape = dims.split("x").filter((extent) => extent !== "").map(Number);
      let reasons: string[];
      try {
        reasons = disagreements(shape, printed, workerGrid);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        reasons = [error.rule];
      }
      if (reasons.length === 0) continue;
      flags.push({
        pair: `${corpusName(path)}: tensor<${formatExtents(shape)}> with #${name}`,
        reasons,
        explanation: explain(reasons, printed, layouts),
      });
    }
  }
  return { pairs: count, flags };
}

function explain(
  reasons: readonly string[],
  printed: PrintedLayout,
  layouts: ReadonlyMap<string, PrintedLayout>,
): string | undefined {
  if (reasons.length !== 1) return undefined;
  // derived:structural-checks: a sharded value moved to DRAM kept the memref of its shards (December 2025 to January
  // 2026).
  const isStale = reasons[0]?.startsWith("memref") === true && printed.bufferType === "dram" &&
    printed.memoryLayout === "interleaved" &&
    [...layouts.values()].some((other) =>
      other.bufferType === "l1" && other.map === printed.map &&
      other.memref.join() === printed.memref.join() && other.grid.join() !== "1,1"
    );
  if (isStale) return "memref of the shards kept after a move to DRAM";
  // The op's kernel reads its weights in the order of the banks that are nearest to its cores.
  const cores = printed.coreRanges ?? [];
  const isPermutation = reasons[0]?.startsWith("cores") === true && printed.bufferType === "dram" &&
    cores.length === printed.grid.reduce((volume, extent) => volume * extent, 1) &&
    new Set(cores.map(formatCoreRange)).size === cores.length;
  return isPermutation ? "DRAM banks in an order that the op chose" : undefined;
}

function checkFolder(folder: string): { pairs: number; explained: Record<string, number>; rest: string[] } {
  let pairs = 0;
  const explained: Record<string, number> = {};
  const rest: string[] = [];
  for (const path of corpusFiles(folder)) {
    const result = checkFile(path);
    pairs += result.pairs;
    for (const { pair, reasons, explanation } of result.flags) {
      if (explanation === undefined) rest.push(`${pair}: ${reasons.join("; ")}`);
      else explained[explanation] = (explained[explanation] ?? 0) + 1;
    }
  }
  return { pairs, explained, rest };
}

corpusTest("makeLayout() recomputes every layout of the machine-printed dumps", () => {
  const { pairs, explained, rest } = checkFolder("dumps/ttnn");
  assertEquals(rest, []);
  assert(pairs > 1000, `only ${pairs} pairs`);
  const flagged = Object.values(explained).reduce((sum, count) => sum + count, 0);
  assert(flagged < pairs / 50, `${flagged} of ${pairs} pairs need an explanation`);
});

corpusTest("makeLayout() recomputes every layout that the compiler prints today", () => {
  const { pairs, explained, rest } = checkFolder("lowered");
  assertEquals(rest, []);
  assert(pairs > 5000, `only ${pairs} pairs`);
  assert(!("memref of the shards kept after a move to DRAM" in explained), "stale memrefs are gone today");
});
