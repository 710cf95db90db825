// SPDX-License-Identifier: Apache-2.0

/** Reads the numbers of a sentence: those that stand with its nouns, and those that it says were found. */

import {
  type AskedOperand,
  leavesOf,
  type Requirement,
  type Term,
  termsOf,
  withTerms,
} from "./requirement.ts";

/** A number that a message says was found, with the name before it: `Q` and 40 of `got Q=40`. */
interface Found {
  readonly label: string;
  readonly number: number;
}

/** A sentence in which every number of a noun is marked ({@linkcode valueOf}), without what it says was found. */
export interface MarkedSentence {
  readonly text: string;
  readonly found: readonly Found[];
}

/** Around a number that belongs to the words before it: `per_core_M‹3›`. */
const MARK = /‹(-?\d+)›/;

/** A text without its marked numbers, with the number that is the only one. */
export function valueOf(text: string): { readonly text: string; readonly value?: number } {
  const [number, other] = [...text.matchAll(new RegExp(MARK, "g"))].map(([, digits]) => digits);
  const plain = text.replace(new RegExp(MARK, "g"), "").replace(/\s+/g, " ").trim();
  return number === undefined || other !== undefined
    ? { text: plain }
    : { text: plain, value: Number(number) };
}

/** The part of a sentence after the requirement: the value that was found, or the reason. */
const REST =
  /(?:[.!;](?= |$)|:? -?\d+ (?:vs\.?|!=) |, which\b(?! is not valid)| so (?:that|the|it|an?)\b|,? (?:but |instead )?(?:got|found|received|is now|actual)\b|, but\b| but (?:has|have|is|are|was|got)\b| - got\b| to satisfy\b| used by\b| when | if (?=\w)| (?:because|otherwise|since|due to) |, e\.g\.).*$/i;

/** A bracket that says what was found: `(got 3 for dim=2)`. */
const GOT = / \((?:got|is|was|has|found|actual|currently)[ :]([^()]*)\)/i;

/** The number of a bracket behind a noun: `(3)`, `(size=4097)`, `(A's rows: 200)`, `(96 B = …)`. */
const IN_BRACKET =
  /^(?!.*\.[ch]pp)(?:[\w' .[\]-]*(?:[=:] ?|\bsize ))?(-?\d+)(?:(?: ?(?:B|bytes|elements|tiles|pages)\b| =).*)?$/;

/** Words behind which a number is an index, a property or what is asked for: `dimension 2`, `rank 4`, `at most 8`. */
const INDEXED =
  /(?:\b(?:dim(?:ension)?s?|axis|tensor|input|output|operand|arg(?:ument)?|device|buffer|index|rank|row|column|core|layer|config|most|least|than|of|to|by|be|is|are|in|and|or|between)|[-+*/%<>=])$/i;

/** A sentence with its numbers marked. */
export function marked(sentence: string): MarkedSentence {
  const got = GOT.exec(sentence)?.[1] ?? "";
  const outside = sentence.replace(GOT, "");
  const rest = REST.exec(bracketsMarked(outside))?.[0] ?? "";
  const text = bracketsMarked(outside).slice(0, rest === "" ? undefined : -rest.length)
    .replace(
      /(?<=[\w)])(?: ?[=:] ?)(-?\d+)(?=,? (?:must|should|has|is|are|cannot|does|exceeds?|differs?|vs|to be|not)\b|$)/gi,
      "‹$1›",
    )
    .replace(/, (-?\d+),?(?= (?:not|must|is|does|has)\b|$)/g, "‹$1›")
    .replace(
      /(\S+) (-?\d+)(?= (?:must|should|cannot|exceeds?|does|is|are|has to|to be|not|out of|of (?:input|operand|tensor|[A-Z]\b))\b| !=)/gi,
      (whole, before: string, number: string) => INDEXED.test(before) ? whole : `${before}‹${number}›`,
    );
  return { text: text.replace(/\s+/g, " ").trim(), found: numbersIn(`${got} ${rest}`) };
}

/** Brackets replaced by their numbers, or left out. */
function bracketsMarked(text: string): string {
  return text.replace(/ ?\(((?:[^()]|\([^()]*\))*)\)/g, (bracket, inner: string) => {
    const number = IN_BRACKET.exec(inner.trim())?.[1];
    // `ceil(M / 32)` is of the name.
    return number === undefined ? bracket.startsWith(" ") || inner === "" ? "" : bracket : `‹${number}›`;
  }).replace(/(?<=\b(?:shape|dims?|size)) \[[\d, ]*\](?= (?:must|should|to|and|vs|does|do|is)\b|$)/gi, "")
    .replace(/(?<=\[-?\d\])=(-?\d+)/g, "‹$1›").replace(/,? rounded up to (?:an? )?\w+$/g, "");
}

const NO_LABEL =
  /^(?:got|is|was|has|have|found|actual|and|vs|but|of|instead|received|to|with|for|on|in|now)?$/i;

function numbersIn(rest: string): readonly Found[] {
  const plain = rest.replace(/\[[^\]]*\](?!=)|\b\w*[a-z]+\d+\w*|\d+[a-zA-Z]\w*/g, " ");
  return [
    ...plain.matchAll(
      /(?:([A-Za-z_][\w.*]*(?:\[-?\d\])?) ?[=:]? ?(?:[<>]=? ?)?)?(?<![\w.])(-?\d+)(?![\w.]*\w)/g,
    ),
  ].map((
    [, label = "", number],
  ) => ({ label: NO_LABEL.test(label) ? "" : label, number: Number(number) }));
}

