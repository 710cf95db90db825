// SPDX-License-Identifier: Apache-2.0
import type { TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isFasterBeyondError, isPlain, madeBy, rowMajorType, tilizedRows } from "../matching.ts";

/**
 * Joins slices row-major, where that is faster: `jnp.roll` and pads of edges take a slice that begins within a tile and
 * put another behind it. In tiles both untilize and tilize what they read and make.
 */
export const joinSlicesInRows: RewritePattern = replacing({
  name: "join-slices-in-rows",
  upstream: "none",
  roots: ["ttnn.concat"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const parts = op.tensorOperands;
    if (![result, ...parts].every(({ type }) => isPlain(type) && type.dataType === result.type.dataType)) {
      return undefined;
    }
    if (parts.every((part) => madeBy(part, "slice_static") === undefined)) return undefined;
    const rows = new Map<TensorValue, TensorValue>();
    const inRows = (value: TensorValue): TensorValue =>
      rows.getOrInsertComputed(value, () => {
        const slice = madeBy(value, "slice_static");
        const whole = slice?.tensorOperand(0);
        const type = rowMajorType(value.type, site.context);
        if (slice !== undefined && whole !== undefined && isPlain(whole.type)) {
          return site.op(slice.name, [inRows(whole)], type, slice.properties);
        }
        return tilizedRows(value) ?? site.op("ttnn.to_layout", [value], type);
      });
    const type = rowMajorType(result.type, site.context);
    const joined = site.opIfLegal(op.name, parts.map(inRows), type, op.properties);
    return joined === undefined ? undefined : site.tiled(joined);
  },
});
