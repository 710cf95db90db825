// SPDX-License-Identifier: Apache-2.0

/** What makes one term a multiple of another, or keeps it within a bound. */

import { roundUp } from "../../../lib/layout/make_layout.ts";
import { orList, TILE } from "../check_subject.ts";
import { anyOf, CUT, type Remedy, remedy } from "../remedy.ts";
import * as asks from "../remedy_kinds.ts";
import { assigned, type RemedyCase } from "./changes.ts";
import type { AskedOperand, Term } from "./requirement.ts";
import { isPadded, isSettable, isTensorName } from "./settable.ts";
import { dimensionOf, isResult, sideOf, tensorNamed, termNamed } from "./term_words.ts";

/** Most values that are tried for one that the whole check allows. */
const TRIED = 4_096;

/** Names of the parts of a term that a user can set. */
export function settableIn(term: Term, { check }: Pick<RemedyCase, "check">): readonly string[] {
  if (term.kind === "computed") return term.parts.flatMap((part) => settableIn(part, { check }));
  return isSettable(term, check) || isPadded(term) ? [termNamed(term, check)] : [];
}

/** Remedies that make one term a multiple of another: a larger whole, or parts that divide it. */
export function asMultiple(whole: Term, part: Term, at: RemedyCase): readonly Remedy[] {
  const wholes = largerWhole(whole, part, at);
  const parts = fittingPart(whole, part, at);
  // A field of a config is changed sooner than a tensor; subblocks give way to blocks, the devices of a mesh to nothing.
  const isOf = (name: RegExp): boolean => part.kind === "operand" && name.test(part.name);
  const isWholeFirst = isOf(/devices|ring_size/) ||
    isSettable(whole, at.check) && !isPadded(whole) && !isOf(/subblock/);
  return anyOf(isWholeFirst ? [...wholes, ...parts] : [...parts, ...wholes]);
}

function largerWhole(whole: Term, part: Term, at: RemedyCase): readonly Remedy[] {
  const { check, values, allows } = at;
  if (whole.kind === "constant") return [];
  const is = values(whole);
  const of = values(part) ?? (part.kind === "operand" && part.aspect === "tile" ? TILE : undefined);
  const partNamed = of === undefined ? termNamed(part, check) : String(of);
  // The alignment of memory is no number of the call.
  if (of === undefined && /alignment/.test(partNamed)) return [];
  const known = is !== undefined && of !== undefined && of > 0 && is > 0 && is % of !== 0
    ? { is, of }
    : undefined;
  const padded = known === undefined
    ? undefined
    : Array.from({ length: TRIED }, (_, index) => roundUp(known.is, known.of) + index * known.of)
      .find((value) => allows(whole, value));
  const instead = padded === undefined ? "" : `: ${padded} instead of ${is}`;
  if (whole.kind === "computed") {
    const names = [...new Set(settableIn(whole, at))];
    // Without its value it would be the rule once more.
    return names.length === 0 || padded === undefined
      ? []
      : [`${orList(names)} so that ${whole.text} is a multiple of ${partNamed}${instead}`];
  }
  const tensor = tensorNamed(whole, check);
  if (isPadded(whole)) {
    const name = whole.aspect === "extent" ? `${dimensionOf(whole)} of ${tensor}` : termNamed(whole, check);
    return [
      remedy`${asks.PAD}pad ${name} ${
        padded === undefined ? `to a multiple of ${partNamed}` : `from ${is} to ${padded}`
      } ${CUT}`,
      of === TILE && whole.aspect === "extent" && !check.ops?.some((op) => op.endsWith("to_layout"))
        ? remedy`${asks.TILES}${tensor} in tiles: to_layout TILE pads its last two dimensions to multiples of ${TILE}`
        : [],
    ].flat();
  }
  if (whole.aspect === "shard_side") {
    return [`a shard of ${tensor} whose ${sideOf(whole)} is a multiple of ${partNamed}${instead}`];
  }
  if (whole.aspect === "volume") {
    return [remedy`${asks.PAD}pad ${tensor} so that its elements are a multiple of ${partNamed}`];
  }
  if (!isSettable(whole, check)) return [];
  if (padded === undefined || known === undefined) {
    return [`${whole.name} that is a multiple of ${partNamed}`];
  }
  const below = known.is - known.is % known.of;
  const fits = [...(below > 0 && allows(whole, below) ? [below] : []), padded];
  return [assigned(whole.name, `${orList(fits.map(String))} instead of ${is}`)];
}

/** Parts that the model has, which no call changes. */
const OF_MODEL = /^(?:stride|kernel|window|dilation|input_(?:width|height))/;

/** Most values that are offered for one term: parts that are larger than the one that was given may not fit. */
const OFFERED = 3;

