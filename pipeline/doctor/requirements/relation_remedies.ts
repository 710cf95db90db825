// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../../lib/layout/make_layout.ts";
import { orList, TILE } from "../check_subject.ts";
import type { RemedyCase } from "./constant_remedies.ts";
import { KINDS } from "./found_values.ts";
import type { AskedOperand, Term } from "./requirement.ts";
import { isPadded, isSettable, isTensorName } from "./settable.ts";
import { dimensionOf, isResult, sideOf, tensorNamed, termNamed } from "./term_words.ts";
import type { Values } from "./values.ts";

/** The remedy for a declared result that is not what operands and attributes make. */
export const DECLARED_RESULT =
  "the result's type as operands and attributes make it, where these are right; else the op before it that makes an operand's extent wrong (a slice, a pad, an iota or a mask that is longer by one)";

/** Ways of which one suffices. */
export function alternatives(ways: readonly string[]): readonly string[] {
  return [...new Set(ways)].map((one, index) => index === 0 ? one : `or ${one}`);
}

/** Most values that are tried for one that the whole check allows. */
const TRIED = 4_096;

/** Numbers up to `most`, largest first. */
function downFrom(most: number): readonly number[] {
  return Array.from({ length: Math.min(most, TRIED) }, (_, index) => most - index);
}

/** The least multiple of `of` from `is` on that the rest of the check allows. */
function paddedTo(whole: Term, is: number, of: number, { allows }: RemedyCase): number | undefined {
  return Array.from({ length: TRIED }, (_, index) => roundUp(is, of) + index * of)
    .find((value) => allows(whole, value));
}

/** Names of the parts of a term that a user can set. */
export function settableIn(term: Term, { check }: Pick<RemedyCase, "check">): readonly string[] {
  if (term.kind === "computed") return term.parts.flatMap((part) => settableIn(part, { check }));
  return isSettable(term, check) || isPadded(term) ? [termNamed(term, check)] : [];
}

/** Remedies that make one term a multiple of another: a larger whole, or parts that divide it. */
export function asMultiple(whole: Term, part: Term, at: RemedyCase): readonly string[] {
  const wholes = largerWhole(whole, part, at);
  const parts = fittingPart(whole, part, at);
  // A field of a config is changed sooner than a tensor.
  return alternatives(
    named(part, /devices|ring_size/) ||
      isSettable(whole, at.check) && !isPadded(whole) && !named(part, /subblock/)
      ? [...wholes, ...parts]
      : [...parts, ...wholes],
  );
}

/** Subblocks give way to blocks, which cores and operands decide; the devices of a mesh give way to nothing. */
function named(term: Term, name: RegExp): boolean {
  return term.kind === "operand" && name.test(term.name);
}

/** The value of a part; of a tile 32 if it is unknown. */
function partOf(part: Term, values: Values): number | undefined {
  return values(part) ?? (part.kind === "operand" && part.aspect === "tile" ? TILE : undefined);
}

function largerWhole(whole: Term, part: Term, at: RemedyCase): readonly string[] {
  const { check, values } = at;
  const [is, of] = [values(whole), partOf(part, values)];
  const padded = is !== undefined && of !== undefined && of > 0 && is > 0 && is % of !== 0
    ? paddedTo(whole, is, of, at)
    : undefined;
  const partNamed = of === undefined ? termNamed(part, check) : String(of);
  // The alignment of memory is no number of the call.
  if (of === undefined && /alignment/.test(partNamed)) return [];
  const instead = padded === undefined ? "" : `: ${padded} instead of ${is}`;
  if (whole.kind === "computed") {
    const names = [...new Set(settableIn(whole, at))];
    return names.length === 0
      ? []
      : [`${orList(names)} so that ${whole.text} is a multiple of ${partNamed}${instead}`];
  }
  if (whole.kind === "constant") return [];
  const tensor = tensorNamed(whole, check);
  if (isPadded(whole)) {
    const name = whole.aspect === "extent" ? `${dimensionOf(whole)} of ${tensor}` : termNamed(whole, check);
    return [
      `pad ${name} ${
        padded === undefined ? `to a multiple of ${partNamed}` : `from ${is} to ${padded}`
      } (ttnn.pad, and cut the result)`,
      ...(of === TILE && whole.aspect === "extent"
        ? [`${tensor} in tiles: to_layout TILE pads its last two dimensions to multiples of ${TILE}`]
        : []),
    ];
  }
  if (whole.aspect === "shard_side") {
    return [`a shard of ${tensor} whose ${sideOf(whole)} is a multiple of ${partNamed}${instead}`];
  }
  if (whole.aspect === "volume") return [`pad ${tensor} so that its elements are a multiple of ${partNamed}`];
  if (!isSettable(whole, check)) return [];
  if (padded === undefined || is === undefined || of === undefined) {
    return [`${whole.name} that is a multiple of ${partNamed}`];
  }
  const below = is - is % of;
  const fits = [...(below > 0 && at.allows(whole, below) ? [below] : []), padded];
  return [`${whole.name} = ${orList(fits.map(String))} instead of ${is}`];
}

