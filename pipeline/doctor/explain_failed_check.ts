// SPDX-License-Identifier: Apache-2.0
import { CHECK_SUBJECTS, OTHER_SUBJECT } from "./check_subjects.ts";
import type { FailureExplanation } from "./explain_failure.ts";
import type { FailedCheck } from "./failed_checks.ts";

const FIND_OP =
  "give the program as well: 'tilewright doctor FILE --message TEXT' finds the op, and 'tilewright optimize FILE' plans it anew";

/** Explains a failed check; its own words come first. */
export function explainFailedCheck(failure: FailedCheck): FailureExplanation {
  const { file, words } = failure;
  const { title = "The backend refuses an op", meaning, advice } =
    CHECK_SUBJECTS.find(({ name }) => name === failure.subject) ?? OTHER_SUBJECT;
  return {
    failure,
    title,
    meaning: [
      `The message says${file === undefined ? "" : ` (${file})`}: ${words.replace(/[.!]+$/, "")}`,
      ...meaning(failure),
    ],
    advice: [...advice(failure), FIND_OP],
    circularBufferBytes: undefined,
    tensorBytes: undefined,
    neededBytes: undefined,
  };
}
