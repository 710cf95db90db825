// SPDX-License-Identifier: Apache-2.0
import { matrixCount } from "../../../lib/layout/extents.ts";
import { withDefaults } from "../../../lib/op_config/default_compute_config.ts";
import type { ComputeKernelConfig, MatmulProgramConfig } from "../../../lib/op_config/op_config.ts";
import {
  multicastAlongBothAxes,
  multicastAlongOneAxis,
  type MulticastBlocking,
} from "../../../lib/programs/matmul/matmul_blocks.ts";
import type { Subblock } from "../../../lib/programs/matmul/matmul_blocking.ts";
import { getDevice } from "../../devices/device_registry.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { type DeviceOp, type Stated, statedFlag, statedNumber, statedPair } from "../device_op.ts";
import { fidelityIn, rectangle, textIn } from "../measured_ops/texts.ts";
import { attributesOf, type OpQuestion, type PlacedTensor } from "../op_question.ts";
import type { PlacedOp, PlacedOpReader } from "./placed_op.ts";

/** A measured product: what its source states of the run, and its tensors where they lie. */
interface MeasuredProduct extends Pick<PlacedOp, "outputs" | "chip"> {
  readonly op: Stated & Pick<DeviceOp, "cores" | "isCut">;
  /** Both matrices, and a bias if there is one. */
  readonly inputs: readonly [a: PlacedTensor, b: PlacedTensor, ...rest: readonly PlacedTensor[]];
}

/** A matmul device op. */
export const matmulQuestion: PlacedOpReader = ({ inputs: [a, b, ...rest], ...placed }) =>
  a === undefined || b === undefined ? undefined : productQuestion({ ...placed, inputs: [a, b, ...rest] });

/** A product, its bias and its program config, as far as the source states it. */
export function productQuestion(
  { op, inputs: [whole, b, ...rest], outputs, chip }: MeasuredProduct,
): OpQuestion {
  const a = inRowBlocks(whole, op);
  const results = outputs.map((each) => inRowBlocks(each, op));
  const programConfig = matmulConfig({ op, inputs: [a, b], outputs: results, chip });
  // The program adds one row; profilers show it padded to a tile.
  const bias = rest.slice(0, 1).map((row): PlacedTensor => ({ ...row, shape: [row.shape.at(-1) ?? 1] }));
  const dramSharded = programConfig?.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded";
  const weight: PlacedTensor = dramSharded && b.place.memoryLayout === "interleaved"
    ? { ...b, place: { bufferType: "dram", memoryLayout: "width_sharded", grid: [1, chip.dramBanks] } }
    : b;
  return {
    name: bias.length > 0 ? "ttnn.linear" : "ttnn.matmul",
    attributes: attributesOf({
      transpose_a: isTransposed(op),
      transpose_b: statedFlag(op, "transpose_b") ?? false,
    }),
    inputs: [a, weight, ...bias],
    outputs: results,
    // A bias that is an operand of the device op is added by its program.
    ...(bias.length > 0 ? { isDeviceOperation: true } : {}),
    config: {
      kind: "matmul",
      computeConfig: productCompute(statedCompute(op), [a, b], outputs[0] ?? a, programConfig, chip),
      ...(programConfig === undefined ? {} : { programConfig }),
    },
  };
}

/** Whether the first matrix is multiplied transposed. */
function isTransposed(op: Stated): boolean {
  return statedFlag(op, "a_transposed") ?? false;
}

/** A matrix whose rows are taken in blocks one after the other (`8 of 512`), as a batch of them. */
function inRowBlocks(tensor: PlacedTensor, { params }: Stated): PlacedTensor {
  const [, blocks, rows] = /(\d+) of (\d+)/.exec(textIn(params, "row_blocks"))?.map(Number) ?? [];
  return blocks === undefined || rows === undefined
    ? tensor
    : { ...tensor, shape: [1, blocks, rows, tensor.shape.at(-1) ?? 1] };
}

/** The fields of a compute config that a source states. */
export function statedCompute(op: Stated): ComputeKernelConfig {
  const mathFidelity = fidelityIn(textIn(op.params, "fidelity", "math_fidelity", "dtypes"));
  const packerL1Acc = statedFlag(op, "packer_l1_acc");
  const fp32DestAccEn = statedFlag(op, "fp32_dest_acc_en", "fp32_dest_acc", "fp32_acc");
  return {
    ...(mathFidelity === undefined ? {} : { mathFidelity }),
    ...(fp32DestAccEn === undefined ? {} : { fp32DestAccEn }),
    ...(packerL1Acc === undefined ? {} : { packerL1Acc }),
  };
}

