// SPDX-License-Identifier: Apache-2.0

/** The backend's refusal of a convolution: rule name without family, and the reason. */
export interface ConvolutionRefusal {
  readonly refused: string;
  readonly reason: string;
}

export function refused(rule: string, reason: string): ConvolutionRefusal {
  return { refused: rule, reason };
}

export function isRefused(value: object): value is ConvolutionRefusal {
  return "refused" in value;
}
