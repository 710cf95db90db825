// SPDX-License-Identifier: Apache-2.0

/** Whether a value from outside is an object with fields: no list, not `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a caught value says, in one line where it is an error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
