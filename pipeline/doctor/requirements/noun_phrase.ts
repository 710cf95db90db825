// SPDX-License-Identifier: Apache-2.0

/** Reads the noun phrases of messages as operands: `the last dim of the input tensor` is extent -1 of `the input`. */

import { valueOf } from "./found_values.ts";
import { isArgumentName } from "./settable.ts";
import { type AskedOperand, type Aspect, joined, type Requirement, type Term } from "./requirement.ts";

/** Endings of noun phrases, with the aspect that each names. */
const NOUNS: readonly (readonly [aspect: Aspect, end: RegExp, dim?: number])[] = [
  ["dtype", /\b(?:(?:input|output)_)?d(?:ata)?[ _]?(?:types?|formats?)$/i],
  ["memory_layout", /\b(?:memory|mem)[ _]?layouts?$/i],
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
  ["extent", /\b(?:last|inner(?:most)?) dim(?:ension)?(?: size)?$|\b(?:padded )?(?:widths?|channels)$/i, -1],
  ["extent", /\b(?:padded )?(?:heights?|rows|seq(?:uence)?(?:[ _]len(?:gth)?)?)$/i, -2],
  ["extent", /\b(?:batch(?: ?size| dim(?:ension)?(?: sizes?)?)?|(?:first|leading) dim(?:ension)?)$/i, 0],
  ["extent", /\bX dim$/, -1],
  ["extent", /\bY dim$/, -2],
  ["extent", /\b(?:dim(?:ension)?s?(?: size)?|extent)$/i],
  ["buffer", /\b(?<!output |input )buffers?$/i],
  ["shape", /\bshapes?$/i],
  ["volume", /\b(?:(?:logical |physical )?volume|number of elements?|tensor size)$/i],
  ["tile", /\btile (?:shape|size|height|width)s?$/i],
];

/** Nouns that are tensors by themselves. */
const TENSORS =
  /\b(?:tensors?|inputs?|outputs?|operands?|weights?|bias|mask|cache|gamma|beta|indices|index|residual|stats|result)(?: [abqkv])?$/i;

/** What is of no tensor although it ends like an extent: the kernel's height, the height in tiles. */
const OF_NO_TENSOR =
  /^(?:effective )?(?:(?:kernel|window|stride|dilation|padding|chunk|block)\b|(?:tile|grid|face) \w)|\bin (?:tiles|bytes|elements|pages|blocks|a )/i;

const FORMATS =
  /\b(?:b?float\d+(?:_b)?|bfp\d\w*|fp8_e\dm\d|bf(?:16|8|4)|fp32|u?int\d+|b?float(?=,| or| and))\b/gi;
