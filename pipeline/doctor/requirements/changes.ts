// SPDX-License-Identifier: Apache-2.0

/** Remedies by aspect of a tensor or argument: how to set it to one of some values, how to make it equal to another. */

import { roundUp } from "../../../lib/layout/make_layout.ts";
import { orList, TILE } from "../check_subject.ts";
import { CUT, type Remedy, remedy } from "../remedy.ts";
import * as asks from "../remedy_kinds.ts";
import { KINDS } from "./found_values.ts";
import type { AskedConstant, AskedOperand, Aspect, Term } from "./requirement.ts";
import { isPadded, isSettable, isTensorName } from "./settable.ts";
import {
  constantNamed,
  dimensionOf,
  isResult,
  type NamedCheck,
  sideOf,
  tensorNamed,
  termNamed,
} from "./term_words.ts";
import type { Values } from "./values.ts";

/** The check that a remedy is for, and the values of its terms. */
export interface RemedyCase {
  readonly check: NamedCheck;
  readonly values: Values;
  /** Whether the whole check can hold with another value of a term, as far as its other terms are known. */
  readonly allows: (term: Term, value: number) => boolean;
}

/** An operand that must be one of some values, in words. */
interface AskedSetting {
  readonly operand: AskedOperand;
  readonly values: readonly AskedConstant[];
  readonly wanted: string;
  readonly tensor: string;
  readonly at: RemedyCase;
}

/** An operand that must equal another term, in words. */
interface Equality {
  readonly operand: AskedOperand;
  readonly right: Term;
  readonly tensor: string;
  readonly other: string;
  /** Both tensors in words. */
  readonly pair: string;
  /** Whether one of them is the result. */
  readonly isOfResult: boolean;
  readonly at: RemedyCase;
}

/** What changes one aspect; an aspect without `set` or `equal` is none that a user sets so. */
interface AspectChange {
  readonly set?: (setting: AskedSetting) => Remedy | readonly Remedy[];
  readonly equal?: (equality: Equality) => Remedy | readonly Remedy[];
}

/** The remedy for a declared result that is not what operands and attributes make. */
export const DECLARED_RESULT =
  "the result's type as operands and attributes make it, where these are right; else the op before it that makes an operand's extent wrong (a slice, a pad, an iota or a mask that is longer by one)";

/** The shape of a host tensor that is copied into a device tensor. */
export const COPIED =
  "the shape that the device's tensor was made with (an input of a captured trace, a cache): on a mesh that of one chip's part, not the whole tensor's; for another shape allocate it and capture the trace anew, or run without a trace";

const TILES = "tiles of 32x32 (the default of to_layout and from_torch) for";

/** Bounds of a slice, each of which is a shape to the op. */
const OF_SLICE = /slice_(?:start|end|step)/;

/** Arguments with an entry for each dimension. */
const PER_DIMENSION = /^(?:dims|begins|ends|steps?|padding|repeat_dims|repeats|permutation|new_shape)$/;

const MEMORY = {
  set: ({ operand, wanted, at }) => inMemory(operand, wanted, at),
  equal: ({ isOfResult, pair }) =>
    isOfResult
      ? "no memory_config in the call, or that of the operand (kind, memory, shard spec), and a to_memory_config behind the op where another is wanted"
      : `one memory config for ${pair} (kind, memory, shard spec): a to_memory_config of one to that of the other`,
} satisfies AspectChange;

const ON_DEVICE = {
  set: ({ values, tensor }) =>
    values[0]?.name === "HOST" ? `${tensor} on the host: ttnn.from_device before the call` : onDevice(tensor),
  equal: ({ pair }) => `${pair} on one device: ttnn.to_device of the one that is elsewhere`,
} satisfies AspectChange;

