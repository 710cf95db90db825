// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../../lib/layout/data_type.ts";
import type {
  ComputeKernelConfig,
  MatmulProgramConfig,
  OpSpecificAttributes,
} from "../../../lib/op_config/op_config.ts";
import { largestDivisor, type Subblock } from "../../../lib/programs/matmul/matmul_blocking.ts";
import {
  multicastAlongBothAxes,
  multicastAlongOneAxis,
  type MulticastBlocking,
} from "../../../lib/programs/matmul/matmul_blocks.ts";
import { attributesOf, DRAM, DRAM_ROWS, L1, type PlaceRequest } from "../op_question.ts";
import { isDramSharded, productCompute } from "../questions/matmul.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import { dataTypeIn, dataTypesOf, fidelityIn, numberIn, placeIn, rectangle, textIn } from "./texts.ts";

/** Extents of a product, per batch. */
interface Extents {
  readonly batch: readonly number[];
  readonly m: number;
  readonly k: number;
  readonly n: number;
}

/** From `M`, `K` and `N`, or from a text: `32x512x2880` (M, K, N), `fwd_4096x96_x_96x768`, `…_Ta` with A transposed. */
function extentsOf(params: Params): Extents | undefined {
  const [m, k, n] = ["M", "K", "N"].map((name) => numberIn(params, name));
  if (m !== undefined && k !== undefined && n !== undefined) {
    const batch = numberIn(params, "batch") ?? 1;
    return { batch: [1, batch], m, k, n };
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
  const plain = /(\d+)x(\d+)x(\d+)/.exec(text)?.slice(1).map(Number);
  const [first, second, third] = plain ?? [];
  if (first === undefined || second === undefined || third === undefined) return undefined;
  return { batch: [1, 1], m: first, k: second, n: third };
}

/**
 * The multicast config that gives so many cores an even share, with the blocks that the row states: 2D where the grid's
 * share takes the subblock, else 1D.
 */
function multicastConfig(
  params: Params,
  { batch, m, k, n }: Extents,
  chip: MeasuredChip,
): MatmulProgramConfig | undefined {
  const in0BlockW = numberIn(params, "in0_block_w") ??
    Number(/in0_block_w (\d+)/.exec(textIn(params, "config"))?.[1] ?? 0);
  const cores = numberIn(params, "cores");
  const [tilesM = 1, tilesK = 1, tilesN = 1] = [m, k, n].map((extent) => Math.ceil(extent / 32));
  if (in0BlockW === 0 || cores === undefined || tilesK % in0BlockW !== 0) return undefined;
  const subblock = subblockOf(params);
  const fuseBatch = batch.every((extent) => extent === 1);
  const grid = rectangle(cores, chip);
  const blocking = (perCoreM: number, perCoreN: number): MulticastBlocking => ({
    grid: grid ?? [chip.columns, chip.rows],
    perCoreM,
    perCoreN,
    block: { height: perCoreM, width: perCoreN, in0BlockW },
    subblock,
  });
  const program = textIn(params, "program");
  if (tilesM > 1 && grid !== undefined && !program.includes("1D")) {
    const [perCoreM, perCoreN] = [Math.ceil(tilesM / grid[1]), Math.ceil(tilesN / grid[0])];
    if (perCoreM % subblock.height === 0 && perCoreN % subblock.width === 0) {
      return multicastAlongBothAxes(blocking(perCoreM, perCoreN), { fuseBatch });
    }
  }
  const tall = program.includes("mcast in1");
  const perCore = tall
    ? blocking(numberIn(params, "per_core_M") ?? Math.ceil(tilesM / cores), tilesN)
    : blocking(tilesM, Math.ceil(tilesN / cores));
  return multicastAlongOneAxis(perCore, { mcastIn0: !tall, fuseBatch });
}

/** Height and width as in `4x1`, `[4, 2]` or `subblock 1x2`; one tile when the row does not say. */
function subblockOf(params: Params): Subblock {
  const value = params.out_subblock ?? params.subblock ?? textIn(params, "config");
  const match = /(\d+)\D+(\d+)$/.exec(JSON.stringify(value ?? "").replaceAll(/["\]]/g, ""));
  return { height: Number(match?.[1] ?? 1), width: Number(match?.[2] ?? 1) };
}

/** The fields of the compute config that the row states. */
function statedCompute(params: Params): ComputeKernelConfig {
  const mathFidelity = fidelityIn(`${textIn(params, "fidelity")} ${textIn(params, "dtypes")}`);
  const { packer_l1_acc: packerL1Acc } = params;
  return {
    ...(mathFidelity === undefined ? {} : { mathFidelity }),
    ...(typeof packerL1Acc === "boolean" ? { packerL1Acc } : {}),
  };
}

function question(
  { batch, m, k, n }: Extents,
  types: readonly [DataType, DataType, DataType],
  places: readonly [PlaceRequest, PlaceRequest, PlaceRequest],
  programConfig: MatmulProgramConfig | undefined,
  params: Params,
  chip: MeasuredChip,
) {
  const transposed = params.a_transposed === true;
  const batchB = batch.some((extent) => extent > 1) ? batch : [];
  return [{
    name: "ttnn.matmul",
    attributes: attributesOf({ transpose_a: transposed, transpose_b: false }),
    inputs: [
      { shape: [...batch, ...(transposed ? [k, m] : [m, k])], dataType: types[0], place: places[0] },
      { shape: [...batchB, k, n], dataType: types[1], place: places[1] },
    ],
    outputs: [{ shape: [...batch, m, n], dataType: types[2], place: places[2] }],
    config: configOf(params, types, programConfig, chip),
  }];
}

/** The config of a product: what the row states, and the backend's defaults for the rest. */
function configOf(
  params: Params,
  [a, b, result]: readonly [DataType, DataType, DataType],
  programConfig: MatmulProgramConfig | undefined,
  chip: MeasuredChip,
): OpSpecificAttributes {
  const operands = [{ dataType: a }, { dataType: b }];
  const computeConfig = productCompute(
    statedCompute(params),
    operands,
    { dataType: result },
    programConfig,
    chip,
  );
  return { kind: "matmul", computeConfig, ...(programConfig === undefined ? {} : { programConfig }) };
}

/** Products: `ds` streams weights that are sharded over the banks of DRAM, `mcast` shares the activation. */
export const matmulOp: OpReader = ({ params, what }, chip) => {
  const extents = extentsOf(params);
  if (extents === undefined) return "shapes are not in the row";
  const program = textIn(params, "op");
  if (!/^(matmul(_batched|_ds)?)?$/i.test(program)) return `${program} is not an op of the dialect`;
  if (params.mkn !== undefined && params.dtype === undefined) return "the format is not in the row";
  const memory = textIn(params, "memory");
  const types = dataTypesOf(params);
  const weights = dataTypeIn(textIn(params, "weights", "in1") || /weights (\w+)/.exec(memory)?.[1] || "");
  const activation = dataTypeIn(textIn(params, "activations")) ?? types.inputs[0] ?? "bf16";
  const formats = [activation, weights ?? types.inputs[1] ?? activation, types.output] as const;
  const kernel = textIn(params, "kernel");
  const sharded = kernel === "ds" || isDramSharded(kernel);
  if (params.in0_block_w === undefined && /DRAM-sharded|\dD mcast$/.test(what)) {
    return "the blocks of the program config are not in the row";
  }
  if (sharded) return dramSharded(params, extents, formats, chip);
  const programConfig = multicastConfig(params, extents, chip) ?? gridConfig(params);
  const cores = numberIn(params, "cores");
  const placed = (name: string, otherwise: PlaceRequest) =>
    placeIn(textIn(params, name), otherwise, cores, chip);
  const everywhere = placeIn(memory.split(",")[0] ?? "", DRAM, cores, chip);
  const result = /L1/.test(memory) ? L1 : DRAM;
  const places = [placed("in0", everywhere), DRAM, placed("out", result)] as const;
  if (programConfig === "grid") return "the core grid alone does not determine the blocks";
  return question(extents, formats, places, programConfig, params, chip);
};

/** `8 of 128 experts`: the weights of the chosen ones, one product after the other; their number is known afterwards. */
export const sparseMatmulOp: OpReader = ({ params }, chip) => {
  const extents = extentsOf(params);
  const [, chosen, experts] = (/(\d+) of (\d+) experts/.exec(textIn(params, "desc")) ?? []).map(Number);
  if (extents === undefined || chosen === undefined || experts === undefined) {
    return "shapes and experts are not in the row";
  }
  const { m, k, n } = extents;
  const programConfig = multicastConfig({ ...params, program: "1D" }, extents, chip);
  if (programConfig === undefined) return "the blocks of the program config are not in the row";
  const { inputs: [a = "bf16", b = a], output } = dataTypesOf(params);
  const memory = textIn(params, "memory");
  const result = /in0/.test(memory) ? DRAM : placeIn(memory, DRAM, undefined, chip);
  return [{
    name: "ttnn.sparse_matmul",
    attributes: attributesOf({ is_input_a_sparse: false, is_input_b_sparse: true, nnz: chosen }),
    inputs: [
      { shape: [1, 1, m, k], dataType: a, place: placeIn(memory, DRAM, undefined, chip) },
      { shape: [1, experts, k, n], dataType: b, place: DRAM },
      { shape: [1, 1, 1, experts], dataType: "bf16", place: DRAM_ROWS },
    ],
    outputs: [{ shape: [1, 1, 1, experts, m, n], dataType: output, place: result }],
    // The zeros that the result is filled with are a device operation of their own.
    only: "last",
    config: configOf(params, [a, b, output], programConfig, chip),
  }];
};

/** A core grid without blocks: the backend derives blocks for it by rules of its own. */
function gridConfig(params: Params): "grid" | undefined {
  return /^\d+x\d+$/.test(textIn(params, "core_grid")) ? "grid" : undefined;
}

/** Weights sharded over the banks of DRAM, activations and result by width in L1. */
function dramSharded(
  params: Params,
  extents: Extents,
  types: readonly [DataType, DataType, DataType],
  chip: MeasuredChip,
) {
  const in0BlockW = numberIn(params, "in0_block_w");
  if (in0BlockW === undefined) return "the block of K is not in the row";
  const { k, n, m } = extents;
  const tilesK = Math.ceil(k / 32);
  const tilesN = Math.ceil(n / 32);
  // Reports count the readers of DRAM; shards of the activation are whole blocks of K.
  const told = numberIn(params, "in0_cores") ??
    (textIn(params, "kernel") === "ds" ? numberIn(params, "cores") : undefined);
  const cores = told ?? largestDivisor(Math.floor(tilesK / in0BlockW), chip.columns * chip.rows);
  const width = (count: number): PlaceRequest => ({
    bufferType: "l1",
    memoryLayout: "width_sharded",
    grid: [1, count],
  });
  const perCoreN = Math.ceil(tilesN / cores);
  return question(
    extents,
    types,
    [
      width(cores),
      { bufferType: "dram", memoryLayout: "width_sharded", grid: [1, chip.dramBanks] },
      width(Math.ceil(tilesN / perCoreN)),
    ],
    {
      kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
      in0BlockW,
      perCoreM: Math.ceil(m / 32),
      perCoreN,
    },
    params,
    chip,
  );
}
