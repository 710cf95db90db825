// SPDX-License-Identifier: Apache-2.0
import { mulberry } from "../../lib/precision/mulberry.ts";

/** Numbers that replace others: no extent, one, around the tile and the grid, more than fits. */
const NUMBERS = ["0", "1", "2", "7", "31", "33", "64", "1000003", "4294967296", "99999999999999999999", "-1"];

/** Words of the dialect that replace each other. */
const WORDS: readonly (readonly string[])[] = [
  ["dram", "l1", "system_memory", "l1_small"],
  ["interleaved", "height_sharded", "width_sharded", "block_sharded", "nd_sharded"],
  ["bf16", "f32", "si32", "ui8", "ui16", "bfp_bf8", "bfp_bf4", "i1"],
  ["row_major", "col_major"],
  ["true", "false"],
  ["ttnn.add", "ttnn.matmul", "ttnn.softmax", "ttnn.relu", "ttnn.reshape", "ttnn.concat", "ttnn.nothing"],
];

const CHARACTERS = ["<", ">", "{", "}", "(", ")", ",", ":", "%", "#", '"', "\n", "x", "-", "é", "\u0000"];

/** Random integers from a seed. */
function seeded(seed: number): (below: number) => number {
  const next = mulberry(seed);
  return (below) => Math.floor(next() * below);
}

type Mutation = (source: string) => string;

/** Two tools: picks one of a list; replaces one match of a pattern. */
function tools(random: (below: number) => number) {
  const pick = (list: readonly string[]): string => list[random(list.length)] ?? "";
  const replaceOne = (source: string, pattern: RegExp, replacement: (found: string) => string): string => {
    const found = [...source.matchAll(pattern)];
    const match = found[random(found.length)];
    if (match === undefined) return source;
    return source.slice(0, match.index) + replacement(match[0]) + source.slice(match.index + match[0].length);
  };
  return { pick, replaceOne };
}

/** Applies one to three of the mutations. */
function damageSome(text: string, mutations: readonly Mutation[], random: (below: number) => number): string {
  let damaged = text;
  for (let count = 1 + random(3); count > 0; count--) {
    damaged = mutations[random(mutations.length)]?.(damaged) ?? damaged;
  }
  return damaged;
}

/** Values that replace others in JSON and CSV: of another type, beyond the possible range, none. */
const VALUES = [
  "0",
  "-1",
  "1e308",
  "1e-9",
  "33",
  "4294967296",
  "99999999999999999999",
  "null",
  '""',
  "true",
  "[]",
  "{}",
];

/** Damages a text of JSON, CSV or words in one to three places. */
export function mutateData(text: string, seed: number): string {
  const random = seeded(seed);
  const { pick, replaceOne } = tools(random);
  const mutations: readonly Mutation[] = [
    (source) => replaceOne(source, /-?\d+(?:\.\d+)?/g, () => pick(VALUES)),
    (source) => replaceOne(source, /"[^"\n]*"/g, () => pick(source.match(/"[^"\n]*"/g) ?? [])),
    (source) => replaceOne(source, /"[^"\n]*"/g, () => pick(VALUES)),
    (source) => replaceOne(source, /"[^"\n]*":/g, (name) => `"x${name.slice(1)}`),
    (source) => replaceOne(source, /[^\n]*\n/g, () => ""),
    (source) => replaceOne(source, /[^\n]*\n/g, (line) => line + line),
    (source) => replaceOne(source, /[^,\n]*,/g, () => ","),
    (source) => replaceOne(source, /[^,\n]*,/g, (cell) => cell + cell),
    (source) => replaceOne(source, /[^,\n]+/g, () => pick(source.match(/[^,\n]+/g) ?? [])),
    (source) => {
      const at = random(source.length);
      return source.slice(0, at) + pick([...CHARACTERS, "]", "\\"]) + source.slice(at + random(2));
    },
    (source) => (random(6) === 0 ? source.slice(0, random(source.length)) : source),
  ];
  return damageSome(text, mutations, random);
}

/** Damages a text of the dialect in one to three places; most results still parse. */
export function mutate(text: string, seed: number): string {
  const random = seeded(seed);
  const { pick, replaceOne } = tools(random);
  const mutations: readonly Mutation[] = [
    (source) => replaceOne(source, /(?<![\w#%.])\d+/g, () => pick(NUMBERS)),
    (source) => replaceOne(source, /(?<=[<x])\d+(?=x)/g, () => pick(NUMBERS)),
    (source) => replaceOne(source, /tile<\d+x\d+/g, () => `tile<${pick(NUMBERS)}x${pick(NUMBERS)}`),
    (source) => source.replaceAll(/tile<\d+x\d+/g, `tile<${pick(NUMBERS)}x${pick(NUMBERS)}`),
    (source) => replaceOne(source, /memref<\d+x\d+/g, () => `memref<${pick(NUMBERS)}x${pick(NUMBERS)}`),
    (source) =>
      replaceOne(
        source,
        /<\d+x\d+(?:, \(|>)/g,
        (found) => `<${pick(NUMBERS)}x${pick(NUMBERS)}${found.replace(/<\d+x\d+/, "")}`,
      ),
    (source) => {
      // The same extent everywhere, so that the types still agree.
      const extent = pick([...source.matchAll(/(?<=[<x])\d+(?=x)/g)].map(([found]) => found));
      const other = pick(NUMBERS);
      return extent === "" ? source : source.replaceAll(new RegExp(`(?<=[<x])${extent}(?=x)`, "g"), other);
    },
    (source) => {
      const group = WORDS[random(WORDS.length)] ?? [];
      return replaceOne(
        source,
        new RegExp(`(?<![\\w.])(?:${group.join("|")})(?!\\w)`, "g"),
        () => pick(group),
      );
    },
    (source) => replaceOne(source, /%\w+/g, () => pick(source.match(/%\w+/g) ?? [])),
    (source) => replaceOne(source, /#\w+/g, () => pick(source.match(/#\w+/g) ?? [])),
    (source) => replaceOne(source, /tensor<[^<>]*/g, () => pick(source.match(/tensor<[^<>]*/g) ?? [])),
    (source) => replaceOne(source, /[^\n]*\n/g, () => ""),
    (source) => replaceOne(source, /[^\n]*\n/g, (line) => line + line),
    (source) => replaceOne(source, /\w+ = [^,<>{}()]+,? ?/g, () => ""),
    (source) => {
      const at = random(source.length);
      return source.slice(0, at) + (random(2) === 0 ? pick(CHARACTERS) : "") + source.slice(at + random(2));
    },
    (source) => (random(8) === 0 ? source.slice(0, random(source.length)) : source),
  ];
  return damageSome(text, mutations, random);
}