const CORES = {
  set: ({ wanted, tensor }) =>
    remedy`shards of ${tensor} on ${
      wanted === "1"
        ? "one rectangle of cores (a shard spec with one core range)"
        : `a grid of ${wanted} (its shard spec)`
    }${asks.DRAM}, or ${tensor} interleaved where the op takes that`,
  equal: ({ operand, right, tensor, pair, at: { check, values } }) => {
    const wanted = values(right);
    if (operand.aspect === "shard_cores" && wanted !== undefined) {
      return `shards of ${tensor} on ${wanted} cores instead of ${
        values(operand)
      } (the grid of its shard spec)`;
    }
    return right.kind === "operand" && right.aspect === operand.aspect
      ? [
        `one shard spec (grid, orientation, shape) for ${pair}: a to_memory_config of one to that of the other`,
        remedy`${asks.DRAM}or all of them interleaved, where the op takes that`,
      ]
      : `${termNamed(operand, check)} as ${termNamed(right, check)}: write the shard spec anew`;
  },
} satisfies AspectChange;

const CHANGES: Readonly<Record<Aspect, AspectChange>> = {
  dtype: {
    set: ({ operand, wanted, tensor }) =>
      isResult(operand)
        ? `dtype = ${wanted} in the call, or none, and a typecast behind the op where another format is wanted`
        : `a typecast of ${tensor} to ${wanted} before the op (ttnn.typecast), or that format from the op before it`,
    equal: ({ isOfResult, pair }) =>
      isOfResult
        ? "no dtype in the call (the result then has the operand's), and a typecast behind the op where another is wanted"
        : `one format for ${pair}: a typecast (ttnn.typecast) of one to that of the other`,
  },
  layout: {
    set: ({ operand, wanted, tensor }) =>
      isResult(operand)
        ? `the result in ${wanted}: no layout of its own in the call, and a to_layout behind the op where the next one wants another`
        : `a to_layout of ${tensor} to ${wanted} before the op`,
    equal: ({ isOfResult, pair }) =>
      isOfResult
        ? "no layout of its own for the result (it then has the operand's), and a to_layout behind the op where another is wanted"
        : `one layout for ${pair}: a to_layout of one to that of the other`,
  },
  memory_layout: MEMORY,
  memory_config: MEMORY,
  buffer_type: { ...MEMORY, set: ({ operand, wanted, at }) => inMemory(operand, `in ${wanted}`, at) },
  shard_spec: { equal: MEMORY.equal },
  shard_grid: CORES,
  shard_cores: CORES,
  shard_shape: { equal: CORES.equal },
  orientation: {
    set: ({ wanted, tensor }) => `ShardOrientation ${wanted} in the shard spec of ${tensor}`,
    equal: CORES.equal,
  },
  shard_side: {
    set: ({ operand, wanted, tensor }) =>
      `a shard of ${tensor} whose ${sideOf(operand)} is ${wanted} (shard spec's shape)`,
    equal: ({ operand, right, tensor, at: { check, values } }) => {
      const [is, wanted] = [values(operand), values(right)];
      return `a shard of ${tensor} whose ${sideOf(operand)} is ${wanted ?? termNamed(right, check)}${
        is === undefined ? "" : ` where it is ${is}`
      } (its shard spec's shape)`;
    },
  },
  storage: ON_DEVICE,
  device: { equal: ON_DEVICE.equal },
  buffer: { equal: ON_DEVICE.equal },
  rank: {
    set: ({ wanted, tensor }) =>
      `${tensor} with ${wanted} dimensions: a reshape before the op (ttnn.reshape${
        wanted === "4" ? ", ttnn.unsqueeze_to_4D" : ", unsqueeze, squeeze"
      }; leading dimensions of 1 cost nothing), and one back behind it`,
    equal: ({ operand, right, tensor, pair, at: { check } }) =>
      right.kind === "operand" && right.aspect === "rank" && OF_SLICE.test(right.name)
        ? `as many entries in ${right.name} as ${
          OF_SLICE.test(operand.name) ? `in ${operand.name}` : `${tensor} has dimensions`
        }`
        : right.kind === "operand" && right.aspect === "rank"
        ? `the same number of dimensions for ${pair}: a reshape or unsqueeze of the one that has fewer`
        : `as many entries as ${tensor} has dimensions in ${
          right.kind === "operand" && right.aspect === "count"
            ? right.name || "entries"
            : termNamed(right, check)
        }, or a reshape of ${tensor} before the op to as many dimensions as there are entries`,
  },
  shape: {
    set: ({ operand, wanted, tensor }) =>
      isResult(operand)
        ? `no preallocated result in the call, or one of the shape ${wanted}`
        : remedy`${asks.PAD}${tensor} of the shape ${wanted}: a reshape where only the order of extents differs, ttnn.pad or ttnn.slice where an extent does`,
    equal: ({ operand, right, tensor, other, pair, isOfResult }) =>
      isOfResult
        ? `no preallocated result in the call, or one in the shape that the op computes${
          right.kind === "operand" ? ` (that of ${isResult(operand) ? other : tensor})` : ""
        }`
        : /^host_/i.test(operand.name) || right.kind === "operand" && /^host_/i.test(right.name)
        ? COPIED
        : `the same shape for ${pair}: ttnn.reshape where only the order of extents differs, ttnn.repeat where one is 1; else an op before it made a wrong one`,
  },
  volume: {
    set: ({ wanted, tensor }) =>
      `${tensor} with ${wanted} ${wanted === "1" ? "element" : "elements"}: ttnn.slice of it`,
  },
  extent: {
    set: ({ operand, wanted, tensor, at: { values } }) => {
      const is = values(operand);
      const told = `${tensor} with ${wanted} in ${dimensionOf(operand)}${
        wanted === "1"
          ? ": call the op for one of them at a time (ttnn.slice, and ttnn.concat of the results), or a reshape or permute that puts it elsewhere (ttnn.unsqueeze_to_4D where dimensions are missing: 1x1x1xN)"
          : `${
            is === undefined ? "" : ` where it has ${is}`
          }: a reshape, ttnn.pad or ttnn.slice before the op`
      }`;
      return wanted === "1" ? told : remedy`${asks.PAD}${told}`;
    },
    equal: equalExtents,
  },
  tile: { set: ({ tensor }) => `${TILES} ${tensor}`, equal: ({ pair }) => `${TILES} ${pair}` },
  page_size: {},
  count: {
    set: ({ operand, wanted }) =>
      PER_DIMENSION.test(operand.name)
        ? `an operand with ${wanted} dimensions (ttnn.reshape, ttnn.unsqueeze_to_4D), and as many entries in ${operand.name}`
        : isTensorName(operand)
        ? `exactly ${wanted} of ${operand.name}`
        : [],
    equal: ({ operand, right, at: { check, values } }) => {
      const wanted = values(right);
      return `as many ${operand.name || "entries"} as ${termNamed(right, check)}${
        wanted === undefined ? "" : `, ${wanted}`
      }`;
    },
  },
  value: {
    set: ({ operand, wanted, at: { check } }) =>
      isPadded(operand)
        ? remedy`${asks.PAD}${
          termNamed(operand, check)
        } of ${wanted}: a reshape, ttnn.pad or ttnn.slice before the op`
        : !isSettable(operand, check)
        ? []
        : operand.name === "dim"
        ? `dim = ${wanted}: a permute (or transpose) before the op that puts that dimension there, and one back behind it`
        : wanted === "0" && /padding/.test(operand.name)
        ? remedy`${asks.PAD}${operand.name} = 0, and a ttnn.pad of the operand before it`
        : assigned(operand.name, wanted),
    equal: equalValues,
  },
};

