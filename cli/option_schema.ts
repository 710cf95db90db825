// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./command.ts";

/** The JSON schema of an option's value. */
export function optionSchema(spec: OptionSpec): Record<string, unknown> {
  const type = spec.from !== undefined
    ? "integer"
    : spec.kind === "boolean" || spec.kind === "number"
    ? spec.kind
    : "string";
  const one = {
    type,
    ...(spec.choices === undefined ? {} : { enum: spec.choices }),
    ...(spec.from === undefined ? {} : { minimum: spec.from }),
  };
  const value = spec.repeatable === true ? { anyOf: [one, { type: "array", items: one }] } : one;
  return {
    description: spec.description,
    ...value,
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
}