const MEMORIES = /\b(?:(height|width|block|nd)[ _-]?)?((?:un)?sharded|interleaved)\b/gi;
const PAGES =
  /(?<!\b(?:to an?|one|single|tiny|per|whole) )\b(?:(TILE(?:_LAYOUT|D)?|[Tt]ili[sz]ed|[Tt]iled|(?<=\b(?:be|in|only|or|and|either|attribute|supports?|requires?|expects?|needs?) (?:an? )?)[Tt]ile|[Tt]ile(?= layout))|ROW[_ -]?MAJOR(?:_LAYOUT)?|[Rr]ow[_ -]?[Mm]ajor)\b(?! (?:orientation|sharding)|[- _](?:sized?|align\w*|width|height|dim\w*|shape|multiple|count|bound\w*|rows?|columns?)\b| [{[])/g;

/** One form of a noun phrase; `phrase` is `text` before its articles and its last part were cut. */
type NounForm = (text: string, phrase: string) => AskedOperand | undefined;

/** Forms of noun phrases, surest first. */
const FORMS: readonly NounForm[] = [
  (text) => {
    const [, indexed, index] = /^(.*\bdim(?:ension)?) ?\[?(-?\d)\]?$/i.exec(text) ?? [];
    return indexed === undefined ? undefined : {
      ...nounOf(indexed),
      aspect: "extent",
      dim: Number(index),
      ...(indexed === "dim" ? { name: "" } : {}),
    };
  },
  (text) => {
    const [, of = "", at] =
      /^(?!.*\bshard)(\w[\w ]*?)[. _](?:logical[ _]|padded[ _])?shape ?\[(-?\d)\]$/i.exec(text) ?? [];
    return at === undefined
      ? undefined
      : { kind: "operand", name: of.includes(" ") ? tensorIn(of) : of, aspect: "extent", dim: Number(at) };
  },
  (text) => {
    const counted = /^num(?:ber)?(?:_| of )(\w+(?: \w+)?)$/i.exec(text)?.[1]?.toLowerCase().replace(" ", "_");
    return counted === undefined || counted === "dimensions" || counted === "elements"
      ? undefined
      : valued(`num_${counted}`);
  },
  (text) => {
    const [, ofWhat, from] =
      /^number of ((?:\w+ )?(?:channels|heads)) (?:from|of|in) (.+?)(?: shape)?$/i.exec(text) ?? [];
    return ofWhat === undefined || from === undefined
      ? undefined
      : { kind: "operand", name: tensorIn(from), aspect: "extent", label: `number of ${ofWhat}` };
  },
  (text) =>
    isArgumentName(text)
      ? valued(text.includes("_") ? text : text.replaceAll(" ", "_").toLowerCase())
      : undefined,
  (text) =>
    /^(?:(?:num(?:ber)?|total|product) of (?!elements|dim)|sum\b)/i.test(text)
      ? valued(text.replace(/^sum/i, "the sum"))
      : undefined,
  (text) => text === "dim" ? { ...valued(text), isArgument: true } : undefined,
  endingNoun,
  reversedNoun,
  (text) => {
    const argument = /^(\w+_\w+) (?:to|for|in) /.exec(text)?.[1] ??
      /^(?:[a-z]\w* ){0,2}(\w+_\w+)$/.exec(text)?.[1];
    return argument === undefined
      ? undefined
      : { kind: "operand", name: argument, aspect: argument.endsWith("_tensor") ? "storage" : "value" };
  },
  (text) =>
    TENSORS.test(text) && !/ (?:for|of|to) /.test(text)
      ? { kind: "operand", name: tensorIn(text), aspect: "storage" }
      : undefined,
];

function valued(name: string): AskedOperand {
  return { kind: "operand", name, aspect: "value" };
}

/** `input padded width`: the end names the aspect. */
function endingNoun(text: string, phrase: string): AskedOperand | undefined {
  const noun = OF_NO_TENSOR.test(text) ? undefined : NOUNS.find(([, end]) => end.test(text));
  if (noun === undefined) return undefined;
  const [aspect, end, dim] = noun;
  const whose = /\b(?:of|in|for) (.+)$/.exec(phrase)?.[1];
  return {
    kind: "operand",
    name: tensorIn(whose ?? text.replace(end, "")),
    aspect,
    // The inner dimension of a product's second operand are its rows.
    ...(dim === undefined ? {} : { dim: INNER_OF_SECOND.test(phrase) ? -2 : dim }),
  };
}

const INNER_OF_SECOND = /\b(?:B|in1|second)\b.*\binner dim|\binner dim.*\b(?:B|in1|second)\b/;

/** `head dimension of V`: the beginning names the aspect. */
function reversedNoun(text: string): AskedOperand | undefined {
  const [, first, of] = /^(.+?) (?:of|in|for) (.+)$/i.exec(text) ?? [];
  if (first === undefined || of === undefined || OF_NO_TENSOR.test(text)) return undefined;
  const named = nounOf(first);
  if (named.aspect === "value" || named.aspect === "storage") return undefined;
  // `Head dimension of V`: which dimension its own words tell.
  const label = named.aspect === "extent" && named.dim === undefined ? { label: first.toLowerCase() } : {};
  return { ...named, ...label, name: tensorIn(of) };
}

/** The operand that a noun phrase names; a tensor without an aspect gets `storage`, any other phrase is an argument (`value`). */
export function nounOf(phrase: string): AskedOperand {
  const { text: whole, ...number } = valueOf(phrase);
  const text = whole.replace(/^(?:(?:invalid|unsupported|sharded|interleaved|error:|so) |\d+ (?!\*))+/i, "")
    .replace(
      /^(?:.*\b(?:requires?|expects?|needs?|that|expecting) )?(?:the|an?|all|both|each) (?!(?:and|or)\b)(?=\w)/i,
      "",
    ).replace(/['\x60"]/g, "").replace(/ with(?:out)? padding\b/, "").replace(
      /^((?:in|out)puts?|operands?) to \w.*$/i,
      "$1",
    );
  for (const form of FORMS) {
    const noun = form(text, whole);
    if (noun !== undefined) return { ...noun, ...number };
  }
  return { ...valued(text), ...number };
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
  const { text: plain, value } = valueOf(
    text.replace(/ (?:in|for|along) (?:all|both|each) .*$| or -?\d+$/i, ""),
  );
  const number = /^-?\d+$/.exec(plain);
  if (number !== null) return { kind: "constant", name: plain, value: Number(plain) };
  if (/^TILE_(?:WIDTH|HEIGHT|SIZE)$|^(?:the )?(?:\w+ )?tile (?:width|height|size)$/i.test(plain)) {
    const size = value === 32 || value === undefined ? 32 : value;
    return { kind: "constant", name: "TILE", value: size };
  }
  // `shard_shape[0] (64) / tile_height (32)`; a number behind all of it is its own.
  if (/[\w›\])] [*/+] \w/.test(text)) {
    const sum = /^(.+) = (-?\d+)$/.exec(plain);
    if (sum !== null) return { ...valued(sum[1] ?? plain), value: Number(sum[2]) };
    return value === undefined
      ? { kind: "computed", text: plain, operator: plain.split(" ")[1] ?? "", parts: [] }
      : { ...valued(plain), value };
  }
  const [, before = plain, last] = /^(.*\w)(?: of)? (-?\d+)$/.exec(plain) ?? [];
  const own = value ??
    (last === undefined || /(?<!\b(?:last|inner) )\bdim\w*$/i.test(before) ? undefined : Number(last));
  const numbered = own === undefined ? {} : { value: own };
  const whose = /^(.+)'s$/.exec(plain)?.[1];
  if (whose !== undefined && like.aspect === "value") {
    return { kind: "operand", name: `that of ${tensorIn(whose)}`, aspect: "value", ...numbered };
  }
  const noun = nounOf(
    (own === undefined ? plain : before).replace(/ (?:to|for|when|in|on) .*$/, "").replace(/:$/, ""),
  );
  return noun.aspect === "storage"
    ? { ...noun, aspect: like.aspect, ...(like.dim === undefined ? {} : { dim: like.dim }), ...numbered }
    : { ...noun, ...numbered };
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
  const isOrder = subject.aspect === "orientation";
  const pages = isOrder
    ? []
    : [...text.matchAll(PAGES)].map(([, tiles]) => tiles === undefined ? "ROW_MAJOR" : "TILE");
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
  const order = /\b(row|col)(?:umn)?[ _-]?major(?<orientation> (?:shard(?:ing)? )?orientation)?/i.exec(text);
  const parts = [
    choose("dtype", formats),
    choose("layout", pages),
    memory,
    // `height sharded or DRAM ND sharded`: the memory is of one of the ways only.
    memories.length > 1 ? undefined : choose("buffer_type", buffers),
    choose(
      "orientation",
      order !== null && (isOrder || order.groups?.["orientation"] !== undefined)
        ? [`${order[1]?.toUpperCase()}_MAJOR`]
        : [],
    ),
  ]
    .filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : joined("both", parts);
}

/** The word for the tensor in a phrase: `output` in `sharded output`, `page_table tensor` in `unsharded page_table tensor`. */
export function tensorWord(phrase: string): string {
  return /\b\w+_\w+ tensor\b|\b[A-Z] tensor\b/.exec(phrase)?.[0] ??
    /\b(?:input|output|weight|bias|mask|cache|index|indices|gamma|beta)s?\b/i.exec(phrase)?.[0] ?? "";
}
