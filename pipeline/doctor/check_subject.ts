// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { isKnownOp } from "../../lib/ops/op_book.ts";
import { type Remedy, reworded } from "./remedy.ts";

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

/**
 * What is said of a check: one sentence or remedy, several, or those that follow from its words. `{the op}` stands for the
 * ops that may have failed, and for its own words where none is known.
 */
export type Told = Remedies | ((check: CheckWords) => Remedies);

type Remedies = Remedy | readonly (Remedy | readonly Remedy[])[];

/** What is said of a check. */
export function toldOn(told: Told | undefined, check: CheckWords): readonly Remedy[] {
  const named = (text: string): string =>
    text.replace(/\{([A-Za-z]+(?: [a-z]+)*)\}/g, (_, unknown: string) => opsInWords(check, unknown));
  return [typeof told === "function" ? told(check) : told ?? []].flat(2).map((one) => reworded(one, named));
}

/** Words of a crash or an assertion within a compiler. */
export const OF_COMPILER: RegExp =
  /\blib\/(?:Dialect|Conversion|Target|IR|Transforms|Scheduler)\/\S*\.cpp:\d+[:!]|\bmlir::|\bllvm::|::(?:matchAndRewrite|runOnOperation)\b|ttmlir-opt|\bfold result|\bdialect\b|[Pp]ass ?[Mm]anager/;

/** Weight of words that hardly any other subject's checks have. */
export const NARROW = 5;

/** Weight of words that decide the subject (a limit, an event) in any place, even against the file of the check. */
export const TELLING = 20;

/** What is said of the checks that a row of a table matches. */
interface Finding {
  /** Title of the finding; default: the subject's, else that the backend refuses an op. */
  readonly title?: string;
  /** The rule behind the check, or the cause. */
  readonly because?: Told;
  /** Remedies, most promising first. */
  readonly advice: Told;
}

/** What is known of a kind of checks, and how they are recognized. */
export interface SubjectRow extends Finding {
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
}

/** A kind of checks. */
export interface CheckSubject extends SubjectRow {
  readonly name: string;
  /** Who makes them: compilers, Python and test runs; ttnn's and tt-metal's code around ops; ops, and limits of the device. */
  readonly maker: "host" | "outside" | "ops";
  readonly weight: number;
}

/** Subjects by name, whose checks have one maker. */
export function subjectsIn(
  maker: CheckSubject["maker"],
  rows: Readonly<Record<string, SubjectRow>>,
  weight: number = NARROW,
): readonly CheckSubject[] {
  return Object.entries(rows).map(([name, row]) => ({ weight, ...row, name, maker }));
}

/** What experts know of the failed checks that a row matches, in addition to what is said of their subject. */
export interface Expertise extends Finding {
  /** Check subjects that the row matches; default: all. */
  readonly subjects?: readonly string[];
  /** Matches the op's name without its dialect; default: all ops. */
  readonly ops?: RegExp;
  /** Matches the failed condition or the message; or a predicate of both. */
  readonly says?: RegExp | ((check: CheckWords) => boolean);
  /** Whether the row replaces what is said of the subject in general; default: whether it tells causes. */
  readonly instead?: boolean;
}

/** Collectives of devices. */
export const COLLECTIVES: RegExp =
  /^(?!.*norm).*all_gather|reduce_scatter|all_reduce|all_to_all|all_broadcast|point_to_point|send_|recv_/;

/**
 * A sentence that one of two extents of a message is the other one padded to whole tiles; `undefined` if it is not. The two
 * are the first numbers of the message, or entries at the same index of two lists.
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

/** A condition without its guard: `a == b` of `!x.is_sharded() || a == b`. */
export function askedOf(condition: string): string {
  return condition.replace(/^!\s*[\w.()>-]+\s*(?:\|\||\bor\b)\s*(?=\S)/, "");
}

/** `a, b or c`. */
export function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
