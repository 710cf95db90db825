// SPDX-License-Identifier: Apache-2.0
import { tensorType } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, makeTyped } from "./matching.ts";

/**
 * A convolution whose buffers exceed L1 on tiles reads rows where they fit: tiles fill the input's channels up to 32,
 * rows to 8 only, which is a quarter of the window for images of three channels (tt-metal:conv2d). Patches of 14x14 and
 * 16x16 pixels need it.
 */
export const rowMajorConvolutionInput: RewritePattern = {
  name: "row-major-convolution-input",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
  rewrite: (op, body, context) => {
    const input = op.tensorOperand(0);
    if (input === undefined || !isPlain(input.type)) return false;
    const { shape, dataType } = input.type;
    const rows = tensorType(context, shape, dataType, { rowMajor: true });
    const [, ...others] = op.operands.map(({ type }) => type);
    const results = op.results.map(({ type }) => type);
    const fitsOn = (type: typeof rows): boolean =>
      context.isLegal({ name: op.name, operands: [type, ...others], results, attributes: op.attributeMap() });
    if (fitsOn(input.type) || !fitsOn(rows)) return false;
    body.setOperand(op, 0, makeTyped({ anchor: op, body, context }, "ttnn.to_layout", [input], rows));
    return true;
  },
};
