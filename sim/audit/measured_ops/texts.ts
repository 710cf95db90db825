// SPDX-License-Identifier: Apache-2.0
import { isRecord } from "../../../lib/diagnostics/diagnostic.ts";
import type { DataType } from "../../../lib/layout/data_type.ts";
import { fidelityNamed, type MathFidelity } from "../../../lib/op_config/math_fidelity.ts";
import { DRAM, type PlaceRequest } from "../op_question.ts";
import type { Params } from "./measured_op.ts";
import { required } from "../row_model.ts";

/** The first number of a row under one of the names, also as a decimal text; `undefined` when there is none. */
export function numberIn(params: Params, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = params[name];
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value === "string" && /^\d+(\.\d+)?$/.test(value)) return Number(value);
  }
  return undefined;
}

/** Extents of a product from the numbers `M`, `K` and `N`; `undefined` unless all are there. */
export function productExtents(
  params: Params,
): { readonly M: number; readonly K: number; readonly N: number } | undefined {
  const [M, K, N] = ["M", "K", "N"].map((name) => numberIn(params, name));
  return M === undefined || K === undefined || N === undefined ? undefined : { M, K, N };
}

/** The first text of a row under one of the names, `""` when there is none. */
export function textIn(params: Params, ...names: readonly string[]): string {
  for (const name of names) {
    const value = params[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** The record of a row under a name, `{}` when there is none. */
export function recordIn(params: Params, name: string): Params {
  const value = params[name];
  return isRecord(value) ? value : {};
}

const DATA_TYPES: readonly (readonly [RegExp, DataType])[] = [
  [/bfp8|bfloat8|bf8/i, "bfp_bf8"],
  [/bfp4|bfloat4|bf4/i, "bfp_bf4"],
  [/bf16|bfloat16/i, "bf16"],
  [/fp32|f32|float32/i, "f32"],
  [/uint32/i, "u32"],
  [/int32/i, "si32"],
  [/uint16/i, "u16"],
];

/** The element format that a text names first; `undefined` when it names none. */
export function dataTypeIn(text: string): DataType | undefined {
  const found = DATA_TYPES.map(([pattern, type]) => ({ at: text.search(pattern), type }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  return found[0]?.type;
}

/** Element format of a row's tensors, bf16 when it does not say, as TTNN's own tests do. */
export function dataTypeOf(params: Params): DataType {
  return dataTypeIn(textIn(params, "dtype", "dtypes")) ?? "bf16";
}

/**
 * Formats of inputs and output, as in `BF16=>FP32` or `HiFi2 BF16 x BFP8 => BF16`. The default of the inputs is
 * bf16, that of the output the format of the first input.
 */
export function dataTypesOf(params: Params): { inputs: readonly DataType[]; output: DataType } {
  const [before = "", after = ""] = textIn(params, "dtypes", "dtype").split(/=>|->/);
  const inputs = before.split(/,|x/i).map(dataTypeIn).filter((type) => type !== undefined);
  const [first = "bf16"] = inputs;
  return { inputs: inputs.length === 0 ? [first] : inputs, output: dataTypeIn(after) ?? first };
}

/** The math fidelity that a text names, in any case; `undefined` if none. */
export function fidelityIn(text: string): MathFidelity | undefined {
  return fidelityNamed(/\b(lofi|hifi[234])\b/i.exec(text)?.[1] ?? "");
}

/** A list of integers, also in a text such as `[1,2,0]`; `undefined` for other values. */
export function integersIn(value: unknown): readonly number[] | undefined {
  if (typeof value === "string") {
    const match = /^\[([-\d, ]*)\]/.exec(value.trim());
    return match === null ? undefined : (match[1] ?? "").split(",").map(Number);
  }
  if (!Array.isArray(value)) return undefined;
  const numbers = value.filter((entry): entry is number => typeof entry === "number");
  return numbers.length === value.length && numbers.length > 0 ? numbers : undefined;
}

/**
 * All shapes of a value, in order: a list, lists of lists, `[1,1,32,64]` in texts, or `32x64` in texts without
 * brackets.
 */
export function shapesIn(value: unknown): readonly (readonly number[])[] {
  const list = integersIn(typeof value === "string" ? undefined : value);
  if (list !== undefined) return [list];
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => shapesIn(entry));
  if (typeof value !== "string") return [];
  // `16(32)`: the padded extent stands in parentheses.
  const plain = value.replaceAll(/(\d)\(\d+\)/g, "$1");
  const bracketed = [...plain.matchAll(/\[([\d, ]+)\]/g)].map(([, text = ""]) => text.split(",").map(Number));
  if (bracketed.length > 0) return bracketed;
  return [...plain.matchAll(/\d+(?: ?x ?\d+)+/g)].map(([text]) => text.split("x").map(Number));
}

/** The reason to leave out a row without shapes. */
export const NO_SHAPES = "shapes are not in the row";

/** The first shape of a value; a row without one is left out. */
export function shapeIn(value: unknown): readonly number[] {
  const shape = required(NO_SHAPES, shapesIn(value)[0]);
  return shape;
}

/**
 * Columns and rows of a grid: those of `11x10`, otherwise of the {@linkcode rectangle} of the number of cores;
 * `undefined` if the row names neither.
 */
export function gridIn(
  params: Params,
  chip: { readonly columns: number; readonly rows: number },
): readonly [number, number] | undefined {
  const named = /^(\d+)x(\d+)$/.exec(textIn(params, "grid", "core_grid"));
  if (named !== null) return [Number(named[1]), Number(named[2])];
  const cores = numberIn(params, "grid_cores", "cores");
  return cores === undefined ? undefined : rectangle(cores, chip);
}

/** Columns and rows of the widest rectangle of so many cores on a chip; `undefined` when none fits. */
export function rectangle(
  cores: number,
  chip: { readonly columns: number; readonly rows: number },
): readonly [number, number] | undefined {
  for (let columns = Math.min(chip.columns, cores); columns >= 1; columns--) {
    if (cores % columns === 0 && cores / columns <= chip.rows) return [columns, cores / columns];
  }
  return undefined;
}

/** Memory and pages of the operands (`input` is the first of `inputs`) and of the result of a measurement. */
export interface RowPlaces {
  readonly input: PlaceRequest;
  readonly inputs: readonly PlaceRequest[];
  readonly output: PlaceRequest;
}

/**
 * Parses the memory of a row: operands (comma-separated) before an arrow, `to` or `in,`, the result behind it.
 * Without an arrow, the result has the memory that {@linkcode placeIn} reads in the whole text. An operand or
 * result without a buffer type has that of the text before the arrow, by default DRAM; one without a sharding is
 * interleaved.
 *
 * @param tensors `cores`: those of sharded tensors whose text does not state a number; `tile`: page of all tensors,
 * `null` for row-major, `undefined` for tiles
 */
export function placesOf(
  memory: string,
  chip: { readonly columns: number; readonly rows: number },
  { cores, tile }: { readonly cores?: number | undefined; readonly tile?: null | undefined } = {},
): RowPlaces {
  const [before = "", after] = memory.split(/->|=>| to | in, /);
  const first = placeIn(before, DRAM, cores, chip);
  const paged = (place: PlaceRequest): PlaceRequest => tile === null ? { ...place, tile } : place;
  const inputs = before.split(",").map((part) => paged(placeIn(part, first, cores, chip)));
  const [input = paged(first)] = inputs;
  return { input, inputs, output: paged(after === undefined ? first : placeIn(after, first, cores, chip)) };
}

/**
 * The memory that a text names; if it names no buffer type, that of `otherwise`. Interleaved unless it is L1, a
 * sharding is named and its number of cores is known.
 *
 * @param cores cores of a sharded tensor if the text has no `N cores`
 */
export function placeIn(
  text: string,
  otherwise: PlaceRequest,
  cores: number | undefined,
  chip: { readonly columns: number; readonly rows: number },
): PlaceRequest {
  const bufferType = /\bDRAM\b/i.test(text)
    ? "dram"
    : /\bL1\b|shard|HEIGHT|WIDTH|BLOCK/i.test(text)
    ? "l1"
    : otherwise.bufferType;
  const own = Number(/(\d+) cores/.exec(text)?.[1] ?? cores ?? 0);
  const base = { bufferType } as const;
  if (own > 0 && bufferType === "l1") {
    if (/height/i.test(text)) return { ...base, memoryLayout: "height_sharded", grid: [own, 1] };
    if (/width/i.test(text)) return { ...base, memoryLayout: "width_sharded", grid: [1, own] };
    if (/block/i.test(text)) {
      const [columns, rows] = rectangle(own, chip) ?? [own, 1];
      return { ...base, memoryLayout: "block_sharded", grid: [rows, columns] };
    }
  }
  return { ...base, memoryLayout: "interleaved" };
}
