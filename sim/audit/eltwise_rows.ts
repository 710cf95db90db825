// SPDX-License-Identifier: Apache-2.0
import { DRAM, L1, placedProgramTensor } from "./op_question.ts";
import { ttnnFormat } from "../../lib/layout/data_type.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import type { ProgramTensor } from "../../lib/programs/program_tensor.ts";
import { microsecondsOf } from "../kernels/kernel.ts";
import { priceLaunch } from "../kernels/price_program.ts";
import { integersIn, numberIn, textIn } from "./measured_ops/texts.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { bytesOf, leaveOut, requiring, type RowReading } from "./row_model.ts";

/** Ratio to the neighbours' median beyond which a measurement contradicts them. */
const CONTRADICTION = 1.6;

/**
 * Rows of unary sweeps. Excludes a row whose time per tile differs by a factor of more than 1.6 from that of
 * rows of the same data type with nearly as many tiles per core: the sweep's aggregation mixed other ops into
 * some shapes (the same shape in another data type looks normal). The test uses measurements only.
 */
export function unaryRow(row: MeasuredRow, neighbours: (row: MeasuredRow) => number | undefined): RowReading {
  const need = requiring("shape, data type or time is missing");
  const shape = need(integersIn(row.shapes["in0"]));
  const us = need(numberIn(row.measured, "us"));
  const dataType = need(ttnnFormat(row.dtype === "bfloat8" ? "bfloat8_b" : row.dtype));
  if (row.quality !== "" && row.quality !== "ok") leaveOut(`flagged: ${row.quality}`);
  if (contradicts(timePerTile(row), neighbours(row))) {
    leaveOut("contradicts the rows with as many tiles per core");
  }
  const input = interleavedTensor({ shape, dataType }, textIn(row.layouts, "in0"));
  const output = interleavedTensor({ shape, dataType }, textIn(row.layouts, "out"));
  return {
    costClass: "eltwise_unary",
    placement: input.placement,
    configuration: [row.group, shape.join("x"), row.dtype, textIn(row.layouts, "in0")].join(" "),
    table: `${row.dtype} ${textIn(row.layouts, "in0")}`,
    measured: us,
    unit: "us",
    predict: (device) => {
      const op = {
        name: `ttnn.${row.op}`,
        attributes: new Map(),
        inputs: [input],
        outputs: [output],
        config: undefined,
      };
      return microsecondsOf(device, priceLaunch("eltwise_unary", op, device).cycles);
    },
    work: { flops: 0, tileCycles: 0, elements: input.tiles * 1024, ...bytesOf([input], output) },
  };
}

function contradicts(perTile: number | undefined, typical: number | undefined): boolean {
  if (perTile === undefined || typical === undefined) return false;
  return Math.max(perTile / typical, typical / perTile) > CONTRADICTION;
}

/** A tensor of a sweep, which ran on n150. */
function interleavedTensor(tensor: TensorShape, layout: string): ProgramTensor {
  const place = layout.startsWith("DRAM") ? DRAM : L1;
  return placedProgramTensor({ ...tensor, place }, { rows: 8, columns: 8 }, 12);
}

/**
 * Median time per tile of the up to twelve other unflagged rows of the same op and data type that are nearest in tiles
 * per core (less than a factor of 1.42 away); `undefined` when there are fewer than five.
 */
export function unaryNeighbours(rows: readonly MeasuredRow[]): (row: MeasuredRow) => number | undefined {
  const sets = new Map<string, { row: MeasuredRow; tiles: number; perTile: number }[]>();
  for (const row of rows) {
    if (row.group !== "eltwise_unary" || (row.quality !== "" && row.quality !== "ok")) continue;
    const tiles = numberIn(row.config, "tiles_per_core");
    const perTile = timePerTile(row);
    if (tiles === undefined || perTile === undefined) continue;
    sets.getOrInsertComputed(`${row.op} ${row.dtype}`, () => []).push({ row, tiles, perTile });
  }
  return (row) => {
    const tiles = numberIn(row.config, "tiles_per_core");
    if (tiles === undefined) return undefined;
    const near = (sets.get(`${row.op} ${row.dtype}`) ?? [])
      .filter((other) => other.row !== row && Math.abs(Math.log(other.tiles / tiles)) < 0.35)
      .sort((a, b) => Math.abs(Math.log(a.tiles / tiles)) - Math.abs(Math.log(b.tiles / tiles)))
      .slice(0, 12)
      .map((other) => other.perTile)
      .sort((a, b) => a - b);
    return near.length < 5 ? undefined : near[Math.floor(near.length / 2)];
  };
}

/** µs per tile of a core, where the start of the kernel counts as one more tile. */
function timePerTile(row: MeasuredRow): number | undefined {
  const tiles = numberIn(row.config, "tiles_per_core");
  const us = numberIn(row.measured, "us");
  if (tiles === undefined || us === undefined || tiles <= 0) return undefined;
  return us / (tiles + 1);
}
