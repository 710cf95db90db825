// SPDX-License-Identifier: Apache-2.0
import { ROTARY } from "../../../ops/attributes/attention.ts";
import { sameExtents } from "../../../layout/extents.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, madeBy, runsInDram } from "../matching.ts";

/**
 * `rotary_embedding` → `x cos + concat(−second half of x, first half of x) sin`, without the rows that the kernel
 * adds and a slice drops. Only if the backend rejects the op with all tensors in interleaved DRAM, such as with
 * angles of each user (`ttnn:backend-0-81-1`); without `token_index`, and if x, cos, sin and the result have one
 * data type. The inverse of `fuse-rotary-embedding`.
 */
export const splitRotaryEmbedding: RewritePattern = replacing({
  name: "split-rotary-embedding",
  upstream: "none",
  roots: ["ttnn.rotary_embedding", "ttnn.slice_static"],
  replace: (op, site, result) => {
    const rotary = op.name === "ttnn.rotary_embedding" ? op : madeBy(op.operands[0], "rotary_embedding");
    const [input, cosine, sine] = [0, 1, 2].map((index) => rotary?.tensorOperand(index));
    if (rotary === undefined || input === undefined || cosine === undefined || sine === undefined) {
      return undefined;
    }
    const { shape, dataType } = input.type;
    const rows = shape.length - 2;
    const cut = op === rotary ? undefined : cutOf(op);
    const isWhole = op === rotary || (cut?.dim === rows && cut.from === 0);
    const isSpelled = isWhole && sameExtents(result.type.shape, shape) && result.type.dataType === dataType &&
      rotary.read(ROTARY).token_index === undefined &&
      [cosine, sine].every(({ type }) => type.dataType === dataType && broadcasts(type.shape, shape));
    if (!isSpelled || runsInDram(rotary, site.context)) return undefined;
    return site.binary(
      "add",
      site.binary("multiply", input, cosine),
      site.binary("multiply", crossed(site, input), sine),
    );
  },
});

/** `concat(−second half of x, first half of x)` over the last dimension. */
function crossed(site: PassBuilder, input: TensorValue): TensorValue {
  const { shape, dataType } = input.type;
  const dim = shape.length - 1;
  const size = shape[dim] ?? 0;
  const back = site.unary("neg", site.slice(input, dim, { from: size / 2, to: size }));
  const front = site.slice(input, dim, { from: 0, to: size / 2 });
  return site.tensor("ttnn.concat", [back, front], { shape, dataType }, { dim });
}

function broadcasts(table: readonly number[], shape: readonly number[]): boolean {
  return table.length === shape.length &&
    table.every((extent, dim) => extent === shape[dim] || (extent === 1 && dim < shape.length - 1));
}
