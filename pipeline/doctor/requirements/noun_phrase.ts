// SPDX-License-Identifier: Apache-2.0

/** Reads the noun phrases of messages as operands: `the last dim of the input tensor` is extent -1 of `the input`. */

import { isArgumentName } from "./settable.ts";
import { type AskedOperand, type Aspect, joined, type Requirement, type Term } from "./requirement.ts";

/** Endings of noun phrases, with the aspect that each names. */
const NOUNS: readonly (readonly [aspect: Aspect, end: RegExp, dim?: number])[] = [
  ["dtype", /\b(?:(?:input|output)_)?d(?:ata)? ?(?:types?|formats?)$/i],
  ["memory_layout", /\bmemory ?layouts?$/i],
  ["memory_config", /\b(?:memory|mem)[ _]config(?:uration)?s?$/i],
  ["buffer_type", /\bbuffer ?types?$/i],
  ["layout", /\blayouts?$/i],
  ["shard_side", /\bshard[ _](?:spec[ _])?(?:width|shape ?\[-?1\])$/i, 1],
  ["shard_side", /\bshard[ _](?:spec[ _])?(?:height|shape ?\[(?:0|-2)\])$/i, 0],
  ["shard_shape", /\bshard (?:spec )?shapes?$/i],
  ["shard_spec", /\b(?:nd_)?shard[ _]specs?$/i],
  ["shard_grid", /\b(?:shard |core )?grids?$/i],
  ["orientation", /\b(?:shard )?orientation$/i],
  ["rank", /\b(?:ranks?|number of dim(?:ension)?s)$/i],
  ["extent", /\b(?:last|inner(?:most)?) dim(?:ension)?(?: size)?$|\b(?:padded )?(?:width|channels)$/i, -1],
  ["extent", /\b(?:padded )?(?:height|rows|seq\w*(?: len\w*)?)$/i, -2],
  ["extent", /\b(?:batch(?: ?size| dim(?:ension)?)?|(?:first|leading) dim(?:ension)?)$/i, 0],
  ["extent", /\bX dim$/, -1],
  ["extent", /\bY dim$/, -2],
  ["extent", /\bdim(?:ension)? ?0$/i, 0],
  ["extent", /\bdim(?:ension)? ?1$/i, 1],
  ["extent", /\bdim(?:ension)? ?2$/i, 2],
  ["extent", /\bdim(?:ension)? ?3$/i, 3],
  ["extent", /\b(?:dim(?:ension)?s?(?: size)?|extent)$/i],
  ["buffer", /\b(?<!output |input )buffers?$/i],
  ["shape", /\bshapes?$/i],
  ["volume", /\b(?:volume|number of elements|tensor size)$/i],
  ["tile", /\btile (?:shape|size|height|width)s?$/i],
];

/** Nouns that are tensors by themselves. */
const TENSORS =
  /\b(?:tensors?|inputs?|outputs?|operands?|weights?|bias|mask|cache|gamma|beta|indices|index|residual|stats|result)(?: [abqkv])?$/i;

