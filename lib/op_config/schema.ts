// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { OP_CONFIGS, type OpSpecificAttributes } from "./op_config.ts";
import { type Slot, tableSchema } from "./struct.ts";
import type { JsonSchema } from "./value_kinds.ts";

/** An op config in the JSON of a plan. */
export const OP_CONFIG_SCHEMA: v.GenericSchema<unknown, OpSpecificAttributes> = tableSchema(
  v.variant(
    "kind",
    Object.entries(OP_CONFIGS).map(([kind, slots]) =>
      v.strictObject({
        kind: v.literal(kind),
        ...Object.fromEntries(
          Object.entries(slots).map(([key, slot]) => [key, v.exactOptional(slotSchema(slot))]),
        ),
      })
    ),
  ),
);

/** Structs of one slot are told apart by `kind`, so that an error names the field of the one that is meant. */
function slotSchema({ structs }: Slot<unknown>): v.GenericSchema {
  const [only, ...others] = structs;
  return only !== undefined && others.length === 0 ? only.schema : v.lazy((value) => {
    const kind = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
    return structs.find(({ tag }) => tag["kind"] === kind)?.schema ??
      v.strictObject({ kind: v.picklist(structs.flatMap(({ tag }) => tag["kind"] ?? [])) });
  });
}

/** The same as JSON schema. */
export const OP_CONFIG_JSON_SCHEMA: JsonSchema = {
  anyOf: Object.entries(OP_CONFIGS).map(([kind, slots]) => ({
    type: "object",
    required: ["kind"],
    properties: {
      kind: { const: kind },
      ...Object.fromEntries(
        Object.entries(slots).map(([key, { structs }]) => [key, anyOf(structs.map(({ json }) => json))]),
      ),
    },
    additionalProperties: false,
  })),
};

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas };
}
