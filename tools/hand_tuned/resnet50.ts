// SPDX-License-Identifier: Apache-2.0
import { type Image, type TensorValue, type ZooFunction, ZooModule } from "../../testdata/zoo/builder.ts";
import {
  BFP8,
  blocks,
  convolution,
  heights,
  L1,
  like,
  linear,
  meanPixel,
  multicast1d,
  product,
  run,
  widths,
} from "./hand_written.ts";

const BATCH = 16;
const POINT = { kernel: [1, 1] } as const;

/** Where the inputs of a stage's blocks are moved to first, and the blocks. */
const STAGES = [
  { width: 64, count: 3, place: undefined },
  { width: 128, count: 4, place: undefined },
  { width: 256, count: 6, place: blocks(8, 8) },
  { width: 512, count: 3, place: blocks(7, 8) },
] as const;

/**
 * ResNet-50 with 16 images as tt-metal's `ttnn_functional_resnet50` runs it on n150: height shards in the first two
 * stages, blocks behind them, everything in bfp8 and LoFi. It begins behind the fold of the image to 115 x 115 x 16, for
 * which TTNN has no op; `full_inner_dim` and reuse of activations have no words either.
 */
export function resnet50ByHand(): string {
  const module = new ZooModule("ResNet50ByHand");
  const f = module.forward();
  const pixels = f.input("pixel_values", [1, 1, BATCH * 115 * 115, 16], heights(64));
  const folded: Image = { tensor: pixels, batch: BATCH, height: 115, width: 115, channels: 16 };
  const stem = convolution(f, "conv1", folded, 64, {
    window: { kernel: [4, 4] },
    activation: "relu",
    config: { actBlockHOverride: 49 * 32, enableActDoubleBuffer: true },
  });
  let image = pooled(f, stem);
  for (const [stage, { width, count, place }] of STAGES.entries()) {
    if (place !== undefined) image = f.onImage(image, (x) => f.toMemoryConfig(x, place));
    for (let block = 0; block < count; block++) image = bottleneck(f, image, width, stage, block);
  }
  const means = meanPixel(f, image, widths(64));
  const scores = linear(f, "fc", f.toMemoryConfig(means, widths(32)), 1024, {
    place: widths(32),
    config: product(multicast1d({ grid: [4, 8], k: 2, subblock: [1, 1], core: [1, 1] }), "lofi"),
  });
  f.return(run(f, "to_layout", [scores], { place: { ...L1, rowMajor: true, dataType: "bf16" } }));
  return module.write();
}

/** Pooling, then tiles on 56 cores. */
function pooled(f: ZooFunction, stem: Image): Image {
  const halved = f.maxPool2d(stem, { kernel: [3, 3], stride: [2, 2], padding: [1, 1] }, {
    ...stem.tensor.type.layout.memoryLayout === "height_sharded" ? heights(64) : {},
    rowMajor: true,
    dataType: "bf16",
  });
  const moved = run(f, "to_memory_config", [halved.tensor], {
    place: { ...heights(56), rowMajor: true, dataType: "bf16" },
  });
  return { ...halved, tensor: run(f, "to_layout", [moved], { place: { ...heights(56), ...BFP8 } }) };
}

function bottleneck(f: ZooFunction, input: Image, width: number, stage: number, block: number): Image {
  const name = `layer${stage + 1}.${block}`;
  const stride = stage > 0 && block === 0 ? [2, 2] as const : [1, 1] as const;
  const reduced = convolution(f, `${name}.conv1`, input, width, { window: POINT, activation: "relu" });
  const middle = convolution(f, `${name}.conv2`, reduced, width, {
    window: { kernel: [3, 3], stride, padding: [1, 1] },
    activation: "relu",
    config: {
      enableActDoubleBuffer: true,
      enableWeightsDoubleBuffer: true,
      ...(stage === 0 && block > 0 ? { actBlockHOverride: 14 * 32 } : {}),
    },
  });
  const expanded = convolution(f, `${name}.conv3`, middle, 4 * width, { window: POINT });
  const shortcut = block === 0
    ? convolution(f, `${name}.downsample`, input, 4 * width, {
      window: { ...POINT, stride },
      config: { enableActDoubleBuffer: true, enableWeightsDoubleBuffer: input.width < 56 },
    }).tensor
    : input.tensor;
  return f.onImage(expanded, (x) => addWithRelu(f, x, shortcut));
}

/** In place, where the program is. */
function addWithRelu(f: ZooFunction, a: TensorValue, b: TensorValue): TensorValue {
  const place = like(a);
  return run(f, "add", [a, f.toMemoryConfig(b, place)], {
    place,
    properties: { activations: "[#ttnn.unary_with_param<op_type = relu>]" },
  });
}
