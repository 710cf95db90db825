// SPDX-License-Identifier: Apache-2.0
import { valueOf } from "./found_values.ts";
import { constantly, isListed, kindsIn, nounOf, tensorIn, termIn } from "./noun_phrase.ts";
import {
  type AskedOperand,
  type Aspect,
  type Comparator,
  joined,
  type Requirement,
  type Term,
} from "./requirement.ts";

/** How sentences bound something, or make it equal to something. */
const BOUNDS: readonly (readonly [comparison: Comparator, words: RegExp])[] = [
  [
    "<=",
    /^(?:be )?(?:at most|(?:less|smaller) (?:than )?or equal (?:to|than)|no (?:more|larger|greater) than|<=|within) (.+)$/i,
  ],
  [
    ">=",
    /^(?:be )?(?:cover|at least|(?:greater|larger) (?:than )?or equal (?:to|than)|no less than|>=) (.+)$/i,
  ],
  ["<", /^(?:be )?(?:(?:strictly )?(?:less|smaller) than|<) (.+)$/i],
  [">", /^(?:be )?(?:exceed|(?:greater|more|larger) than|>) (.+)$/i],
  ["==", /^(?:be )?(?:equal(?: to)?|match(?:ing)?|identical to|(?:be )?the same as|exactly|==?) (.+)$/i],
];

/** A form of what follows `must`. */
type Predicate = (subject: AskedOperand, said: string, phrase: string) => Requirement | undefined;

/** A form of which group 1 is what the requirement is built from. */
function form(
  pattern: RegExp,
  build: (subject: AskedOperand, found: string, phrase: string) => Requirement | undefined,
): Predicate {
  return (subject, said, phrase) => {
    const match = pattern.exec(said);
    return match === null ? undefined : build(subject, match[1] ?? match[2] ?? "", phrase);
  };
}

/** The requirement that one term is a multiple of another. */
function multiple(whole: Term, part: Term): Requirement {
  return { kind: "multiple", whole, part, isOne: true };
}

/** The requirement that a rank is at most, or at least, some number. */
function rankOf(comparison: Comparator): (operand: AskedOperand, rank: string) => Requirement {
  return (operand, rank) => ({
    kind: "compares",
    comparison,
    left: { ...operand, aspect: "rank" },
    right: { kind: "constant", name: rank, value: Number(rank) },
  });
}

/** A form whose group 1 is the value of one aspect of the subject. */
function constantForm(aspect: Aspect, pattern: RegExp): Predicate {
  return form(pattern, (left, value) => constantly({ ...left, aspect }, value === "" ? "1" : value));
}

