// SPDX-License-Identifier: Apache-2.0
import { type Image, type ZooFunction, ZooModule } from "./builder.ts";

const HEIGHT = 480;
const WIDTH = 640;
const FEATURES = 32;
const DEPTH = 4;

/** U-Net with 32 first features on 480x640 images, batch norms folded (Ronneberger et al. 2015). */
export function unet(batch: number = 1): string {
  const module = new ZooModule("UNet");
  const f = module.forward();
  let image = f.flatten(f.toLayout(f.input("image", [batch, 3, HEIGHT, WIDTH])));
  const skips: Image[] = [];
  for (let level = 0; level < DEPTH; level++) {
    image = doubleConvolution(f, `encoder${level + 1}`, image, FEATURES * 2 ** level);
    skips.push(image);
    image = f.maxPool2d(image, { kernel: [2, 2], stride: [2, 2] });
  }
  image = doubleConvolution(f, "bottleneck", image, FEATURES * 2 ** DEPTH);
  for (let level = DEPTH - 1; level >= 0; level--) {
    const channels = FEATURES * 2 ** level;
    const skip = skips[level];
    if (skip === undefined) throw new RangeError(`Cannot build level ${level}: no skip connection`);
    const grown = f.convTranspose2d(`upconv${level + 1}`, image, channels, 2);
    const joined: Image = {
      ...grown,
      tensor: f.concat([grown.tensor, skip.tensor], 3),
      channels: 2 * channels,
    };
    image = doubleConvolution(f, `decoder${level + 1}`, joined, channels);
  }
  const mask = f.conv2d("conv", image, 1, { kernel: [1, 1] });
  const pixels = f.reshape(f.unary("sigmoid", mask.tensor), [batch, HEIGHT, WIDTH, 1]);
  f.return(f.permute(pixels, [0, 3, 1, 2]));
  return module.write();
}

function doubleConvolution(f: ZooFunction, name: string, input: Image, channels: number): Image {
  let image = input;
  for (const part of [1, 2]) {
    const window = { kernel: [3, 3], padding: [1, 1] } as const;
    image = f.conv2d(`${name}.conv${part}`, image, channels, window, "relu");
  }
  return image;
}
