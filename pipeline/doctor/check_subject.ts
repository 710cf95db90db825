// SPDX-License-Identifier: Apache-2.0

/** What a check's words say, as far as an explanation needs it. */
export interface CheckWords {
  /** In the words of the message. */
  readonly words: string;
  /** Ops that the check may concern, such as `ttnn.matmul`; `undefined` for any. */
  readonly ops: readonly string[] | undefined;
  /** Numbers in the words above 1, in order. */
  readonly numbers: readonly number[];
}

/** What a kind of checks is about, with its remedies. */
export interface CheckSubject {
  readonly name: string;
  /** What happened, in a few words; default: the backend refuses an op. */
  readonly title?: string;
  /** Words of such checks. */
  readonly pattern: RegExp;
  /** The rule behind the check, one sentence per entry. */
  readonly meaning: (check: CheckWords) => readonly string[];
  /** Remedies, most promising first. */
  readonly advice: (check: CheckWords) => readonly string[];
}
