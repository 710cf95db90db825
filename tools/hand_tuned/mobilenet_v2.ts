// SPDX-License-Identifier: Apache-2.0
import { type Image, type ZooFunction, ZooModule } from "../../testdata/zoo/builder.ts";
import type { ZooWindow } from "../../testdata/zoo/tensors.ts";
import type { Conv2dConfig } from "../../lib/op_config/op_config.ts";
import type { ShardKind } from "../../lib/programs/sliding_window/parallel_config.ts";
import { STAGES } from "../../testdata/zoo/mobilenet_v2.ts";
import {
  convolution,
  heights,
  like,
  linear,
  meanPixel,
  multicast1d,
  product,
  run,
  widths,
} from "./hand_written.ts";

const BATCH = 10;
const POINT: ZooWindow = { kernel: [1, 1] };

/**
 * MobileNetV2 with ten images as tt-metal's demo runs it on n150: height shards up to the fifth block, blocks behind
 * it, everything in bfp8 and LoFi. A convolution that wants other shards than its input has moves it there.
 */
export function mobilenetV2ByHand(): string {
  const module = new ZooModule("MobileNetV2ByHand");
  const f = module.forward();
  const pixels = f.input("pixel_values", [1, 1, BATCH * 224 * 224, 16], heights(64));
  const input: Image = { tensor: pixels, batch: BATCH, height: 224, width: 224, channels: 16 };
  let image = layer(f, "stem", input, 32, halved({ kernel: [3, 3] }, 2), "height_sharded", true);
  let block = 0;
  for (const { expansion, channels, blocks, stride } of STAGES) {
    for (let each = 0; each < blocks; each++, block++) {
      image = residual(f, block, image, expansion, channels, each === 0 ? stride : 1);
    }
  }
  image = layer(f, "head", image, 1280, POINT, "height_sharded", true, { enableActDoubleBuffer: false });
  const means = meanPixel(f, image, widths(40));
  f.return(linear(f, "classifier", f.toMemoryConfig(means, widths(40)), 1000, {
    place: widths(40),
    config: product(multicast1d({ grid: [5, 8], k: 1, subblock: [1, 1], core: [1, 1] }), "lofi"),
  }));
  return module.write();
}

function residual(
  f: ZooFunction,
  block: number,
  input: Image,
  expansion: number,
  channels: number,
  stride: number,
): Image {
  const kind: ShardKind = block > 5 ? "block_sharded" : "height_sharded";
  const width = expansion * input.channels;
  const expanded = expansion === 1 ? input : layer(f, `${block}.expand`, input, width, POINT, kind, true);
  const depthwise = halved({ kernel: [3, 3], groups: width }, stride);
  const filtered = layer(f, `${block}.depthwise`, expanded, width, depthwise, kind, true, {
    enableActDoubleBuffer: kind === "block_sharded" || expansion === 1,
  });
  const projected = layer(
    f,
    `${block}.project`,
    filtered,
    channels,
    POINT,
    block >= 10 ? "height_sharded" : kind,
    false,
  );
  if (stride > 1 || channels !== input.channels) return projected;
  const place = like(projected.tensor);
  return f.onImage(projected, (x) => run(f, "add", [f.toMemoryConfig(input.tensor, place), x], { place }));
}

function halved(window: ZooWindow, stride: number): ZooWindow {
  return { ...window, stride: [stride, stride], padding: [1, 1] };
}

function layer(
  f: ZooFunction,
  name: string,
  input: Image,
  channels: number,
  window: ZooWindow,
  sharding: ShardKind,
  isClipped: boolean,
  config: Conv2dConfig = {},
): Image {
  return convolution(f, name, input, channels, {
    window,
    sharding,
    ...(isClipped ? { activation: "relu6" } : {}),
    config: {
      enableActDoubleBuffer: true,
      enableWeightsDoubleBuffer: true,
      reshardIfNotOptimal: true,
      ...config,
    },
  });
}
