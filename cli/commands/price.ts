// SPDX-License-Identifier: Apache-2.0
import { type Command, options, type OptionSpec } from "../command.ts";
import { topOption } from "./row_options.ts";
import { DEVICE_OPTIONS, JSON_OUTPUT } from "./shared_options.ts";

/** Number of operands whose layout can be given. */
export const PRICED_OPERANDS = 8;

const DEVICES: readonly OptionSpec[] = DEVICE_OPTIONS.filter(({ name }) => name === "device").map((spec) => ({
  ...spec,
  value: "NAMES",
  default: "n150",
  description: "Chips to price on, with commas between them; or a device JSON of your own",
}));

/** `price`: the cost of one op without a file. */
export const price: Command = {
  name: "price",
  load: () => import("../run/price.ts" satisfies string),
  summary: "Price one op without a file: every legal way to run it, fastest first",
  positionals: "OP [SHAPE…]",
  mostPositionals: 1 + PRICED_OPERANDS,
  options: options(
    ...DEVICES,
    "dtype FORMAT (default bf16) — Element format of tensors without one, for example bf16, f32, bfp8",
    "weights FORMAT — Element format of weights and biases without one; default: that of --dtype",
    "fidelity NAME (one of lofi|hifi2|hifi3|hifi4) — Math fidelity of the op's compute config; default: the backend's",
    "attr NAME=VALUE (repeatable) — An attribute of the op: a number, numbers with commas, true, a word, or MLIR text",
    "result SHAPE (repeatable) — A result whose shape or format does not follow from the operands",
    ...Array.from(
      { length: PRICED_OPERANDS },
      (_, operand) =>
        `in${operand} LAYOUT — Layout of operand ${operand} instead of all that it may have, for example l1/width_sharded/8x8`,
    ),
    "out LAYOUT — Layout that the first result must have",
    topOption("Kinds of ways to list per chip", 10),
    JSON_OUTPUT,
  ),
  examples: [
    "price matmul 32x4096 4096x14336 --weights bfp8 --device n150,p150 — A decode matmul of Llama 3.1 8B on two chips",
    "price softmax 1x32x128x128 --in0 l1/height_sharded/8x8 — From a given layout; refusals say what is not legal",
    "price conv2d 1x56x56x64 64x64x3x3 --attr padding=1,1 — A convolution: the image as NHWC, the weights as OIHW",
    "price sum 2048x2048 --attr dim_arg=0 --json — Everything as data",
  ],
  notes: [
    "SHAPE is 32x4096, optionally with a format: 4096x14336:bfp8. Attributes that the operands imply need no --attr: the window of a convolution, the last dimension of a reduction.",
    "Time is device time and launch, as in the table of optimize; the band is the published error of the op's class. L1 is what the op and its operands need per core. Weights, masks, caches and indices stay in DRAM unless --inN says otherwise. One row stands for all grids and configs of the same kinds of layouts, and shows the fastest; --top 0 lists every way. Exit code 1 if nothing is legal.",
  ],
};
