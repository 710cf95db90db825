// SPDX-License-Identifier: Apache-2.0

/** The aspect of a tensor, or of a call, that a condition reads. */
export type Aspect =
  | "dtype"
  | "layout"
  | "memory_layout"
  | "buffer_type"
  | "memory_config"
  | "shard_spec"
  | "shard_shape"
  | "shard_side"
  | "shard_grid"
  | "shard_cores"
  | "orientation"
  | "storage"
  | "device"
  | "buffer"
  | "shape"
  | "extent"
  | "rank"
  | "volume"
  | "tile"
  | "page_size"
  | "count"
  /** A number or flag by itself: an argument of the call, a field of its config, or what the op computed. */
  | "value";

/** A term of a condition that is read from a tensor or an argument. */
export interface AskedOperand {
  readonly kind: "operand";
  /** Name of the tensor, else of the argument or variable; empty without one. */
  readonly name: string;
  readonly aspect: Aspect;
  /** Dimension of an extent or of the side of a shard; negative ones count from the end. */
  readonly dim?: number;
  /** Owner, if two terms of a check have one name: `program_config`, `device`, or `padded` of a shape. */
  readonly owner?: string;
  /** The name of an extent in the words of a message: `head dimension`. */
  readonly label?: string;
  /** Whether it is read from the arguments of the call, or a config of them. */
  readonly isArgument?: true;
  /** The number that the message gives it. */
  readonly value?: number;
}

/** A value that the source spells: `DataType::BFLOAT16` is `BFLOAT16`, `TILE_WIDTH` is 32. */
export interface AskedConstant {
  readonly kind: "constant";
  readonly name: string;
  readonly value?: number;
}

/** A term that is computed: `num_heads * head_dim`. */
export interface ComputedTerm {
  readonly kind: "computed";
  readonly text: string;
  /** Between its two parts; absent for calls and negations. */
  readonly operator?: string;
  readonly parts: readonly Term[];
}

/** A term of a condition. */
export type Term = AskedOperand | AskedConstant | ComputedTerm;

/** How two terms have to compare. */
export type Comparator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A requirement that a check states. */
export type Requirement =
  | {
    readonly kind: "compares";
    readonly comparison: Comparator;
    readonly left: Term;
    readonly right: Term;
  }
  | { readonly kind: "multiple"; readonly whole: Term; readonly part: Term; readonly isOne: boolean }
  | { readonly kind: "one_of"; readonly operand: AskedOperand; readonly values: readonly AskedConstant[] }
  /** An optional argument or tensor that has to be there, or must not. */
  | { readonly kind: "given"; readonly operand: AskedOperand; readonly isGiven: boolean }
  /** An operand that has to be true, or false. */
  | { readonly kind: "flag"; readonly operand: AskedOperand; readonly isSet: boolean }
  /** Sharded in any way, or interleaved. */
  | { readonly kind: "sharded"; readonly operand: AskedOperand; readonly isSharded: boolean }
  /** Cores that lie within others. */
  | { readonly kind: "contains"; readonly outer: Term; readonly inner: Term }
  | { readonly kind: "either" | "both"; readonly parts: readonly Requirement[] };

const OPPOSITE: Readonly<Record<Comparator, Comparator>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/** The opposite of a requirement; `undefined` for kinds whose opposite no check states. */
export function negated(requirement: Requirement): Requirement | undefined {
  switch (requirement.kind) {
    case "compares":
      return { ...requirement, comparison: OPPOSITE[requirement.comparison] };
    case "multiple":
      return { ...requirement, isOne: !requirement.isOne };
    case "given":
      return { ...requirement, isGiven: !requirement.isGiven };
    case "flag":
      return { ...requirement, isSet: !requirement.isSet };
    case "sharded":
      return { ...requirement, isSharded: !requirement.isSharded };
    case "either":
    case "both": {
      const parts = requirement.parts.flatMap((part) => negated(part) ?? []);
      return parts.length < requirement.parts.length
        ? undefined
        : joined(requirement.kind === "either" ? "both" : "either", parts);
    }
    case "one_of": {
      const parts = requirement.values.map((right): Requirement => ({
        kind: "compares",
        comparison: "!=",
        left: requirement.operand,
        right,
      }));
      return { kind: "both", parts };
    }
    case "contains":
      return undefined;
  }
}

