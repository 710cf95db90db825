// SPDX-License-Identifier: Apache-2.0
import { denseArrayText, integerText } from "../emit/attribute_text.ts";
import { f32Text } from "../emit/float_text.ts";
import type { TtnnTensor } from "../emit/ttnn_value.ts";
import { fromTensor, type FunctionLowering, splat } from "../function_lowering.ts";
import { type LazyTensor, permuted, reshaped, sameShape, volume } from "../lazy_tensor.ts";
import { optionalOperands } from "../operand_groups.ts";
import { COMPUTE_CONFIG, NORM_COMPUTE_CONFIG, type OpRules } from "../op_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import type { NormalType } from "../ttir_op.ts";

/** Normalisations. */
export const NORMALIZATION: OpRules = {
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
  const [input, weight, bias] = optionalOperands(op, f, 3);
  if (input === undefined) throw op.error("operand 0 is missing", "lowering/operands");
  const normalized = op.integers("normalized_shape") ?? shape.slice(-1);
  const outer = shape.slice(0, shape.length - normalized.length);
  if (!sameShape(shape.slice(outer.length), normalized)) {
    throw op.error("normalized_shape is not the end of the input's shape", "lowering/attribute");
  }
  const width = volume(normalized);
  const flat = normalized.length === 1 ? shape : [...outer, width];
  const operands = [
    reshaped(input, flat),
    ...[weight, bias].flatMap((x) => x === undefined ? [] : [reshaped(x, [width])]),
  ];
  const present = [weight, bias].map((operand) => (operand === undefined ? 0 : 1));
  const output = f.emit(name, operands.map((operand) => f.tile(operand)), f.type(flat, element), {
    compute_config: computeConfig,
    epsilon: f32Text(op.float("epsilon") ?? 1e-5),
    operandSegmentSizes: denseArrayText([1, ...present], "i32"),
  });
  f.defineResult(op, reshaped(fromTensor(output), shape));
}

/** Order of the TTIR operands: input, scale, offset, mean, variance. */
function batchNormOperands(op: TtirOp, f: FunctionLowering, type: NormalType): {
  /** As the kernel takes them: input of rank four, mean, variance, scale, offset. */
  readonly operands: readonly TtnnTensor[];
  readonly shape: readonly number[];
  /** Gives a tensor of the kernel's shape the dimensions of the op's result. */
  readonly restore: (tensor: TtnnTensor) => LazyTensor;
} {
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
    throw op.error("five operands expected", "lowering/operands");
  }
  const shape = [batch, channels, height, volume(rest)];
  const input = reshaped(permuted(f.operand(op, 0), order), shape);
  const restore = (tensor: TtnnTensor): LazyTensor => permuted(reshaped(fromTensor(tensor), ordered), order);
  return { operands: [input, mean, variance, scale, offset].map((tensor) => f.tile(tensor)), shape, restore };
}

function batchNormInference(op: TtirOp, f: FunctionLowering): void {
  const type = op.resultType();
  const { operands, shape, restore } = batchNormOperands(op, f, type);
  const output = f.emit("batch_norm_inference", operands, f.type(shape, type.element), {
    compute_config: COMPUTE_CONFIG,
    epsilon: f32Text(op.requiredFloat("epsilon")),
    operandSegmentSizes: denseArrayText([1, 1, 1, 1, 1], "i32"),
  });
  f.defineResult(op, restore(output));
}

/** The kernel updates running mean and variance in place and has one result. */
function batchNormTraining(op: TtirOp, f: FunctionLowering): void {
  const type = op.resultType();
  const { operands, shape, restore } = batchNormOperands(op, f, type);
  const output = f.emit("batch_norm_training", operands, f.type(shape, type.element), {
    compute_config: COMPUTE_CONFIG,
    epsilon: f32Text(op.requiredFloat("epsilon")),
    momentum: f32Text(op.float("momentum") ?? 0.1),
    operandSegmentSizes: denseArrayText([1, 1, 1, 1, 1], "i32"),
  });
  f.defineResult(op, restore(output));
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
  if (input === undefined) throw op.error("operand 0 is missing", "lowering/operands");
  const rank = shape.length;
  const channelDim = op.dimension(op.integer("channel_dim") ?? rank - 1, rank);
  const groups = op.requiredInteger("num_groups");
  const channels = shape[channelDim] ?? 1;
  if (channels % groups !== 0) {
    throw op.error(`${channels} channels do not split into ${groups} groups`, "lowering/shape");
  }
  const others = shape.map((_, dim) => dim).filter((dim) => dim !== channelDim);
  const last = [...others, channelDim];
  const batch = shape[0] ?? 1;
  const channelLast = permuted(input, last);
  const grouped = [batch, volume(shape) / (batch * channels), groups, channels / groups];
  const rows = reshaped(channelLast, grouped);
  const reducedShape = [batch, 1, groups, 1];
  const mean = (of: LazyTensor): LazyTensor =>
    fromTensor(f.emit("mean", [f.tile(of)], f.type(reducedShape, element), {
      compute_config: COMPUTE_CONFIG,
      dim_arg: `[${integerText(1, "i32")}, ${integerText(3, "i32")}]`,
      keep_dim: "true",
    }));
  const centered = f.elementwise("subtract", [rows, mean(rows)], grouped, element);
  const variance = mean(f.elementwise("multiply", [centered, centered], grouped, element));
  const epsilon = splat(reducedShape, element, op.requiredFloat("epsilon"));
  const shifted = f.elementwise("add", [variance, epsilon], reducedShape, element);
  const inverse = f.elementwise("rsqrt", [shifted], reducedShape, element);
  const normalized = f.elementwise("multiply", [centered, inverse], grouped, element);
  let result = reshaped(normalized, channelLast.shape);
  const perChannel = new Array<number>(rank).fill(1).with(-1, channels);
  if (weight !== undefined) {
    result = f.elementwise("multiply", [result, reshaped(weight, perChannel)], channelLast.shape, element);
  }
  if (bias !== undefined) {
    result = f.elementwise("add", [result, reshaped(bias, perChannel)], channelLast.shape, element);
  }
  f.defineResult(op, permuted(result, last.map((_, dim) => last.indexOf(dim))));
}
