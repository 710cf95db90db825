// SPDX-License-Identifier: Apache-2.0
import { CONV2D } from "../../../ops/attributes/window.ts";
import { NORM } from "../../../ops/attributes/normalization.ts";
import type { DataType } from "../../../layout/data_type.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue, type TtnnValue } from "../../../ttnn/value.ts";
import type { TtnnFunction } from "../../../ttnn/function.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import type { PassContext } from "../../graph_pass.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";
import {
  biasOf,
  convolutionBelow,
  convolutionOperands,
  type ConvolutionSource,
  isPerChannel,
} from "./convolution_source.ts";
import { convolutionConfig, hasConvolutionField } from "../../convolution_config.ts";

/** `ε` of a batch norm without that attribute (tt-mlir:ttir-to-ttnn). */
const DEFAULT_EPSILON = 1e-5;

/** The affine map of each output channel of a convolution: `scale * y + shift`, in f32, `[channels]` or `[1]`. */
interface ChannelMap {
  readonly scale: TensorValue | undefined;
  readonly shift: TensorValue | undefined;
}

/**
 * Folds a batch norm with constant statistics after a convolution into its weights: `s = γ / √(σ² + ε)`, `W' = W · s`,
 * `b' = β − μ · s + b · s`.
 */
export const foldBatchNorm: RewritePattern = {
  name: "fold-batch-norm-into-convolution",
  upstream: "level-1",
  roots: ["ttnn.batch_norm_inference"],
  rewrite: (op, body, context) => {
    const [input, ...statistics] = op.operands;
    const [mean, variance, gamma, beta] = statistics.map((_, index) => op.tensorOperand(index + 1));
    if (mean === undefined || variance === undefined || gamma === undefined || beta === undefined) {
      return false;
    }
    const source = foldable(op, input, [mean, variance, gamma, beta], body);
    if (source?.channelDim !== 1 || !hasFilters(source.convolution)) return false;
    const epsilon = op.read(NORM).epsilon ?? DEFAULT_EPSILON;
    fold(op, body, context, source, (emit, vector) => {
      const deviation = emit.unary(
        "sqrt",
        emit.binary("add", vector(variance), emit.full([1], "f32", epsilon)),
      );
      const scale = emit.binary("divide", vector(gamma), deviation);
      const shift = emit.binary("subtract", vector(beta), emit.binary("multiply", vector(mean), scale));
      return { scale, shift };
    });
    return true;
  },
};

/** Folds a constant factor per channel after a convolution into its weights. */
export const foldMultiply: RewritePattern = {
  name: "fold-multiply-into-convolution",
  option: "enable-fusing-conv2d-with-multiply-pattern",
  upstream: "level-1",
  roots: ["ttnn.multiply"],
  rewrite: (op, body, context) =>
    foldBinary(op, body, context, (factor) => ({ scale: factor, shift: undefined })),
};

/** Folds a constant addend per channel after a convolution into its bias. */
export const foldAdd: RewritePattern = {
  name: "fold-add-into-convolution",
  upstream: "level-0",
  roots: ["ttnn.add"],
  rewrite: (op, body, context) =>
    foldBinary(op, body, context, (addend) => ({ scale: undefined, shift: addend })),
};

function foldBinary(
  op: TtnnOp,
  body: TtnnFunction,
  context: PassContext,
  map: (constant: TensorValue) => ChannelMap,
): boolean {
  for (const [inputIndex, otherIndex] of [[0, 1], [1, 0]] as const) {
    const constant = op.tensorOperand(otherIndex);
    if (constant === undefined || op.operands.length !== 2) return false;
    const source = foldable(op, op.operands[inputIndex], [constant], body);
    if (source === undefined || (op.name === "ttnn.multiply" && !hasFilters(source.convolution))) continue;
    // A single addend for all channels would have to be repeated; this does not occur in practice.
    const channels = source.convolution.tensorResult?.type.shape.at(-1);
    if (op.name === "ttnn.add" && volume(constant.type.shape) !== channels) continue;
    fold(op, body, context, source, (_, vector) => map(vector(constant)));
    return true;
  }
  return false;
}

/** The convolution that can absorb an op on its result and constants per channel. */
function foldable(
  op: TtnnOp,
  input: TtnnValue | undefined,
  constants: readonly TensorValue[],
  body: TtnnFunction,
): ConvolutionSource | undefined {
  const source = input === undefined ? undefined : convolutionBelow(input);
  const result = op.tensorResult;
  const channels = source?.convolution.tensorResult?.type.shape.at(-1);
  if (source === undefined || result === undefined || channels === undefined) return undefined;
  if (input?.type.kind !== "tensor" || volume(input.type.shape) !== volume(result.type.shape)) {
    return undefined;
  }
  if (input.type.dataType !== result.type.dataType || !isPlainConvolution(source.convolution)) {
    return undefined;
  }
  const values = InvariantValues.of(body);
  const weights = source.convolution.operands.slice(1);
  const bias = biasOf(source.convolution);
  // A bias that is not one number per channel (for example a whole image) cannot absorb a number per channel.
  if (bias !== undefined && volume(bias.type.shape) !== channels) return undefined;
  if (![...constants, ...weights].every((value) => values.has(value))) return undefined;
  const rank = result.type.shape.length;
  const perChannel = constants.every((value) => isPerChannel(value, rank, source.channelDim, channels));
  return perChannel ? source : undefined;
}

/**
 * Whether a convolution's weight has the front end's filter shape. In a prepared weight, only the kernel
 * knows where the channels of a core end (ttnn:backend-0-81-1).
 */
