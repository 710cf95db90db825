// SPDX-License-Identifier: Apache-2.0
import { TOPK } from "../../../ops/attributes/reduction.ts";
import { rankFormat } from "../../../ops/rank_format.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain } from "../matching.ts";

/**
 * Ranks parts of wide rows, and then the best of all parts, where that is faster: Wormhole's cores share rows of some widths,
 * and one core sorts all others. Logits over a vocabulary are such rows.
 */
export const topkInParts: RewritePattern = replacing({
  name: "topk-in-parts",
  upstream: "none",
  roots: ["ttnn.topk"],
  ofSeveral: true,
  pays: isFasterBeyondError,
  replace: (op, site, values) => {
    const input = op.tensorOperand(0);
    const places = op.tensorResultAt(1);
    if (input === undefined || !isPlain(input.type)) return undefined;
    const { shape } = input.type;
    const { k, dim } = op.read(TOPK);
    const kept = Math.ceil(k / TILE) * TILE;
    const width = shape.at(-1) ?? 1;
    if (dimensionOf(op, dim) !== shape.length - 1 || kept > MOST_KEPT) return undefined;
    const parts = partsOf(width);
    if (parts.length < 2) return undefined;
    const best = parts.map(({ from, to }) => {
      const count = Math.min(kept, to - from);
      const start = site.full([...shape.slice(0, -1).map(() => 1), count], "si32", from);
      return { ...ranked(site, op, site.slice(input, -1, { from, to }), count), start };
    });
    const joined = (each: "values" | "places" | "start") =>
      site.inferred("ttnn.concat", best.map((part) => part[each]), { dim: shape.length - 1 });
    const all = site.binary("add", site.typecast(joined("places"), "si32"), joined("start"));
    const chosen = ranked(site, op, joined("values"), k);
    const found = site.tensor("ttnn.gather", [all, chosen.places], {
      shape: values.type.shape,
      dataType: "si32",
    }, { dim: shape.length - 1 });
    return new Map([[values, chosen.values], [places, site.typecast(found, places.type.dataType)]]);
  },
});

/** Columns of a tile. */
const TILE = 32;

/** Most results of cores that share a row (`ttnn:backend-0-81-1`). */
const MOST_KEPT = 64;

/** Widths of rows that cores share, all powers of two, and the narrowest row that can be ranked (`ttnn:backend-0-81-1`). */
const SHARED = { least: 1024, most: 32768 };
const NARROWEST = 64;

interface Part {
  readonly from: number;
  readonly to: number;
}

/** Parts of a row that cores can share, the widest first, and what is left of it in a last part. */
function partsOf(width: number): readonly Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < width;) {
    const rest = width - from;
    const shared = Math.min(SHARED.most, 2 ** Math.floor(Math.log2(rest)));
    const to = rest < SHARED.least || rest - shared < NARROWEST ? width : from + shared;
    parts.push({ from, to });
    from = to;
  }
  return parts;
}

/** The best of rows and their places, ranked as an op ranks its own. */
function ranked(
  site: PassBuilder,
  op: TtnnOp,
  rows: TensorValue,
  k: number,
): { readonly values: TensorValue; readonly places: TensorValue } {
  const { shape, dataType } = rows.type;
  const kept = shape.with(-1, k);
  const types = [
    site.type(kept, dataType),
    site.type(kept, rankFormat("topk", dataType, shape.at(-1) ?? 1)),
  ];
  const made = site.insert(op.name, [rows], types, op.propertiesWith({ k }));
  return { values: made.tensorResultAt(0), places: made.tensorResultAt(1) };
}