/** Joins requirements: nested ones of the same kind are flattened, and values of one operand become one choice. */
export function joined(kind: "either" | "both", parts: readonly Requirement[]): Requirement {
  const flat = parts.flatMap((part) => part.kind === kind ? part.parts : [part]);
  const merged = kind === "both" ? narrowed(flat) : choices(flat);
  const [only, second] = merged;
  return only !== undefined && second === undefined ? only : { kind, parts: merged };
}

/** Leaves out that an operand is sharded if another part states its sharding, or rules out a kind of shards. */
function narrowed(parts: readonly Requirement[]): readonly Requirement[] {
  const sharded = parts.flatMap((part) =>
    part.kind === "sharded" && part.isSharded ? [part.operand.name] : []
  );
  const kept = parts.map((part) => ruledOut(part, sharded) ?? part);
  return kept.filter((part) =>
    part.kind !== "sharded" || !part.isSharded || !kept.some((other) => {
      const choice = choiceOf(other);
      return choice?.operand.aspect === "memory_layout" && choice.operand.name === part.operand.name;
    })
  );
}

/** Kinds of shards that most ops know. */
const SHARDINGS: readonly string[] = ["HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"];

/** `x != WIDTH_SHARDED` of a sharded operand, as the choice of the other kinds. */
function ruledOut(part: Requirement, sharded: readonly string[]): Requirement | undefined {
  if (part.kind !== "compares" || part.comparison !== "!=" || part.left.kind !== "operand") return undefined;
  const { left: operand, right } = part;
  if (operand.aspect !== "memory_layout" || right.kind !== "constant" || !sharded.includes(operand.name)) {
    return undefined;
  }
  const names = SHARDINGS.filter((name) => name !== right.name);
  return names.length === SHARDINGS.length
    ? undefined
    : { kind: "one_of", operand, values: names.map((name) => ({ kind: "constant", name })) };
}

/** Merges `x == A || x == B` to one choice. */
function choices(parts: readonly Requirement[]): readonly Requirement[] {
  const merged: Requirement[] = [];
  for (const part of parts) {
    const one = choiceOf(part);
    const at = merged.findIndex((other) => {
      const before = choiceOf(other);
      return one !== undefined && before !== undefined && isSame(one.operand, before.operand);
    });
    const before = choiceOf(merged[at]);
    if (one === undefined || before === undefined) merged.push(part);
    else merged[at] = { ...before, values: [...before.values, ...one.values] };
  }
  return merged;
}

function choiceOf(part: Requirement | undefined): Extract<Requirement, { kind: "one_of" }> | undefined {
  if (part?.kind === "one_of") return part;
  return part?.kind === "compares" && part.comparison === "==" && part.left.kind === "operand" &&
      part.right.kind === "constant"
    ? { kind: "one_of", operand: part.left, values: [part.right] }
    : undefined;
}

function isSame(a: AskedOperand, b: AskedOperand): boolean {
  return a.name === b.name && a.aspect === b.aspect && a.dim === b.dim;
}

/** All requirements within one that are no `either` or `both`. */
export function leavesOf(requirement: Requirement): readonly Requirement[] {
  return requirement.kind === "either" || requirement.kind === "both"
    ? requirement.parts.flatMap(leavesOf)
    : [requirement];
}

/** Whether a requirement is that a term is at most some number. */
export function isBound(part: Requirement): boolean {
  return part.kind === "compares" && part.comparison.startsWith("<") && part.right.kind === "constant";
}

/** The terms that a requirement compares. */
export function termsOf(requirement: Requirement): readonly Term[] {
  switch (requirement.kind) {
    case "compares":
      return [requirement.left, requirement.right];
    case "multiple":
      return [requirement.whole, requirement.part];
    case "one_of":
      return [requirement.operand, ...requirement.values];
    default:
      return [];
  }
}

/** The requirement with each operand that it compares replaced. */
export function withTerms(
  requirement: Requirement,
  replaced: (operand: AskedOperand) => AskedOperand,
): Requirement {
  const term = (one: Term): Term => one.kind === "operand" ? replaced(one) : one;
  switch (requirement.kind) {
    case "compares":
      return { ...requirement, left: term(requirement.left), right: term(requirement.right) };
    case "multiple":
      return { ...requirement, whole: term(requirement.whole), part: term(requirement.part) };
    case "one_of":
      return { ...requirement, operand: replaced(requirement.operand) };
    case "either":
    case "both":
      return { ...requirement, parts: requirement.parts.map((part) => withTerms(part, replaced)) };
    default:
      return requirement;
  }
}
