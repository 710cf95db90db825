// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "./check_subject.ts";

/** What those who know an op or a rule answer, beyond what is said of the subject. A row is enough to add one. */
export interface Expertise {
  /** Subjects that it is for; default: all. */
  readonly subjects?: readonly string[];
  /** Last name of the op. */
  readonly ops?: RegExp;
  /** In the condition, or in the words; where neither alone tells it, of the check. */
  readonly says?: RegExp | ((check: CheckWords) => boolean);
  /** What happened, in a few words; default: the subject's. */
  readonly title?: string;
  /** Why, in a sentence each. */
  readonly because?: (check: CheckWords) => readonly string[];
  /** Remedies, most promising first. */
  readonly advice: (check: CheckWords) => readonly string[];
  /** Whether what is said of the subject in general would mislead. */
  readonly instead?: true;
}

/** Collectives of devices. */
export const COLLECTIVES: RegExp =
  /^(?!.*norm).*all_gather|reduce_scatter|all_reduce|all_to_all|all_broadcast|point_to_point|send_|recv_/;