/** Forms of what is asked, surest first. */
const PREDICATES: readonly Predicate[] = [
  form(
    /^be (?:an? )?(?:integer |positive )?(?:multiples? of|(?:evenly )?divisible by) (.+)$|^be padded to (?:a multiple of |(?:the )?nearest )?(.+?)(?: or should .*)?$/i,
    (whole, part) => multiple(whole, termIn(part, whole)),
  ),
  form(
    /^(?:evenly )?divide (?:evenly )?into (?:\w+ of )?(.+)$/i,
    (whole, part) => multiple(whole, termIn(part, whole)),
  ),
  form(/^(?:evenly )?divide (.+?)(?: evenly)?$/i, (part, whole) => multiple(termIn(whole, part), part)),
  form(
    /^be (?:tile[- ](?:(?:width|height)[- ])?aligned|(?:evenly )?divisible into tiles)\b/i,
    (whole) => multiple(whole, { kind: "constant", name: "32", value: 32 }),
  ),
  form(
    /^be (?:positive|non-?zero)$/i,
    (left) => comparedTo(">", left, { kind: "constant", name: "0", value: 0 }),
  ),
  form(/^be (?:between|in (?:the )?range) (-?\d+ (?:and|to) -?\d+)$/i, between),
  form(/^be (\[\d[\d, ]*\])$/, (left, list) => left.aspect === "shape" ? constantly(left, list) : undefined),
  form(/^(?:be|have) (?:of )?(?:at most rank|rank (?:of )?at most) (\d)\b/i, rankOf("<=")),
  form(/^(?:be|have) (?:of )?rank >= ?(\d)$|^(?:be|have) at least (?:an? )?(\d)-?D\b/i, rankOf(">=")),
  ...BOUNDS.map(([comparison, pattern]) =>
    form(
      pattern,
      (left, right) =>
        comparison === "==" && isListed(right)
          ? kindsIn(left, right)
          : comparedTo(comparison, left, termIn(right, left)),
    )
  ),
  form(/^(?:match|be (?:the same|equal|identical))(?: in (?:both|all)\b.*)?$/i, (left) => ({
    kind: "compares",
    comparison: "==",
    left,
    right: { ...left, name: "the others" },
  })),
  form(/^have (?:an? )?(?:\w+ )?(?:shard|buffer distribution)[ _]spec\b(?!\[)/i, (operand) => ({
    kind: "given",
    operand: { ...operand, aspect: "shard_spec" },
    isGiven: true,
  })),
  form(
    /^(?:have|be (?:in|on|of)|be) (?:the )?(?:same|identical|matching|equal) ([\w ]+)$/i,
    (_, said, phrase) => sameAspect(phrase, said),
  ),
  form(
    /^(?:have a value$|(?:be|have been) (?:provided|specified|set|given|passed|present|supplied|populated|non-?null)\b)/i,
    (operand) =>
      / (?:and|or) |^.* .* .* /.test(operand.name) ? undefined : {
        kind: "given",
        operand: {
          ...operand,
          aspect: "value",
          name: operand.name.replace(/^the /, "").replace(/^[A-Z][a-z]+$/, (name) => name.toLowerCase()),
          isArgument: true,
        },
        isGiven: true,
      },
  ),
  form(/^be (?:none|null|empty|nullopt)\b/i, (operand) => ({ kind: "given", operand, isGiven: false })),
  form(
    /^(?:be |have )?(?:already |an? )?(?:(?:.* )?(?:on|in) (?:the |a )?(?:mesh )?(?:device|buffers?)\b(?! (?:compute|grid|core|mem))|allocated\b(?!.*\b(?:L1|DRAM|once)\b)|device tensors?$|(?:device )?buffer$)/i,
    (operand) => constantly({ ...operand, aspect: "storage" }, "DEVICE"),
  ),
  form(/\bon (?:the )?host\b/i, (operand) => constantly({ ...operand, aspect: "storage" }, "HOST")),
  constantForm(
    "rank",
    /^(?=.*(?:D\b|dim|rank))(?:be|have) (?:in |of )?(?:an? )?(?:rank (?:of )?)?(\d)(?:-?D\b|-dimensional| dim(?:ension)?s)?(?: tensors?| shape)?$/i,
  ),

  form(
    /^(?:be|have) (?:exactly )?(-?\d+)$/,
    (left, number) => left.aspect === "storage" ? undefined : constantly(left, number),
  ),
  form(
    /^have batch (?:dim(?:ension)?|size) ?(?:=|of)? ?(\d+)$/,
    (operand, size) => constantly({ ...operand, aspect: "extent", dim: 0 }, size),
  ),
  form(
    /^be ((?!\w*[A-Z]{3})\w+_\w+(?:‹\d+›)?)$/,
    (left, right) => comparedTo("==", left, termIn(right, left)),
  ),
  form(/^be (true|false|enabled|disabled)\b/i, (operand, word) => ({
    kind: "flag",
    operand: { ...operand, aspect: "value" },
    isSet: /true|enabled/i.test(word),
  })),
  kindsIn,
];

/** `dim must be between 0 and 1`: from the least to the most. */
function between(subject: AskedOperand, range: string): Requirement | undefined {
  const [least, most] = range.split(/ (?:and|to) /).map((name) =>
    ({ kind: "constant", name, value: Number(name) }) as const
  );
  if (least === undefined || most === undefined) return undefined;
  const left = asArgument(subject);
  return joined("both", [
    { kind: "compares", comparison: ">=", left, right: least },
    { kind: "compares", comparison: "<=", left, right: most },
  ]);
}

/** An argument of the call; `Dimension for topk` is its `dim`. */
function asArgument(subject: AskedOperand): AskedOperand {
  if (subject.aspect === "extent" && subject.dim === undefined) {
    return { kind: "operand", name: "dim", aspect: "value", isArgument: true };
  }
  return subject.aspect === "value" ? { ...subject, isArgument: true } : subject;
}

/** A comparison, in which a tensor alone is looked at as the other side is: `Input A must equal output memory layout`. */
function comparedTo(comparison: Comparator, left: AskedOperand, right: Term): Requirement | undefined {
  // A tensor by itself is no number.
  if (left.aspect === "storage" && right.kind === "constant") return undefined;
  const isOfAspect = left.aspect === "storage" && right.kind === "operand" &&
    right.aspect !== "storage" && right.aspect !== "value";
  return { kind: "compares", comparison, left: isOfAspect ? { ...right, name: left.name } : left, right };
}

/** The requirement of what follows `must`, in the form `be …`; `undefined` where it is of another form. */
export function predicated(subject: AskedOperand, said: string, phrase = ""): Requirement | undefined {
  // The alignment of memory is no layout.
  if (/^be (?:(?:\S+ )?aligned to|fit)\b/i.test(said)) return undefined;
  for (const read of PREDICATES) {
    const asked = read(subject, said, phrase);
    if (asked !== undefined) return asked;
  }
  return undefined;
}

/** `must have the same shape as B`, `A and B must be on the same device`, `A and B padded widths must match`. */
export function sameAspect(phrase: string, said: string): Requirement | undefined {
  const [, what = said, to] = /^(.+?) (?:as|to) (.+)$/i.exec(said) ?? [];
  const { aspect, dim } = nounOf(what.replace(/s$/, ""));
  const of = (name: string): AskedOperand => {
    const own = nounOf(name);
    return {
      kind: "operand",
      name: own.aspect === aspect && own.name !== "" ? own.name : tensorIn(name.replace(/ tensors?$/, "")),
      aspect: /device/i.test(what) ? "device" : aspect,
      ...(dim === undefined ? {} : { dim }),
    };
  };
  const [first = "", second] = valueOf(phrase).text.split(/ and /);
  // `equal start and end coordinates` are of one tensor, and the `hidden size` of two is no aspect that is known.
  if (aspect === "value" && !/device/i.test(what)) return undefined;
  return { kind: "compares", comparison: "==", left: of(first), right: of(to ?? second ?? "others") };
}
