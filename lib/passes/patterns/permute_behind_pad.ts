// SPDX-License-Identifier: Apache-2.0
import { PAD, PERMUTE } from "../../ops/attributes/movement.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";

/**
 * Moves a permute before a pad to after it, if it meets another permute there (tt-mlir:pass-order). Page
 * conversions stay around the pad, because tiled tensors can only be padded at the end.
 */
export const permuteBehindPad: RewritePattern = {
  name: "permute-behind-pad",
  upstream: "none",
  roots: ["ttnn.pad"],
  rewrite: (op, body, context) => {
    const inRows = madeBy(op.operands[0], "to_layout");
    const permute = madeBy(inRows === undefined ? op.operands[0] : inRows.operands[0], "permute");
    const source = permute?.tensorOperand(0);
    const padded = op.tensorResult;
    const back = inRows === undefined ? undefined : padded?.onlyUser;
    const result = inRows === undefined
      ? padded
      : back?.name === "ttnn.to_layout"
      ? back.tensorResult
      : undefined;
    if (permute === undefined || source === undefined || padded === undefined || result === undefined) {
      return false;
    }
    if (!isPlain(source.type) || !isPlain(result.type) || result.onlyUser?.name !== "ttnn.permute") {
      return false;
    }
    if (inRows !== undefined && inRows.tensorResult?.onlyUser !== op) return false;
    if (permute.tensorResult?.onlyUser !== (inRows ?? op)) return false;
    const { dataType } = result.type;
    if ([source.type, padded.type].some((type) => type.dataType !== dataType)) return false;
    const permutation = permute.read(PERMUTE).permutation;
    const before = (dim: number): number => permutation.indexOf(dim);
    const padding = op.read(PAD).padding;
    const dims = source.type.shape.map((_, dim) => dim);
    const shape = dims.map((dim) => result.type.shape[before(dim)] ?? 1);
    const pads = dims.flatMap((dim) => [padding[2 * before(dim)] ?? 0, padding[2 * before(dim) + 1] ?? 0]);
    const site = new PassBuilder(body, op, context);
    const properties = op.propertiesWith({ padding: pads });
    const tiles = tensorType(context.chip, shape, dataType);
    const changed = (tensor: TensorValue, rowMajor: boolean): TensorValue =>
      site.op(
        "ttnn.to_layout",
        [tensor],
        tensorType(context.chip, tensor.type.shape, dataType, { rowMajor }),
      );
    const paddedTo = (tensor: TensorValue, type: TtnnTensorType): TensorValue =>
      site.op(op.name, [tensor], type, properties);
    const made = inRows === undefined ? paddedTo(source, tiles) : changed(
      paddedTo(changed(source, true), tensorType(context.chip, shape, dataType, { rowMajor: true })),
      false,
    );
    body.replaceAllUses(result, site.permute(made, permutation));
    return true;
  },
};