/** Words of a name, without case and plural. */
export function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[^a-z\d]+/).map((word) => word.replace(/s$/, "")).filter((word) =>
    word !== ""
  );
}

function isLabelOf(label: string, { name }: AskedOperand): boolean {
  const [names, labels] = [wordsOf(name), wordsOf(label)];
  return labels.length > 0 && labels.every((word) => names.includes(word));
}

/** Aspects that are no numbers. */
export const KINDS: ReadonlySet<string> = new Set([
  "dtype",
  "layout",
  "memory_layout",
  "memory_config",
  "buffer_type",
  "orientation",
  "storage",
  "device",
  "buffer",
  "shape",
  "shard_spec",
  "shard_shape",
]);

/**
 * A requirement whose terms have the numbers that the sentence says were found: by their labels; the others in order, if there
 * are as many as terms without a number; a single one is that of the first term, if no label matched.
 */
export function withFound(requirement: Requirement, found: readonly Found[]): Requirement {
  const isOpen = ({ value, aspect }: AskedOperand): boolean => value === undefined && !KINDS.has(aspect);
  const used = new Set<Found>();
  const labelled = withTerms(requirement, (term) => {
    const own = found.find(({ label }) => isLabelOf(label, term));
    if (own === undefined || !isOpen(term)) return term;
    used.add(own);
    return { ...term, value: own.number };
  });
  const open = [
    ...new Set(
      leavesOf(labelled).flatMap(termsOf).flatMap((term) =>
        term.kind === "operand" && isOpen(term) ? keyOf(term) : []
      ),
    ),
  ];
  const unused = found.filter((one) => !used.has(one));
  const plain = unused.filter(({ label }) => label === "");
  // More numbers than terms do not tell which is whose.
  const rest = [unused, plain].find(({ length }) =>
    length > 0 && (length === open.length || length === 1 && used.size === 0)
  );
  if (rest === undefined) return labelled;
  return withTerms(labelled, (term) => {
    const number = isOpen(term) ? rest[open.indexOf(keyOf(term))]?.number : undefined;
    return number === undefined ? term : { ...term, value: number };
  });
}

/** Terms are the same that are spelled the same. */
export function keyOf(term: Term): string {
  return JSON.stringify(term);
}