/** Most values that are offered for one term: parts that are larger than the one that was given may not fit. */
const OFFERED = 3;

function fittingPart(whole: Term, part: Term, { check, values, allows }: RemedyCase): readonly string[] {
  if (
    part.kind !== "operand" || /alignment/.test(part.name) || part.aspect === "tile" || isPadded(part) ||
    !isSettable(part, check)
  ) return [];
  const [is, of] = [values(whole), values(part)];
  if (is === undefined || of === undefined || is < 1 || of < 1) {
    return [`${termNamed(part, check)} that divides ${termNamed(whole, check)}`];
  }
  const divisors = downFrom(Math.min(is, of)).filter((value) => allows(part, value)).slice(0, OFFERED);
  return divisors.length === 0
    ? []
    : [`${termNamed(part, check)} = ${orList(divisors.map(String))} instead of ${of}: that divides ${is}`];
}

/** Remedies that keep a term within a bound. */
export function bounded(left: Term, comparison: string, right: Term, at: RemedyCase): readonly string[] {
  const { check, values } = at;
  const isUpper = comparison.startsWith("<");
  const limit = values(right);
  const isStrict = comparison.length === 1;
  const bound = limit === undefined
    ? `${termNamed(right, check)}${isStrict ? isUpper ? " - 1" : " + 1" : ""}`
    : String(Number.isInteger(limit) && isStrict ? limit + (isUpper ? -1 : 1) : limit);
  const most = `${isUpper ? "at most" : "at least"} ${bound}`;
  if (left.kind === "operand" && isPadded(left)) {
    return [
      `${termNamed(left, check)} ${most}: ${
        isResult(left)
          ? "another shape in the call"
          : isUpper
          ? "ttnn.slice it into parts that are"
          : "ttnn.pad it"
      }${
        right.kind === "operand" && (isSettable(right, check) || right.aspect === "extent")
          ? `, or a ${isUpper ? "larger" : "smaller"} one in ${termNamed(right, check)}`
          : ""
      }`,
    ];
  }
  if (left.kind === "operand" && (left.aspect === "rank" || left.aspect === "volume")) {
    const parts = left.aspect === "rank"
      ? "dimensions: a reshape before the op, and one back behind it"
      : "elements";
    return [`${tensorNamed(left, check)} with ${most} ${parts}`];
  }
  if (left.kind === "operand" && left.name === "num_cores" && limit === 0) return [];
  if (left.kind === "operand" && left.aspect === "count") {
    const parts = isUpper && isTensorName(left)
      ? " in a call: one on each part of them, and one on the results"
      : "";
    return [`${most} ${left.name || "entries"}${parts}`];
  }
  if (left.kind === "operand" && isSettable(left, check)) {
    return [
      `${left.aspect === "value" ? left.name : termNamed(left, check)} of ${most}${
        values(left) === undefined ? "" : ` instead of ${values(left)}`
      }`,
    ];
  }
  if (right.kind === "operand" && isSettable(right, check) && right.aspect !== "rank") {
    return movedBound(left, isUpper, right, at);
  }
  // Words of the message, which no name of the source is: `head-segments per core row`.
  return left.kind === "operand" && /^(?!num).* /i.test(left.name) && limit !== undefined
    ? [
      /(?:sizes?|lengths?|width|height)$/.test(left.name)
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
): readonly string[] {
  const least = `${isUpper ? "at least" : "at most"} ${values(left) ?? termNamed(left, check)}`;
  if (right.name === "num_cores") return [`a grid of ${least} cores`];
  const other = `${termNamed(right, check)} of ${least}`;
  const grown = right.aspect === "extent" ? `${other} (${isUpper ? "ttnn.pad" : "ttnn.slice"})` : other;
  if (
    !isUpper || left.kind !== "operand" ||
    !/^(?:effective )?(?:kernel|window|dilation|stride)/i.test(left.name)
  ) return [grown];
  const smaller = `a smaller ${left.name.toLowerCase()}`;
  // If the extent is less than half of the window, it is probably another dimension than meant.
  const [window, extent] = [values(left), values(right)];
  return alternatives(
    window === undefined || extent === undefined || 2 * extent >= window ? [grown, smaller] : [
      `the dimensions of ${
        tensorNamed(right, check)
      } in the order that the op reads (N, H, W, C): a permute before it that is missing, or one too many`,
      smaller,
      grown,
    ],
  );
}

/** The shape of a host tensor that is copied into a device tensor. */
const COPIED =
  "the shape that the device's tensor was made with (an input of a captured trace, a cache): on a mesh that of one chip's part, not the whole tensor's; for another shape allocate it and capture the trace anew, or run without a trace";

/** An aspect of a tensor, or an argument, that must equal another term, in words. */
interface Equality {
  readonly left: AskedOperand;
  readonly right: Term;
  readonly tensor: string;
  readonly other: string;
  /** Both tensors in words. */
  readonly pair: string;
  /** Whether one of them is the result. */
  readonly isOfResult: boolean;
  readonly at: RemedyCase;
}

/** The beginning of a message of MLIR's verifier, which compares a declared type with what the op makes. */
const OF_VERIFIER = /^'[\w.]+' op /;

/** Aspects of a result that its declared type has. */
const DECLARED: ReadonlySet<string> = new Set(["extent", "shape", "rank", "volume"]);

/** Remedies that make two terms equal. */
export function equalTo(a: Term, b: Term, at: RemedyCase): readonly string[] {
  const { check } = at;
  // The operand is changed, a value of the call sooner than a tensor, but a shard is cut to fit a computed value.
  const isCut = a.kind === "operand" && a.aspect === "value" && b.kind === "operand" &&
    b.aspect === "shard_side";
  const [left, right] = a.kind === "operand" && !isCut
    ? [a, b]
    : b.kind === "operand"
    ? [b, a]
    : [undefined, a];
  if (left === undefined) return [];
  if (
    left.aspect !== "value" && right.kind === "operand" && right.aspect === "value" &&
    !isSettable(right, check) && KINDS.has(left.aspect)
  ) {
    return [`${termNamed(left, check)} the same for all of the op's tensors that have one`];
  }
  const tensor = tensorNamed(left, check);
  const other = right.kind === "operand" ? tensorNamed(right, check) : termNamed(right, check);
  const pair = tensor === other ? "both tensors" : `${tensor} and ${other}`;
  const isOfResult = isResult(left) || right.kind === "operand" && isResult(right);
  if (isOfResult && OF_VERIFIER.test(check.words) && DECLARED.has(left.aspect)) {
    return [DECLARED_RESULT];
  }
  return EQUALIZING[left.aspect]({ left, right, tensor, other, pair, isOfResult, at });
}

function equalMemory({ isOfResult, pair }: Equality): readonly string[] {
  return [
    isOfResult
      ? "no memory_config in the call, or that of the operand (kind, memory, shard spec), and a to_memory_config behind the op where another is wanted"
      : `one memory config for ${pair} (kind, memory, shard spec): a to_memory_config of one to that of the other`,
  ];
}

function equalShardSpecs({ left, right, tensor, pair, at: { check, values } }: Equality): readonly string[] {
  const wanted = values(right);
  if (left.aspect === "shard_cores" && wanted !== undefined) {
    return [`shards of ${tensor} on ${wanted} cores instead of ${values(left)} (the grid of its shard spec)`];
  }
  return right.kind === "operand" && right.aspect === left.aspect
    ? [
      `one shard spec (grid, orientation, shape) for ${pair}: a to_memory_config of one to that of the other`,
      "or all of them interleaved, where the op takes that",
    ]
    : [`${termNamed(left, check)} as ${termNamed(right, check)}: write the shard spec anew`];
}

function onOneDevice({ pair }: Equality): readonly string[] {
  return [`${pair} on one device: ttnn.to_device of the one that is elsewhere`];
}

function equalShapes({ left, right, tensor, other, pair, isOfResult }: Equality): readonly string[] {
  if (isOfResult) {
    return [
      `no preallocated result in the call, or one in the shape that the op computes${
        right.kind === "operand" ? ` (that of ${isResult(left) ? other : tensor})` : ""
      }`,
    ];
  }
  return [
    /^host_/i.test(left.name) || right.kind === "operand" && /^host_/i.test(right.name)
      ? COPIED
      : `the same shape for ${pair}: ttnn.reshape where only the order of extents differs, ttnn.pad or ttnn.slice where an extent does, ttnn.repeat where it is 1`,
  ];
}

/** Remedies by the aspect that must equal another term. */
const EQUALIZING: Readonly<Record<AskedOperand["aspect"], (equality: Equality) => readonly string[]>> = {
  dtype: ({ isOfResult, pair }) =>
    isOfResult
      ? [
        "no dtype in the call (the result then has the operand's), and a typecast behind the op where another is wanted",
      ]
      : [`one format for ${pair}: a typecast (ttnn.typecast) of one to that of the other`],
  layout: ({ pair, isOfResult }) => [
    isOfResult
      ? "no layout of its own for the result (it then has the operand's), and a to_layout behind the op where another is wanted"
      : `one layout for ${pair}: a to_layout of one to that of the other`,
  ],
  memory_layout: equalMemory,
  memory_config: equalMemory,
  buffer_type: equalMemory,
  shard_spec: equalMemory,
  shard_cores: equalShardSpecs,
  shard_grid: equalShardSpecs,
  orientation: equalShardSpecs,
  shard_shape: equalShardSpecs,
  device: onOneDevice,
  storage: onOneDevice,
  buffer: onOneDevice,
  shard_side: ({ left, right, tensor, at: { check, values } }) => {
    const [is, wanted] = [values(left), values(right)];
    return [
      `a shard of ${tensor} whose ${sideOf(left)} is ${wanted ?? termNamed(right, check)}${
        is === undefined ? "" : ` where it is ${is}`
      } (its shard spec's shape)`,
    ];
  },
  rank: ({ right, tensor, pair, at: { check } }) => [
    right.kind === "operand" && right.aspect === "rank"
      ? `the same number of dimensions for ${pair}: a reshape or unsqueeze of the one that has fewer`
      : `one entry of ${
        termNamed(right, check)
      } for each dimension of ${tensor}: a reshape before the op, or the entries that are missing`,
  ],
  shape: equalShapes,
  volume: ({ tensor, other }) => [
    `as many elements in ${tensor} as in ${other}: compare the products of their extents`,
  ],
  extent: ({ left, right, at }) => equalExtents(left, right, at),
  tile: ({ pair }) => [`tiles of 32x32 (the default of to_layout and from_torch) for ${pair}`],
  count: ({ left, right, at: { check, values } }) => {
    const wanted = values(right);
    return [
      `as many ${left.name || "entries"} as ${termNamed(right, check)}${
        wanted === undefined ? "" : `, ${wanted}`
      }`,
    ];
  },
  page_size: () => [],
  value: ({ left, right, at }) => settingOf(left, right, at),
};

function equalExtents(left: AskedOperand, right: Term, { check, values }: RemedyCase): readonly string[] {
  const [is, wanted] = [values(left), values(right)];
  const name = `${dimensionOf(left)} of ${tensorNamed(left, check)}`;
  const other = termNamed(right, check);
  if (right.kind === "operand") {
    if (right.aspect === "extent" && right.name === left.name && right.dim === left.dim) {
      return [`${name} without padding: a multiple of ${TILE} (ttnn.pad, and cut the result), or rows`];
    }
    if (right.aspect === "tile") {
      return [`${name} of one tile: an extent of 1 to ${TILE} (of 1: it is then the same for all rows)`];
    }
    if (right.aspect !== "extent" && isSettable(right, check)) {
      return [
        `${other} = ${is ?? name}, or ${name} as ${wanted ?? other} (ttnn.pad, ttnn.slice or a reshape)`,
      ];
    }
    if (/cores/i.test(right.name)) {
      return [
        `as many cores as ${name} has entries${
          is === undefined ? "" : `, ${is}`
        }: a grid of that many for the shards`,
      ];
    }
  }
  const number = (value: number | undefined): string => value === undefined ? "" : ` (${value})`;
  const pair = `${name}${number(is)} and ${other}${number(wanted)}`;
  // The inner dimension of a matmul is not padded; its batch can be repeated.
  const isProduct = /matmul|linear|bmm/.test(check.ops?.[0] ?? "") ||
    check.ops === undefined && left.dim === -1 && right.kind === "operand" && right.dim === -2;
  if (isProduct) {
    return [
      `${pair} equal: ${
        left.dim !== undefined && (left.dim > 1 || left.dim < 0)
          ? "transpose_a or transpose_b, the operands in the other order, or a mended op before it that makes the wrong extent"
          : "ttnn.repeat of the one whose batch is smaller, or a reshape that joins or splits batches; or a newer ttnn, which broadcasts more of them"
      }`,
    ];
  }
  const [smaller = 0, larger = 0] = [is ?? 0, wanted ?? 0].toSorted((one, two) => one - two);
  const padded = smaller === larger || smaller === 0
    ? ""
    : larger === roundUp(smaller, TILE)
    ? `; ${larger} is ${smaller} padded to whole tiles: one of both lost or kept its padding`
    : smaller === 1
    ? "; ttnn.repeat stretches the one of 1"
    : "";
  return [
    `${pair} alike: a transpose or reshape where the order is wrong, ttnn.pad of the smaller or ttnn.slice of the larger where one is too long${padded}`,
  ];
}

function settingOf(left: AskedOperand, right: Term, at: RemedyCase): readonly string[] {
  const { check, values } = at;
  const [is, wanted] = [values(left), values(right)];
  if (left.name === "num_cores") {
    return [
      `a grid of ${wanted ?? termNamed(right, check)} cores${
        is === undefined ? "" : ` instead of ${is}`
      }, for the shards or in the program config`,
    ];
  }
  if (isPadded(left) && !isSettable(left, check)) {
    return right.kind === "operand" && right.aspect === "value" && !isPadded(right) &&
        isSettable(right, check)
      ? [`${right.name} = ${is ?? termNamed(left, check)}`]
      : [
        `${termNamed(left, check)} and ${
          termNamed(right, check)
        } equal: ttnn.repeat of the one that is 1, a reshape, or ttnn.pad of the smaller`,
      ];
  }
  if (isSettable(left, check)) {
    return [
      `${left.name} = ${wanted ?? termNamed(right, check)}${is === undefined ? "" : ` instead of ${is}`}`,
      ...(right.kind === "operand" && isSettable(right, check) && right.aspect === "value"
        ? [`or ${right.name} = ${is ?? left.name}`]
        : []),
    ];
  }
  if (right.kind !== "operand" || !isSettable(right, check)) return [];
  return right.aspect === "value"
    ? [`${right.name} = ${is ?? termNamed(left, check)}`]
    : right.aspect === "extent"
    ? equalExtents(right, left, at)
    : [];
}
