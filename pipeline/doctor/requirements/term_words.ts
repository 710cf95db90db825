// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "../check_subject.ts";
import {
  type AskedConstant,
  type AskedOperand,
  type ComputedTerm,
  leavesOf,
  type Requirement,
  type Term,
  termsOf,
} from "./requirement.ts";

/** Names of results, which no op before the call makes. */
const RESULTS =
  /^(?:the )?(?:[\w-]+ ){0,2}(?:opt(?:ional)?_)?(?:out|outputs?|result|preallocated|prealloc|dst)(?:[_ ]|\[|$)|_out(?:put)?s?$/;

/** Whether an operand is the result, or its declaration in the call. */
export function isResult({ name }: AskedOperand): boolean {
  return RESULTS.test(name);
}

/** Names by which a source calls any tensor. */
const NAMELESS =
  /^(?:[a-ps-z]|in|src|inp|tensor|operand|input|in_ref|arg|ref|physical|shape|spec|memory|mem|(?:get_)?shard_spec\w*)?$/;

/** Words that are no name, read as one of a sentence without a mark where it begins; and what only says how a tensor is seen. */
const NO_NAME =
  /["\x60?]|: |\b(?:fail\w*|error|when|because)\b|(?: \S+){5}|^(?:the )?(?:physical|flattened)$/i;

/** The name of the tensor that a message is about, in its words: `Bias tensor must be …`. */
const CALLED =
  /^(?:[\w:]+(?: \w+)?: )?(?:the |an? |expect(?:ed|s)? )?((?:(?!must|should|need|is |are |has |have |cannot|does|only|requires?|expects?|supports?|support|got|invalid|not |unsupported|\d-?D )[\w'.-]+ ){0,3}?(?:(?:tensor|input|weight|bias|mask|cache|gamma|beta|stats|residual|operand|index|indices)s?))\b/i;

/** A check with the name that its words give to the one tensor that it is about. */
export interface NamedCheck extends CheckWords {
  readonly called: string | undefined;
  /** Whether both sides of a comparison have one name, so that their owners are named too. */
  readonly isDoubled: boolean;
}

/** The check with the name of its tensor in its words; without one if the requirement is of several tensors. */
export function withName(check: CheckWords, requirement: Requirement): NamedCheck {
  const tensors = new Set(
    leavesOf(requirement).flatMap(termsOf).flatMap((term) =>
      term.kind === "operand" && term.aspect !== "value" ? [term.name] : []
    ),
  );
  const named: NamedCheck = {
    ...check,
    called: tensors.size > 1 ? undefined : CALLED.exec(check.words)?.[1],
    isDoubled: false,
  };
  const isDoubled = leavesOf(requirement).map(termsOf).some(([left, right]) =>
    left?.kind === "operand" && right?.kind === "operand" &&
    termNamed(left, named) === termNamed(right, named)
  );
  return { ...named, isDoubled };
}

/** The tensor of an operand in words. */
export function tensorNamed({ name }: AskedOperand, { called, ops, words }: NamedCheck): string {
  if (name === "dst") return "the result";
  if (NO_NAME.test(name) || name === "" && /\bphysical\b/.test(words)) {
    return /physical/.test(words) ? "the tensor" : "the operand";
  }
  if (!NAMELESS.test(name)) return name;
  if (called !== undefined && !/^in?put tensors?$|^tensors?$/i.test(called)) {
    return `the ${called.toLowerCase()}`;
  }
  if (/^[ab]$/.test(name) && /matmul|linear/.test(ops?.[0] ?? "")) return name.toUpperCase();
  return /^(?:tensor|input|operand)$/.test(name)
    ? `the ${name}`
    : name.length === 1
    ? `operand ${name}`
    : "the operand";
}

const ENDS: Readonly<Record<number, string>> = {
  [-1]: "the last dimension",
  [-2]: "the last dimension but one",
  [-3]: "dimension -3",
  [-4]: "dimension -4",
};

/** Local variables of many ops that hold extents. */
export const EXTENTS: Readonly<Record<string, string>> = {
  M: "M (rows of A)",
  N: "N (columns of B)",
  K: "K (columns of A, rows of B)",
  Mt: "M in tiles",
  Nt: "N in tiles",
  Kt: "K in tiles",
  H: "the height",
  W: "the width",
  C: "the channels",
  Ht: "the height in tiles",
  Wt: "the width in tiles",
  num_cores: "the number of cores",
};

/** Ops that multiply an MxK and a KxN matrix. */
const PRODUCTS = /matmul|linear|bmm|conv/;

/** A term in words: `the last dimension of input_tensor`. */
export function termNamed(term: Term, check: NamedCheck): string {
  const name = namedAlone(term, check);
  const owner = term.kind === "operand" && check.isDoubled ? term.owner : undefined;
  return owner === undefined
    ? name
    : owner === "padded"
    ? `${name}, padding included`
    : `${name} of ${owner}`;
}

/** What is looked at of a tensor, in words; `TENSOR` is its name. */
const ASPECTS: Readonly<Partial<Record<AskedOperand["aspect"], string>>> = {
  dtype: "the format of TENSOR",
  layout: "the layout of TENSOR",
  memory_layout: "the memory layout of TENSOR",
  buffer_type: "the memory of TENSOR",
  memory_config: "the memory config of TENSOR",
  shard_spec: "the shard spec of TENSOR",
  shard_shape: "the shard of TENSOR",
  shard_grid: "the grid of TENSOR's shards",
  shard_cores: "the number of cores of TENSOR's shards",
  orientation: "the orientation of TENSOR's shards",
  shape: "the shape of TENSOR",
  rank: "the rank of TENSOR",
  volume: "the number of elements of TENSOR",
  tile: "the tile of TENSOR",
  page_size: "the page of TENSOR",
};

function namedAlone(term: Term, check: NamedCheck): string {
  if (term.kind === "constant") return constantNamed(term);
  if (term.kind === "computed") return computedNamed(term, check);
  if (term.aspect === "value") {
    // M, N and K are a product's.
    const isOfOther = /^[MNK]t?$/.test(term.name) && check.ops?.some((op) => PRODUCTS.test(op)) === false;
    return isOfOther ? term.name : EXTENTS[term.name] ?? term.name;
  }
  if (term.aspect === "count") return `the number of ${term.name === "" ? "entries" : term.name}`;
  if (term.aspect === "dtype" && isResult(term)) return "the format of the result";
  const tensor = tensorNamed(term, check);
  if (term.aspect === "extent") return `${dimensionOf(term)} of ${tensor}`;
  if (term.aspect === "shard_side") return `the ${sideOf(term)} of ${tensor}'s shard`;
  return (ASPECTS[term.aspect] ?? "TENSOR").replace("TENSOR", () => tensor);
}

function computedNamed({ text, operator, parts }: ComputedTerm, check: NamedCheck): string {
  const [left, right] = parts;
  if (operator === undefined || left === undefined || right === undefined) return text;
  const side = (term: Term): string =>
    term.kind === "computed" && term.operator !== undefined
      ? `(${computedNamed(term, check)})`
      : termNamed(term, check);
  return `${side(left)} ${operator} ${side(right)}`;
}

/** `height` or `width` of a shard. */
export function sideOf({ dim, name }: AskedOperand): string {
  return dim === 1 || /w(?:idth)?$/.test(name)
    ? "width"
    : dim === 0 || /h(?:eight)?$/.test(name)
    ? "height"
    : "side";
}

/** Which dimension of a tensor: `the last dimension`, `dimension 2`. */
export function dimensionOf({ dim, label }: AskedOperand): string {
  return dim === undefined
    ? label === undefined ? "a dimension" : `the ${label}`
    : ENDS[dim] ?? `dimension ${dim}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  BFLOAT16: "bf16",
  BFLOAT: "bf16",
  BF16: "bf16",
  FLOAT16_B: "bf16",
  FLOAT32: "f32",
  FLOAT: "f32",
  FP32: "f32",
  BFLOAT8_B: "bfp8",
  BFP8_B: "bfp8",
  BFP8: "bfp8",
  BF8: "bfp8",
  BFLOAT4_B: "bfp4",
  BFP4: "bfp4",
  BF4: "bfp4",
  BFP4_B: "bfp4",
  UINT32: "u32",
  UINT16: "u16",
  UINT8: "u8",
  INT32: "s32",
  "BLOCK FLOAT": "a block format (bfp8, bfp4)",
  "FLOATING POINT": "a float format",
  INTEGER: "an integer format",
};

const MEMORIES: Readonly<Record<string, string>> = {
  INTERLEAVED: "interleaved",
  HEIGHT_SHARDED: "height sharded",
  WIDTH_SHARDED: "width sharded",
  BLOCK_SHARDED: "block sharded",
  ND_SHARDED: "ND sharded",
};

/** A value in words: `bf16`, `height sharded`, `TILE`, 32. */
export function constantNamed({ name, value }: AskedConstant): string {
  return value !== undefined ? String(value) : FORMATS[name.toUpperCase()] ?? MEMORIES[name] ?? name;
}