/** Arguments that the model has. */
const MODEL = /^(?:groups|stride|dilation|kernel_size)/;

/** The remedy that gives an argument another value. */
export function assigned(name: string, value: string | number): Remedy {
  return remedy`${MODEL.test(name) ? asks.OF_MODEL : asks.OR}${name} = ${value}`;
}

/** Remedies that set an operand of a call to one of some values. */
export function setTo(
  operand: AskedOperand,
  values: readonly AskedConstant[],
  at: RemedyCase,
): readonly Remedy[] {
  const wanted = orList(values.map(constantNamed));
  const tensor = tensorNamed(operand, at.check);
  return [CHANGES[operand.aspect].set?.({ operand, values, wanted, tensor, at }) ?? []].flat();
}

/** Remedies that set an operand of a call to anything but a value. */
export function otherThan(operand: AskedOperand, value: AskedConstant, at: RemedyCase): readonly Remedy[] {
  const tensor = tensorNamed(operand, at.check);
  const instead = (name: string): readonly Remedy[] => setTo(operand, [{ kind: "constant", name }], at);
  switch (operand.aspect) {
    case "layout":
      return instead(value.name === "TILE" ? "ROW_MAJOR" : "TILE");
    case "buffer_type":
      return instead(value.name === "DRAM" ? "L1" : "DRAM");
    case "storage":
      return instead(value.name === "HOST" ? "DEVICE" : "HOST");
    case "memory_layout":
      return instead(
        value.name === "INTERLEAVED"
          ? "sharded"
          : `interleaved, or sharded in another way than ${constantNamed(value)}`,
      );
    case "dtype":
      return isResult(operand)
        ? [`another dtype than ${constantNamed(value)} in the call, or none`]
        : [`a typecast of ${tensor} to another format than ${constantNamed(value)} (bf16) before the op`];
    case "rank":
      return value.name === "0" ? [`${tensor} with one dimension at least: a reshape to [1]`] : [];
    default:
      return isSettable(operand, at.check) ? [`another ${operand.name || "value"} than ${value.name}`] : [];
  }
}

