// SPDX-License-Identifier: Apache-2.0
import type { Attribute, AttributeMap } from "../../lib/ir/attribute.ts";
import type { OpDefinition } from "../../lib/ops/definition.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import { volume } from "../../lib/layout/extents.ts";

/** An op with the attributes that its operands imply, and its operands as TTNN takes them. */
export interface ImpliedOp {
  readonly attributes: AttributeMap;
  readonly operands: readonly TensorShape[];
}

/** Default attributes, by name. */
type Implied = Readonly<Record<string, Attribute>>;

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
  const attributes = new Map([...Object.entries(implied), ...given]);
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
): Implied {
  const window: Implied = {
    batch_size: integer(batch),
    input_height: integer(height),
    input_width: integer(width),
    dilation: integers([1, 1]),
    padding: integers([0, 0]),
  };
  if (costClass === "pool" || weights === undefined) {
    return { ...window, channels: integer(channels), ceil_mode: { kind: "bool", value: false } };
  }
  const transposed = family === "conv_transpose2d";
  const [first = 1, second = 1, kernelHeight = 1, kernelWidth = 1] = weights;
  const groups = transposed ? 1 : Math.max(1, Math.round(channels / second));
  return {
    ...window,
    in_channels: integer(channels),
    out_channels: integer(transposed ? second : first),
    kernel_size: integers([kernelHeight, kernelWidth]),
    stride: integers([1, 1]),
    groups: integer(groups),
    ...(transposed ? { output_padding: integers([0, 0]) } : {}),
  };
}

function impliedByFamily({ family, costClass }: OpDefinition): Implied {
  switch (family) {
    case "argmax":
      return { keep_dim: { kind: "bool", value: true }, dim: integer(-1) };
    case "reduce":
    case "min":
    case "prod":
      return { keep_dim: { kind: "bool", value: true }, dim_arg: integers([-1]) };
    case "softmax":
      return { dimension: integer(-1) };
    case "concat":
    case "cumulative":
    case "sort":
      return { dim: integer(-1) };
    case "sdpa":
      return { is_causal: { kind: "bool", value: true } };
    case "transpose":
      return { dim0: integer(-2), dim1: integer(-1) };
    default:
      return costClass === "matmul"
        ? { transpose_a: { kind: "bool", value: false }, transpose_b: { kind: "bool", value: false } }
        : {};
  }
}

function integer(value: number): Attribute {
  return { kind: "integer", value: BigInt(value), type: "si32" };
}

function integers(values: readonly number[]): Attribute {
  return { kind: "denseArray", elementType: "i32", values };
}