/** The compute config of a measured product: what its source states, and the backend's defaults for the rest. */
function productCompute(
  stated: ComputeKernelConfig,
  operands: readonly Pick<PlacedTensor, "dataType">[],
  result: Pick<PlacedTensor, "dataType">,
  programConfig: MatmulProgramConfig | undefined,
  chip: MeasuredChip,
): ComputeKernelConfig {
  return withDefaults(stated, {
    op: "ttnn.matmul",
    operands: operands.map(({ dataType }) => dataType),
    result: result.dataType,
    isPlanned: programConfig !== undefined,
    architecture: getDevice(chip.device).architecture,
  });
}

/** Whether a text names the program that streams weights from shards in the banks of DRAM. */
export function isDramSharded(text: string): boolean {
  return /DRAM.?sharded/i.test(text);
}

/** Program config from the printed fields; block sizes that are not printed divide the tensors evenly among the cores. */
function matmulConfig({ op, inputs, outputs, chip }: MeasuredProduct): MatmulProgramConfig | undefined {
  const program = textIn(op.params, "program", "program_config");
  const in0BlockW = statedNumber(op, "in0_block_w");
  const depth = Math.ceil((inputs[0].shape.at(isTransposed(op) ? -2 : -1) ?? 1) / 32);
  if (in0BlockW === undefined || depth % in0BlockW !== 0) return undefined;
  const { tilesM, tilesN, fuseBatch } = productTiles(op, inputs[1].shape, outputs[0]?.shape ?? []);
  const [perCoreM, perCoreN] = [statedNumber(op, "per_core_M"), statedNumber(op, "per_core_N")];
  if (isDramSharded(program)) {
    const shards = inputs[0].place.grid?.at(-1) ?? chip.dramBanks;
    return {
      kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
      in0BlockW,
      perCoreM: perCoreM ?? tilesM,
      perCoreN: perCoreN ?? Math.ceil(tilesN / shards),
    };
  }
  const grid = statedPair(op, "grid", "compute_with_storage_grid_size") ?? rectangle(op.cores, chip) ??
    [chip.columns, chip.rows];
  const [gridX, gridY] = grid;
  const blocking = (rows: number, columns: number): MulticastBlocking => {
    const [height, width] = statedPair(op, "out_block") ??
      [statedNumber(op, "out_block_h") ?? rows, statedNumber(op, "out_block_w") ?? columns];
    return {
      grid,
      perCoreM: rows,
      perCoreN: columns,
      block: { height, width, in0BlockW },
      subblock: subblockOf(op),
    };
  };
  if (/1D/.test(program)) {
    // The backend multicasts the operand of the shorter side, which a config that is cut short leaves to be told.
    const wide = statedFlag(op, "mcast_in0") ?? (op.isCut ? tilesN > tilesM : !/mcast.in1/.test(program));
    const cores = op.isCut ? gridX * gridY : op.cores;
    const perCore = wide
      ? blocking(perCoreM ?? tilesM, perCoreN ?? Math.ceil(tilesN / cores))
      : blocking(perCoreM ?? Math.ceil(tilesM / cores), perCoreN ?? tilesN);
    return multicastAlongOneAxis(perCore, { mcastIn0: wide, fuseBatch });
  }
  if (!/2D|MultiCastProgramConfig/.test(program)) return undefined;
  const perCore = blocking(perCoreM ?? Math.ceil(tilesM / gridY), perCoreN ?? Math.ceil(tilesN / gridX));
  return multicastAlongBothAxes(perCore, { fuseBatch });
}

/** Tiles of a block of the result that are made at once; one where the source does not say. */
export function subblockOf(op: Stated): Subblock {
  const [height, width] = statedPair(op, "out_subblock", "subblock") ??
    [statedNumber(op, "out_subblock_h") ?? 1, statedNumber(op, "out_subblock_w") ?? 1];
  return { height, width };
}

/** Tiles of a product down and across, the matrices of a batch below each other where they are multiplied as one. */
function productTiles(
  op: Stated,
  weights: readonly number[],
  shape: readonly number[],
): { readonly tilesM: number; readonly tilesN: number; readonly fuseBatch: boolean } {
  const [rows = 1, columns = 1] = shape.slice(-2);
  // A batch of weights cannot be multiplied as one matrix.
  const fuseBatch = statedFlag(op, "fuse_batch") !== false && matrixCount(weights) === 1 &&
    textIn(op.params, "row_blocks") === "";
  return {
    tilesM: Math.ceil(rows / 32) * (fuseBatch ? matrixCount(shape) : 1),
    tilesN: Math.ceil(columns / 32),
    fuseBatch,
  };
}
