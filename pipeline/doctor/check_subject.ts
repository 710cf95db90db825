// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { isKnownOp } from "../../lib/ops/op_book.ts";

/** Side of a tile. */
export const TILE = 32;

/** Contents of a failed check's message. */
export interface CheckWords {
  /** Words of the message. */
  readonly words: string;
  /** C++ condition that failed; `undefined` if the message has none. */
  readonly condition: string | undefined;
  /** Ops that may have failed it, such as `ttnn.matmul`; `undefined` for any. */
  readonly ops: readonly string[] | undefined;
  /** Integers > 1 in `words`, in order. */
  readonly numbers: readonly number[];
}

/** Weight of words that hardly any other subject's checks have. */
export const NARROW = 5;

/** Weight of words that tell a limit or an event wherever they stand, also against the file of the check. */
export const TELLING = 20;

/** A kind of checks with meaning and remedies. */
export interface CheckSubject {
  readonly name: string;
  /** What happened, in a few words; default: the backend refuses an op. */
  readonly title?: string;
  /** Matches `words`. */
  readonly pattern: RegExp;
  /** How much its words say, 1 to {@linkcode TELLING}; default {@linkcode NARROW}, less where others have them as well. */
  readonly weight?: number;
  /** Matches the C++ condition. */
  readonly condition?: RegExp;
  /** Matches source files outside of ops. */
  readonly files?: RegExp;
  /** Ops of such checks by default. */
  readonly ops?: readonly string[];
  /** The rule behind the check, one sentence per entry. */
  readonly meaning: (check: CheckWords) => readonly string[];
  /** Remedies, most promising first. */
  readonly advice: (check: CheckWords) => readonly string[];
}

/**
 * What two extents of a message say of each other: that one is the other padded to whole tiles; `undefined` if they do
 * not. The two are the first numbers, or stand in the same place of two lists.
 */
export function paddingIn({ words, numbers }: CheckWords): string | undefined {
  const [, shape = "", size = "0"] = /shape '\[([\d, ]+)\]' is invalid for input of size (\d+)/.exec(words) ??
    [];
  const elements = shape.split(",").map(Number).reduce((product, extent) => product * extent, 1);
  const times = Number(size) / elements;
  if (shape !== "" && Number.isInteger(times) && times > 1) {
    return `the ${size} elements are ${times} times those of [${shape}], as tiles of ${TILE}x${TILE} pad rows or columns to ${TILE}`;
  }
  const [first, second] = [...words.matchAll(/\[(\d[\d, ]*)\]/g)].map(([, list = ""]) =>
    list.split(",").map(Number)
  );
  const pairs = first !== undefined && first.length === second?.length
    ? first.map((extent, index) => [extent, second[index] ?? extent] as const)
    : [[numbers[0] ?? 0, numbers[1] ?? 0] as const];
  const padded = pairs.find(([a, b]) => a !== b && Math.max(a, b) === roundUp(Math.min(a, b), TILE));
  return padded === undefined
    ? undefined
    : `${Math.max(...padded)} is ${Math.min(...padded)} padded to whole tiles of ${TILE}`;
}

/** What asks for whole parts, up to their number: `must be divisible by in0_block_w (5)`, `multiple of cores 5 * tile width 32`. */
const ASKED =
  /\b(?:divisible by|multiples? of|divided? (?:evenly )?by)\b(.{0,60}?)(?<![\w.])(\d+)(?![\w.]*\w)(?: ?\* ?[a-z _]*(\d+))?/i;

/**
 * What makes parts come out even that a message says do not: the extent to pad to, if it can be padded, and parts that
 * divide it.
 */
export function evenParts({ words }: CheckWords, canPad = true): readonly string[] {
  const [all, between = "", first, factor = "1"] = ASKED.exec(words) ?? [];
  if (all === undefined || first === undefined) return [];
  const at = words.indexOf(all);
  const numbersIn = (text: string): readonly number[] =>
    [...text.matchAll(/(?<![\w.])\d+(?![\w.]*\w)/g)].map(Number);
  const behind = numbersIn(words.slice(at + all.length))[0];
  // `got: 160 and 128` names the whole first.
  const [whole, part] = /\b(?:got|found)\b/i.test(between)
    ? [Number(first), behind]
    : [numbersIn(words.slice(0, at)).at(-1) ?? behind, Number(first) * Number(factor)];
  if (whole === undefined || part === undefined || whole < 1 || part < 2 || whole % part === 0) return [];
  const divisors = Array.from({ length: part - 1 }, (_, index) => part - 1 - index).filter((value) =>
    whole % value === 0
  );
  const ways = [
    ...(canPad ? [`pad it to ${roundUp(whole, part)} (ttnn.pad, and cut the result)`] : []),
    ...(part === TILE || divisors.length === 0
      ? []
      : [`${orList(divisors.slice(0, 3).map(String))} in place of ${part}, which divides it`]),
  ];
  return ways.length === 0 ? [] : [`${whole} is no multiple of ${part}: ${ways.join(", or ")}`];
}

