// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import type { PassContext, ProposedOp } from "../graph_pass.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";

/** Row-major is chosen only below this share of the tiled time, because both are predictions. */
const WORTH_IT = 0.9;

/**
 * Makes a convolution read row-major pages in two cases: its buffers exceed L1 with tiled input only; or its
 * input was tilized for this convolution alone and row-major is faster. Tiled input is padded to 32 channels,
 * row-major to 8, a quarter of the window for images of three channels (tt-metal:conv2d). The first case
 * occurs with large patches of many channels, the second with channels-last images.
 *
 * Prices assume DRAM. Policies with exact search choose pages together with layouts, so the convolution may
 * still tilize these rows, or untilize other tiles.
 */
export const rowMajorConvolutionInput: RewritePattern = {
  name: "row-major-convolution-input",
  upstream: "none",
  roots: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
  rewrite: (op, body, context) => {
    const input = op.tensorOperand(0);
    if (input === undefined || !isPlain(input.type)) return false;
    const { shape, dataType } = input.type;
    const onInput = asIfReading(op);
    const rows = tensorType(context.chip, shape, dataType, { rowMajor: true });
    // Most convolutions fit L1 with tiles that were tiled originally; they are left alone.
    const staysOnTiles = context.isLegal(onInput(input.type)) &&
      !isQuickerInRows(onInput, input, rows, context);
    if (staysOnTiles || !context.isLegal(onInput(rows))) return false;
    body.setOperand(op, 0, new PassBuilder(body, op, context).op("ttnn.to_layout", [input], rows));
    return true;
  },
};

/** The query of a convolution with an input of another type. */
function asIfReading(op: TtnnOp): (type: TtnnTensorType) => ProposedOp {
  const [, ...others] = op.operands.map((operand) => operand.type);
  const results = op.results.map((result) => result.type);
  const attributes = op.attributeMap();
  return (type) => ({ name: op.name, operands: [type, ...others], results, attributes });
}

function isQuickerInRows(
  onInput: (type: TtnnTensorType) => ProposedOp,
  input: TensorValue,
  rows: TtnnTensorType,
  context: PassContext,
): boolean {
  const tiling = tilingOf(input);
  const source = tiling?.tensorOperand(0);
  const tiled = tiling?.tensorResult;
  if (source === undefined || tiled === undefined || source.type.dataType !== rows.dataType) return false;
  const made = context.microseconds({
    name: "ttnn.to_layout",
    operands: [source.type],
    results: [tiled.type],
    attributes: new Map(),
  });
  const [onTiles, onRows] = [input.type, rows].map((type) => context.microseconds(onInput(type)));
  return made !== undefined && onTiles !== undefined && onRows !== undefined &&
    onRows < WORTH_IT * (made + onTiles);
}

/**
 * The op that tilized a row-major value without other users. Views of the tiles become views of the row-major
 * value.
 */
function tilingOf(input: TensorValue): TtnnOp | undefined {
  let value = input;
  for (;;) {
    const { producer } = value;
    const source = producer?.tensorOperand(0);
    if (producer === undefined || source === undefined || value.uses.size !== 1) return undefined;
    if (producer.name === "ttnn.to_layout") {
      return source.type.layout.tile === undefined ? producer : undefined;
    }
    const keepsRows = source.type.shape.at(-1) === value.type.shape.at(-1);
    if (producer.name !== "ttnn.reshape" || !keepsRows) return undefined;
    value = source;
  }
}
