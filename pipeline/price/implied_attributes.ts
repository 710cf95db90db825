// SPDX-License-Identifier: Apache-2.0
import { ARGMAX, CUMULATIVE, PRODUCT, REDUCE, SORT } from "../../lib/ops/attributes/reduction.ts";
import { SOFTMAX } from "../../lib/ops/attributes/normalization.ts";
import { CONCAT, TRANSPOSE } from "../../lib/ops/attributes/movement.ts";
import { ATTENTION_FORM } from "../../lib/ops/attributes/attention.ts";
import { MATMUL } from "../../lib/ops/attributes/matmul.ts";
import { CONV_TRANSPOSE2D, POOL2D } from "../../lib/ops/attributes/window.ts";
import { makeAttributes } from "../../lib/ops/attributes/print_attributes.ts";
import type { Attribute, AttributeMap } from "../../lib/ir/attribute.ts";
import type { OpDefinition } from "../../lib/ops/definition.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import { volume } from "../../lib/layout/extents.ts";

/** An op with the attributes that its operands imply, and its operands as TTNN takes them. */
export interface ImpliedOp {
  readonly attributes: AttributeMap;
  readonly operands: readonly TensorShape[];
}

/**
 * Adds what a person leaves out because the operands say it: the image of a convolution or pool (NHWC, then flattened
 * as TTNN takes it; weights OIHW), the last dimension of a reduction. Given attributes win.
 */
export function impliedBy(
  definition: OpDefinition,
  given: ReadonlyMap<string, Attribute>,
  operands: readonly TensorShape[],
): ImpliedOp {
  const image = isImageOp(definition) ? operands[0] : undefined;
  const implied = image?.shape.length === 4
    ? imageAttributes(definition, image.shape, operands[1]?.shape)
    : impliedByFamily(definition);
  const attributes = new Map([...implied, ...given]);
  if (image === undefined || image.shape.length !== 4) return { attributes, operands };
  const channels = image.shape.at(-1) ?? 1;
  const flat = { ...image, shape: [1, 1, volume(image.shape) / channels, channels] };
  return { attributes, operands: [flat, ...operands.slice(1)] };
}

function isImageOp({ costClass, family }: OpDefinition): boolean {
  return costClass === "conv2d" || (costClass === "pool" && family !== "global_pool");
}

function imageAttributes(
  { costClass, family }: OpDefinition,
  [batch = 1, height = 1, width = 1, channels = 1]: readonly number[],
  weights: readonly number[] | undefined,
): AttributeMap {
  const window = {
    batch_size: batch,
    input_height: height,
    input_width: width,
    dilation: [1, 1],
    padding: [0, 0],
  };
  if (costClass === "pool" || weights === undefined) {
    return makeAttributes(POOL2D, { ...window, channels, ceil_mode: false });
  }
  const transposed = family === "conv_transpose2d";
  const [first = 1, second = 1, kernelHeight = 1, kernelWidth = 1] = weights;
  const groups = transposed ? 1 : Math.max(1, Math.round(channels / second));
  return makeAttributes(CONV_TRANSPOSE2D, {
    ...window,
    in_channels: channels,
    out_channels: transposed ? second : first,
    kernel_size: [kernelHeight, kernelWidth],
    stride: [1, 1],
    groups,
    output_padding: transposed ? [0, 0] : undefined,
  });
}

function impliedByFamily({ family, costClass }: OpDefinition): AttributeMap {
  switch (family) {
    case "argmax":
      return makeAttributes(ARGMAX, { keep_dim: true, dim: -1 });
    case "reduce":
    case "min":
      return makeAttributes(REDUCE, { keep_dim: true, dim_arg: [-1] });
    case "prod":
      return makeAttributes(PRODUCT, { keep_dim: true, dim_arg: -1 });
    case "softmax":
      return makeAttributes(SOFTMAX, { dimension: -1 });
    case "concat":
      return makeAttributes(CONCAT, { dim: -1 });
    case "cumulative":
      return makeAttributes(CUMULATIVE, { dim: -1 });
    case "sort":
      return makeAttributes(SORT, { dim: -1 });
    case "sdpa":
      return makeAttributes(ATTENTION_FORM, { is_causal: true });
    case "transpose":
      return makeAttributes(TRANSPOSE, { dim0: -2, dim1: -1 });
    default:
      return costClass === "matmul"
        ? makeAttributes(MATMUL, { transpose_a: false, transpose_b: false })
        : new Map();
  }
}
