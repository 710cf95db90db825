// SPDX-License-Identifier: Apache-2.0
import type { CallSite } from "./call_site.ts";
import type { PythonText } from "./python_text.ts";

/**
 * Writes the call of an op as an expression; several results are what it unpacks to.
 *
 * @throws {Unsayable} if ttnn's Python has no words for it
 */
export type CallWriter = (site: CallSite) => PythonText;

/** Writers by the op's name without its dialect. */
export type CallWriters = Readonly<Record<string, CallWriter>>;

/** A writer for each of the names: `ttnn.NAME` is what is called. */
export function callsOf(names: string, writer: (callee: string) => CallWriter): CallWriters {
  return Object.fromEntries(names.split(" ").map((name) => [name, writer(`ttnn.${name}`)]));
}
