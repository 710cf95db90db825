// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { isTensorValue, type TensorValue, type TtnnValue } from "../../../ttnn/value.ts";

/** What a convolution reads. */
export interface ConvolutionOperands {
  readonly input: TensorValue;
  readonly weight: TensorValue;
  readonly bias: TensorValue | undefined;
  readonly device: TtnnValue;
}

/** The operands of a convolution; `undefined` if one of them is of another kind. */
export function convolutionOperands(convolution: TtnnOp): ConvolutionOperands | undefined {
  const [input, weight] = [convolution.tensorOperand(0), convolution.tensorOperand(1)];
  const device = convolution.operands.at(-1);
  return input === undefined || weight === undefined || device === undefined
    ? undefined
    : { input, weight, bias: biasOf(convolution), device };
}

/** The bias of a convolution; `undefined` if it has none. */
export function biasOf(convolution: TtnnOp): TensorValue | undefined {
  return convolution.operands.length > 3 ? convolution.tensorOperand(2) : undefined;
}

/** A convolution and a view of its result. */
export interface ConvolutionSource {
  readonly convolution: TtnnOp;
  /** Dimension of the value that holds the convolution's output channels. */
  readonly channelDim: number;
}

/**
 * The `conv2d` or `conv_transpose2d` of which a value is a view, if the convolution and the views in between
 * have no other readers: at most one permute, then reshapes that keep channels last. `undefined` for other values.
 */
export function convolutionBelow(value: TtnnValue): ConvolutionSource | undefined {
  if (!isTensorValue(value)) return undefined;
  let current: TensorValue = value;
  let channelDim = value.type.shape.length - 1;
  let isPermuted = false;
  for (;;) {
    if (current.onlyUser === undefined) return undefined;
    const { producer } = current;
    const input = producer?.tensorOperand(0);
    if (producer === undefined || input === undefined) return undefined;
    if (/^ttnn\.conv(?:_transpose)?2d$/.test(producer.name)) return { convolution: producer, channelDim };
    if (producer.name === "ttnn.permute" && !isPermuted) {
      const permutation = producer.read(PERMUTE).permutation;
      channelDim = permutation.indexOf(input.type.shape.length - 1);
      isPermuted = true;
    } else if (producer.name !== "ttnn.reshape" || input.type.shape.at(-1) !== current.type.shape.at(-1)) {
      return undefined;
    }
    current = input;
  }
}

/**
 * Whether a tensor that broadcasts over a result of some rank has one number per channel, or a single one.
 */
export function isPerChannel(
  { type: { shape } }: TensorValue,
  rank: number,
  channelDim: number,
  channels: number,
): boolean {
  return shape.length <= rank &&
    shape.every((extent, dim) =>
      extent === 1 || (dim + rank - shape.length === channelDim && extent === channels)
    );
}
