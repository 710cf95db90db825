// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "./check_subject.ts";

/** Advice of experts on failed checks that a row matches, in addition to the general advice on the check's subject. */
export interface Expertise {
  /** Check subjects that the row matches; default: all. */
  readonly subjects?: readonly string[];
  /** Matches the op's name without its dialect; default: all ops. */
  readonly ops?: RegExp;
  /** Matches the failed condition or the message; or a predicate of both. */
  readonly says?: RegExp | ((check: CheckWords) => boolean);
  /** Title of the finding; default: the subject's. */
  readonly title?: string;
  /** Causes, one sentence each. */
  readonly because?: (check: CheckWords) => readonly string[];
  /** Remedies, most promising first. */
  readonly advice: (check: CheckWords) => readonly string[];
  /** Whether the row replaces the general advice on the subject, which would mislead. */
  readonly instead?: true;
}

/** Collectives of devices. */
export const COLLECTIVES: RegExp =
  /^(?!.*norm).*all_gather|reduce_scatter|all_reduce|all_to_all|all_broadcast|point_to_point|send_|recv_/;
