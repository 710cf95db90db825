// SPDX-License-Identifier: Apache-2.0
import { type Image, type ZooFunction, ZooModule, type ZooWindow } from "./builder.ts";

/** Inverted residuals: expansion, channels, blocks, stride of the first (Sandler et al. 2018, table 2). */
export const STAGES = [
  { expansion: 1, channels: 16, blocks: 1, stride: 1 },
  { expansion: 6, channels: 24, blocks: 2, stride: 2 },
  { expansion: 6, channels: 32, blocks: 3, stride: 2 },
  { expansion: 6, channels: 64, blocks: 4, stride: 2 },
  { expansion: 6, channels: 96, blocks: 3, stride: 1 },
  { expansion: 6, channels: 160, blocks: 3, stride: 2 },
  { expansion: 6, channels: 320, blocks: 1, stride: 1 },
] as const;

/** MobileNetV2 for 224x224 images, batch norms folded into the convolutions. */
export function mobilenetV2(batch: number): string {
  const module = new ZooModule("MobileNetV2");
  const f = module.forward();
  const pixels = f.input("pixel_values", [batch, 3, 224, 224]);
  let image = clipped(f, "stem", f.flatten(f.toLayout(pixels)), 32, halved({ kernel: [3, 3] }, 2));
  for (const [stage, { expansion, channels, blocks, stride }] of STAGES.entries()) {
    for (let block = 0; block < blocks; block++) {
      const name = `layer.${stage}.${block}`;
      image = invertedResidual(f, name, image, expansion, channels, block === 0 ? stride : 1);
    }
  }
  image = clipped(f, "head", image, 1280, { kernel: [1, 1] });
  f.return(f.classify("classifier", image, 1000));
  return module.write();
}

/** Expands with a 1x1, filters each channel with a 3x3, and projects with a 1x1 without an activation. */
function invertedResidual(
  f: ZooFunction,
  name: string,
  input: Image,
  expansion: number,
  channels: number,
  stride: number,
): Image {
  const width = expansion * input.channels;
  const expanded = expansion === 1 ? input : clipped(f, `${name}.expand`, input, width, { kernel: [1, 1] });
  const depthwise = halved({ kernel: [3, 3], groups: width }, stride);
  const filtered = clipped(f, `${name}.depthwise`, expanded, width, depthwise);
  const projected = f.conv2d(`${name}.project`, filtered, channels, { kernel: [1, 1] });
  return stride === 1 && channels === input.channels
    ? f.onImage(projected, (tensor) => f.add(tensor, input.tensor))
    : projected;
}

function halved(window: ZooWindow, stride: number): ZooWindow {
  return { ...window, stride: [stride, stride], padding: [1, 1] };
}

function clipped(f: ZooFunction, ...layer: Parameters<ZooFunction["conv2d"]>): Image {
  return f.onImage(f.conv2d(...layer), (tensor) => f.unary("relu6", tensor));
}
