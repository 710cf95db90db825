// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../../lib/layout/data_type.ts";
import { largestDivisor } from "../../../lib/programs/matmul/matmul_blocking.ts";
import {
  attributesOf,
  DRAM,
  DRAM_ROWS,
  L1,
  type OpQuestion,
  type PlaceRequest,
  tensorAt,
} from "../op_question.ts";
import { isDramSharded, productQuestion, subblockOf } from "../questions/matmul.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import {
  dataTypeIn,
  dataTypesOf,
  NO_SHAPES,
  numberIn,
  placeIn,
  productExtents,
  rectangle,
  textIn,
} from "./texts.ts";
import { leaveOut, required } from "../row_model.ts";

/** Extents of a product, per batch. */
interface Extents {
  readonly batch: readonly number[];
  readonly m: number;
  readonly k: number;
  readonly n: number;
}

/** From `M`, `K` and `N`, or from a text: `32x512x2880` (M, K, N), `fwd_4096x96_x_96x768`, `…_Ta` with A transposed. */
function extentsOf(params: Params, missing: string): Extents {
  const told = productExtents(params);
  if (told !== undefined) {
    return { batch: [1, numberIn(params, "batch") ?? 1], m: told.M, k: told.K, n: told.N };
  }
  const text = textIn(params, "shape", "mkn");
  const sides = /(\d[\dx]*)_x_(\d[\dx]*)/.exec(text)?.slice(1).map((side) => side.split("x").map(Number));
  if (sides !== undefined) {
    const [a = [], b = []] = sides;
    const [rows = 1, columns = 1] = a.slice(-2);
    const transposed = params.a_transposed === true;
    return {
      batch: a.slice(0, -2),
      m: transposed ? columns : rows,
      k: transposed ? rows : columns,
      n: b.at(-1) ?? 1,
    };
  }
  const [, m = 1, k = 1, n = 1] = required(missing, /(\d+)x(\d+)x(\d+)/.exec(text)?.map(Number));
  return { batch: [1, 1], m, k, n };
}

/** A product as a row describes it: formats and places of both operands and of the result. */
interface ListedProduct extends Extents {
  readonly types: readonly [DataType, DataType, DataType];
  readonly places: readonly [PlaceRequest, PlaceRequest, PlaceRequest];
}

/** The question of a row's product; `program` names its program config, whose blocks the row states. */
function listedProduct(
  { batch, m, k, n, types, places }: ListedProduct,
  params: Params,
  program: string,
  chip: MeasuredChip,
): OpQuestion {
  const isBatched = batch.some((extent) => extent > 1);
  const transposed = params.a_transposed === true;
  return productQuestion({
    op: {
      params: { ...params, program },
      attributes: textIn(params, "config"),
      cores: numberIn(params, "cores") ?? 1,
      isCut: false,
    },
    inputs: [
      tensorAt([...batch, ...(transposed ? [k, m] : [m, k])], places[0], types[0]),
      tensorAt([...(isBatched ? batch : []), k, n], places[1], types[1]),
    ],
    outputs: [tensorAt([...batch, m, n], places[2], types[2])],
    chip,
  });
}

/**
 * The multicast that gives the row's cores an even share: the one that the row names, else 2D where the grid's share takes
 * the subblock, else 1D; none for rows without cores.
 */
function multicastOf(params: Params, { m, n }: Extents, chip: MeasuredChip): string {
  const cores = numberIn(params, "cores");
  const program = textIn(params, "program");
  if (cores === undefined) return "";
  const grid = rectangle(cores, chip);
  if (program.includes("1D")) return program;
  if (m <= 32 || grid === undefined) return "1D";
  const { height, width } = subblockOf({ params, attributes: textIn(params, "config") });
  const fits = Math.ceil(Math.ceil(m / 32) / grid[1]) % height === 0 &&
    Math.ceil(Math.ceil(n / 32) / grid[0]) % width === 0;
  return fits ? "2D" : "1D";
}

const NO_BLOCKS = "the blocks of the program config are not in the row";

