// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../../layout/tile_shape.ts";
import { volume } from "../../../layout/extents.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isFasterBeyondError, isPlain, madeBy, rowMajorType } from "../matching.ts";

/**
 * Looks up the rows of a tensor one by one where all of one index were looked up as a single row, if that is faster: merging
 * rows of tiles moves every element, and so does splitting them behind. Caches are taken in the order of beams so.
 */
export const lookUpShortRows: RewritePattern = replacing({
  name: "look-up-short-rows",
  upstream: "none",
  roots: ["ttnn.reshape"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const lookUp = madeBy(op.operands[0], "embedding");
    const [indices, merged] = [lookUp?.tensorOperand(0), lookUp?.tensorOperand(1)];
    const rows = madeBy(merged === undefined ? undefined : tilesBelow(merged), "reshape")?.tensorOperand(0);
    if (lookUp === undefined || indices === undefined || merged === undefined || rows === undefined) {
      return undefined;
    }
    const [width, count] = [rows.type.shape.at(-1) ?? 1, volume(indices.type.shape)];
    const parts = (merged.type.shape.at(-1) ?? 1) / width;
    // Rows of one index that fill no tiles are padded, each look-up for itself.
    const isSplit = result.type.shape.at(-1) === width && parts > 0 && parts % TILE === 0;
    if (!isSplit || !isPlain(rows.type) || !isPlain(result.type)) return undefined;
    const first = site.binary(
      "multiply",
      site.reshape(site.typecast(site.tiled(indices), "si32"), [count, 1]),
      site.full([1, 1], "si32", parts),
    );
    const within = site.tensor("ttnn.arange", [site.device()], { shape: [parts], dataType: "si32" }, {
      start: 0,
      end: parts,
      step: 1,
    });
    const places = site.typecast(site.binary("add", first, site.reshape(within, [1, parts])), "u32");
    const table = site.reshape(rows, [volume(rows.type.shape) / width, width]);
    const found = site.tensor(
      "ttnn.embedding",
      [places, table].map((each) => site.op("ttnn.to_layout", [each], rowMajorType(each.type, site.context))),
      { shape: [count, parts, width], dataType: result.type.dataType },
      lookUp.properties,
    );
    return site.reshape(found, result.type.shape);
  },
});

/** The tensor in tiles that was untilized for a look-up. */
function tilesBelow(table: TensorValue): TensorValue {
  return madeBy(table, "to_layout")?.tensorOperand(0) ?? table;
}
