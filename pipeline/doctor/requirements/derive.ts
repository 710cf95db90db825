// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "../check_subject.ts";
import { refusedFormatOf, requirementOfCondition } from "./condition_requirement.ts";
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
  /** The requirement as a clause. */
  readonly rule: string;
  /** Changes that fulfil it, most promising first. */
  readonly remedies: readonly string[];
}

/** Most remedies of one check. */
const MOST = 4;

const NO_CONFIG = "or no program config at all: then the backend chooses one that fits";

/**
 * The requirement of a check: of its condition or, if that names nothing that a user can set, of its words.
 *
 * @returns `undefined` if neither names something to change
 */
export function deriveFrom(check: CheckWords): Derived | undefined {
  const { words } = check;
  // The text after `FILE.cpp:LINE:` is a condition even without a mark.
  const condition = check.condition ?? /\.[ch]pp:\d+: (\S.*)$/.exec(words)?.[1];
  const read = [
    condition === undefined ? undefined : requirementOfCondition(condition),
    words === condition ? undefined : requirementOfWords(words),
    condition === undefined ? undefined : refusedFormatOf(condition),
  ];
  for (const requirement of read) {
    if (requirement === undefined) continue;
    const values = valuesIn(requirement, words);
    const named = withName(check, requirement);
    const remedies = remediesOf(requirement, {
      check: named,
      values,
      allows: (term, value) => holds(requirement, withValue(values, term, value)) !== false,
    }).slice(0, MOST);
    if (remedies.length > 0) {
      const padding = remedies.some((remedy) => remedy.includes("ttnn.pad")) && !isOfParameter(requirement)
        ? paddedWith(check)
        : [];
      const isOfConfig = leavesOf(requirement).flatMap(termsOf).some(isOfProgramConfig);
      return {
        requirement,
        rule: ruleInWords(requirement, named, values),
        remedies: [
          ...(STATISTICS.test(nameOf(check)) && remedies[0]?.startsWith("pad ") === true
            ? [...padding, ...remedies]
            : [...remedies, ...padding]),
          ...(isOfConfig ? [NO_CONFIG] : []),
          ...aroundOf(check),
        ],
      };
    }
  }
  return undefined;
}

/** Rules for padding with other values than zeros, by the op's name without its dialect. */
const PADDED_WITH: readonly (readonly [ops: RegExp, rule: string])[] = [
  [
    /norm/,
    "another batch or chunk whose extent is a multiple, or the norm written as reductions over the true extent (ttnn.mean, subtract, multiply, rsqrt): zeros that pad it change mean and variance",
  ],
  [
    /softmax|^(?:max|argmax|topk|max_pool2d|sort)$/,
    "pad with -inf, which never is the largest: zeros would change the result",
  ],
  [/^(?:min|argmin)$/, "pad with +inf, which never is the smallest: zeros would change the result"],
  [/^prod$/, "pad with ones: zeros would change the result"],
  [
    /attention|heads|sdpa|rotary/,
    "zeros at the end of a head change no score: best in the weights of the projections, the scale stays that of the real size",
  ],
  [
    /^(?:mean|avg_pool2d|global_avg_pool2d)$/,
    "a mean over a padded extent counts its zeros: a sum over the true number instead",
  ],
];

/** Ops whose statistics are over all but the channels: padding is the last thing to do. */
const STATISTICS = /group_norm|batch_norm/;

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

/** Whether a requirement is of a weight, a mask or another parameter, over which the op does not reduce. */
function isOfParameter(requirement: Requirement): boolean {
  return leavesOf(requirement).flatMap(termsOf).some((term) =>
    term.kind === "operand" && /gamma|beta|weight|bias|mask|stats|cache|indices/.test(term.name)
  );
}

/** The padding rule of an op, if it has one. */
function paddedWith(check: CheckWords): readonly string[] {
  return PADDED_WITH.flatMap(([of, rule]) => of.test(nameOf(check)) ? [rule] : []).slice(0, 1);
}

/** The op's name without its dialect; empty where none is known. */
function nameOf({ ops }: CheckWords): string {
  return ops?.[0]?.replace(/^.*\./, "") ?? "";
}