function fittingPart(whole: Term, part: Term, { check, values, allows }: RemedyCase): readonly Remedy[] {
  if (
    part.kind !== "operand" || /alignment/.test(part.name) || OF_MODEL.test(part.name) ||
    part.aspect === "tile" || isPadded(part) ||
    !isSettable(part, check)
  ) return [];
  const [is, of] = [values(whole), values(part)];
  if (is === undefined || of === undefined || is < 1 || of < 1) {
    return [`${termNamed(part, check)} that divides ${termNamed(whole, check)}`];
  }
  const most = Math.min(is, of);
  // What counts elements in whole tiles keeps doing so.
  const isOfTiles = part.aspect === "shard_side" || /chunk|size$|stride/.test(part.name);
  const step = of % TILE === 0 && isOfTiles ? TILE : 1;
  const divisors = Array.from({ length: Math.min(most, TRIED) }, (_, index) => most - index)
    .filter((value) => value % step === 0 && allows(part, value)).slice(0, OFFERED);
  return divisors.length === 0 ? [] : [
    assigned(
      termNamed(part, check),
      `${orList(divisors.map(String))} instead of ${of}: that divides ${is}`,
    ),
  ];
}

/** Remedies that keep a term within a bound. */
export function bounded(left: Term, comparison: string, right: Term, at: RemedyCase): readonly Remedy[] {
  const { check, values } = at;
  const isUpper = comparison.startsWith("<");
  const [is, limit] = [values(left), values(right)];
  const isStrict = comparison.length === 1;
  const bound = limit === undefined
    ? `${termNamed(right, check)}${isStrict ? isUpper ? " - 1" : " + 1" : ""}`
    : String(Number.isInteger(limit) && isStrict ? limit + (isUpper ? -1 : 1) : limit);
  const most = `${isUpper ? "at most" : "at least"} ${bound}`;
  // Blocks are as many as the program config makes of the operand: they give way to cores.
  if (isUpper && left.kind === "operand" && /blocks/.test(left.name)) return [];
  if (left.kind === "operand") {
    if (isPadded(left)) {
      const how = isResult(left)
        ? "another shape in the call"
        : isUpper
        ? "ttnn.slice it into parts that are"
        : "ttnn.pad it";
      const isMoved = right.kind === "operand" && (isSettable(right, check) || right.aspect === "extent");
      const told = `${termNamed(left, check)} ${most}: ${how}${
        isMoved ? `, or a ${isUpper ? "larger" : "smaller"} one in ${termNamed(right, check)}` : ""
      }`;
      return [isUpper || isResult(left) ? told : remedy`${asks.PAD}${told}`];
    }
    if (left.aspect === "rank" && /dims|shape|begins|ends|starts?|steps?|repeats|padding/.test(left.name)) {
      return [`${most} entries in ${left.name}: one for each dimension of the operand`];
    }
    if (left.aspect === "rank") {
      return [
        `${
          tensorNamed(left, check)
        } with ${most} dimensions: a reshape before the op, and one back behind it`,
      ];
    }
    if (left.aspect === "volume") return [`${tensorNamed(left, check)} with ${most} elements`];
    if (left.name === "num_cores" && limit === 0) return [];
    if (left.aspect === "count") {
      const parts = " in a call: one on each part of them, and one on the results";
      return [`${most} ${left.name || "entries"}${isUpper && isTensorName(left) ? parts : ""}`];
    }
    if (isSettable(left, check)) {
      // Without a number it says no more than the check.
      return limit === undefined && right.kind === "operand" && right.aspect === "value"
        ? []
        : [`${termNamed(left, check)} of ${most}${is === undefined ? "" : ` instead of ${is}`}`];
    }
  }
  if (right.kind === "operand" && isSettable(right, check) && right.aspect !== "rank") {
    return movedBound(left, isUpper, right, at);
  }
  // Words of the message, which no name of the source is: `head-segments per core row`.
  return left.kind === "operand" && /^(?!num).* /i.test(left.name) && limit !== undefined
    ? [
      /(?:sizes?|lengths?|width|height|values?)$/.test(left.name)
        ? `${left.name} of ${most}`
        : `${most} ${left.name}`,
    ]
    : [];
}

/** The bound itself set so that it holds for a term. */
function movedBound(
  left: Term,
  isUpper: boolean,
  right: AskedOperand,
  { check, values }: RemedyCase,
): readonly Remedy[] {
  const least = `${isUpper ? "at least" : "at most"} ${values(left) ?? termNamed(left, check)}`;
  if (right.name === "num_cores") return [`a grid of ${least} cores`];
  const other = `${termNamed(right, check)} of ${least}`;
  const grown = right.aspect !== "extent"
    ? other
    : isUpper
    ? remedy`${asks.PAD}${other} (ttnn.pad)`
    : `${other} (ttnn.slice)`;
  const isWindow = left.kind === "operand" &&
    /^(?:effective )?(?:kernel|window|dilation|stride)/i.test(left.name);
  if (!isUpper || !isWindow) return [grown];
  const smaller = `a smaller ${left.name.toLowerCase()}`;
  // If the extent is less than half of the window, it is probably another dimension than meant.
  const [window, extent] = [values(left), values(right)];
  return anyOf(
    window === undefined || extent === undefined || 2 * extent >= window ? [grown, smaller] : [
      `the dimensions of ${
        tensorNamed(right, check)
      } in the order that the op reads (N, H, W, C): a permute before it that is missing, or one too many`,
      smaller,
      grown,
    ],
  );
}
