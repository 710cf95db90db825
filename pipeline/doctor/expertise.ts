// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "./check_subject.ts";
import { CONFIG_EXPERTISE } from "./config_expertise.ts";
import type { Expertise } from "./expertise_row.ts";
import { HOST_EXPERTISE } from "./host_expertise.ts";
import { OP_EXPERTISE } from "./op_expertise.ts";

/** In the order in which they are told. */
export const EXPERTISE: readonly Expertise[] = [...HOST_EXPERTISE, ...OP_EXPERTISE, ...CONFIG_EXPERTISE];

/** Rows that a check is of, in the order of the table. */
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

/** Most ops of a check that rows of single ops are for. */
const MOST_OPS = 4;
