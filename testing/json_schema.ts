// SPDX-License-Identifier: Apache-2.0
import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020.js";

/**
 * Findings of a value against a JSON schema, each with the path of what is wrong; none when it is valid. Keywords that
 * the validator does not know throw, so that no constraint is passed over.
 */
export function validateJson(value: unknown, schema: AnySchemaObject): readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
  if (ajv.validate(schema, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message = "", params }) =>
    `${instancePath}: ${message} ${JSON.stringify(params)}`
  );
}
