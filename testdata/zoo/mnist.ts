// SPDX-License-Identifier: Apache-2.0
import { ZooModule } from "./builder.ts";

/** The three-layer perceptron of the PyTorch quickstart on MNIST images, batch 128. */
export function mnist(): string {
  const module = new ZooModule("MnistMlp");
  const f = module.forward();
  const widths = [784, 512, 512, 10] as const;
  let value = f.toLayout(f.input("pixels", [128, widths[0]]));
  widths.slice(1).forEach((width, layer) => {
    value = f.dense(`linear_relu_stack.${2 * layer}`, value, width);
    if (layer < 2) value = f.unary("relu", value);
  });
  f.return(f.softmax(value));
  return module.write();
}
