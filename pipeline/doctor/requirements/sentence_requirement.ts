// SPDX-License-Identifier: Apache-2.0
import { constantly, isListed, kindsIn, nounOf, tensorWord } from "./noun_phrase.ts";
import { bothOf, predicated } from "./predicate.ts";
import { type AskedOperand, joined, negated, type Requirement } from "./requirement.ts";

/** A sentence that states a requirement: subject, modal verb, `not`, predicate. */
const ASKS =
  /^(.{0,90}?)(?:^| )(?:must|should|needs? to|ha(?:s|ve) to|(?:is|are) (?:expected|required) to|to(?= (?:be|have|match|equal)\b)) (?:(?:also|currently|both|all|always|only|exactly) )*(not )?(.+)$/i;

/** Other forms of a requirement, and of a failure, whose opposite is required. */
const SAYINGS: readonly (readonly [said: RegExp, asks: string])[] = [
  [/^(.+?) is out of range .*?\[(-?\d+), ?(-?\d+)[\])].*$/i, "$1 must be between $2 and $3"],
  [/^invalid (?:\w+ )??(\w+(?:[ _]\w+)?) \S+ \(expected ([^()]+)\)$/i, "$1 must be one of $2"],
  [/^.*\b(?:requires?|expects?|needs?) (\w+) ?([<>]=?|==) ?(-?\w+)$/i, "$1 must be $2 $3"],
  [/^.*\bsupports? (?:at most|up to) (\d+) (\S.+)$/i, "$2 must be at most $1"],
  [/^.*\brequires? an? pre-?allocated (\w+) tensor$/i, "$1 must be given"],
  [/^.*?\b((?:\w+ ){0,3}(?:shape|size|dtype|data type|layout|memory config)) mismatch$/i, "$1 must match"],
  [
    /^failed to verify that all of \{(\w+), (\w+)\} have (?:the )?same (.+)$/i,
    "$1 and $2 must have the same $3",
  ],
  [
    /^mixed (?:d(?:ata )?types?|formats) (?:is|are) not (?:currently |yet )?supported.*$/i,
    "dtype must match",
  ],
  [
    / (?:is|are) not (?:an? )?(?=(?:integer )?multiple of|(?:evenly )?divisible by|tile[- ]aligned)/i,
    " must be ",
  ],
  [
    / (?:does|do)(?: not|n't) (?:match|equal)(?= )| differs? from| (?:(?:is|are) )?not equal to|(?<=\w) !=(?= \w)/i,
    " must equal",
  ],
  [
    / (?:cannot|can not|can't) (?:be )?(?:exceed|(?:greater|larger|more) than)| exceeds| (?:is|are) (?:greater|larger) than(?! or)/i,
    " must be at most",
  ],
  [/ (?:is|are) (?:less|smaller) than(?! or)/i, " must be at least"],
  [/ (?:cannot|can not|can't|must not) be (?:null|none|empty|nullopt)\b/i, " must be given"],
  [/ (?:is|are) required(?: (?:for|when|if|to|by|with) .*)?$/i, " must be given"],
  [/ (?:is|are) 0, which is not valid$/i, " must be more than 0"],
  [/ must be (?:non-?zero|positive|greater than zero)$/i, " must be more than 0"],
  [
    /^(.+?) (?:mismatch|must match) between (.+?)(?: \d+)? (?:&|and) (.+?)(?: \d+)?$/i,
    "$2 and $3 must have the same $1",
  ],
  [/^(.+?) and (.+?) (?:mismatch|must match)$/i, "$1 must equal $2"],
  [
    /^(.+?) number of elements (?:\d+ )?and (.+?) number of elements (?:\d+ )?must (?:be (?:the same|equal)|match)$/i,
    "volume of $1 must equal volume of $2",
  ],
  [/ (?:cannot|can not|can't) be (?=\w)/i, " must not be "],
  [
    /^(host|device) tensor has (?:a )?different (\w+)$/i,
    "the $2 of $1_tensor must equal the $2 of device_tensor",
  ],
  [/ (?:is|are) (TILE|ROW_MAJOR)-only$/, " must be $1"],
  [/^.*\brequires? matching (.+)$/i, "$1 must match"],
  [/^.*\bsupports? (?:an? )?(\w+) of rank (\d) or (?:less|lower)$/i, "rank of $1 must be at most $2"],
  [/^must provide (\S+)/i, "$1 must be given"],
  [/^cannot (?:use|specify|set|pass) (\S+)(?= with| when| together| if|$)/i, "$1 must not be given"],
  [/^.*\bdoes not support (?:using )?(?:an? )?(\w+_\w+).*$/i, "$1 must not be given"],
  [/\b(?:requires?|expects?|needs?) (?=.{1,60} to (?:be|have|match|equal)\b)/i, "; "],
  [
    /^.*\b(?:requires?|expects?|needs?) (\w+_\w+)(?: to be | ?==? ?| )(["'\d]\S*|true|false)(?: in the .*)?$/i,
    "$1 must be $2",
  ],
];

/** The part of a sentence after the requirement: the value that was found, or the reason. */
const FOUND =
  /(?:[.!;](?= |$)|:? -?\d+ (?:vs\.?|!=) |, which\b(?! is not valid)| so (?:that )?the\b|,? (?:but |instead )?(?:got|found|received|is now|actual)\b|, but\b| but (?:has|have|is|are|was)\b| - got\b| to satisfy\b| used by\b| when | if (?=\w)|, e\.g\.).*$/i;

/** The value of a list that stands behind its name: `output shape [1, 32] must match …`. */
const VALUE_LIST = /(?<=\b(?:shape|dims?|size)) \[[\d, ]*\](?= (?:must|should|to|and|vs|does|do|is)\b|$)/gi;

/** A value between commas: `last dimension of bias, 64, not equal to …`. */
const VALUE_BETWEEN = /, -?\d+(?=,? (?:not|must|is|does)\b|$),?/g;

/** The case that a sentence begins with: `If using a mask, …`. */
const CASE = /^(?:if|when|in|with|for) [^,]{3,90}, (?=\w)/i;

/** The case of an operand that is given, of which the sentence goes on: `When a mask is provided, it must …`. */
const GIVEN_CASE =
  /^(?:if|when) (?:an? |the )?(\w+(?: tensor)?) is (?:provided|given|set|present|used)\b[^,]*, (?:it|they) must /i;

/** The requirement of the first sentence of a message that states one; `undefined` if none has a known form. */
export function requirementOfWords(words: string): Requirement | undefined {
  const [first = "", ...others] = words.split(/(?<=[.;!]) (?=\w)/);
  return [first, ...others.slice(0, 2)].map(requirementOf).find((asked) => asked !== undefined);
}

function requirementOf(sentence: string): Requirement | undefined {
  const [, number, entries] =
    /^expected (?:exactly )?(\d+) ([a-z][\w ]{2,30}?),? but got \d+$/i.exec(sentence) ??
      [];
  if (number !== undefined && entries !== undefined && !/dim|rank/i.test(entries)) {
    return constantly({ kind: "operand", name: entries, aspect: "count" }, number);
  }
  const whole = sentence.replace(GIVEN_CASE, "$1 must ").replace(/(?:\w+ )?dim (\d)(?= \(size \d)/, "dim[$1]")
    .replace(/^in [\w.]+: /, "").replace(
      /^(?:[\w.:]+|[A-Z]\w+(?: \w+){0,4}): (?=\S+ )/,
      "",
    ).replace(CASE, "")
    .replace(/^'[\w.]+' op /, "").replace(/[.!]$/, "");
  const told = SAYINGS.find(([pattern]) => /\\[[(]/.test(pattern.source) && pattern.test(whole));
  const said = (told === undefined ? whole : whole.replace(told[0], told[1]))
    .replace(/ ?\((?:[^()]|\([^()]*\))*\)/g, "").replace(VALUE_LIST, "").replace(
      /(?<=\[-?\d\])=\d+|,? rounded up to (?:an? )?\w+$/g,
      "",
    )
    .replace(VALUE_BETWEEN, "").replace(/\s+/g, " ").replace(
      FOUND,
      "",
    ).trim();
  // The reason stands in front of what is asked: `Scalar output is not supported, output must be …`.
  const clause = /^[^,]* not [^,]*, ((?:the )?\w+(?: \w+){0,3} must .+)$/i.exec(said)?.[1];
  if (clause !== undefined) return requirementOf(clause) ?? supported(said);
  const [, result, source] =
    /^sharded (outputs?|results?)\b.* must have (?:an? )?sharded (\w+)/i.exec(said) ?? [];
  if (result !== undefined && source !== undefined) {
    return joined("either", [
      { kind: "sharded", operand: { ...nounOf(result), aspect: "memory_config" }, isSharded: false },
      { kind: "sharded", operand: { ...nounOf(source), aspect: "memory_config" }, isSharded: true },
    ]);
  }
  const [, first, second] = /^(.+? must .+?) and (\w+(?: \w+){0,3} must .+)$/i.exec(said) ?? [];
  if (first !== undefined && second !== undefined) {
    const both = [first, second].map(requirementOf);
    const known = both.filter((part) => part !== undefined);
    return known.length < both.length ? undefined : joined("both", known);
  }
  const saying = SAYINGS.find(([pattern]) => pattern.test(said));
  const plain = (saying === undefined ? said : said.replace(saying[0], saying[1])).replace(/^.*; /, "")
    .replace(/^expect(?:ed|s)? /i, "");
  const [, subject, not, predicate] = ASKS.exec(plain) ?? [];
  if (subject === undefined || predicate === undefined || / (?:is|are) |^\W*$/.test(subject)) {
    return supported(said);
  }
  const named = subject.replace(/^.*\b(?:requires?|expects?|needs?) /i, "").replace(/: \w+,$/, "")
    .replace(/ (?:-?\d+|row_major|tile)$/, "");
  const choice = /^(?:either|(?:at least )?one of) (\w+) (?:or|and) (\w+)$/i.exec(named);
  const [, one, another] = choice ?? /^([a-z_]{3,}) and ([a-z_]{3,})$/.exec(named) ?? [];
  if (one !== undefined && another !== undefined && !/^be (?:on|in)\b|\bsame\b|match|equal/.test(predicate)) {
    const each = [one, another].map((name) => requirementOf(`${name} must ${not ?? ""}${predicate}`));
    const known = each.filter((part) => part !== undefined);
    if (known.length === each.length) return joined(choice === null ? "both" : "either", known);
  }
  const operand = nounOf(named);
  const parts = predicate.replace(/ (?:for|during) (?!all\b|both\b).*$/i, "").replace(/^be either /, "be ")
    .replace(/^be (-?\d+) or (\w+)$/, "be $1 or equal to $2").split(
      /(?<!than|less|greater|smaller|larger) or (?=(?:be )?(?:an? )?(?:divisible|multiple|match|equal))/,
    );
  const asked = parts.map((part) => {
    const full = /^(?:be|match|equal|have|exceed|divide|cover) ?/.test(part) ? part : `be ${part}`;
    return / and not /.test(full)
      ? bothOf(operand, full)
      : predicated(operand, full) ?? bothOf(operand, full);
  }).filter((part) => part !== undefined);
  if (asked.length < parts.length) return supported(said);
  const all = joined("either", asked);
  return not === undefined ? all : negated(all);
}

/** Forms that name the only kinds an op takes, most reliable first. */
const ONLY: readonly RegExp[] = [
  /\b(?:supports? only|only (?:supports?|works? (?:with|for|on|in)|takes?|accepts?|implemented for|supporting)) (.+)$/i,
  /\bonly (.+?) (?:(?:is|are) )?(?:currently )?(?:supported|allowed|valid)/i,
  /\bonly ((?:tiled?|row[- _]major) layout) supports /i,
  /\bonly (?:supported|implemented|valid|allowed) (?:for|with|on|in) (.+)$/i,
  /\bcan only \w+ (.+)$/i,
  /\b(?:requires?|expect(?:s|ed)?|needs?) (?:an? |the )?(.+)$/i,
];

/** The requirement of a phrase that names the only kinds: formats, layouts, memories, a rank. */
function onlyIn(phrase: string): Requirement | undefined {
  const operand = nounOf(tensorWord(phrase));
  const rank = /\b(\d)-?D\b(?! ?(?:[Mm]ulticast|mcast|program|grid|mesh|shard))|\brank (?:== )?(\d)\b/.exec(
    phrase,
  )?.slice(1).find((digit) => digit !== undefined);
  const dim: AskedOperand = { kind: "operand", name: "dim", aspect: "value", isArgument: true };
  const [, ...dims] = /\bdim ==? (\d)(?: or (\d))?/.exec(phrase) ?? [];
  const asked = [
    rank === undefined ? undefined : constantly({ ...operand, aspect: "rank" }, rank),
    dims.length === 0
      ? undefined
      : joined("either", dims.flatMap((one) => one === undefined ? [] : [constantly(dim, one)])),
  ].filter((part) => part !== undefined);
  return kindsIn(operand, phrase) ?? (asked.length === 0 ? undefined : joined("both", asked));
}

/** A sentence that two arguments exclude each other. */
const EXCLUSIVE =
  /^(?:cannot (?:use|specify|set|pass|have) )?(?:both )?(\S+) (?:and|or) (\S+)(?: (?:are (?:alternatives?|mutually exclusive)|cannot (?:both )?be)| (?:together|at the same time))/i;

/** The requirement of a sentence that some kinds are supported, or that one is not. */
function supported(said: string): Requirement | undefined {
  const [, one, other] =
    /^((?:\S+ ){0,3}?\S+) (?:is|are) (?:not (?:currently |yet )?supported (?:together )?(?:with|for|by)|incompatible with) (?:an? |the )?(?:explicit )?((?:\S+ ){0,4}\S+)$/i
      .exec(said) ?? [];
  if (one !== undefined && other !== undefined && !isListed(said)) return { kind: "apart", one, other };
  const [, either, or] = EXCLUSIVE.exec(said) ?? [];
  if (either !== undefined && or !== undefined) return { kind: "apart", one: either, other: or };
  const [, list, argument] =
    /\bonly ((?:["']\w+["'](?:, | and | or |, and |, or )?)+) (?:values? for )?(\w+_\w+)s? (?:is|are) supported/i
      .exec(said) ?? [];
  if (list !== undefined && argument !== undefined) {
    const values = [...list.matchAll(/["'](\w+)["']/g)].map(([, name]) => `"${name}"`);
    const operand: AskedOperand = { kind: "operand", name: argument, aspect: "value", isArgument: true };
    return joined("either", values.map((name) => constantly(operand, name)));
  }
  const [, name, value] = /\bonly supports? (\w+) ?==? ?(-?\w+)$/i.exec(said) ?? [];
  if (name !== undefined && value !== undefined) {
    return constantly({ kind: "operand", name, aspect: "value", isArgument: true }, value);
  }
  const mode = /\bonly ["']?(\w+)["']? (\w+ mode|\w+_mode) (?:is|are) /i.exec(said);
  if (mode?.[1] !== undefined && mode[2] !== undefined && !isListed(said)) {
    return constantly(
      { kind: "operand", name: mode[2].replace(" ", "_"), aspect: "value", isArgument: true },
      `"${mode[1]}"`,
    );
  }
  for (const form of ONLY) {
    const kinds = form.exec(said)?.[1];
    const asked = kinds === undefined ? undefined : onlyIn(kinds);
    if (asked !== undefined) return asked;
  }
  const single = /^((?:\S+ ){0,2}\S+) (?:is |are )?only supported (?:for|with|in|by) /i.exec(said)?.[1];
  if (single !== undefined) return { kind: "apart", one: single };
  // What a conversion is from and to is supported by itself.
  const refused = /^unsupported (?!.*\bfrom\b.*\bto\b)(.+ .+)$/i.exec(said)?.[1];
  if (refused !== undefined) {
    const kinds = kindsIn(nounOf(tensorWord(refused)), refused);
    return kinds === undefined ? undefined : negated(kinds);
  }
  const unsupported = /^(.+?) (?:(?:is|are) )?(?:not|un) ?(?:currently |yet )?supported/i.exec(said) ??
    /\b(?:does not|doesn't|do not|don't|cannot) (?:currently |yet )?(?:support|take|use) (.+)$/i.exec(said);
  if (unsupported?.[1] === undefined) return undefined;
  // `does not support sharding` is of its operands.
  const what = unsupported[1].replace(/\bsharding\b(?! orientation)/i, "sharded operands");
  const kinds = kindsIn(nounOf(tensorWord(what)), what);
  if (kinds !== undefined) return negated(kinds);
  const rank = / not supported for (\d)-?D tensors?\b/i.exec(said)?.[1];
  if (rank !== undefined) {
    return {
      kind: "compares",
      comparison: "!=",
      left: { kind: "operand", name: "", aspect: "rank" },
      right: { kind: "constant", name: rank, value: Number(rank) },
    };
  }
  return /^\S+(?: \S+){0,3}$/.test(unsupported[1]) ? { kind: "apart", one: unsupported[1] } : undefined;
}