function hasFilters(convolution: TtnnOp): boolean {
  const { in_channels: inputs, out_channels: outputs, groups, kernel_size: kernel } = convolution.read(
    CONV2D,
  );
  const channels = isTransposed(convolution) ? [inputs, outputs / groups] : [outputs, inputs / groups];
  return sameExtents(convolution.operandType(1)?.shape ?? [], [...channels, ...kernel]);
}

function isTransposed({ name }: TtnnOp): boolean {
  return name === "ttnn.conv_transpose2d";
}

/**
 * Whether nothing prevents folding into a convolution: a fused activation would be applied after the folded
 * op; the weight of a grouped transposed convolution has the channels of only one group.
 */
export function isPlainConvolution(convolution: TtnnOp): boolean {
  if (isTransposed(convolution) && convolution.read(CONV2D).groups !== 1) return false;
  return !/\bactivation\s*=/.test(convolution.properties.get("conv2d_config") ?? "");
}

function fold(
  op: TtnnOp,
  body: TtnnFunction,
  context: PassContext,
  { convolution }: ConvolutionSource,
  map: (emit: PassBuilder, vector: (value: TensorValue) => TensorValue) => ChannelMap,
): void {
  const read = convolutionOperands(convolution);
  const result = convolution.tensorResult;
  const [below] = op.operands.filter((operand) => convolutionBelow(operand) !== undefined);
  if (read === undefined || result === undefined || below === undefined) {
    throw new RangeError("Cannot fold into a convolution without tensors");
  }
  const { input, weight, bias: oldBias, device } = read;
  for (const operand of [...op.operands, ...convolution.operands]) {
    if (operand !== below && operand !== input) raiseConstant(operand, convolution, body);
  }
  const emit = new PassBuilder(body, convolution, context);
  const channels = result.type.shape.at(-1) ?? 1;
  const vector = (value: TensorValue): TensorValue => vectorOf(emit, value);
  const { scale, shift } = map(emit, vector);
  const newWeight = scale === undefined
    ? weight
    : scaledWeight(emit, weight, scale, isTransposed(convolution));
  const base = oldBias === undefined ? undefined : vector(oldBias);
  const scaled = base === undefined || scale === undefined ? base : emit.binary("multiply", base, scale);
  const bias = scaled === undefined
    ? shift
    : shift === undefined
    ? scaled
    : emit.binary("add", scaled, shift);
  const row = bias === undefined ? [] : [biasRow(emit, bias, channels, result.type.dataType)];
  const operands = [input, newWeight, ...row, device];
  const made = body.insertBefore(convolution, {
    name: convolution.name,
    operands,
    resultTypes: [result.type],
    properties: convolution.properties,
    attributes: convolution.attributes,
    location: op.location,
  });
  body.replaceAllUses(result, made.result);
  const [replaced] = op.results;
  // Without views in between, `below` is the replaced convolution.
  if (replaced !== undefined) body.replaceAllUses(replaced, below === result ? made.result : below);
  body.erase(op);
}

/**
 * The scaled weight, multiplied in rows of whole filters, because small kernels would fill tiles with
 * padding. A transposed convolution has output channels after input channels.
 */
function scaledWeight(
  emit: PassBuilder,
  weight: TensorValue,
  scale: TensorValue,
  isTransposed: boolean,
): TensorValue {
  const { dataType, layout, shape } = weight.type;
  const [first = 1, second = 1] = shape;
  const filters = isTransposed ? [first, second, volume(shape.slice(2))] : [first, volume(shape.slice(1))];
  const factor = emit.reshape(scale, [volume(scale.type.shape), 1]);
  const rows = emit.tiled(emit.rowMajorReshape(weight, filters));
  const cast = emit.typecast(emit.binary("multiply", emit.typecast(rows, "f32"), factor), dataType);
  if (layout.bufferType !== "system_memory") return emit.reshape(cast, shape);
  return emit.toHost(emit.rowMajorReshape(cast, shape));
}

/** One number per element of a constant, in f32. */
export function vectorOf(emit: PassBuilder, value: TensorValue): TensorValue {
  return emit.typecast(emit.reshape(emit.tiled(value), [volume(value.type.shape)]), "f32");
}

/** One number per channel in the shape of a convolution's bias. */
export function biasRow(
  emit: PassBuilder,
  bias: TensorValue,
  channels: number,
  dataType: DataType,
): TensorValue {
  return emit.typecast(emit.reshape(bias, [1, 1, 1, channels]), dataType === "f32" ? "f32" : "bf16");
}

/** Activations that upstream lets a convolution apply to its result (tt-mlir:ttnn-fusing). */
const ACTIVATIONS: readonly string[] = ["relu", "relu6", "silu", "sigmoid"];

/** Fuses an activation into the convolution whose only reader it is. */
export const fuseConvolutionActivation: RewritePattern = {
  name: "fuse-convolution-activation",
  upstream: "level-0",
  roots: ACTIVATIONS.map((name) => `ttnn.${name}`),
  rewrite: (op, body) => {
    const [input] = op.operands;
    const convolution = input?.producer;
    const [result] = op.results;
    if (convolution === undefined || !/^ttnn\.conv(?:_transpose)?2d$/.test(convolution.name)) return false;
    if (input?.onlyUser !== op || result === undefined || !sameType(input.type, result.type)) return false;
    const before = convolution.read(CONV2D).conv2d_config;
    const weights = convolution.operandType(1)?.dataType;
    const config = convolutionConfig(before, {
      activation: op.name.slice("ttnn.".length),
      ...(weights === undefined || hasConvolutionField(before, "weights_dtype")
        ? {}
        : { weights_dtype: weights }),
    });
    if (config === undefined || hasConvolutionField(before, "activation")) return false;
    convolution.set({ conv2d_config: config });
    body.replaceAllUses(result, input);
    body.erase(op);
    return true;
  },
};
