// SPDX-License-Identifier: Apache-2.0
import { isKnownOp } from "../../lib/ops/op_book.ts";

/** What a check says, as far as an explanation needs it. */
export interface CheckWords {
  /** In the words of the message. */
  readonly words: string;
  /** C++ that has to hold; `undefined` if the message does not quote it. */
  readonly condition: string | undefined;
  /** Ops that the check may concern, such as `ttnn.matmul`; `undefined` for any. */
  readonly ops: readonly string[] | undefined;
  /** Numbers in the words above 1, in order. */
  readonly numbers: readonly number[];
}

/** What a kind of checks is about, with its remedies. */
export interface CheckSubject {
  readonly name: string;
  /** What happened, in a few words; default: the backend refuses an op. */
  readonly title?: string;
  /** Words of such checks. */
  readonly pattern: RegExp;
  /** C++ conditions of such checks, which count more than words. */
  readonly condition?: RegExp;
  /** Source files whose checks are of this subject unless the words are of another one outside of ops. */
  readonly files?: RegExp;
  /** The only ops that have such checks. */
  readonly ops?: readonly string[];
  /** The rule behind the check, one sentence per entry. */
  readonly meaning: (check: CheckWords) => readonly string[];
  /** Remedies, most promising first. */
  readonly advice: (check: CheckWords) => readonly string[];
}

/** The ops of a check in a sentence. */
export function opsInWords({ ops }: CheckWords, unknown: string): string {
  const [first, second, third] = ops ?? [];
  if (first === undefined) return unknown;
  if (second === undefined) return first;
  return third === undefined ? `${first} or ${second}` : `an op like ${first} or ${second}`;
}

/** How to see what an op takes; nothing if the op is unknown. */
export function pricing({ ops }: CheckWords): readonly string[] {
  return ops?.[0] === undefined || ops.length > 2 || !isKnownOp(ops[0]) ? [] : [
    `'tilewright price ${
      ops[0].replace("ttnn.", "")
    } SHAPE…' lists the layouts and configs that it takes, and why others are refused`,
  ];
}

/** Where words turn from what is wanted to what is there. */
const BUT = /\b(?:but|got|found|instead|received|actual|provided|is now)\b/i;

const NEGATED =
  /not (?:currently )?(?:be |support|allow|compatible)|unsupported|cannot|can't|must ?n['o]t|should ?n['o]t|does ?n['o]t|don't|doesn't|invalid|unexpected/i;

/** Kinds of layouts, formats or memories by name, and how messages and conditions spell them. */
export type Kinds = Readonly<Record<string, RegExp>>;

/** The kinds that words name as found, after "but got". */
export function gotKinds({ words }: CheckWords, kinds: Kinds): readonly string[] {
  const found = words.split(BUT).slice(1).join(" ");
  return Object.keys(kinds).filter((name) => kinds[name]?.test(found) === true);
}

/**
 * The kinds, by name, that a check asks for: of its condition (`x.layout() == Layout::TILE`, `!x.is_sharded()`), else of
 * its words up to "but got". Empty if neither says, or if the check only says what it does not take.
 */
export function wantedKinds(
  { words, condition }: CheckWords,
  kinds: Kinds,
): readonly string[] {
  const names = Object.keys(kinds);
  const inText = (text: string): readonly string[] =>
    names.filter((name) => kinds[name]?.test(text) === true);
  if (condition !== undefined) {
    const parts = condition.split(/&&|\|\|/);
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

/** The tensor that a condition is about, as the source names it: `input_tensor_b`. */
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