/** Products: `ds` streams weights that are sharded over the banks of DRAM, `mcast` shares the activation. */
export const matmulOp: OpReader = ({ params, what }, chip) => {
  const extents = extentsOf(params, NO_SHAPES);
  const program = textIn(params, "op");
  if (!/^(matmul(_batched|_ds)?)?$/i.test(program)) leaveOut(`${program} is not an op of the dialect`);
  if (params.mkn !== undefined && params.dtype === undefined) leaveOut("the format is not in the row");
  const memory = textIn(params, "memory");
  const types = dataTypesOf(params);
  const weights = dataTypeIn(textIn(params, "weights", "in1") || /weights (\w+)/.exec(memory)?.[1] || "");
  const activation = dataTypeIn(textIn(params, "activations")) ?? types.inputs[0] ?? "bf16";
  const formats = [activation, weights ?? types.inputs[1] ?? activation, types.output] as const;
  const kernel = textIn(params, "kernel");
  if (params.in0_block_w === undefined && /DRAM-sharded|\dD mcast$/.test(what)) leaveOut(NO_BLOCKS);
  if (kernel === "ds" || isDramSharded(kernel)) return dramSharded(params, extents, formats, chip);
  const cores = numberIn(params, "cores");
  const placed = (name: string, otherwise: PlaceRequest) =>
    placeIn(textIn(params, name), otherwise, cores, chip);
  const everywhere = placeIn(memory.split(",")[0] ?? "", DRAM, cores, chip);
  const result = /L1/.test(memory) ? L1 : DRAM;
  const places = [placed("in0", everywhere), DRAM, placed("out", result)] as const;
  const product = { ...extents, types: formats, places };
  const question = listedProduct(product, params, multicastOf(params, extents, chip), chip);
  if (!hasBlocks(question) && /^\d+x\d+$/.test(textIn(params, "core_grid"))) {
    leaveOut("the core grid alone does not determine the blocks");
  }
  return [question];
};

/** Whether the row states the blocks of the program config. Without them, the backend derives them by rules of its own. */
function hasBlocks({ config }: OpQuestion): boolean {
  return config?.kind === "matmul" && config.programConfig !== undefined;
}

/** `8 of 128 experts`: the weights of the chosen ones, one product after the other; their number is known afterwards. */
export const sparseMatmulOp: OpReader = ({ params }, chip) => {
  const missing = "shapes and experts are not in the row";
  const extents = extentsOf(params, missing);
  const { m, k, n } = extents;
  const told = /(\d+) of (\d+) experts/.exec(textIn(params, "desc"))?.map(Number);
  const [, chosen, experts = 1] = required(missing, told);
  const { inputs: [a = "bf16", b = a], output } = dataTypesOf(params);
  const memory = textIn(params, "memory");
  const place = placeIn(memory, DRAM, undefined, chip);
  const result = /in0/.test(memory) ? DRAM : place;
  const product = { ...extents, types: [a, b, output], places: [place, DRAM, result] } as const;
  const ofOne = listedProduct(product, params, params.cores === undefined ? "" : "1D", chip);
  if (!hasBlocks(ofOne)) leaveOut(NO_BLOCKS);
  return [{
    ...ofOne,
    name: "ttnn.sparse_matmul",
    attributes: attributesOf({ is_input_a_sparse: false, is_input_b_sparse: true, nnz: chosen }),
    inputs: [
      tensorAt([1, 1, m, k], place, a),
      tensorAt([1, experts, k, n], DRAM, b),
      tensorAt([1, 1, 1, experts], DRAM_ROWS),
    ],
    outputs: [tensorAt([1, 1, 1, experts, m, n], result, output)],
    // The zeros that the result is filled with are a device operation of their own.
    only: "last",
  }];
};

/** Weights sharded over the banks of DRAM, activations and result by width in L1. */
function dramSharded(
  params: Params,
  extents: Extents,
  types: ListedProduct["types"],
  chip: MeasuredChip,
): readonly OpQuestion[] {
  const in0BlockW = required("the block of K is not in the row", numberIn(params, "in0_block_w"));
  const tilesN = Math.ceil(extents.n / 32);
  // Reports count the readers of DRAM; shards of the activation are whole blocks of K.
  const told = numberIn(params, "in0_cores") ??
    (textIn(params, "kernel") === "ds" ? numberIn(params, "cores") : undefined);
  const blocks = Math.floor(Math.ceil(extents.k / 32) / in0BlockW);
  const cores = told ?? largestDivisor(blocks, chip.columns * chip.rows);
  const width = (count: number): PlaceRequest => ({
    bufferType: "l1",
    memoryLayout: "width_sharded",
    grid: [1, count],
  });
  const places = [width(cores), DRAM, width(Math.ceil(tilesN / Math.ceil(tilesN / cores)))] as const;
  return [listedProduct({ ...extents, types, places }, params, "DRAM sharded", chip)];
}
