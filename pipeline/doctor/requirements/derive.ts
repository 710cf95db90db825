// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "../check_subject.ts";
import { type Remedy, remedy } from "../remedy.ts";
import * as asks from "../remedy_kinds.ts";
import { DECLARED_RESULT } from "./changes.ts";
import { usesOf, withPadding } from "./op_use.ts";
import { requirementOfCondition } from "./condition_requirement.ts";
import { leavesOf, type Requirement, termsOf } from "./requirement.ts";
import { remediesOf } from "./requirement_remedies.ts";
import { ruleInWords } from "./rule_words.ts";
import { requirementOfWords } from "./sentence_requirement.ts";
import { isOfProgramConfig } from "./settable.ts";
import { withName } from "./term_words.ts";
import { holds, valuesIn, withValue } from "./values.ts";

/** The requirement of a check, with the rule in words and remedies. */
export interface Derived {
  readonly requirement: Requirement;
  /** Whether it is of the condition of C++, not of the words of a message. */
  readonly isCode: boolean;
  /** Whether the rule has the numbers that the message gives its terms. */
  readonly isNumbered: boolean;
  /** The requirement as a clause. */
  readonly rule: string;
  /** Changes that fulfil it, most promising first; none where no argument of the call is known by its name. */
  readonly remedies: readonly Remedy[];
}

/** An assertion of C++ that failed, with its reason. */
const ASSERTION = /\bAssertion [\x60'"]?(.+?)[\x60'"]? failed[.,:]? ?(.*)$/;

/** A condition of two names of code in running text: `fails with per_core_M % out_subblock_h == 0 at …`. */
const WITHIN = /(?<![\w.])[a-z]+_\w+ (?:% [a-z]+_\w+ == 0|(?:[=!<>]=|[<>]) [a-z]+_\w+)(?![\w.(])/i;

/** Most remedies of one check. */
const MOST = 4;

const NO_CONFIG =
  remedy`${asks.NO_PROGRAM_CONFIG}or no program config at all: then the backend chooses one that fits`;

/**
 * The requirement of a check: of its condition or, if that names nothing that a user can set, of its words.
 *
 * @returns `undefined` if neither states one
 */
export function deriveFrom(check: CheckWords): Derived | undefined {
  const [, code, reason] = ASSERTION.exec(check.words) ?? [];
  const words = code === undefined ? check.words : reason || code;
  // The text after `FILE.cpp:LINE:` is a condition even without a mark.
  const condition = code?.replace(/ && ["\x60].*$/, "") ?? check.condition ??
    /\.[ch]pp:\d+: (\S.*)$/.exec(words)?.[1] ?? WITHIN.exec(words)?.[0];
  const coded = condition === undefined ? undefined : requirementOfCondition(condition);
  const told = words === condition ? undefined : requirementOfWords(words);
  const read = [coded, told].filter((requirement) => requirement !== undefined)
    .map((requirement) => ({
      isCode: requirement === coded,
      ...withRemedies(requirement, check, requirement === coded ? told : requirement),
    }));
  const named = read.find(({ remedies }) => remedies.length > 0);
  if (named !== undefined) return named;
  // Words of people before names of variables.
  const stated = told === undefined ? read[0] : read.find(({ requirement }) => requirement === told);
  // That a variable must be true, or must have a value, says nothing.
  return stated?.requirement.kind === "flag" || stated?.requirement.kind === "given" ? undefined : stated;
}

/** A requirement with its rule and what fulfils it; `told` is what the words of the same check ask. */
function withRemedies(
  requirement: Requirement,
  check: CheckWords,
  told: Requirement | undefined,
): Omit<Derived, "isCode"> {
  const values = valuesIn(requirement, check.words, told);
  const named = withName(check, requirement);
  const rule = ruleInWords(requirement, named, values);
  const remedies = remediesOf(requirement, {
    check: named,
    values,
    allows: (term, value) => holds(requirement, withValue(values, term, value)) !== false,
  }).slice(0, MOST);
  const used = remedies.includes(DECLARED_RESULT) ? [] : usesOf(check, requirement);
  const isNumbered = rule.includes(" (here ");
  if (remedies.length + used.length === 0) return { requirement, isNumbered, rule, remedies };
  const isOfConfig = leavesOf(requirement).flatMap(termsOf).some(isOfProgramConfig);
  return {
    requirement,
    isNumbered,
    rule,
    remedies: [
      ...(used.length > 0 ? used : withPadding(remedies, check, requirement)),
      ...(isOfConfig ? [NO_CONFIG] : []),
    ],
  };
}
