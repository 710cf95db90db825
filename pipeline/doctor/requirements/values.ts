// SPDX-License-Identifier: Apache-2.0
import { type Comparator, leavesOf, type Requirement, type Term, termsOf } from "./requirement.ts";

/** Numbers that the words give to the terms of a requirement. */
export type Values = (term: Term) => number | undefined;

const NUMBER = String.raw`(?<![\w.\[])(-?\d+)(?![\w.]*[A-Za-z\]])`;

/**
 * The value of a term by the words: what stands behind its name (`per_core_M (3)`), else, where as many numbers stand
 * there as terms are unknown, in their order.
 */
export function valuesIn(requirement: Requirement, words: string): Values {
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
  const isInOrder = numbers.length === rest.length ||
    unknown.length === 1 && rest.length === 1 && numbers.length > 0;
  const inOrder = isInOrder ? rest.map((term, index) => [keyOf(term), numbers[index] ?? NaN] as const) : [];
  // Numbers with which the check would not have failed are others.
  return [new Map([...named, ...valuesInShapes(unknown, words)]), new Map([...named, ...inOrder])].map(
    readValues,
  )
    .find((values) => holds(requirement, values) === false) ??
    readValues(holds(requirement, readValues(named)) === true ? new Map() : named);
}

/** Terms are the same that are spelled the same. */
function keyOf(term: Term): string {
  return JSON.stringify(term);
}

function readValues(known: ReadonlyMap<string, number>): Values {
  return (term) => term.kind === "constant" ? term.value : known.get(keyOf(term));
}

function valuesBehindNames(terms: readonly Term[], words: string): ReadonlyMap<string, number> {
  return new Map(terms.flatMap((term) => {
    const side = /\bshard (?:width|height) \(?(\d+)/i.exec(words)?.[1];
    if (term.kind === "operand" && term.aspect === "shard_side" && side !== undefined) {
      return [[keyOf(term), Number(side)] as const];
    }
    if (term.kind !== "operand" || term.aspect !== "value" || !/^\w{2,}(?:\[|$)/.test(term.name)) return [];
    const name = term.name.replace(/\[.*$/, "");
    const found = new RegExp(
      String.raw`(?<![\w.])${name}(?![\w(])(?:,? (?:of|is|was|are|got|has)|[:=])? ?\(?${NUMBER}`,
    ).exec(words)?.[1];
    return found === undefined ? [] : [[keyOf(term), Number(found)] as const];
  }));
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
  return [...words.replaceAll(/\[\d[\d, ]*\]/g, "").matchAll(new RegExp(NUMBER, "g"))].map(([text]) =>
    Number(text)
  );
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
