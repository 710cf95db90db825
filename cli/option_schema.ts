// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./command.ts";

/** The JSON schema of an option's value. */
export function optionSchema(spec: OptionSpec): Record<string, unknown> {
  const type = spec.kind === "boolean" || spec.kind === "number" ? spec.kind : "string";
  const one = { type, ...(spec.choices === undefined ? {} : { enum: spec.choices }) };
  const value = spec.repeatable === true ? { anyOf: [one, { type: "array", items: one }] } : one;
  return {
    description: spec.description,
    ...value,
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
}
