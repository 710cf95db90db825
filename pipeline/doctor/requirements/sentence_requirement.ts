// SPDX-License-Identifier: Apache-2.0
import { marked, valueOf, withFound } from "./found_values.ts";
import { constantly, kindsIn, nounOf, tensorWord } from "./noun_phrase.ts";
import { predicated, sameAspect } from "./predicate.ts";
import { type AskedOperand, joined, negated, type Requirement } from "./requirement.ts";

/** A sentence that states a requirement: subject, modal verb, `not`, predicate. */
const ASKS =
  /^(.{0,110}?)(?:^| |‹-?\d+› ?)(?:must|should|needs? to|ha(?:s|ve) to|(?:is|are) (?:expected|required) to|to(?= (?:be|have|match|equal)\b)) (?:(?:also|currently|both|all|always|only|exactly) )*(not )?(.+)$/i;

/** Forms that are read before brackets are: ranges. */
const RANGES: readonly (readonly [said: RegExp, asks: string])[] = [
  [/^(.+?) is out of range .*?\[(-?\d+), ?(-?\d+)[\])].*$/i, "$1 must be between $2 and $3"],
  [
    /^(.+?) must be (?:in|within) (?:the )?range \[(-?\d+), ?(-?\d+)[\])].*$/i,
    "$1 must be between $2 and $3",
  ],
  [/^(.+?) must have (?:an? )?shape (?:of )?\(([\d, ]+)\).*$/i, "shape of $1 must be [$2]"],
];

