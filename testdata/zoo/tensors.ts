// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import { type TensorPlace, tensorType as typeOn } from "../../lib/ttnn/tensor_type.ts";
import type { TensorValue, TtnnTensorType } from "../../lib/ttnn/value.ts";
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import type { Properties } from "../../lib/ttnn/op.ts";
import { COMPUTE_CONFIG } from "../../lib/dialect/compute_config_text.ts";

/** Where a tensor is, when it is not in DRAM, interleaved, in tiles; and what it holds, when that is not bf16. */
export interface ZooPlacement extends TensorPlace {
  readonly dataType?: DataType;
}

/** The type of a tensor of the zoo; bf16, DRAM, interleaved, tiles unless said otherwise. */
export function tensorType(shape: readonly number[], placement: ZooPlacement = {}): TtnnTensorType {
  return typeOn(ZOO_CHIP, shape, placement.dataType ?? "bf16", placement);
}

/** The chip that the zoo's modules are written for: one Wormhole of an n150. */
export const ZOO_CHIP: ChipDescription = chipDescription(getDevice("n150"));

/** Geometry of a convolution or pooling window over a flattened `[1, 1, N*H*W, C]` activation. */
export interface ZooWindow {
  readonly kernel: readonly [number, number];
  readonly stride?: readonly [number, number];
  readonly padding?: readonly [number, number];
  readonly groups?: number;
}

/** A flattened activation with the geometry that its shape no longer shows. */
export interface Image {
  readonly tensor: TensorValue;
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

/** Stride and padding of a window with their defaults. */
export function strideAndPadding(
  window: ZooWindow,
): [stride: readonly [number, number], padding: readonly [number, number]] {
  return [window.stride ?? [1, 1], window.padding ?? [0, 0]];
}

/** Extent of what a window leaves of an extent. */
export function windowExtent(extent: number, kernel: number, stride: number, padding: number): number {
  return Math.floor((extent + 2 * padding - kernel) / stride) + 1;
}

/** Properties that say what a flattened activation is. */
export function geometry(input: Image, outChannels: number): Properties {
  return {
    batch_size: input.batch,
    compute_config: COMPUTE_CONFIG,
    dilation: [1, 1],
    in_channels: input.channels,
    input_height: input.height,
    input_width: input.width,
    out_channels: outChannels,
  };
}
