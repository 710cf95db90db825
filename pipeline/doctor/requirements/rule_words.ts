// SPDX-License-Identifier: Apache-2.0
import { orList } from "../check_subject.ts";
import type { AskedOperand, Comparator, Requirement, Term } from "./requirement.ts";
import { constantNamed, type NamedCheck, termNamed } from "./term_words.ts";
import { holds, type Values } from "./values.ts";

const COMPARED: Readonly<Record<Comparator, string>> = {
  "==": "be",
  "!=": "not be",
  "<": "be less than",
  "<=": "be at most",
  ">": "be more than",
  ">=": "be at least",
};

/** A requirement as a clause: `out_block_h must be a multiple of out_subblock_h (here 32 and 48)`. */
export function ruleInWords(requirement: Requirement, check: NamedCheck, values: Values): string {
  const named = (term: Term): string => termNamed(term, check);
  const here: Here = (...terms) => {
    const known = terms.filter((term) => term.kind !== "constant").map(values);
    return known.length === 0 || known.some((value) => value === undefined)
      ? ""
      : ` (here ${
        known.length === 1 ? known.join() : `${known.slice(0, -1).join(", ")} and ${known.at(-1)}`
      })`;
  };
  switch (requirement.kind) {
    case "compares":
      return comparedInWords(requirement, check, here);
    case "multiple":
      return `${named(requirement.whole)} must ${requirement.isOne ? "" : "not "}be a multiple of ${
        named(requirement.part)
      }${here(requirement.whole, requirement.part)}`;
    case "one_of":
      return `${named(requirement.operand)} must be ${orList(requirement.values.map(constantNamed))}${
        here(requirement.operand)
      }`;
    case "given":
      return givenInWords(requirement.operand, requirement.isGiven, named(requirement.operand));
    case "flag":
      return `${named(requirement.operand)} must be ${requirement.isSet}`;
    case "sharded":
      return `${named({ ...requirement.operand, aspect: "storage" })} must be ${
        requirement.isSharded ? "sharded" : "interleaved"
      }`;
    case "contains":
      return `${named(requirement.inner)} must lie within ${named(requirement.outer)}`;
    case "either":
    case "both":
      return [...new Set(brokenParts(requirement, values).map((part) => ruleInWords(part, check, values)))]
        .join(
          requirement.kind === "either" ? ", or " : ", and ",
        );
  }
}

/** Parts of a requirement: of those that hold together, the ones that are not known to hold. */
function brokenParts(
  { kind, parts }: Extract<Requirement, { kind: "either" | "both" }>,
  values: Values,
): readonly Requirement[] {
  const broken = kind === "both" ? parts.filter((part) => holds(part, values) !== true) : parts;
  return broken.length > 0 ? broken : parts;
}

/** What is told of the numbers of terms: ` (here 3 and 4)`. */
type Here = (...terms: readonly Term[]) => string;

function comparedInWords(
  requirement: Extract<Requirement, { kind: "compares" }>,
  check: NamedCheck,
  here: Here,
): string {
  const named = (term: Term): string => termNamed(term, check);
  const { comparison, left, right } = requirement;
  if (left.kind === "operand" && left.aspect === "storage") {
    const place = right.kind === "constant" && right.name === "HOST" ? "host" : "device";
    return `${named(left)} must ${comparison === "!=" ? "not " : ""}be on the ${place}`;
  }
  if (left.kind === "operand" && left.aspect === "shard_grid" && right.kind === "constant") {
    return `${named(left)} must be ${right.name === "1" ? "one rectangle" : right.name}`;
  }
  if (left.kind === "operand" && left.aspect === "device") {
    return `${named(left)} and ${named(right)} must be on one device`;
  }
  const verb = comparison === "==" && right.kind !== "constant" ? "equal" : COMPARED[comparison];
  return `${named(left)} must ${verb} ${named(right)}${here(left, right)}`;
}

function givenInWords({ aspect }: AskedOperand, isGiven: boolean, name: string): string {
  if (aspect === "buffer" || aspect === "storage" || aspect === "device") {
    return `${name} must ${isGiven ? "" : "not "}have a buffer on the device`;
  }
  if (aspect === "count" && isGiven) return `${name} must not be 0`;
  return isGiven
    ? `${name} must be given`
    : aspect === "count"
    ? `${name} must be 0`
    : `${name} must not be given`;
}
