// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../../layout/tile_shape.ts";
import { TOPK } from "../../../ops/attributes/reduction.ts";
import { rankFormat } from "../../../ops/rank_format.ts";
import { volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain } from "../matching.ts";

/**
 * Ranks parts of wide rows, and then the best of all parts, where that is faster: Wormhole's cores share rows of some widths,
 * and one core sorts any other 32 rows (`ttnn:backend-0-81-1`). Parts of unequal widths are cut from the rows, those of equal
 * ones become rows of their own. Logits over a vocabulary, and scores of boxes, are such rows.
 */
export const topkInParts: RewritePattern = replacing({
  name: "topk-in-parts",
  upstream: "none",
  roots: ["ttnn.topk"],
  ofSeveral: true,
  pays: isFasterBeyondError,
  replace: (op, site, values) => {
    const given = op.tensorOperand(0);
    const places = op.tensorResultAt(1);
    if (given === undefined || !isPlain(given.type)) return undefined;
    const { k, dim } = op.read(TOPK);
    const rank = given.type.shape.length;
    if (dimensionOf(op, dim) !== rank - 1) return undefined;
    const kept = Math.ceil(k / TILE) * TILE;
    const width = given.type.shape.at(-1) ?? 1;
    // A gather takes two dimensions or more (tt-mlir:gather-rank-1).
    const input = rank === 1 ? site.reshape(given, [1, width]) : given;
    const forms = [
      ...kept <= SHARED.results ? [() => bestOfSlices(site, op, input, kept)] : [],
      ...equalPartsOf(width, kept).map((parts) => () => bestOfRows(site, op, input, { parts, kept })),
    ];
    // Ranking the candidates does not count: it is done in parts again.
    const best = site.fastest(forms);
    if (best === undefined) return undefined;
    const chosen = ranked(site, op, best.values, k);
    const type = { shape: chosen.values.type.shape, dataType: best.places.type.dataType };
    const found = site.tensor("ttnn.gather", [best.places, chosen.places], type, {
      dim: type.shape.length - 1,
    });
    const asDeclared = (each: TensorValue) => site.reshape(each, values.type.shape);
    return new Map([
      [values, asDeclared(chosen.values)],
      [places, asDeclared(site.typecast(found, places.type.dataType))],
    ]);
  },
});

/** Widths of rows that cores share, all powers of two, and the most results of such rows (`ttnn:backend-0-81-1`). */
const SHARED = { least: 1024, most: 32768, results: 64 };

/** Narrowest row that the kernel ranks (`ttnn:backend-0-81-1`). */
const NARROWEST = 64;

/** Elements of rows that are candidates for the best, and their places in the rows as `si32`. */
interface Candidates {
  readonly values: TensorValue;
  readonly places: TensorValue;
}

/** Least number of elements per candidate: candidates are ranked in parts again, and each time takes seven further ops. */
const ELEMENTS_PER_CANDIDATE = 4;

/** Numbers of equal parts, each of which can be ranked, that leave few candidates. */
function equalPartsOf(width: number, kept: number): readonly number[] {
  return Array.from({ length: Math.floor(width / NARROWEST) }, (_, at) => at + 1)
    .filter((parts) => parts > 1 && width % parts === 0 && ELEMENTS_PER_CANDIDATE * kept * parts <= width);
}

/** The best of equal parts, which are rows of their own. */
function bestOfRows(
  site: PassBuilder,
  op: TtnnOp,
  input: TensorValue,
  { parts, kept }: { readonly parts: number; readonly kept: number },
): Candidates {
  const { shape } = input.type;
  const [rows, width] = [volume(shape.slice(0, -1)), shape.at(-1) ?? 1];
  const best = ranked(site, op, site.reshape(input, [rows * parts, width / parts]), kept);
  const starts = site.tensor("ttnn.arange", [site.device()], { shape: [parts], dataType: "si32" }, {
    start: 0,
    end: width,
    step: width / parts,
  });
  const apart = site.reshape(site.typecast(best.places, "si32"), [rows, parts, kept]);
  const places = site.binary("add", apart, site.reshape(starts, [1, parts, 1]));
  const joined = shape.with(-1, parts * kept);
  return { values: site.reshape(best.values, joined), places: site.reshape(places, joined) };
}

/** The best of parts of widths that cores share, cut from the rows. */
function bestOfSlices(site: PassBuilder, op: TtnnOp, input: TensorValue, kept: number): Candidates {
  const { shape } = input.type;
  const best = sharedPartsOf(shape.at(-1) ?? 1).map(({ from, to }) => {
    const count = Math.min(kept, to - from);
    const start = site.full([...shape.slice(0, -1).map(() => 1), count], "si32", from);
    return { ...ranked(site, op, site.slice(input, -1, { from, to }), count), start };
  });
  const joined = (each: "values" | "places" | "start") =>
    site.inferred("ttnn.concat", best.map((part) => part[each]), { dim: shape.length - 1 });
  const places = site.binary("add", site.typecast(joined("places"), "si32"), joined("start"));
  return { values: joined("values"), places };
}

/** Parts of a row that cores can share, the widest first, and what is left of it in a last part. */
function sharedPartsOf(width: number): readonly { readonly from: number; readonly to: number }[] {
  const parts = [];
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
function ranked(site: PassBuilder, op: TtnnOp, rows: TensorValue, k: number): Candidates {
  const { shape, dataType } = rows.type;
  const kept = shape.with(-1, k);
  const types = [
    site.type(kept, dataType),
    site.type(kept, rankFormat("topk", dataType, shape.at(-1) ?? 1)),
  ];
  const made = site.insert(op.name, [rows], types, op.propertiesWith({ k, dim: -1 }));
  return { values: made.tensorResultAt(0), places: made.tensorResultAt(1) };
}
