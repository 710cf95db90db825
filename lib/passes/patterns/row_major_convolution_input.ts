// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import type { PassContext, ProposedOp } from "../graph_pass.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";

/** Rows are chosen only if they take at most this share of the time on tiles, because both are predictions. */
const WORTH_IT = 0.9;

/**
 * A convolution reads rows instead of tiles where its buffers exceed L1 on tiles alone, and where its tiles were made
 * of rows for nothing else and rows are faster: tiles fill the input's channels up to 32, rows to 8 only, which is a
 * quarter of the window for images of three channels (tt-metal:conv2d). Large patches of many channels need it; images
 * with their channels last save the time of making tiles.
 *
 * That is priced in DRAM. Where plans are searched exactly, pages are chosen together with layouts, so that tiles may
 * still be made of these rows, and rows of other tiles.
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
    const onInput = asIfReading(op);
    const rows = tensorType(context.chip, shape, dataType, { rowMajor: true });
    // Most convolutions fit with tiles that were not made from rows, so they are left alone.
    const staysOnTiles = context.isLegal(onInput(input.type)) &&
      !isQuickerInRows(onInput, input, rows, context);
    if (staysOnTiles || !context.isLegal(onInput(rows))) return false;
    body.setOperand(op, 0, new PassBuilder(body, op, context).op("ttnn.to_layout", [input], rows));
    return true;
  },
};

/** A convolution as if it read an input of such a type. */
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

/** What made the tiles of a value out of rows, where nothing else reads them: rows are viewed as tiles are after it. */
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
