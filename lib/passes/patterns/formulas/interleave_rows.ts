// SPDX-License-Identifier: Apache-2.0
import { attributeText } from "../../../ir/mod.ts";
import { volume } from "../../../layout/extents.ts";
import { CONSTANT } from "../../../ops/attributes/creation.ts";
import { SCATTER } from "../../../ops/attributes/movement.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { constantOf, eitherOrder, isFasterBeyondError, isPlain, madeBy } from "../matching.ts";

/**
 * Interleaves even and odd rows by a concat: `lax.associative_scan` adds two pads between rows, and upstream spells each as
 * a scatter of single elements into zeros, at places from a constant.
 */
export const interleaveRows: RewritePattern = replacing({
  name: "interleave-rows",
  upstream: "none",
  roots: ["ttnn.add"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    if (!isPlain(result.type)) return undefined;
    for (const [a, b] of eitherOrder(op)) {
      const [even, odd] = [spreadRows(a, 0, site.context), spreadRows(b, 1, site.context)];
      if (even === undefined || odd === undefined || even.width !== odd.width) continue;
      const { total } = even;
      if (odd.total !== total || volume(result.type.shape) !== total) continue;
      if (even.rows !== even.count + odd.count || ![0, 1].includes(even.count - odd.count)) continue;
      return interleaved(site, even, odd, result.type.shape);
    }
    return undefined;
  },
});

/** Rows in every second place of zeros. */
interface SpreadRows {
  /** Before they were made elements of one row. */
  readonly source: TensorValue;
  readonly count: number;
  /** Elements of a row. */
  readonly width: number;
  /** Rows of the result, and its elements. */
  readonly rows: number;
  readonly total: number;
}

/** The rows that a scatter spreads, from the first or second place on; `undefined` where it does anything else. */
function spreadRows(value: TensorValue, first: 0 | 1, context: PassContext): SpreadRows | undefined {
  const scatter = madeBy(belowViews(value), "scatter");
  const [table, index, updates] = [0, 1, 2].map((at) => scatter?.tensorOperand(at));
  if (scatter === undefined || table === undefined || index === undefined || updates === undefined) {
    return undefined;
  }
  const replaces = scatter.read(SCATTER).scatter_reduce_type?.includes("invalid") ?? true;
  if (!replaces || table.type.shape.length !== 1 || constantOf(table, context) !== 0) return undefined;
  const places = integersOf(index);
  if (places === undefined || places.length !== volume(updates.type.shape)) return undefined;
  const jump = places.findIndex((place, at) => at > 0 && place !== (places[at - 1] ?? 0) + 1);
  const width = jump < 0 ? places.length : jump;
  const [total, count] = [volume(table.type.shape), places.length / width];
  const source = rowsBelow(updates, count);
  const isEverySecond = places.every((place, at) =>
    place === (2 * Math.floor(at / width) + first) * width + at % width
  );
  if (!isEverySecond || total % width !== 0 || source?.type.dataType !== table.type.dataType) {
    return undefined;
  }
  return { source, count, width, rows: total / width, total };
}

/** The tensor in tiles below reshapes and page conversions that has so many rows, of any rank. */
function rowsBelow(value: TensorValue, count: number): TensorValue | undefined {
  const { shape } = value.type;
  if (isPlain(value.type) && shape.length > 1 && shape[0] === count) return value;
  const below = madeBy(value, "reshape", "to_layout")?.tensorOperand(0);
  return below === undefined ? undefined : rowsBelow(below, count);
}

/** The tensor below reshapes and page conversions. */
function belowViews(value: TensorValue): TensorValue {
  const below = madeBy(value, "reshape", "to_layout")?.tensorOperand(0);
  return below === undefined ? value : belowViews(below);
}

/** The whole numbers of a constant of 32-bit integers. */
function integersOf(value: TensorValue): readonly number[] | undefined {
  const { producer, type } = belowViews(value);
  const constant = producer?.name === "ttnn.constant" ? producer.read(CONSTANT).value : undefined;
  const is32 = type.kind === "tensor" && (type.dataType === "si32" || type.dataType === "u32");
  if (constant === undefined || !is32) return undefined;
  const dense = attributeText(constant);
  const hex = /^dense<"0x([0-9A-Fa-f]*)">/.exec(dense)?.[1];
  if (hex === undefined) {
    return [...dense.slice(0, dense.lastIndexOf(":")).matchAll(/-?\d+/g)].map(Number);
  }
  const bytes = new DataView(Uint8Array.fromHex(hex).buffer);
  return Array.from({ length: bytes.byteLength / 4 }, (_, at) => bytes.getInt32(4 * at, true));
}

/** Even and odd rows in turn, the last even one alone if there is one more of these. */
function interleaved(
  site: PassBuilder,
  even: SpreadRows,
  odd: SpreadRows,
  shape: readonly number[],
): TensorValue {
  const [, ...row] = even.source.type.shape;
  const pairs = [even, odd].map(({ source }) => {
    const whole = site.slice(source, 0, { from: 0, to: odd.count });
    return site.reshape(whole, [odd.count, 1, ...row]);
  });
  const joined = site.reshape(site.inferred("ttnn.concat", pairs, { dim: 1 }), [2 * odd.count, ...row]);
  if (even.count === odd.count) return site.reshape(joined, shape);
  const last = site.slice(even.source, 0, { from: odd.count, to: even.count });
  return site.reshape(site.inferred("ttnn.concat", [joined, last], { dim: 0 }), shape);
}
