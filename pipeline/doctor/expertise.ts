// SPDX-License-Identifier: Apache-2.0
import type { CheckWords, Expertise } from "./check_subject.ts";
import { CONFIG_EXPERTISE } from "./config_expertise.ts";
import { EXPERTISE_TABLE } from "./expertise_table.ts";
import { HOST_EXPERTISE } from "./host_expertise.ts";
import { OPERAND_EXPERTISE } from "./operand_expertise.ts";

/** All rows, in the order in which matching ones are printed. */
export const EXPERTISE: readonly Expertise[] = [
  ...EXPERTISE_TABLE,
  ...HOST_EXPERTISE,
  ...OPERAND_EXPERTISE,
  ...CONFIG_EXPERTISE,
];

/** The rows that match a check, in the order of the table. */
export function expertiseOn(
  check: CheckWords & { readonly subject: string; readonly within?: string },
): readonly Expertise[] {
  const text = `${check.condition ?? ""} ${check.words}`;
  const names = [...(check.within === undefined ? [] : [check.within]), ...(check.ops ?? [])]
    .map((op) => op.replace(/^.*\./, ""));
  return EXPERTISE.filter(({ subjects, ops, says }) =>
    (subjects === undefined || subjects.includes(check.subject)) &&
    (ops === undefined ||
      names.length > 0 && names.length <= MOST_OPS && names.some((name) => ops.test(name))) &&
    (says === undefined || (says instanceof RegExp ? says.test(text) : says(check)))
  );
}

/** Rows for single ops match only checks that name at most this many ops. */
const MOST_OPS = 4;
