// SPDX-License-Identifier: Apache-2.0
import type { GraphBuilder } from "../../../testing/graph_builder.ts";
import type { ValueId } from "../../graph/graph.ts";
import type { Attribute } from "../../ir/attribute.ts";
import type { TensorShape } from "../../ops/op_signature.ts";

/** Images of 64 channels, flattened. */
export interface Images {
  readonly batch: number;
  readonly height: number;
  readonly width: number;
}

/** Type of such images. */
export function imagesType({ batch, height, width }: Images): TensorShape {
  return bf16(1, 1, batch * height * width, 64);
}

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

/** A 3x3 convolution of 64 channels over a batch of 32x32 images. */
export function convolution(builder: GraphBuilder, batch: number): void {
  const images = { batch, height: 32, width: 32 };
  const device = builder.argument(undefined);
  const weight = builder.argument(bf16(64, 64, 3, 3), { argumentType: "parameter" });
  builder.return(convolve(builder, [builder.argument(imagesType(images)), weight, device], images));
}

/** A 3x3 convolution of an input with a weight on a device. */
export function convolve(
  builder: GraphBuilder,
  operands: readonly [input: ValueId, weight: ValueId, device: ValueId],
  images: Images,
): ValueId {
  const integers = (...values: number[]): Attribute => ({ kind: "denseArray", elementType: "i32", values });
  const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: "i32" });
  return builder.op("ttnn.conv2d", operands, imagesType(images), {
    location: 'loc("conv")',
    attributes: {
      in_channels: integer(64),
      out_channels: integer(64),
      batch_size: integer(images.batch),
      input_height: integer(images.height),
      input_width: integer(images.width),
      kernel_size: integers(3, 3),
      stride: integers(1, 1),
      padding: integers(1, 1, 1, 1),
      dilation: integers(1, 1),
      groups: integer(1),
    },
  });
}
