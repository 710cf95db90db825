// SPDX-License-Identifier: Apache-2.0

/** What JSON can say. */
export type JsonValue =
  | { [key: string]: JsonValue | undefined }
  | JsonValue[]
  | string
  | number
  | boolean
  | null;

/** The value of JSON with comments and trailing commas. Throws a `SyntaxError` for any other text. */
export function parse(text: string): JsonValue;
