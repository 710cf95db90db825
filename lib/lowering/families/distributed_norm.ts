// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";
import { F32, type FunctionLowering, splat } from "../function_lowering.ts";
import { type LazyTensor, reshaped } from "../lazy_tensor.ts";
import { optionalOperands, segmentSizes } from "../operand_groups.ts";
import { COMPUTE_CONFIG, NORM_COMPUTE_CONFIG } from "../../dialect/compute_config_text.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { NormalType, TtirOp } from "../ttir_op.ts";

/** Normalisations of rows that are spread over the chips of a mesh. */
export const DISTRIBUTED_NORM: LoweringRules = {
  "ttir.distributed_rms_norm": { lower: distributedRmsNorm },
  "ttir.distributed_layer_norm": { lower: distributedLayerNorm },
};

/**
 * The kernel takes one tile row, width-sharded in equal parts of the fewest tiles per core, weights in rows of one tile,
 * a buffer for the statistics on the first core and a semaphore over all cores. Other shapes are written out.
 */
function distributedRmsNorm(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const [input, weight, residual] = optionalOperands(op, f, 3);
  const width = shape.at(-1) ?? 1;
  const rows = volume(shape) / width;
  const { rows: gridRows, columns: gridColumns } = f.chip.workerGrid;
  const tiles = Math.ceil(width / 32);
  const perCore = rows === 32 && width % 32 === 0
    ? smallestDivisor(tiles, gridRows * gridColumns)
    : undefined;
  if (perCore === undefined) return writtenOutRmsNorm(op, f, input, weight, residual);
  const flat = [1, 1, rows, width];
  const sharded = f.type(flat, element, {
    bufferType: "l1",
    memoryLayout: "width_sharded",
    grid: [1, tiles / perCore],
  });
  const semaphore = f.semaphore();
  const oneTile = [1, 1, 32, 32];
  const firstCore = { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 1] } as const;
  const statisticsType = f.type(oneTile, F32, firstCore);
  const statistics = f.emit("empty", [f.device()], statisticsType, { shape: oneTile });
  const place = (tensor: LazyTensor) => f.emit("to_memory_config", [f.tile(reshaped(tensor, flat))], sharded);
  const placed = place(input);
  const weightRows = weight === undefined ? [] : [f.rowMajor(reshaped(weight, [tiles, 32]))];
  const added = residual === undefined ? [] : [place(residual)];
  const output = f.emit(
    "distributed_rms_norm",
    [placed, ...weightRows, ...added, statistics, semaphore, f.device()],
    sharded,
    {
      cluster_axis: op.requiredInteger("cluster_axis"),
      compute_config: NORM_COMPUTE_CONFIG,
      epsilon: op.requiredFloat("epsilon"),
      operandSegmentSizes: [1, weightRows.length, added.length, 1, 1, 1],
      program_config: "#ttnn.layernorm_sharded_multicore_program_config<compute_with_storage_grid_size = " +
        `<${gridColumns}, ${gridRows}>, subblock_w = 1, block_h = 1, block_w = ${perCore}, inplace = false>`,
    },
  );
  const back = f.apply("to_memory_config", [output], { shape: flat, element });
  f.defineResult(op, reshaped(back, shape));
}

/** Columns of statistics per chip: the sum of squares, in the first column of one tile. */
const RMS_NORM_STATISTICS = 32;

/** Any number of rows: statistics of every chip's part, gathered, averaged and applied to the own part. */
function writtenOutRmsNorm(
  op: TtirOp,
  f: FunctionLowering,
  input: LazyTensor,
  weight: LazyTensor | undefined,
  residual: LazyTensor | undefined,
): void {
  const { shape, element } = op.resultType();
  const width = shape.at(-1) ?? 1;
  const axis = op.requiredInteger("cluster_axis");
  const chips = chipsOf(op, f, axis);
  const flat = [1, 1, volume(shape) / width, width];
  const summed = residual === undefined ? input : f.elementwise("add", [input, residual], element);
  const part = reshaped(summed, flat);
  const rowsOf = (width: number): NormalType => ({ shape: flat.with(-1, width), element });
  const statistics = f.apply("rms_norm_pre_all_gather", [part], rowsOf(RMS_NORM_STATISTICS), {
    compute_config: COMPUTE_CONFIG,
  });
  const gathered = f.apply("all_gather", [statistics], rowsOf(RMS_NORM_STATISTICS * chips), {
    all_gather_dim: 3,
    cluster_axis: axis,
  });
  const columns = f.apply("slice_static", [gathered], rowsOf(chips), {
    begins: [0, 0, 0, 0],
    ends: flat.with(-1, RMS_NORM_STATISTICS * (chips - 1) + 1),
    step: [1, 1, 1, chips === 1 ? 1 : RMS_NORM_STATISTICS],
  });
  const one = flat.with(-1, 1);
  const mean = f.apply("mean", [columns], rowsOf(1), {
    compute_config: COMPUTE_CONFIG,
    dim_arg: [3],
    keep_dim: true,
  });
  const square = f.elementwise("multiply", [mean, splat(one, element, 1 / width)], element);
  const epsilon = splat(one, element, op.requiredFloat("epsilon"));
  const inverse = f.elementwise("rsqrt", [f.elementwise("add", [square, epsilon])]);
  let result = f.elementwise("multiply", [part, inverse], element);
  if (weight !== undefined) {
    result = f.elementwise("multiply", [result, reshaped(weight, [1, 1, 1, width])]);
  }
  f.defineResult(op, reshaped(result, shape));
}

/** Chips along an axis of the mesh; one if the module has no mesh. */
function chipsOf(op: TtirOp, f: FunctionLowering, axis: number): number {
  if (f.mesh.length === 0) return 1;
  const chips = f.mesh[axis];
  if (chips === undefined) throw op.error(`the mesh has no axis ${axis}`, "attribute");
  return chips;
}

/** Columns of statistics per chip: sum and sum of squares, one tile each. */
const LAYER_NORM_STATISTICS = 64;

/** Statistics of every chip's part, gathered over the axis, then the norm of the own part. */
function distributedLayerNorm(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const [input, weight, bias, residual] = optionalOperands(op, f, 4);
  const axis = op.requiredInteger("cluster_axis");
  const chips = chipsOf(op, f, axis);
  const summed = residual === undefined ? input : f.elementwise("add", [input, residual], element);
  const rowsOf = (width: number): NormalType => ({ shape: shape.with(-1, width), element });
  const statistics = f.apply("layer_norm_pre_all_gather", [summed], rowsOf(LAYER_NORM_STATISTICS), {
    compute_config: COMPUTE_CONFIG,
    operandSegmentSizes: segmentSizes([summed, undefined, undefined]),
  });
  const gathered = f.apply("all_gather", [statistics], rowsOf(LAYER_NORM_STATISTICS * chips), {
    all_gather_dim: shape.length - 1,
    cluster_axis: axis,
  });
  const groups = [summed, gathered, weight, bias];
  f.replace(op, "layer_norm_post_all_gather", groups.filter((group) => group !== undefined), {
    compute_config: COMPUTE_CONFIG,
    epsilon: op.requiredFloat("epsilon"),
    operandSegmentSizes: segmentSizes(groups),
  });
}

/** Fewest tiles per core so that equal shares fit on the cores. */
function smallestDivisor(tiles: number, cores: number): number | undefined {
  for (let share = 1; share <= tiles; share++) {
    if (tiles % share === 0 && tiles / share <= cores) return share;
  }
  return undefined;
}
