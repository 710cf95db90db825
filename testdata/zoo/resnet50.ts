// SPDX-License-Identifier: Apache-2.0
import { type Image, type ZooFunction, ZooModule, type ZooWindow } from "./builder.ts";

/** ResNet-50 for 224x224 images, batch norms folded into the convolutions (He et al. 2015, table 1). */
export function resnet50(batch: number = 8): string {
  const module = new ZooModule("ResNet50");
  const f = module.forward();
  const pixels = f.input("pixel_values", [batch, 3, 224, 224]);
  let image = f.flatten(f.toLayout(pixels));
  image = f.conv2d("conv1", image, 64, { kernel: [7, 7], stride: [2, 2], padding: [3, 3] }, "relu");
  image = f.maxPool2d(image, { kernel: [3, 3], stride: [2, 2], padding: [1, 1] });
  const stages = [
    { blocks: 3, width: 64 },
    { blocks: 4, width: 128 },
    { blocks: 6, width: 256 },
    { blocks: 3, width: 512 },
  ];
  stages.forEach(({ blocks, width }, stage) => {
    for (let block = 0; block < blocks; block++) {
      const stride = stage > 0 && block === 0 ? 2 : 1;
      const shortcut = block === 0 ? "projected" : "identity";
      image = bottleneck(f, `layer${stage + 1}.${block}`, image, { width, stride, shortcut });
    }
  });
  f.return(f.classify("fc", image, 1000));
  return module.write();
}

/** A block of the network. */
interface BottleneckBlock {
  /** Channels of the 3x3 convolution. */
  readonly width: number;
  readonly stride: number;
  /** `projected` where extents or channels change. */
  readonly shortcut: "identity" | "projected";
}

/** 1x1 reduce, 3x3, 1x1 expand to four times the width, and the shortcut. */
function bottleneck(
  f: ZooFunction,
  name: string,
  input: Image,
  { width, stride, shortcut: kind }: BottleneckBlock,
): Image {
  const reduced = f.conv2d(`${name}.conv1`, input, width, { kernel: [1, 1] }, "relu");
  const window: ZooWindow = { kernel: [3, 3], stride: [stride, stride], padding: [1, 1] };
  const middle = f.conv2d(`${name}.conv2`, reduced, width, window, "relu");
  const expanded = f.conv2d(`${name}.conv3`, middle, 4 * width, { kernel: [1, 1] });
  const shortcut = kind === "projected"
    ? f.conv2d(`${name}.downsample`, input, 4 * width, { kernel: [1, 1], stride: [stride, stride] })
    : input;
  return f.onImage(expanded, (tensor) => f.unary("relu", f.add(tensor, shortcut.tensor)));
}
