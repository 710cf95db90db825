// SPDX-License-Identifier: Apache-2.0
import { physicalExtent } from "../../../lib/layout/make_layout.ts";
import type { ProgramTensor } from "../../../lib/programs/program_tensor.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { dataTypeIn, placeIn } from "../measured_ops/texts.ts";
import { DRAM, type OpQuestion, placedProgramTensor, type PlacedTensor, tensorAt } from "../op_question.ts";
import type { DeviceOp, DeviceTensor } from "../device_op.ts";

/** A device op with its tensors placed. */
export interface PlacedOp {
  readonly op: DeviceOp;
  readonly inputs: readonly PlacedTensor[];
  readonly outputs: readonly PlacedTensor[];
  readonly chip: MeasuredChip;
}

/** The op of the dialect that a device op carries out; `undefined` if what decides its time is not stated. */
export type PlacedOpReader = (
  placed: PlacedOp,
) => Omit<OpQuestion, "inputs" | "outputs"> & Partial<OpQuestion> | undefined;

/** Places the tensors of a device op. */
export function placeOp(op: DeviceOp, chip: MeasuredChip): PlacedOp {
  const place = (tensor: DeviceTensor) => placedTensor(tensor, op.cores, chip);
  return { op, inputs: op.inputs.map(place), outputs: op.outputs.map(place), chip };
}

/**
 * The tensors of a device op as programs see them.
 *
 * @throws {LayoutError} if one cannot lie as printed
 */
export function programTensors(
  op: DeviceOp,
  chip: MeasuredChip,
): { readonly inputs: readonly ProgramTensor[]; readonly outputs: readonly ProgramTensor[] } {
  const workers = { rows: chip.rows, columns: chip.columns };
  const view = (tensor: PlacedTensor) => placedProgramTensor(tensor, workers, chip.dramBanks);
  const { inputs, outputs } = placeOp(op, chip);
  return { inputs: inputs.map(view), outputs: outputs.map(view) };
}

/** A tensor where it lies. Shards that the source does not print are spread over the cores of the op. */
export function placedTensor(tensor: DeviceTensor, cores: number, chip: MeasuredChip): PlacedTensor {
  const { shape, tiled, dtype, memory, shardShape } = tensor;
  const dataType = dataTypeIn(dtype.replace(/^i32$/, "int32").replace(/^u/, "uint")) ?? "bf16";
  const page = tiled ? {} : { tile: null };
  const bufferType = /dram/i.test(memory) ? "dram" : "l1";
  const layout = /(height|width|block)_?\s?sharded/i.exec(memory)?.[1]?.toLowerCase();
  if (layout === undefined) {
    return tensorAt(shape, { ...placeIn(memory, DRAM, undefined, chip), ...page }, dataType);
  }
  const [rows, columns] = physicalExtent(shape, tiled ? { height: 32, width: 32 } : undefined);
  const [alongRows, alongColumns] = shardShape === undefined
    ? spread(layout, bufferType === "dram" ? chip.dramBanks : cores, [rows, columns], chip)
    : [Math.ceil(rows / shardShape[0]), Math.ceil(columns / shardShape[1])];
  const base = { bufferType, ...page } as const;
  switch (layout) {
    case "height":
      return tensorAt(shape, { ...base, memoryLayout: "height_sharded", grid: [alongRows, 1] }, dataType);
    case "width":
      return tensorAt(shape, { ...base, memoryLayout: "width_sharded", grid: [1, alongColumns] }, dataType);
    default: {
      const grid = [alongRows, alongColumns];
      const isTransposed = alongRows > chip.rows || alongColumns > chip.columns;
      const orientation = isTransposed ? { shardOrientation: "col_major" } as const : {};
      return tensorAt(shape, { ...base, memoryLayout: "block_sharded", grid, ...orientation }, dataType);
    }
  }
}

/**
 * Shards along rows and columns of so many cores; blocks where the fewest elements are padding, on the tallest grid that
 * has so few; on a column-major grid only if every row-major one has more.
 */
function spread(
  layout: string,
  cores: number,
  [height, width]: readonly [number, number],
  chip: MeasuredChip,
): readonly [number, number] {
  if (layout === "height") return [cores, 1];
  if (layout === "width") return [1, cores];
  let best: readonly [number, number] = [cores, 1];
  let fewest = Infinity;
  for (const [mostRows, mostColumns] of [[chip.rows, chip.columns], [chip.columns, chip.rows]] as const) {
    for (let rows = Math.min(mostRows, cores); rows >= 1; rows--) {
      const columns = cores / rows;
      if (!Number.isInteger(columns) || columns > mostColumns) continue;
      const tilesPerShard = Math.ceil(height / 32 / rows) * Math.ceil(width / 32 / columns);
      if (tilesPerShard < fewest) [best, fewest] = [[rows, columns], tilesPerShard];
    }
  }
  return best;
}