/** Remedies for a tensor that is not on the device. */
export function onDevice(tensor: string): readonly Remedy[] {
  return [
    `${tensor} onto the device of the others before the call (ttnn.to_device, or from_torch with device=)`,
    "a tensor that was deallocated (ttnn.deallocate, moved or reallocated, a trace's input) has to live until its last reader",
  ];
}

/** Remedies that give a tensor a memory layout or buffer type: a copy before the op, or the result's memory config. */
export function inMemory(operand: AskedOperand, wanted: string, { check }: RemedyCase): readonly Remedy[] {
  const tensor = tensorNamed(operand, check);
  const isOfResult = isResult(operand) || operand.name === "" && /\b(?:output|result)/i.test(check.words);
  const spec = /shard/.test(wanted) && !/interleaved/.test(wanted) ? ", with a shard spec (shape, grid)" : "";
  return isOfResult
    ? [
      `memory_config = ${wanted}${spec} in the call, or none, and a to_memory_config behind the op where another is wanted`,
    ]
    : [
      `a to_memory_config of ${tensor} before the op that ${
        wanted.startsWith("in ") ? "puts" : "makes"
      } it ${wanted}${spec}, or that from the op before it`,
    ];
}

/** The beginning of a message of MLIR's verifier, which compares a declared type with what the op makes. */
const OF_VERIFIER = /^'[\w.]+' op /;

/** Aspects of a result that its declared type has. */
const DECLARED: ReadonlySet<string> = new Set(["extent", "shape", "rank", "volume"]);

/** Remedies that make two terms equal. */
export function equalTo(a: Term, b: Term, at: RemedyCase): readonly Remedy[] {
  const { check } = at;
  // The operand is changed, a value of the call sooner than a tensor, but a shard is cut to fit a computed value.
  const isCut = a.kind === "operand" && a.aspect === "value" && b.kind === "operand" &&
    b.aspect === "shard_side";
  const [operand, right] = a.kind === "operand" && !isCut ? [a, b] : [b, a];
  if (operand.kind !== "operand") return [];
  if (
    operand.aspect !== "value" && right.kind === "operand" && right.aspect === "value" &&
    !isSettable(right, check) && KINDS.has(operand.aspect)
  ) {
    return [`${termNamed(operand, check)} the same for all of the op's tensors that have one`];
  }
  const tensor = tensorNamed(operand, check);
  const other = right.kind === "operand" ? tensorNamed(right, check) : termNamed(right, check);
  const pair = tensor === other ? "both tensors" : `${tensor} and ${other}`;
  const isOfResult = isResult(operand) || right.kind === "operand" && isResult(right);
  return isOfResult && OF_VERIFIER.test(check.words) && DECLARED.has(operand.aspect)
    ? [DECLARED_RESULT]
    : [CHANGES[operand.aspect].equal?.({ operand, right, tensor, other, pair, isOfResult, at }) ?? []].flat();
}

