// SPDX-License-Identifier: Apache-2.0
import { matrixCount } from "../../../lib/layout/extents.ts";
import type { ComputeKernelConfig, MatmulProgramConfig } from "../../../lib/op_config/op_config.ts";
import {
  multicastAlongBothAxes,
  multicastAlongOneAxis,
  type MulticastBlocking,
} from "../../../lib/programs/multicast_config.ts";
import { fidelityIn, numberIn, rectangle, textIn } from "../measured_ops/texts.ts";
import { attributesOf, type PlacedTensor } from "../op_question.ts";
import type { ProfiledOp } from "./profiled_op.ts";
import { pairIn, type Placed, type Reader } from "./profiled_reader.ts";

/** A matmul, its bias and its program config, as far as the profile prints it. */
export const profiledMatmul: Reader = (placed) => {
  const { op, inputs: [whole, b, ...rest], outputs, chip } = placed;
  if (whole === undefined || b === undefined) return undefined;
  const a = inRowBlocks(whole, op);
  const programConfig = matmulConfig({
    ...placed,
    inputs: [a, b],
    outputs: outputs.map((each) => inRowBlocks(each, op)),
  });
  // The program adds one row; profiles show it padded to a tile.
  const bias = rest.slice(0, 1).map((row): PlacedTensor => ({ ...row, shape: [row.shape.at(-1) ?? 1] }));
  const dramSharded = programConfig?.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded";
  const weight: PlacedTensor = dramSharded && b.place.memoryLayout === "interleaved"
    ? { ...b, place: { bufferType: "dram", memoryLayout: "width_sharded", grid: [1, chip.dramBanks] } }
    : b;
  const transposed = /transpose_b=(1|true)/.test(op.attributes);
  return {
    name: bias.length > 0 ? "ttnn.linear" : "ttnn.matmul",
    attributes: attributesOf({ transpose_a: false, transpose_b: transposed }),
    inputs: [a, weight, ...bias],
    outputs: outputs.map((each) => inRowBlocks(each, op)),
    config: {
      kind: "matmul",
      computeConfig: computeConfigOf(op),
      ...(programConfig === undefined ? {} : { programConfig }),
    },
  };
};

/** A matrix whose rows are taken in blocks one after the other (`8 of 512`), as a batch of them. */
function inRowBlocks(tensor: PlacedTensor, { params }: ProfiledOp): PlacedTensor {
  const [, blocks, rows] = /(\d+) of (\d+)/.exec(textIn(params, "row_blocks"))?.map(Number) ?? [];
  return blocks === undefined || rows === undefined
    ? tensor
    : { ...tensor, shape: [1, blocks, rows, tensor.shape.at(-1) ?? 1] };
}

/** Compute config as the profile says it. */
export function computeConfigOf({ params, attributes }: ProfiledOp): ComputeKernelConfig {
  const mathFidelity = fidelityIn(textIn(params, "fidelity", "math_fidelity"));
  const flag = (name: RegExp) => /(1|true)/.exec(name.exec(attributes)?.[1] ?? "") !== null;
  return {
    ...(mathFidelity === undefined ? {} : { mathFidelity }),
    fp32DestAccEn: flag(/fp32(?:_dest)?_acc(?:_en)?[= ](\w+)/) || params.fp32_dest_acc === true,
    packerL1Acc: flag(/packer_l1_acc=(\w+)/) || params.packer_l1_acc === true,
  };
}

/** Program config from the printed fields; what is not printed is an even share of the cores. */
function matmulConfig({ op, inputs, outputs, chip }: Placed): MatmulProgramConfig | undefined {
  const { params } = op;
  const program = textIn(params, "program", "program_config");
  const in0BlockW = numberIn(params, "in0_block_w");
  const depth = Math.ceil((inputs[0]?.shape.at(-1) ?? 1) / 32);
  if (in0BlockW === undefined || depth % in0BlockW !== 0) return undefined;
  const { tilesM, tilesN, fuseBatch } = productTiles(op, outputs[0]?.shape ?? []);
  const [perCoreM, perCoreN] = [numberIn(params, "per_core_M"), numberIn(params, "per_core_N")];
  if (/DRAM.?sharded/i.test(program)) {
    const shards = inputs[0]?.place.grid?.at(-1) ?? chip.dramBanks;
    return {
      kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
      in0BlockW,
      perCoreM: perCoreM ?? tilesM,
      perCoreN: perCoreN ?? Math.ceil(tilesN / shards),
    };
  }
  const [subblockH = 1, subblockW = 1] = pairIn(params.out_subblock) ?? [];
  const grid = pairIn(params.grid) ?? rectangle(op.cores, chip) ?? [chip.columns, chip.rows];
  const [gridX, gridY] = [grid[0] ?? 1, grid[1] ?? 1];
  const blocking = (rows: number, columns: number): MulticastBlocking => {
    const [height = rows, width = columns] = pairIn(params.out_block) ?? [];
    return {
      grid: [gridX, gridY],
      perCoreM: rows,
      perCoreN: columns,
      block: { height, width, in0BlockW },
      subblock: [subblockH, subblockW],
    };
  };
  if (/1D/.test(program)) {
    const tall = /mcast_in1|mcast_in0=0/.test(`${program} ${op.attributes}`) || params.mcast_in0 === false;
    const perCore = tall
      ? blocking(perCoreM ?? Math.ceil(tilesM / op.cores), perCoreN ?? tilesN)
      : blocking(perCoreM ?? tilesM, perCoreN ?? Math.ceil(tilesN / op.cores));
    return multicastAlongOneAxis(perCore, { mcastIn0: !tall, fuseBatch });
  }
  if (!/2D|MultiCastProgramConfig/.test(program)) return undefined;
  const perCore = blocking(perCoreM ?? Math.ceil(tilesM / gridY), perCoreN ?? Math.ceil(tilesN / gridX));
  return multicastAlongBothAxes(perCore, { fuseBatch });
}

/** Tiles of a product down and across, the matrices of a batch below each other where they are multiplied as one. */
function productTiles(
  { params, attributes }: ProfiledOp,
  shape: readonly number[],
): { readonly tilesM: number; readonly tilesN: number; readonly fuseBatch: boolean } {
  const [rows = 1, columns = 1] = shape.slice(-2);
  const batch = matrixCount(shape);
  // A batch of weights cannot be multiplied as one matrix.
  const fuseBatch = textIn(params, "fuse_batch") !== "0" && !/fuse_batch 0/.test(attributes) &&
    params.in1_batched !== true && textIn(params, "row_blocks") === "";
  return {
    tilesM: Math.ceil(rows / 32) * (fuseBatch ? batch : 1),
    tilesN: Math.ceil(columns / 32),
    fuseBatch,
  };
}
