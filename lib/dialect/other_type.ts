// SPDX-License-Identifier: Apache-2.0

/** A type that is not a tensor, as printed. */
export interface OtherType {
  readonly kind: "other";
  readonly text: string;
}

/** `!ttnn.device`. */
export const DEVICE_TYPE: OtherType = { kind: "other", text: "!ttnn.device" };
