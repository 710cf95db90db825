// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "../check_subject.ts";
import { usesOf, withPadding } from "./op_use.ts";
import { requirementOfCondition } from "./condition_requirement.ts";
import { leavesOf, type Requirement, termsOf } from "./requirement.ts";
import { remediesOf } from "./requirement_remedies.ts";
import { ruleInWords } from "./rule_words.ts";
import { requirementOfWords } from "./sentence_requirement.ts";
import { isOfProgramConfig } from "./settable.ts";
import { type NamedCheck, tensorNamed, termNamed, withName } from "./term_words.ts";
import { holds, valuesIn, withValue } from "./values.ts";

/** The requirement of a check, with the rule in words and remedies. */
export interface Derived {
  readonly requirement: Requirement;
  /** The requirement as a clause. */
  readonly rule: string;
  /** Changes that fulfil it, most promising first. */
  readonly remedies: readonly string[];
  /** Whether no change is known by name: the only remedy then says where to look. */
  readonly isGeneral?: true;
}

/** An assertion of C++ that failed, with its reason. */
const ASSERTION = /\bAssertion [\x60'"]?(.+?)[\x60'"]? failed[.,:]? ?(.*)$/;

/** Most remedies of one check. */
const MOST = 4;

const NO_CONFIG = "or no program config at all: then the backend chooses one that fits";

/**
 * The requirement of a check: of its condition or, if that names nothing that a user can set, of its words.
 *
 * @returns `undefined` if neither states one
 */
export function deriveFrom(check: CheckWords): Derived | undefined {
  const [, code, reason] = ASSERTION.exec(check.words) ?? [];
  const words = code === undefined ? check.words : reason || code;
  // The text after `FILE.cpp:LINE:` is a condition even without a mark.
  const condition = check.condition ?? code?.replace(/ && ["\x60].*$/, "") ??
    /\.[ch]pp:\d+: (\S.*)$/.exec(words)?.[1];
  const coded = condition === undefined ? undefined : requirementOfCondition(condition);
  const told = words === condition ? undefined : requirementOfWords(words);
  const read = [coded, told].filter((requirement) => requirement !== undefined)
    .map((requirement) => withRemedies(requirement, check, requirement === coded ? told : requirement));
  const named = read.find(({ remedies }) => remedies.length > 0);
  if (named !== undefined) return named;
  // Words of people before names of variables.
  const stated = told === undefined ? read[0] : read.find(({ requirement }) => requirement === told);
  return stated === undefined ? undefined : {
    ...stated,
    remedies: [whereToLook(stated.requirement, withName(check, stated.requirement))],
    isGeneral: true,
  };
}

/** A requirement with its rule and what fulfils it; `told` is what the words of the same check ask. */
function withRemedies(requirement: Requirement, check: CheckWords, told: Requirement | undefined): Derived {
  const values = valuesIn(requirement, check.words, told);
  const named = withName(check, requirement);
  const rule = ruleInWords(requirement, named, values);
  const remedies = remediesOf(requirement, {
    check: named,
    values,
    allows: (term, value) => holds(requirement, withValue(values, term, value)) !== false,
  }).slice(0, MOST);
  const used = usesOf(check, requirement);
  if (remedies.length + used.length === 0) return { requirement, rule, remedies };
  const isOfConfig = leavesOf(requirement).flatMap(termsOf).some(isOfProgramConfig);
  return {
    requirement,
    rule,
    remedies: [
      ...(used.length > 0 ? used : withPadding(remedies, check, requirement)),
      ...(isOfConfig ? [NO_CONFIG] : []),
      ...aroundOf(check),
    ],
  };
}

/** Where to look for a change of what no argument of the call is by its name. */
function whereToLook(requirement: Requirement, check: NamedCheck): string {
  const operands = leavesOf(requirement).flatMap(termsOf).filter((term) => term.kind === "operand");
  const tensor = operands.find((operand) =>
    operand.aspect !== "value" || /\b(?:tensor|input|output|weight|bias|mask|cache)s?$/.test(operand.name)
  );
  if (tensor !== undefined) {
    return `${
      tensorNamed(tensor, check)
    } as the rule has it: its shape, format, layout or memory before the op`;
  }
  const names = [...new Set(operands.map((operand) => termNamed(operand, check)))];
  return `${
    names.length === 0 ? "what the message names" : names.join(" and ")
  } as the rule has it: an argument of the call or of its config, or what the op computes from these and from its tensors' shapes`;
}

/** Forms in which a message restricts its requirement to a case: the argument that has it, a clause with `if` or `when`. */
const CASES: readonly RegExp[] = [
  /^(?:\w+: )?((?!num_|is_|has_)[a-z]\w*_\w+) (?:requires|needs|expects|is only|only)\b/,
  /^(?:\w+: )?if ((?:using )?[\w ]{3,40}?)(?: is (?:provided|set|given))?,/i,
  /\b(?:when|if) (?:using )?(?!need be|possible|necessary|needed|required|provided|preallocated)([\w ./=]{3,60})(?=$|[.,;!(])/i,
];

/** The way around a check that asks in one case only. */
function aroundOf({ words, ops }: CheckWords): readonly string[] {
  const around = CASES.map((pattern) => pattern.exec(words)?.[1]).find((found) =>
    found !== undefined && ops?.some((op) => op.endsWith(`.${found}`)) !== true
  );
  return around === undefined ? [] : [`or another case than the one that asks for it: ${around.trim()}`];
}