/** Ops of a check, or `unknown`. */
export function opsInWords({ ops }: Pick<CheckWords, "ops">, unknown: string): string {
  const [first, second, third] = ops ?? [];
  if (first === undefined) return unknown;
  if (second === undefined) return first;
  return third === undefined ? `${first} or ${second}` : `an op like ${first} or ${second}`;
}

/** The `price` command for the first of at most two ops. */
export function pricing({ ops }: CheckWords): readonly string[] {
  return ops?.[0] === undefined || ops.length > 2 || !isKnownOp(ops[0]) ? [] : [
    `'tilewright price ${
      ops[0].replace("ttnn.", "")
    } SHAPE…' lists the layouts and configs that it takes, and why others are refused`,
  ];
}

/** What a condition asks for: of `!x.is_sharded() || a == b`, which only guards, the part behind. */
export function askedOf(condition: string): string {
  return condition.replace(/^!\s*[\w.()>-]+\s*(?:\|\||\bor\b)\s*(?=\S)/, "");
}

/** Separates expected from actual in a message. */
const BUT = /\b(?:but|got|found|instead|received|actual|provided|is now)\b/i;

const NEGATED =
  /not (?:currently )?(?:be |support|allow|compatible)|unsupported|cannot|can't|must ?n['o]t|should ?n['o]t|does ?n['o]t|don't|doesn't|invalid|unexpected/i;

/** Patterns of layouts, formats or memories in messages and conditions, by name. */
export type Kinds = Readonly<Record<string, RegExp>>;

/** The actual kinds: named after "but got". */
export function gotKinds({ words }: CheckWords, kinds: Kinds): readonly string[] {
  const found = words.split(BUT).slice(1).join(" ");
  return Object.keys(kinds).filter((name) => kinds[name]?.test(found) === true);
}

/**
 * The kinds, by name, that a check requires: by its condition (`x.layout() == Layout::TILE`, `!x.is_sharded()`), else by
 * its words up to "but got". If it only excludes a kind: the other of two, none of several.
 */
export function wantedKinds(
  { words, condition }: CheckWords,
  kinds: Kinds,
): readonly string[] {
  const names = Object.keys(kinds);
  const inText = (text: string): readonly string[] =>
    names.filter((name) => kinds[name]?.test(text) === true);
  if (condition !== undefined) {
    const parts = askedOf(condition).split(/&&|\|\|/);
    const isRefusal = (part: string): boolean => /!=|^\W*!/.test(part);
    const wanted = inText(parts.filter((part) => !isRefusal(part)).join(" "));
    if (wanted.length > 0) return wanted;
    const refused = inText(parts.filter(isRefusal).join(" "));
    if (refused.length > 0) return names.length === 2 ? names.filter((name) => !refused.includes(name)) : [];
  }
  const [before = ""] = words.split(BUT);
  const named = inText(before);
  if (!NEGATED.test(before)) return named;
  return names.length === 2 && named.length === 1 ? names.filter((name) => !named.includes(name)) : [];
}

/** The tensor of a condition by its C++ name: `input_tensor_b`. */
export function tensorOf({ condition }: CheckWords): string | undefined {
  const root =
    /\b([A-Za-z]\w*)(?:\.value\(\)|\[\w+\]|\.at\(\w+\)|\(\))*(?:\.|->)(?:memory_config|layout|dtype|buffer|is_sharded|shard_spec|storage_type|device|is_allocated|(?:logical|padded)_shape)\b/
      .exec(condition ?? "")?.[1];
  return root === undefined || /^(?:memory_config|tensor_args|args|attributes|self|this)$/.test(root)
    ? undefined
    : root;
}

/** `a, b or c`. */
export function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
