// SPDX-License-Identifier: Apache-2.0
import { orList } from "../check_subject.ts";
import type { AskedConstant, AskedOperand, Term } from "./requirement.ts";
import { isPadded, isSettable } from "./settable.ts";
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
interface OperandSetting {
  readonly operand: AskedOperand;
  readonly values: readonly AskedConstant[];
  readonly wanted: string;
  readonly tensor: string;
  readonly at: RemedyCase;
}

/** Remedies that set an operand of a call to one of some values. */
export function setTo(
  operand: AskedOperand,
  values: readonly AskedConstant[],
  at: RemedyCase,
): readonly string[] {
  const wanted = orList(values.map(constantNamed));
  const tensor = tensorNamed(operand, at.check);
  return SETTING[operand.aspect]?.({ operand, values, wanted, tensor, at }) ?? [];
}

/** Arguments with an entry for each dimension. */
const PER_DIMENSION = /^(?:dims|begins|ends|steps?|padding|repeat_dims|repeats|permutation|new_shape)$/;

function shardsOn(grid: string, tensor: string): readonly string[] {
  return [`shards of ${tensor} on ${grid}, or ${tensor} interleaved where the op takes that`];
}

function countSet({ operand, wanted }: OperandSetting): readonly string[] {
  if (PER_DIMENSION.test(operand.name)) {
    return [
      `an operand with ${wanted} dimensions (ttnn.reshape, ttnn.unsqueeze_to_4D), and as many entries in ${operand.name}`,
    ];
  }
  return operand.name === ""
    ? [`as many entries as the check asks for: ${wanted}`]
    : [`exactly ${wanted} of ${operand.name}`];
}

function valueSet({ operand, wanted, at: { check } }: OperandSetting): readonly string[] {
  if (isPadded(operand)) {
    return [`${termNamed(operand, check)} of ${wanted}: a reshape, ttnn.pad or ttnn.slice before the op`];
  }
  if (!isSettable(operand, check)) return [];
  if (operand.name === "dim") {
    return [
      `dim = ${wanted}: a permute (or transpose) before the op that puts that dimension there, and one back behind it`,
    ];
  }
  return [
    `${operand.name} = ${wanted}${
      wanted === "0" && /padding/.test(operand.name) ? ", and a ttnn.pad of the operand before it" : ""
    }`,
  ];
}

/** Remedies by aspect. */
const SETTING: Readonly<
  Partial<Record<AskedOperand["aspect"], (setting: OperandSetting) => readonly string[]>>
> = {
  dtype: ({ operand, wanted, tensor }) =>
    isResult(operand)
      ? [
        `dtype = ${wanted} in the call, or none, and a typecast behind the op where another format is wanted`,
      ]
      : [
        `a typecast of ${tensor} to ${wanted} before the op (ttnn.typecast), or that format from the op before it`,
      ],
  layout: ({ operand, wanted, tensor }) =>
    isResult(operand)
      ? [
        `the result in ${wanted}: no layout of its own in the call, and a to_layout behind the op where the next one wants another`,
      ]
      : [`a to_layout of ${tensor} to ${wanted} before the op`],
  memory_layout: ({ operand, wanted, at }) => inMemory(operand, wanted, at),
  memory_config: ({ operand, wanted, at }) => inMemory(operand, wanted, at),
  buffer_type: ({ operand, wanted, at }) => inMemory(operand, `in ${wanted}`, at),
  orientation: ({ wanted, tensor }) => [`ShardOrientation ${wanted} in the shard spec of ${tensor}`],
  storage: ({ values, tensor }) =>
    values[0]?.name === "HOST"
      ? [`${tensor} on the host: ttnn.from_device before the call`]
      : onDevice(tensor),
  rank: ({ wanted, tensor }) => [
    `${tensor} with ${wanted} dimensions: a reshape before the op (ttnn.reshape${
      wanted === "4" ? ", ttnn.unsqueeze_to_4D" : ", unsqueeze, squeeze"
    }; leading dimensions of 1 cost nothing), and one back behind it`,
  ],
  shape: ({ operand, wanted, tensor }) => [
    isResult(operand)
      ? `no preallocated result in the call, or one of the shape ${wanted}`
      : `${tensor} of the shape ${wanted}: a reshape where only the order of extents differs, ttnn.pad or ttnn.slice where an extent does`,
  ],
  volume: ({ wanted, tensor }) => [
    `${tensor} with ${wanted} ${wanted === "1" ? "element" : "elements"}: ttnn.slice of it`,
  ],
  extent: ({ operand, wanted, at }) => extentAs(operand, wanted, at),
  shard_side: ({ operand, wanted, tensor }) => [
    `a shard of ${tensor} whose ${sideOf(operand)} is ${wanted} (shard spec's shape)`,
  ],
  shard_grid: ({ wanted, tensor }) =>
    wanted === "1"
      ? shardsOn("one rectangle of cores (a shard spec with one core range)", tensor)
      : shardsOn(`a grid of ${wanted} (its shard spec)`, tensor),
  shard_cores: ({ wanted, tensor }) => shardsOn(`a grid of ${wanted} (its shard spec)`, tensor),
  tile: ({ tensor }) => [`tiles of 32x32 (the default of to_layout and from_torch) for ${tensor}`],
  count: countSet,
  value: valueSet,
};