/** Other forms of a requirement, and of a failure, whose opposite is required. */
const SAYINGS: readonly (readonly [said: RegExp, asks: string])[] = [
  [
    /^.*\b(?:requires?|expects?|needs?) (\w+) ?([<>]=?|==?) ?(-?\w+)(?: (?:for|in) .*)?$/i,
    "$1 must be $2 $3",
  ],
  [/^mixed (?:d(?:ata )?types?|formats) (?:is|are) not .*supported.*$/i, "dtype must match"],
  [/ (?:must|should) be (-?\d+) or (?:less|lower|fewer)$/i, " must be at most $1"],
  [/ (?:must|should) be (-?\d+) or (?:more|greater|higher)$/i, " must be at least $1"],
  [/^.*\bsupports? (?:at most|up to) (\d+) (\S.+)$/i, "$2 must be at most $1"],
  [/^(?:.*\b(?:shape|size) )?mismatch between (.+?) and (.+)$/i, "$1 must equal $2"],
  [/^.*?\b((?:\w+ ){0,3}(?:shape|size|dtype|data type|layout|memory config)) mismatch$/i, "$1 must match"],
  [
    /^failed to verify that all of \{(\w+), (\w+)\} have (?:the )?same (.+)$/i,
    "$1 and $2 must have the same $3",
  ],
  [
    / (?:(?:is|are) )?not (?:an? )?(?=(?:integer )?multiple of|(?:evenly )?divisible by|tile[- ]aligned)/i,
    " must be ",
  ],
  [
    / (?:must|should) have (?:an? )?(\w+(?: \w+)?) (?:that is |which is )?(?=divisible|equal|multiple)/i,
    " $1 must be ",
  ],
  [
    / (?:does|do)(?: not|n't) (?:match|equal)(?= )| differs? from| (?:(?:is|are) )?not equal to|(?<=[\w›]) !=(?= \w)/i,
    " must equal",
  ],
  [
    / (?:cannot|can not|can't) (?:be )?(?:exceed|(?:greater|larger|more) than)|(?<! not) exceeds?(?= )| (?:is|are) (?:greater|larger) than(?! or)/i,
    " must be at most",
  ],
  [/ (?:is|are) (?:less|smaller) than(?! or)/i, " must be at least"],
  [/ (?:is )?out of (?:range|bounds) (?:for|of)(?= )/i, " must be less than"],
  [/ (?:cannot|can not|can't|must not) be (?:null|none|empty|nullopt)\b/i, " must be given"],
  [/ (?:is|are) required(?: (?:for|when|if|to|by|with) .*)?$/i, " must be given"],
  [/ (?:is|are)(?: 0|‹0›), which is not valid$/i, " must be more than 0"],
  [/ must be (?:non-?zero|positive|greater than zero)$/i, " must be more than 0"],
  [
    /^(.+?) (?:mismatch|must match) between (.+?)(?: \d+)? (?:&|and) (.+?)(?: \d+)?$/i,
    "$2 and $3 must have the same $1",
  ],
  [/^(?:.*: )?(.+? and .+?) differ$/i, "$1 must match"],
  [/^(.+?) and (\S+) (?:mismatch|must match)$/i, "$1 must equal $2"],
  [
    /^(.+?) number of elements((?:‹\d+›)?)(?: \d+)? and (.+?) number of elements((?:‹\d+›)?) must (?:be (?:the same|equal)|match)$/i,
    "volume of $1$2 must equal volume of $3$4",
  ],
  [/ (?:cannot|can not|can't) be (?=\w)/i, " must not be "],
  [/^requires attribute '(\w+)'$/i, "$1 must be given"],
  [/^must provide (\S+)/i, "$1 must be given"],
  [/^cannot (?:use|specify|set|pass) (\S+)(?= with| when| together| if|$)/i, "$1 must not be given"],
  [/\b(?:requires?|expects?|needs?) (?=.{1,60} to (?:be|have|match|equal)\b)/i, "; "],
];

/** The case that a sentence begins with: `If using a mask, …`. */
const CASE = /^(?:if|when|in|with|for|according to|since|as) [^,]{3,90}, (?=\w)/i;

/** The case of an operand that is given, of which the sentence goes on: `When a mask is provided, it must …`. */
const GIVEN_CASE =
  /^(?:if|when) (?:an? |the )?(\w+(?: tensor)?) is (?:provided|given|set|present|used)\b[^,]*, (?:it|they) must /i;

/** Ends of a message's sentences; what was found belongs to the one before. */
const SENTENCES = /(?<=[;!]|(?<!\bvs)\.) (?=\w)(?!(?:got|found|but|instead|received)\b)/i;

/** The requirement of the first of a message's sentences that states one; `undefined` if none does. */
export function requirementOfWords(words: string): Requirement | undefined {
  return words.split(SENTENCES).slice(0, 3).flatMap((sentence) => requirementOf(sentence) ?? [])[0];
}

function requirementOf(sentence: string): Requirement | undefined {
  const whole = sentence.replace(GIVEN_CASE, "$1 must ").replace(/(?:\w+ )?dim (\d)(?= \(size \d)/, "dim[$1]")
    // XLA prints a shape behind its format.
    .replace(/\b(?:bf|[fsu]|pred)\d*\[(?=[\d,]*\])/g, "[").replace(/^in [\w.]+: /, "").replace(
      /^(?:[\w.:]+(?: \([^()]*\))?|[A-Z]\w+(?: \w+){0,4}|[a-z]\w*_\w+(?: \w+){1,2}): (?=\S+ )/,
      "",
    ).replace(CASE, "")
    .replace(/^'[\w.]+' op |^\w+(?:Error|Exception)\(['"]/, "").replace(/[.!]$/, "")
    .replace(/ at (?:\S+ )?dim(?:ension)? \S+$/, "");
  const range = RANGES.find(([pattern]) => pattern.test(whole));
  const { text, found } = marked(range === undefined ? whole : whole.replace(range[0], range[1]));
  const asked = askedIn(text);
  return asked === undefined ? undefined : withFound(asked, found);
}

/** The requirement of a sentence whose numbers are marked. */
function askedIn(text: string): Requirement | undefined {
  return inTwoClauses(text) ?? sureIn(modalOf(text)) ?? supported(text);
}

/** `A must … and B must …`. */
function inTwoClauses(text: string): Requirement | undefined {
  const [, first, second] = /^(.+? must .+?) and (\w+(?: \w+|‹-?\d+›){0,4} must .+)$/i.exec(text) ?? [];
  if (first === undefined || second === undefined) return undefined;
  const known = [first, second].flatMap((part) => askedIn(part) ?? []);
  return known.length < 2 ? undefined : joined("both", known);
}

/** What a sentence with a modal verb asks of what. */
interface ModalSentence {
  readonly subject: string;
  readonly isAsked: boolean;
  readonly predicate: string;
}

function modalOf(text: string): ModalSentence | undefined {
  const saying = SAYINGS.find(([pattern]) => pattern.test(text));
  const plain = (saying === undefined ? text : text.replace(saying[0], saying[1])).replace(/^.*; /, "")
    .replace(/^expect(?:ed|s)? /i, "");
  const asks = ASKS.exec(plain);
  const [, , not, predicate = ""] = asks ?? [];
  const before = plain.slice(0, plain.length - predicate.length);
  const subject = asks?.[1] === undefined
    ? ""
    : `${asks[1]}${/^‹-?\d+›/.exec(before.slice(asks[1].length))?.[0] ?? ""}`;
  if (asks === null || / (?:is|are) |^\W*$/.test(subject)) return undefined;
  return {
    subject: subject.replace(/^.*\b(?:requires?|expects?|needs?) /i, "").replace(/: (?:\w+::\w+,?|\w+,)$/, "")
      .replace(
        / (?:-?\d+|row_major|tile)$/,
        (end, at: number) => /dim\w*$/i.test(subject.slice(0, at)) ? end : "",
      ),
    isAsked: not === undefined,
    predicate: predicate.replace(/ (?:for|during) (?!all\b|both\b).*$/i, ""),
  };
}

/** The requirement of a sentence whose predicate has a known form. */
function sureIn(modal: ModalSentence | undefined): Requirement | undefined {
  if (modal === undefined) return undefined;
  const { subject, isAsked, predicate } = modal;
  // Half of what is asked, read alone, may be its opposite.
  if (/ and not |^have (?:an? )?sharded /.test(predicate)) return undefined;
  const equality = /^(?:be (?:the same|equal|identical)|match)$/i.test(predicate)
    ? /^(.+?) and (.+)$/i.exec(valueOf(subject).text)
    : null;
  if (equality !== null && isAsked) return sameAspect(subject, equality[2] ?? "");
  const operand = nounOf(subject);
  const parts = predicate.replace(/^be either /, "be ").replace(
    /^be (-?\d+) or (\S+)$/,
    "be $1 or equal to $2",
  )
    .split(
      /(?<!than|less|greater|smaller|larger) or (?=(?:be )?(?:an? )?(?:divisible|multiple|match|equal))/,
    );
  const asked = parts.flatMap((part) => {
    const full = /^(?:be|match|equal|have|exceed|divide|cover|contain|hold|use) ?/.test(part)
      ? part
      : `be ${part}`;
    return predicated(operand, full, subject) ?? [];
  });
  if (asked.length < parts.length) return undefined;
  const all = joined("either", asked);
  return isAsked ? all : negated(all);
}

/** Forms that name the only kinds an op takes, most reliable first. */
const ONLY: readonly RegExp[] = [
  /\b(?:supports? only|only (?:supports?|works? (?:with|for|on|in)|takes?|accepts?|implemented for|supporting)) (.+)$/i,
  /\bonly (.+?) (?:(?:is|are) )?(?:currently )?(?:supported|allowed|valid)/i,
  /\bonly ((?:tiled?|row[- _]major) layout) supports /i,
  /\bonly (?:supported|implemented|valid|allowed) (?:for|with|on|in) (.+)$/i,
  /\bcan only \w+ (.+)$/i,
  /\b(?:requires?|expect(?:s|ed)?|needs?) (?:an? |the )?(?!\d+ )(.+)$/i,
];

/** The requirement of a phrase that names the only kinds: formats, layouts, memories, a rank. */
function onlyIn(phrase: string): Requirement | undefined {
  const operand = nounOf(tensorWord(phrase));
  const rank =
    /\b(\d)-?D\b(?= (?:\w+ )?(?:tensor|input|operand)|$| )(?! ?(?:\w+ ){0,2}(?:[Mm]ulticast|mcast|program|grid|mesh|shard|fabric|seq))|\brank (?:== )?(\d)\b/
      .exec(
        phrase,
      )?.slice(1).find((digit) => digit !== undefined);
  const dim: AskedOperand = { kind: "operand", name: "dim", aspect: "value", isArgument: true };
  const [, ...dims] = /\bdim (?:==? )?(-?\d)(?: or (-?\d))?/.exec(phrase) ?? [];
  const asked = [
    rank === undefined ? undefined : constantly({ ...operand, aspect: "rank" }, rank),
    dims.length === 0
      ? undefined
      : joined("either", dims.flatMap((one) => one === undefined ? [] : [constantly(dim, one)])),
    /\b(?:on|along|over|for) (?:the )?last dim(?:ension)?$/i.test(phrase) ? constantly(dim, "-1") : undefined,
  ].filter((part) => part !== undefined);
  return kindsIn(operand, phrase) ?? (asked.length === 0 ? undefined : joined("both", asked));
}

/** The requirement of a sentence that only some kinds are supported, or that one is not. */
function supported(marked: string): Requirement | undefined {
  const said = valueOf(marked).text;
  for (const form of ONLY) {
    const kinds = form.exec(said)?.[1];
    const asked = kinds === undefined ? undefined : onlyIn(kinds);
    if (asked !== undefined) return asked;
  }
  return refusedKinds(said);
}

/** The kinds that a sentence refuses: `unsupported dtype X`, `does not support sharding`, `X is not supported`. */
function refusedKinds(said: string): Requirement | undefined {
  // What a conversion is from and to is supported by itself, and what `unsupported X for Y` says of Y is its name.
  const refused = /^unsupported (?!.*\bfrom\b.*\bto\b)(.+ .+)$/i.exec(said)?.[1];
  if (refused !== undefined) {
    const kinds = kindsIn(nounOf(tensorWord(refused)), refused.replace(/ (?:for|in) .*$/, ""));
    return kinds === undefined ? undefined : negated(kinds);
  }
  const unsupported =
    /^(.+?) (?:(?:is|are) )?(?:not|un) ?(?:currently |yet )?supported(?=$|[.,;]| (?:by|for|in|with|when|on|to|yet|here)\b)/i
      .exec(said) ??
      /\b(?:does not|doesn't|do not|don't|cannot) (?:currently |yet )?(?:support|take|use) (.+)$/i.exec(said);
  if (unsupported?.[1] === undefined) return undefined;
  // `does not support sharding` is of its operands.
  const what = unsupported[1].replace(/\bsharding\b(?! orientation)/i, "sharded operands");
  const kinds = kindsIn(nounOf(tensorWord(what)), what);
  return kinds === undefined ? undefined : negated(kinds);
}
