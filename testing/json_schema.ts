// SPDX-License-Identifier: Apache-2.0
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from "ajv/dist/2020.js";

/** Schemas that were compiled: that takes longer than most values. */
const COMPILED = new WeakMap<AnySchemaObject, ValidateFunction>();

/**
 * Findings of a value against a JSON schema, each with the path of what is wrong; none when it is valid. Keywords that
 * the validator does not know throw, so that no constraint is passed over.
 */
export function validateJson(value: unknown, schema: AnySchemaObject): readonly string[] {
  const known = COMPILED.get(schema);
  const validate = known ?? new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema);
  if (known === undefined) COMPILED.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = "", params }) =>
    `${instancePath}: ${message} ${JSON.stringify(params)}`
  );
}
