// SPDX-License-Identifier: Apache-2.0

/** Why the backend refuses a convolution: the name of the rule without its family, and what is wrong. */
export interface Refused {
  readonly refused: string;
  readonly reason: string;
}

/** Builds a refusal. */
export function refused(rule: string, reason: string): Refused {
  return { refused: rule, reason };
}

/** Whether the backend refuses. */
export function isRefused(value: object): value is Refused {
  return "refused" in value;
}
