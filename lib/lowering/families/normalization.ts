// SPDX-License-Identifier: Apache-2.0
import { inversePermutation, sameExtents, volume } from "../../layout/extents.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import { fromTensor, type FunctionLowering, splat } from "../function_lowering.ts";
import { type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import { optionalOperands, segmentSizes } from "../operand_groups.ts";
import { COMPUTE_CONFIG, NORM_COMPUTE_CONFIG } from "../../dialect/compute_config_text.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { Properties } from "../../ttnn/op.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Normalisations. */
export const NORMALIZATION: LoweringRules = {
  "ttir.layer_norm": { lower: (op, f) => rowNorm(op, f, "layer_norm", undefined) },
  "ttir.rms_norm": { lower: (op, f) => rowNorm(op, f, "rms_norm", NORM_COMPUTE_CONFIG) },
  "ttir.batch_norm_inference": { lower: batchNormInference, operands: 5 },
  "ttir.batch_norm": { lower: batchNormInference, operands: 5 },
  "ttir.batch_norm_training": { lower: batchNormTraining, operands: 5 },
  "ttir.group_norm": { lower: groupNorm },
};

/** The kernels normalise the last dimension; several normalised dimensions are flattened to one. */
function rowNorm(op: TtirOp, f: FunctionLowering, name: string, computeConfig: string | undefined): void {
  const { shape, element } = op.resultType();
  const groups = optionalOperands(op, f, 3);
  const [input, ...scales] = groups;
  const normalized = op.integers("normalized_shape") ?? shape.slice(-1);
  const outer = shape.slice(0, shape.length - normalized.length);
  if (!sameExtents(shape.slice(outer.length), normalized)) {
    throw op.error("normalized_shape is not the end of the input's shape", "attribute");
  }
  const width = volume(normalized);
  const flat = normalized.length === 1 ? shape : [...outer, width];
  const operands = [
    reshaped(input, flat),
    ...scales.filter((scale) => scale !== undefined).map((scale) => reshaped(scale, [width])),
  ];
  const output = f.apply(name, operands, { shape: flat, element }, {
    compute_config: computeConfig,
    epsilon: op.float("epsilon") ?? 1e-5,
    operandSegmentSizes: segmentSizes(groups),
  });
  f.defineResult(op, reshaped(output, shape));
}

/**
 * Order of the TTIR operands: input, scale, offset, mean, variance. Returns them as the kernel takes them: input of rank
 * four, mean, variance, scale, offset.
 *
 * @param statistics mean and variance as the kernel takes them
 */
function writeBatchNorm(
  op: TtirOp,
  f: FunctionLowering,
  name: string,
  properties: Properties,
  statistics: (lazy: LazyTensor) => TensorValue = (lazy) => f.tile(lazy),
): readonly TensorValue[] {
  const type = op.resultType();
  const rank = type.shape.length;
  const dimension = op.dimension(op.integer("dimension") ?? 1, rank);
  if (rank < 2) throw op.error(`its input has rank ${rank}, the kernel takes 4`);
  const order = type.shape.map((_, at) => (at === 1 ? dimension : at === dimension ? 1 : at));
  const ordered = order.map((dim) => type.shape[dim] ?? 1);
  const [batch = 1, channels = 1, height = 1, ...rest] = ordered;
  const [scale, offset, mean, variance] = [1, 2, 3, 4].map((index) =>
    reshaped(f.operand(op, index), [1, channels, 1, 1])
  );
  if (scale === undefined || offset === undefined || mean === undefined || variance === undefined) {
    throw op.error("five operands expected", "operands");
  }
  const shape = [batch, channels, height, volume(rest)];
  const input = reshaped(permuted(f.operand(op, 0), order), shape);
  const operands = [
    f.tile(input),
    ...[mean, variance].map(statistics),
    ...[scale, offset].map((tensor) => f.tile(tensor)),
  ];
  const output = f.apply(name, operands, { shape, element: type.element }, {
    ...properties,
    compute_config: COMPUTE_CONFIG,
    epsilon: op.requiredFloat("epsilon"),
    operandSegmentSizes: [1, 1, 1, 1, 1],
  });
  f.defineResult(op, permuted(reshaped(output, ordered), order));
  return operands;
}

function batchNormInference(op: TtirOp, f: FunctionLowering): void {
  writeBatchNorm(op, f, "batch_norm_inference", {});
}

/** The kernel updates running mean and variance in place and has one result. */
function batchNormTraining(op: TtirOp, f: FunctionLowering): void {
  const momentum = op.float("momentum") ?? 0.1;
  const operands = writeBatchNorm(
    op,
    f,
    "batch_norm_training",
    { momentum },
    (lazy) => f.overwritten(lazy, op.operation),
  );
  [1, 2].forEach((operand, result) => {
    const running = operands[operand];
    if (running === undefined || op.operation.results[result + 1] === undefined) return;
    f.defineResult(op, reshaped(fromTensor(running), op.resultType(result + 1).shape), result + 1);
  });
}

/** Mean and variance over rows and the channels of a group, then scale and offset per channel. */
function groupNorm(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const [input, , weight, bias] = optionalOperands(op, f, 4);
  const rank = shape.length;
  const channelDim = op.dimension(op.integer("channel_dim") ?? rank - 1, rank);
  const groups = op.requiredInteger("num_groups");
  const channels = shape[channelDim] ?? 1;
  if (channels % groups !== 0) {
    throw op.error(`${channels} channels do not split into ${groups} groups`, "shape");
  }
  const others = shape.map((_, dim) => dim).filter((dim) => dim !== channelDim);
  const last = [...others, channelDim];
  const batch = shape[0] ?? 1;
  const channelLast = permuted(input, last);
  const grouped = [batch, volume(shape) / (batch * channels), groups, channels / groups];
  const rows = reshaped(channelLast, grouped);
  const reducedShape = [batch, 1, groups, 1];
  const mean = (of: LazyTensor): LazyTensor =>
    f.apply("mean", [of], { shape: reducedShape, element }, {
      compute_config: COMPUTE_CONFIG,
      dim_arg: [1, 3],
      keep_dim: true,
    });
  const centered = f.elementwise("subtract", [rows, mean(rows)], element);
  const variance = mean(f.elementwise("multiply", [centered, centered]));
  const epsilon = splat(reducedShape, element, op.requiredFloat("epsilon"));
  const inverse = f.elementwise("rsqrt", [f.elementwise("add", [variance, epsilon])]);
  const normalized = f.elementwise("multiply", [centered, inverse]);
  let result = reshaped(normalized, channelLast.shape);
  const perChannel = new Array<number>(rank).fill(1).with(-1, channels);
  if (weight !== undefined) result = f.elementwise("multiply", [result, reshaped(weight, perChannel)]);
  if (bias !== undefined) result = f.elementwise("add", [result, reshaped(bias, perChannel)]);
  f.defineResult(op, permuted(result, inversePermutation(last)));
}
