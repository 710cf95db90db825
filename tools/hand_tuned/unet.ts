// SPDX-License-Identifier: Apache-2.0
import { type Image, type TensorValue, type ZooFunction, ZooModule } from "../../testdata/zoo/builder.ts";
import { convolution, doubled, heights, run } from "./hand_written.ts";

const [HEIGHT, WIDTH, FEATURES] = [480, 640, 32];
const BF16 = { dataType: "bf16" } as const;

/** Rows of tiles in the activation blocks of both convolutions, and whether results are in bfp8. */
type HeightAndWidth = readonly [
  rows: readonly [first: number, second: number],
  bfp8: readonly [boolean, boolean],
];

const ENCODERS: readonly HeightAndWidth[] = [
  [[15, 6], [false, true]],
  [[2, 2], [false, false]],
  [[2, 2], [false, false]],
  [[3, 3], [false, false]],
];

/** With the rows of the transposed convolution before; 0 leaves the choice to the backend. */
const DECODERS: readonly (readonly [grow: number, ...HeightAndWidth])[] = [
  [5, [10, 10], [true, true]],
  [2, [2, 2], [false, true]],
  [5, [3, 5], [false, false]],
  [3, [0, 3], [true, true]],
];

/**
 * U-Net on one image of 480 x 640 as tt-metal's `vanilla_unet` runs it on n150: height shards throughout, skips in
 * DRAM, weights in bfp8 and LoFi. It begins behind the turn of channels, for which TTNN has no op, and ends before the
 * turn back.
 */
export function unetByHand(): string {
  const module = new ZooModule("UNetByHand");
  const f = module.forward();
  const pixels = f.input("image", [1, 1, HEIGHT * WIDTH, 16], heights(64));
  let image: Image = { tensor: pixels, batch: 1, height: HEIGHT, width: WIDTH, channels: 16 };
  const skips: TensorValue[] = [];
  for (const [level, pair] of ENCODERS.entries()) {
    image = both(f, `encoder${level + 1}`, image, FEATURES * 2 ** level, pair, true);
    skips.push(run(f, "to_memory_config", [image.tensor], { place: {} }));
    const cores = image.tensor.type.layout.gridShape[0] ?? 1;
    const place = { ...heights(cores), ...BF16, rowMajor: true };
    image = f.maxPool2d(image, { kernel: [2, 2], stride: [2, 2] }, place);
  }
  image = both(f, "bottleneck", image, FEATURES * 2 ** ENCODERS.length, [[1, 1], [false, false]], false);
  for (let level = DECODERS.length - 1; level >= 0; level--) {
    const skip = skips[level];
    const [grow = 0, rows, bfp8] = DECODERS[level] ?? [];
    if (skip === undefined || rows === undefined || bfp8 === undefined) {
      throw new RangeError(`No level ${level}`);
    }
    const channels = FEATURES * 2 ** level;
    const sums = { fp32DestAccEn: level > 0, packerL1Acc: level > 0 };
    const config = { actBlockHOverride: 32 * grow };
    const { dataType } = image.tensor.type;
    const grown = doubled(f, `upconv${level + 1}`, image, channels, { config, compute: sums, dataType });
    image = both(
      f,
      `decoder${level + 1}`,
      joined(f, grown, skip, level > 0),
      channels,
      [rows, bfp8],
      false,
      sums,
    );
  }
  const mask = convolution(f, "conv", image, 1, {
    window: { kernel: [1, 1] },
    config: { actBlockHOverride: 6 * 32, weightsDtype: "bf16" },
    compute: { mathFidelity: "hifi2", fp32DestAccEn: true },
    ...BF16,
  });
  f.return(mask.tensor);
  return module.write();
}

/** Beside the skip, in rows but on the highest level, in shards on the same cores. */
function joined(f: ZooFunction, grown: Image, skip: TensorValue, inRows: boolean): Image {
  const place = heights(grown.tensor.type.layout.gridShape[0] ?? 1);
  const near = f.toMemoryConfig(skip, place);
  const rows = { place: { ...place, rowMajor: true, ...BF16 } };
  const parts = [grown.tensor, near].map((part) => inRows ? run(f, "to_layout", [part], rows) : part);
  const properties = { dim: 3 };
  const whole = inRows
    ? run(f, "to_layout", [run(f, "concat", parts, { ...rows, properties })], {
      place: { ...place, dataType: "bfp_bf8" },
    })
    : run(f, "concat", parts, { place, properties });
  return { ...grown, tensor: whole, channels: 2 * grown.channels };
}

function both(
  f: ZooFunction,
  name: string,
  input: Image,
  channels: number,
  [rows, bfp8]: HeightAndWidth,
  buffersTwice: boolean,
  sums = { fp32DestAccEn: true, packerL1Acc: true },
): Image {
  let image = input;
  for (const part of [0, 1]) {
    image = convolution(f, `${name}.conv${part + 1}`, image, channels, {
      window: { kernel: [3, 3], padding: [1, 1] },
      activation: "relu",
      config: {
        actBlockHOverride: 32 * (rows[part] ?? 0),
        enableActDoubleBuffer: buffersTwice,
        enableWeightsDoubleBuffer: buffersTwice,
      },
      compute: sums,
      dataType: bfp8[part] === true ? "bfp_bf8" : "bf16",
    });
  }
  return image;
}
