// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type DiagnosticError, errorText } from "./diagnostic.ts";

/** Makes the error about a file from what is wrong with it. */
type Refuse = (reason: string) => DiagnosticError;

/** Parses JSON. @throws {DiagnosticError} that `refuse` makes if it is none */
export function readJson(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(`it is not JSON (${errorText(error)})`);
  }
}

/** A value by its schema. @throws {DiagnosticError} that `refuse` makes; the reason names the path and what is wrong there */
export function validated<Output>(
  schema: v.GenericSchema<unknown, Output>,
  value: unknown,
  refuse: Refuse,
): Output {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw refuse(`at ${v.getDotPath(issue) ?? "the top"}: ${issue.message}`);
}
