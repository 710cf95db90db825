// SPDX-License-Identifier: Apache-2.0
import type { GraphBuilder } from "../../../testing/graph_builder.ts";
import type { Attribute } from "../../ir/attribute.ts";
import type { TensorShape } from "../../ops/op_signature.ts";

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

/** A 3x3 convolution of 64 channels over a batch of 32x32 images. */
export function convolution(builder: GraphBuilder, batch: number): void {
  const input = bf16(1, 1, batch * 1024, 64);
  const integers = (...values: number[]): Attribute => ({ kind: "denseArray", elementType: "i32", values });
  const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: "i32" });
  const device = builder.argument(undefined);
  const weight = builder.argument(bf16(64, 64, 3, 3), { argumentType: "parameter" });
  builder.return(builder.op("ttnn.conv2d", [builder.argument(input), weight, device], input, {
    location: 'loc("conv")',
    attributes: {
      in_channels: integer(64),
      out_channels: integer(64),
      batch_size: integer(batch),
      input_height: integer(32),
      input_width: integer(32),
      kernel_size: integers(3, 3),
      stride: integers(1, 1),
      padding: integers(1, 1, 1, 1),
      dilation: integers(1, 1),
      groups: integer(1),
    },
  }));
}