/** Remedies for a tensor that is not on the device. */
export function onDevice(tensor: string): readonly string[] {
  return [
    `${tensor} onto the device of the others before the call (ttnn.to_device, or from_torch with device=)`,
    "a tensor that was deallocated (ttnn.deallocate, moved or reallocated, a trace's input) has to live until its last reader",
  ];
}

/** Remedies that give a tensor a memory layout or buffer type: a copy before the op, or the result's memory config. */
export function inMemory(operand: AskedOperand, wanted: string, { check }: RemedyCase): readonly string[] {
  const tensor = tensorNamed(operand, check);
  const isOfResult = isResult(operand) || operand.name === "" && /\b(?:output|result)/i.test(check.words);
  const spec = /shard/.test(wanted) && !/interleaved/.test(wanted) ? ", with a shard spec (shape, grid)" : "";
  return isOfResult
    ? [
      `memory_config = ${wanted}${spec} in the call, or none, and a to_memory_config behind the op where another is wanted`,
    ]
    : [
      `a to_memory_config of ${tensor} before the op that makes it ${wanted}${spec}, or that from the op before it`,
    ];
}

function extentAs(operand: AskedOperand, wanted: string, { check, values }: RemedyCase): readonly string[] {
  const tensor = tensorNamed(operand, check);
  const which = dimensionOf(operand);
  const is = values(operand);
  if (wanted === "1") {
    return [
      `${tensor} with 1 in ${which}: call the op for one of them at a time (ttnn.slice, and ttnn.concat of the results), or a reshape or permute that puts it elsewhere (ttnn.unsqueeze_to_4D where dimensions are missing: 1x1x1xN)`,
    ];
  }
  return [
    `${tensor} with ${wanted} in ${which}${
      is === undefined ? "" : ` where it has ${is}`
    }: a reshape, ttnn.pad or ttnn.slice before the op`,
  ];
}

/** Remedies that set an operand of a call to anything but a value. */
export function otherThan(operand: AskedOperand, value: AskedConstant, at: RemedyCase): readonly string[] {
  const tensor = tensorNamed(operand, at.check);
  switch (operand.aspect) {
    case "layout":
      return setTo(operand, [{ kind: "constant", name: value.name === "TILE" ? "ROW_MAJOR" : "TILE" }], at);
    case "dtype":
      return isResult(operand)
        ? [`another dtype than ${constantNamed(value)} in the call, or none`]
        : [`a typecast of ${tensor} to another format than ${constantNamed(value)} (bf16) before the op`];
    case "memory_layout":
      return inMemory(
        operand,
        value.name === "INTERLEAVED"
          ? "sharded"
          : `interleaved, or sharded in another way than ${constantNamed(value)}`,
        at,
      );
    case "buffer_type":
      return inMemory(operand, `in ${value.name === "DRAM" ? "L1" : "DRAM"}`, at);
    case "storage":
      return setTo(operand, [{ kind: "constant", name: value.name === "HOST" ? "DEVICE" : "HOST" }], at);
    case "rank":
      return value.name === "0" ? [`${tensor} with one dimension at least: a reshape to [1]`] : [];
    default:
      return isSettable(operand, at.check) ? [`another ${operand.name || "value"} than ${value.name}`] : [];
  }
}
