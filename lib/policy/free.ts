// SPDX-License-Identifier: Apache-2.0
import type { HintConfigs } from "../opmodel/op_model.ts";

/** Values of options by name, as typed. */
export type Settings = Readonly<Record<string, string | boolean>>;

/** A step of a freedom that is implemented by setting other options. */
export interface FreeStep {
  /** In words, such as `weights in bfp8`. */
  readonly what: string;
  /** Word of `--allow` that permits it; absent if none is needed. */
  readonly allow?: string;
  readonly setting: Settings;
}

/** Words of `--free`, in the order of lists. */
export const FREE_NAMES = [
  "layouts",
  "configs",
  "weights",
  "graph",
  "inputs",
  "results",
  "formats",
  "fidelity",
] as const;

/** One of {@linkcode FREE_NAMES}. */
export type FreeName = typeof FREE_NAMES[number];

/** A changeable part of a graph, with the effect of changes on the computed values. */
interface FreeKind {
  /** The changeable part, in words. */
  readonly changes: string;
  /** `same` keeps formats, fidelities and accumulation; `estimated` does not, and the error is estimated. */
  readonly numbers: "same" | "estimated";
  /** Steps of increasing effect; absent if policies implement the freedom themselves. */
  readonly steps?: readonly FreeStep[];
}

/** All freedoms. */
export const FREEDOMS: Readonly<Record<FreeName, FreeKind>> = {
  layouts: { changes: "where tensors lie", numbers: "same" },
  configs: { changes: "blocks, cores and buffers of ops", numbers: "same" },
  weights: { changes: "weights of decode products over the banks of DRAM", numbers: "same" },
  graph: {
    changes: "the ops, by all graph passes",
    numbers: "same",
    steps: [{ what: "all graph passes", setting: { "keep-graph": false, "graph-passes": "all" } }],
  },
  inputs: { changes: "pages and order of dimensions in which inputs arrive", numbers: "same" },
  results: { changes: "pages in which results leave", numbers: "same" },
  formats: {
    changes: "element formats of weights",
    numbers: "estimated",
    steps: [
      { what: "weights in bfp8", allow: "bfp8", setting: { "experimental-weight-dtype": "bfp_bf8" } },
      { what: "weights in bfp4", allow: "bfp4", setting: { "experimental-weight-dtype": "bfp_bf4" } },
    ],
  },
  fidelity: {
    changes: "math fidelities of products and convolutions",
    numbers: "estimated",
    steps: [
      { what: "HiFi2", allow: "hifi2", setting: { "math-fidelities": "hifi2" } },
      { what: "LoFi", allow: "lofi", setting: { "math-fidelities": "lofi,hifi2" } },
    ],
  },
};

/** A freedom; with `+` or `-` it is added to or removed from the policy's default. */
export type FreeWord = FreeName | `+${FreeName}` | `-${FreeName}`;

/** Every word of `--free`. */
const FREE_WORDS: readonly FreeWord[] = FREE_NAMES.flatMap((
  name,
) => [name, `+${name}` as const, `-${name}` as const]);

/** Words of `--allow`, and its default. */
export const ALLOWED: { readonly every: readonly string[]; readonly byDefault: readonly string[] } = {
  every: FREE_NAMES.flatMap((name) => FREEDOMS[name].steps?.flatMap(({ allow }) => allow ?? []) ?? []),
  byDefault: ["bfp8", "hifi2", "lofi"],
};

/** A policy's freedoms without `--free`. */
interface FreeByDefault {
  /** Default: layouts, as upstream. */
  readonly free?: readonly FreeName[];
}

/** The value of `--free`; `undefined` leaves it to the policy. */
interface Freed {
  readonly free: readonly FreeWord[] | undefined;
}

const LAYOUTS: readonly FreeName[] = ["layouts"];

/** The freedoms of a policy under these options. */
export function freeOf({ free: own = LAYOUTS }: FreeByDefault, { free = [] }: Freed): readonly FreeName[] {
  const named = FREE_NAMES.filter((name) => free.includes(name));
  const base = named.length > 0 ? named : own;
  return FREE_NAMES.filter((name) =>
    free.includes(`+${name}`) || (base.includes(name) && !free.includes(`-${name}`))
  );
}

/** The op configs with which a policy explores layouts under these options. */
export function hintConfigsOf(policy: FreeByDefault, options: Freed): HintConfigs {
  return freeOf(policy, options).includes("configs") ? "free" : "upstream";
}

/**
 * Reads `layouts,configs` or `+weights,-configs`.
 *
 * @returns `undefined` for an empty text
 * @throws {RangeError} for a word that is none of {@linkcode FREE_NAMES}, with or without a sign
 */
export function parseFreeWords(text: string): readonly FreeWord[] | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  return words.map((word) => {
    const free = FREE_WORDS.find((each) => each === word);
    if (free !== undefined) return free;
    throw new RangeError(
      `Option --free names '${word}'; choose from ${FREE_NAMES.join(", ")}, with + or - to add or remove one`,
    );
  });
}

/**
 * The settings of other options that implement the freedoms of `--free`.
 *
 * @param allow text of `--allow`; absent for its default
 * @throws {RangeError} for an unknown word of `--allow`
 */
export function freedSettings(free: readonly FreeWord[], allow?: string): Settings {
  const allowed = allow === undefined ? ALLOWED.byDefault : wordsOf(allow);
  const unknown = allowed.find((word) => !ALLOWED.every.includes(word));
  if (unknown !== undefined) {
    throw new RangeError(`Option --allow names '${unknown}'; choose from ${ALLOWED.every.join(", ")}`);
  }
  const settings = freeOf({ free: [] }, { free }).flatMap((name) =>
    (FREEDOMS[name].steps ?? []).filter((step) => step.allow === undefined || allowed.includes(step.allow))
      .flatMap(({ setting }) => Object.entries(setting))
  );
  return Object.fromEntries(settings);
}

function wordsOf(text: string): readonly string[] {
  return text.split(",").map((name) => name.trim()).filter((name) => name !== "");
}
