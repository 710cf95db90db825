// SPDX-License-Identifier: Apache-2.0

/** Why the backend refuses a convolution: the name of the rule without its family, and what is wrong. */
export interface ConvolutionRefusal {
  readonly refused: string;
  readonly reason: string;
}

/** Builds a refusal. */
export function refused(rule: string, reason: string): ConvolutionRefusal {
  return { refused: rule, reason };
}

/** Whether the backend refuses. */
export function isRefused(value: object): value is ConvolutionRefusal {
  return "refused" in value;
}