const FORMATS = /\b(?:b?float\d+(?:_b)?|bfp\d\w*|fp8_e\dm\d|bf16|fp32|u?int\d+)\b/gi;
const MEMORIES = /\b(?:(height|width|block|nd)[ _-]?)?((?:un)?sharded|interleaved)\b/gi;
const PAGES =
  /(?<!\bto an? )\b(?:(TILE(?:_LAYOUT|D)?|tili[sz]ed)|ROW[_ -]?MAJOR(?:_LAYOUT)?)\b(?! (?:orientation|sharding)|[- _](?:sized?|align\w*|width|height|dim\w*|shape|multiple|count|bound\w*|rows?|columns?)\b| \{)/gi;

/** The operand that a noun phrase names; a tensor without an aspect gets `storage`, any other phrase is an argument (`value`). */
export function nounOf(phrase: string): AskedOperand {
  const text = phrase.trim().replace(/^(?:unsupported|sharded|interleaved) |^\d+ /i, "").replace(
    /^.*?\b(?:[Tt]he|an?|An|[Aa]ll|[Bb]oth|[Ee]ach|that) (?!(?:and|or)\b)(?=\w)/,
    "",
  ).replace(/['\x60"]/g, "").replace(/ with(?:out)? padding\b/, "").replace(
    /^((?:in|out)puts?|operands?) to \w.*$/i,
    "$1",
  );
  const [, indexed, index] = /^(.*\bdim(?:ension)?) ?\[(-?\d)\]$/i.exec(text) ?? [];
  if (indexed !== undefined) return { ...nounOf(indexed), dim: Number(index) };
  const [, of = "", at] =
    /^(?!.*\bshard)(\w[\w ]*?)[. _](?:logical[ _]|padded[ _])?shape ?\[(-?\d)\]$/i.exec(text) ?? [];
  if (at !== undefined) {
    return { kind: "operand", name: of.includes(" ") ? tensorIn(of) : of, aspect: "extent", dim: Number(at) };
  }
  const counted = /^num(?:ber)?(?:_| of )(\w+(?: \w+)?)$/i.exec(text)?.[1]?.toLowerCase().replace(" ", "_");
  if (counted !== undefined && counted !== "dimensions" && counted !== "elements") {
    return { kind: "operand", name: `num_${counted}`, aspect: "value" };
  }
  const [, ofWhat, from] =
    /^number of ((?:\w+ )?(?:channels|heads)) (?:from|of|in) (.+?)(?: shape)?$/i.exec(text) ?? [];
  if (ofWhat !== undefined && from !== undefined) {
    return { kind: "operand", name: tensorIn(from), aspect: "extent", label: `number of ${ofWhat}` };
  }
  if (isArgumentName(text)) {
    return {
      kind: "operand",
      name: text.includes("_") ? text : text.replaceAll(" ", "_").toLowerCase(),
      aspect: "value",
    };
  }
  const noun = NOUNS.find(([, end]) => end.test(text));
  // The kernel's height is of a window, not of a tensor.
  if (
    noun !== undefined &&
    !/^(?:effective )?(?:(?:kernel|window|stride|dilation|padding|chunk|block)\b|(?:tile|grid|face) \w)/i
      .test(text)
  ) {
    const [aspect, end, dim] = noun;
    const whose = /\b(?:of|in|for) (.+)$/.exec(phrase)?.[1];
    return {
      kind: "operand",
      name: tensorIn(whose ?? text.replace(end, "")),
      aspect,
      ...(dim === undefined ? {} : { dim }),
    };
  }
  const reversed = /^(.+?) (?:of|in|for) (.+)$/i.exec(text);
  if (
    reversed?.[1] !== undefined && reversed[2] !== undefined &&
    NOUNS.some(([, end]) => end.test(reversed[1] ?? ""))
  ) {
    const named = nounOf(reversed[1]);
    // `Head dimension of V`: which dimension its own words tell.
    const label = named.aspect === "extent" && named.dim === undefined
      ? { label: reversed[1].toLowerCase() }
      : {};
    return { ...named, ...label, name: tensorIn(reversed[2]) };
  }
  const argument = /^(\w+_\w+) (?:to|for|in) /.exec(text)?.[1] ?? /(?:^| )(\w+_\w+)$/.exec(text)?.[1];
  if (argument !== undefined) {
    return { kind: "operand", name: argument, aspect: argument.endsWith("_tensor") ? "storage" : "value" };
  }
  return TENSORS.test(text)
    ? { kind: "operand", name: tensorIn(text), aspect: "storage" }
    : { kind: "operand", name: text, aspect: "value" };
}

/** The tensor that a phrase names, without its aspect: `the input tensor`. */
export function tensorIn(text: string): string {
  const name = text.trim().replace(/^(?:the|an?) /i, "").replace(
    /(?:^|[ _])(?:logical|padded|unpadded)$|'s$/i,
    "",
  ).toLowerCase();
  return name === "" || /^[a-z]\w*_\w+$/.test(name) ? name : `the ${name}`;
}

/** The term that a text names: a number, a tile, or an operand. A tensor without an aspect gets that of `like`, the other side. */
export function termIn(text: string, like: AskedOperand): Term {
  const number = /^-?\d+$/.exec(text.trim());
  if (number !== null) return { kind: "constant", name: text.trim(), value: Number(text) };
  if (/^TILE_(?:WIDTH|HEIGHT|SIZE)$|^(?:the )?(?:\w+ )?tile (?:width|height|size)$/i.test(text.trim())) {
    return { kind: "constant", name: "TILE", value: 32 };
  }
  const sum = /^(?:the )?sum of .+/i.exec(text.trim())?.[0];
  if (sum !== undefined) return { kind: "computed", text: sum.replace(/^sum/i, "the sum"), parts: [] };
  const noun = nounOf(text.replace(/ (?:to|for|when|in|on) .*$/, "").replace(/(?: of)? -?\d+$|:$/, ""));
  return noun.aspect === "storage"
    ? { ...noun, aspect: like.aspect, ...(like.dim === undefined ? {} : { dim: like.dim }) }
    : noun;
}

/** Whether a text names formats, layouts or memories. */
export function isListed(text: string): boolean {
  return [FORMATS, PAGES, MEMORIES].some((kinds) => new RegExp(kinds.source, "i").test(text));
}

/** The requirement that an operand is one value, as a text spells it. */
export function constantly(left: AskedOperand, name: string): Requirement {
  const value = Number(name);
  return {
    kind: "compares",
    comparison: "==",
    left,
    right: { kind: "constant", name, ...(Number.isNaN(value) ? {} : { value }) },
  };
}

/** The requirement that a subject has one of the formats, layouts or memories that a text names. */
export function kindsIn(subject: AskedOperand, text: string): Requirement | undefined {
  const of = (aspect: Aspect): AskedOperand => ({ ...subject, aspect });
  const choose = (aspect: Aspect, names: readonly string[]): Requirement | undefined =>
    names.length === 0
      ? undefined
      : joined("either", [...new Set(names)].map((name) => constantly(of(aspect), name)));
  const formats = [...text.matchAll(FORMATS)].map(([name]) => name.toUpperCase());
  const pages = [...text.matchAll(PAGES)].map(([, tiles]) => tiles === undefined ? "ROW_MAJOR" : "TILE");
  const memories = [...text.matchAll(MEMORIES)].map(([, kind, shard = ""]) =>
    /inter|^un/i.test(shard)
      ? "INTERLEAVED"
      : kind === undefined
      ? "SHARDED"
      : `${kind.toUpperCase()}_SHARDED`
  );
  // All of them are no choice.
  if (memories.includes("SHARDED") && memories.includes("INTERLEAVED")) return undefined;
  const buffers = [
    ...text.matchAll(/\b(L1|DRAM)\b(?!(?:[- ]| \w+ )(?:align|size|budget|capacity|usage|space))/g),
  ].map(([name]) => name);
  const memory = memories.includes("SHARDED") && memories.length === 1
    ? { kind: "sharded", operand: of("memory_config"), isSharded: true } as const
    : choose("memory_layout", memories.filter((name) => name !== "SHARDED"));
  const order = /\b(row|col)(?:umn)?[ _-]?major (?:shard(?:ing)? )?orientation/i.exec(text)?.[1]
    ?.toUpperCase();
  const parts = [
    choose("dtype", formats),
    choose("layout", pages),
    memory,
    choose("buffer_type", buffers),
    choose("orientation", order === undefined ? [] : [`${order}_MAJOR`]),
  ]
    .filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : joined("both", parts);
}

/** The word for the tensor in a phrase: `output` in `sharded output`, `page_table tensor` in `unsharded page_table tensor`. */
export function tensorWord(phrase: string): string {
  return /\b\w+_\w+ tensor\b|\b[A-Z] tensor\b/.exec(phrase)?.[0] ??
    /\b(?:input|output|weight|bias|mask|cache|index|indices|gamma|beta)s?\b/i.exec(phrase)?.[0] ?? "";
}