function equalExtents({ operand, right, at: { check, values } }: Equality): Remedy {
  const [is, wanted] = [values(operand), values(right)];
  const name = `${dimensionOf(operand)} of ${tensorNamed(operand, check)}`;
  const other = termNamed(right, check);
  if (right.kind === "operand") {
    if (right.aspect === "extent" && right.name === operand.name && right.dim === operand.dim) {
      return remedy`${asks.PAD}${name} without padding: a multiple of ${TILE} ${CUT}${asks.OR}, or rows`;
    }
    if (right.aspect === "tile") {
      return `${name} of one tile: an extent of 1 to ${TILE} (of 1: it is then the same for all rows)`;
    }
    if (right.aspect !== "extent" && isSettable(right, check)) {
      return remedy`${other} = ${is ?? name}${asks.PAD}, or ${name} as ${
        wanted ?? other
      } (ttnn.pad, ttnn.slice or a reshape)`;
    }
    if (/cores/i.test(right.name)) {
      return `as many cores as ${name} has entries${
        is === undefined ? "" : `, ${is}`
      }: a grid of that many for the shards`;
    }
  }
  const number = (value: number | undefined): string => value === undefined ? "" : ` (${value})`;
  const pair = `${name}${number(is)} and ${other}${number(wanted)}`;
  // The inner dimension of a matmul is not padded; its batch can be repeated.
  const isProduct = /matmul|linear|bmm/.test(check.ops?.[0] ?? "") ||
    check.ops === undefined && operand.dim === -1 && right.kind === "operand" && right.dim === -2;
  if (isProduct) {
    return operand.dim !== undefined && (operand.dim > 1 || operand.dim < 0)
      ? `${pair} equal: transpose_a or transpose_b, the operands in the other order, or a mended op before it that makes the wrong extent`
      : remedy`${pair} equal: ttnn.repeat of the one whose batch is smaller, or a reshape that joins or splits batches${asks.NEWER}; or a newer ttnn, which broadcasts more of them`;
  }
  const [smaller = 0, larger = 0] = [is ?? 0, wanted ?? 0].toSorted((one, two) => one - two);
  const why = smaller === larger || smaller === 0
    ? ""
    : larger === roundUp(smaller, TILE)
    ? `; ${larger} is ${smaller} padded to whole tiles: one of both lost or kept its padding`
    : smaller === 1 && !/weight|output|result/.test(pair)
    ? "; ttnn.repeat stretches the one of 1"
    : "";
  return `${pair} equal: a permute or reshape where the order is wrong, another operand, or a mended op before it where one of them is wrong${why}`;
}

function equalValues({ operand, right, at }: Equality): Remedy | readonly Remedy[] {
  const { check, values } = at;
  const [is, wanted] = [values(operand), values(right)];
  if (operand.name === "num_cores") {
    return `a grid of ${wanted ?? termNamed(right, check)} cores${
      is === undefined ? "" : ` instead of ${is}`
    }, for the shards or in the program config`;
  }
  const isOfCall = right.kind === "operand" && isSettable(right, check);
  const moved = isOfCall && right.aspect === "value" && !isPadded(right)
    ? assigned(right.name, is ?? termNamed(operand, check))
    : undefined;
  if (isPadded(operand) && !isSettable(operand, check)) {
    return moved ??
      `${termNamed(operand, check)} and ${
        termNamed(right, check)
      } equal: ttnn.repeat of the one that is 1, a reshape, or a mended op before it where one of them is wrong`;
  }
  if (isSettable(operand, check)) {
    return [
      assigned(
        operand.name,
        `${wanted ?? termNamed(right, check)}${is === undefined ? "" : ` instead of ${is}`}`,
      ),
      ...(isOfCall && right.aspect === "value" ? [`or ${right.name} = ${is ?? operand.name}`] : []),
    ];
  }
  return moved ?? (isOfCall && right.aspect === "extent" ? equalTo(right, operand, at) : []);
}
