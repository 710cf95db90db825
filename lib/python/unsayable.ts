// SPDX-License-Identifier: Apache-2.0

/** An op, or a part of one, that ttnn's Python cannot say; the message names the part. */
export class Unsayable extends Error {
  override readonly name = "Unsayable";
}
