// SPDX-License-Identifier: Apache-2.0

/**
 * A validator for the part of JSON Schema (2020-12) that the schemas under `docs/schema/` use: `type`, `const`,
 * `enum`, `properties`, `required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `minimum`, `maximum`,
 * `anyOf` and `$ref` into `$defs`. Keywords beyond these are findings, so that no constraint is passed over.
 *
 * @module
 */

const KNOWN: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$defs",
  "$ref",
  "title",
  "description",
  "type",
  "const",
  "enum",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "anyOf",
]);

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && Number.isInteger(value)) return "integer";
  return typeof value;
}

/**
 * Findings of a value against a schema, each with the path of what is wrong; none when it is valid.
 *
 * @param schema parsed JSON Schema, also the root that `$ref` looks into
 */
export function validateJson(value: unknown, schema: unknown): string[] {
  const findings: string[] = [];
  check(value, schema, "$", schema, findings);
  return findings;
}

function check(value: unknown, schema: unknown, path: string, root: unknown, findings: string[]): void {
  if (schema === true) return;
  if (schema === false || !isObject(schema)) {
    findings.push(`${path}: nothing is allowed here`);
    return;
  }
  for (const keyword of Object.keys(schema)) {
    if (!KNOWN.has(keyword)) findings.push(`${path}: the schema's keyword ${keyword} is not supported`);
  }
  if (typeof schema.$ref === "string") check(value, resolve(schema.$ref, root), path, root, findings);
  const actual = typeOf(value);
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  if (
    types.length > 0 && !types.some((type) => type === actual || (type === "number" && actual === "integer"))
  ) {
    findings.push(`${path}: ${actual} instead of ${types.join(" or ")}`);
    return;
  }
  if ("const" in schema && schema.const !== value) {
    findings.push(`${path}: ${JSON.stringify(value)} instead of ${JSON.stringify(schema.const)}`);
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    findings.push(`${path}: ${JSON.stringify(value)} is none of ${schema.enum.join(", ")}`);
  }
  if (typeof value === "number") {
    if (typeof schema.minimum === "number" && value < schema.minimum) {
      findings.push(`${path}: ${value} is below ${schema.minimum}`);
    }
    if (typeof schema.maximum === "number" && value > schema.maximum) {
      findings.push(`${path}: ${value} is above ${schema.maximum}`);
    }
  }
  if (Array.isArray(value)) checkItems(value, schema, path, root, findings);
  if (isObject(value)) checkProperties(value, schema, path, root, findings);
  if (Array.isArray(schema.anyOf)) {
    const attempts = schema.anyOf.map((option) => {
      const own: string[] = [];
      check(value, option, path, root, own);
      return own;
    });
    if (!attempts.some((own) => own.length === 0)) findings.push(...attempts[0] ?? []);
  }
}

function checkItems(
  value: readonly unknown[],
  schema: JsonObject,
  path: string,
  root: unknown,
  findings: string[],
): void {
  if (typeof schema.minItems === "number" && value.length < schema.minItems) {
    findings.push(`${path}: fewer than ${schema.minItems} items`);
  }
  if (typeof schema.maxItems === "number" && value.length > schema.maxItems) {
    findings.push(`${path}: more than ${schema.maxItems} items`);
  }
  if (schema.items === undefined) return;
  value.forEach((item, index) => check(item, schema.items, `${path}[${index}]`, root, findings));
}

function checkProperties(
  value: JsonObject,
  schema: JsonObject,
  path: string,
  root: unknown,
  findings: string[],
): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (!(String(name) in value)) findings.push(`${path}: ${name} is missing`);
  }
  for (const [name, part] of Object.entries(value)) {
    if (name in properties) check(part, properties[name], `${path}.${name}`, root, findings);
    else if (schema.additionalProperties === false) findings.push(`${path}: ${name} is not known`);
    else if (schema.additionalProperties !== undefined) {
      check(part, schema.additionalProperties, `${path}.${name}`, root, findings);
    }
  }
}

function resolve(reference: string, root: unknown): unknown {
  let at = root;
  for (const part of reference.replace(/^#\//, "").split("/")) {
    at = isObject(at) ? at[part] : undefined;
  }
  return at ?? false;
}
