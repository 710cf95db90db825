// SPDX-License-Identifier: Apache-2.0
import { ATTENTION_FORM } from "../../ops/attributes/attention.ts";
import { DEFAULT_TILE } from "../../layout/ttnn_layout.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { PassBuilder } from "../pass_builder.ts";

/** The size of a head rounded up to whole tiles, as prefill attention requires (tt-metal:sdpa). */
export function paddedHead(size: number): number {
  return DEFAULT_TILE.width * Math.ceil(size / DEFAULT_TILE.width);
}

/**
 * Pads heads to whole tiles with zeros for prefill attention, and slices the result (tt-metal:sdpa, files
 * that `ttmlir-opt` wrote at level 2). The scale stays that of the real size.
 */
export const padAttentionHeads: RewritePattern = replacing({
  name: "pad-attention-heads",
  upstream: "level-1",
  roots: ["ttnn.scaled_dot_product_attention"],
  replace: (op, site, result) => {
    const size = op.operandType(0)?.shape.at(-1) ?? 0;
    if (paddedHead(size) === size) return undefined;
    const operands = op.operands.map((value, index) => {
      const tensor = op.tensorOperand(index);
      return index < 3 && tensor !== undefined ? padded(site, tensor) : value;
    });
    const { shape, dataType } = result.type;
    const wide = tensorType(site.context.chip, shape.with(-1, paddedHead(shape.at(-1) ?? 0)), dataType);
    const isScaled = op.read(ATTENTION_FORM).scale !== undefined;
    const properties = isScaled ? op.properties : op.propertiesWith({ scale: 1 / Math.sqrt(size) });
    const attended = site.op(op.name, operands, wide, properties);
    return site.slice(attended, -1, { from: 0, to: shape.at(-1) ?? 0 });
  },
});

function padded(site: PassBuilder, tensor: TensorValue): TensorValue {
  const { shape, dataType } = tensor.type;
  const size = shape.at(-1) ?? 0;
  const more = shape.flatMap((_, dim) => [0, dim === shape.length - 1 ? paddedHead(size) - size : 0]);
  return site.tensor("ttnn.pad", [tensor], { shape: shape.with(-1, paddedHead(size)), dataType }, {
    padding: more,
    use_multicore: true,
    value: 0,
  });
}
