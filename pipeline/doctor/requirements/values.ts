// SPDX-License-Identifier: Apache-2.0
import { keyOf, wordsOf } from "./found_values.ts";
import { type Comparator, leavesOf, type Requirement, type Term, termsOf } from "./requirement.ts";

/** Numbers that the words give to the terms of a requirement. */
export type Values = (term: Term) => number | undefined;

const NUMBER = String.raw`(?<![-\w.\[])(-?\d+)(?![\w.]*[A-Za-z\]])`;

/**
 * The values of terms in a message, the first of these with which the check fails: those that stand with the terms; the
 * number after a term's name (`per_core_M (3)`) and extents of shapes; of a condition, if as many numbers are left as terms
 * without a value, these in their order.
 */
export function valuesIn(requirement: Requirement, words: string, told?: Requirement): Values {
  const terms = leavesOf(requirement).flatMap(termsOf);
  const unknown = [
    ...new Map(terms.flatMap((term) => term.kind === "constant" ? [] : [[keyOf(term), term] as const]))
      .values(),
  ];
  const named = valuesBehindNames(unknown, words);
  const constants = terms.flatMap((term) => term.kind === "constant" ? term.value ?? [] : []);
  const rest = unknown.filter((term) => !named.has(keyOf(term)));
  const numbers = numbersOutsideOfLists(words).filter((number) =>
    ![...named.values(), ...constants].includes(number)
  );
  const isInOrder = told !== requirement && (numbers.length === rest.length ||
    unknown.length === 1 && rest.length === 1 && numbers.length > 0);
  const inOrder = isInOrder ? rest.map((term, index) => [keyOf(term), numbers[index] ?? NaN] as const) : [];
  // Numbers with which the check would not have failed are others.
  return [valuesInShapes(unknown, words), inOrder]
    .map((more) => readValues(new Map([...named, ...more])))
    .find((values) => holds(requirement, values) === false) ??
    (holds(requirement, readValues(named)) === true
      ? (term) => term.kind === "constant" ? term.value : undefined
      : readValues(named));
}

function readValues(known: ReadonlyMap<string, number>): Values {
  return (term) =>
    term.kind === "constant"
      ? term.value
      : (term.kind === "operand" ? term.value : undefined) ?? known.get(keyOf(term));
}

/** The same values but for one term. */
export function withValue(values: Values, term: Term, value: number): Values {
  const key = keyOf(term);
  return (other) => keyOf(other) === key ? value : values(other);
}

/** Numbers right behind names, in the source's spelling or in words: each of the longest name that it stands behind. */
function valuesBehindNames(terms: readonly Term[], words: string): ReadonlyMap<string, number> {
  const side = /\bshard (?:width|height) \(?(\d+)/i.exec(words)?.[1];
  const found = new Map<string, number>();
  let from = 0;
  for (const { 0: text, index } of words.matchAll(new RegExp(NUMBER, "g"))) {
    // `dim == 0` asks, `dim = 0` tells.
    const isAsked = /[=<>!]= *$|[<>] *$/.test(words.slice(from, index));
    const label = isAsked ? [] : wordsOf(
      words.slice(from, index).replace(/\bnumber of\b/gi, "num").replace(
        /(?:,? (?:of|is|was|are|got|has)(?= ?$)|[:=(\s])+$/,
        "",
      ),
    );
    from = index + text.length;
    const [own] = terms.flatMap((term) => {
      const name = term.kind === "operand" && term.aspect === "value"
        ? wordsOf(term.name.replace(/\[.*$/, ""))
        : [];
      const isBehind = name.join("").length > 1 && name.join() === label.slice(-name.length).join();
      return isBehind && !found.has(keyOf(term)) ? [[term, name.length] as const] : [];
    }).toSorted(([, a], [, b]) => b - a);
    if (own !== undefined) found.set(keyOf(own[0]), Number(text));
  }
  const shard = terms.find((term) => term.kind === "operand" && term.aspect === "shard_side");
  if (shard !== undefined && side !== undefined) found.set(keyOf(shard), Number(side));
  return found;
}

/** Extents of as many tensors as the words list shapes of: `Shape([1, 1, 96, 100])`. */
function valuesInShapes(terms: readonly Term[], words: string): readonly (readonly [string, number])[] {
  const shapes = [...words.matchAll(/\[(\d+(?:, ?\d+)+)\]/g)].map(([, list = ""]) =>
    list.split(",").map(Number)
  );
  const extents = terms.flatMap((term) => term.kind === "operand" && term.aspect === "extent" ? [term] : []);
  const tensors = [...new Set(extents.map(({ name }) => name))];
  if (shapes.length !== tensors.length) return [];
  return extents.flatMap((term) => {
    const extent = term.dim === undefined ? undefined : shapes[tensors.indexOf(term.name)]?.at(term.dim);
    return extent === undefined ? [] : [[keyOf(term), extent] as const];
  });
}

function numbersOutsideOfLists(words: string): readonly number[] {
  return [
    ...words.replaceAll(/\[\d[\d, ]*\]|\.[ch]pp:\d+|\bdim(?:ension)? -?\d(?= \(size)/g, "").matchAll(
      new RegExp(NUMBER, "g"),
    ),
  ].map((
    [text],
  ) => Number(text));
}

/** Whether a requirement holds; `undefined` where a value is not known. */
export function holds(requirement: Requirement, values: Values): boolean | undefined {
  switch (requirement.kind) {
    case "compares": {
      const [left, right] = [values(requirement.left), values(requirement.right)];
      return left === undefined || right === undefined
        ? undefined
        : COMPARE[requirement.comparison](left, right);
    }
    case "multiple": {
      const [whole, part] = [values(requirement.whole), values(requirement.part)];
      return whole === undefined || part === undefined
        ? undefined
        : (whole % part === 0) === requirement.isOne;
    }
    case "one_of": {
      const value = values(requirement.operand);
      const allowed = requirement.values.map((one) => one.value);
      return value === undefined || allowed.includes(undefined) ? undefined : allowed.includes(value);
    }
    case "either":
    case "both": {
      const isEither = requirement.kind === "either";
      const parts = requirement.parts.map((part) => holds(part, values));
      return parts.includes(isEither) ? isEither : parts.includes(undefined) ? undefined : !isEither;
    }
    default:
      return undefined;
  }
}

const COMPARE: Readonly<Record<Comparator, (left: number, right: number) => boolean>> = {
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};
