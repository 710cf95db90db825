// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import * as v from "valibot";
import { validateJson } from "../../testing/json_schema.ts";
import { TTNN_PROFILES } from "../dialect/ttnn_profile.ts";
import { attributeMap, parseModule } from "../ir/mod.ts";
import { configKind, OP_CONFIGS } from "./op_config.ts";
import { parseOpConfig } from "./parse.ts";
import { opConfigProperties } from "./print.ts";
import { OP_CONFIG_JSON_SCHEMA, OP_CONFIG_SCHEMA } from "./schema.ts";
import type { Struct } from "./struct.ts";
import type { JsonSchema } from "./value_kinds.ts";
import { present } from "../../testing/present.ts";
import { OP_DEFINITIONS } from "../ops/op_book.ts";

/** An op with a program config for each kind of config. */
const OPS: ReadonlyMap<string, string> = new Map(
  OP_DEFINITIONS.flatMap(({ name, config }) => config?.program === undefined ? [] : [[config.kind, name]]),
);

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}

/** Values that a JSON schema allows, so that the schema is held against what parse, print and plan say. */
function valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"]);
  switch (schema["type"]) {
    case "integer":
      return fc.integer({
        min: Number(schema["minimum"]),
        max: Number(schema["maximum"] ?? Number.MAX_SAFE_INTEGER),
      });
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "string":
      return fc.stringMatching(/^[a-z_]\w{0,8}$/);
    case "array":
      assert(isSchema(schema["items"]));
      return fc.array(valueOf(schema["items"]), {
        minLength: Number(schema["minItems"] ?? 0),
        maxLength: Number(schema["maxItems"] ?? 3),
      });
  }
  assert(schema["type"] === "object" && isSchema(schema["properties"]));
  return fc.record(Object.fromEntries(
    Object.entries(schema["properties"]).map(([key, part]) => {
      assert(isSchema(part));
      return [key, valueOf(part)];
    }),
  ));
}

/** Values of the fields that TTNN has words for. */
function structValue({ fields, tag }: Struct<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const spelled = Object.entries(fields).filter(([, { backendOnly }]) => !backendOnly);
  const keys = spelled.filter(([, { required }]) => required).map(([key]) => key);
  const values = spelled.map(([key, { kind }]) => [key, valueOf(kind.json)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: keys }).map((value) => ({ ...tag, ...value }));
}

const CONFIG = fc.constantFrom(...Object.keys(OP_CONFIGS)).chain((kind) => {
  const slots = Object.entries<{ structs: readonly Struct<unknown>[] }>(OP_CONFIGS[configKind(kind)]);
  const parts = slots.map(([key, { structs }]) => [key, fc.oneof(...structs.map(structValue))] as const);
  return fc.record(Object.fromEntries(parts)).map((config) => ({ kind, ...config }));
}).map((data) => v.parse(OP_CONFIG_SCHEMA, data));

/** Before mid 2025 an activation has a name and nothing else. */
function isSpelledBefore(config: v.InferOutput<typeof OP_CONFIG_SCHEMA>): boolean {
  return config.kind !== "conv2d" || (config.conv2dConfig?.activation?.params ?? []).length === 0;
}

Deno.test("any config reads back from its text in every generation", () => {
  fc.assert(
    fc.property(CONFIG, fc.constantFrom(...TTNN_PROFILES), (config, profile) => {
      fc.pre(profile.name !== "g1" || isSpelledBefore(config));
      const opName = present(OPS.get(config.kind));
      const text = opConfigProperties(opName, config, profile).map(({ key, value }) => `${key} = ${value}`);
      const module = parseModule(`"${opName}"() <{${text.join(", ")}}> : () -> ()`, "c.mlir");
      const [operation] = module.operations;
      assert(operation !== undefined);
      assertEquals(parseOpConfig(opName, attributeMap(module, operation)), config);
    }),
    { numRuns: 400 },
  );
});

Deno.test("any config is what the JSON schema says, and reads back from JSON", () => {
  fc.assert(fc.property(CONFIG, (config) => {
    const data: unknown = JSON.parse(JSON.stringify(config, (_, value) => Object.is(value, -0) ? 0 : value));
    assertEquals(validateJson(data, OP_CONFIG_JSON_SCHEMA), []);
    assertEquals(JSON.stringify(v.parse(OP_CONFIG_SCHEMA, data)), JSON.stringify(data));
  }));
});

Deno.test("schema and JSON schema refuse the same: missing, unknown and bad fields, and kinds that are mixed up", () => {
  const programConfig = {
    kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
    in0BlockW: 2,
    perCoreM: 1,
    perCoreN: 4,
  };
  const { perCoreN: _, ...incomplete } = programConfig;
  const refused: readonly (readonly [data: unknown, path: string])[] = [
    [{ kind: "matmul", programConfig: incomplete }, "programConfig.perCoreN"],
    [{ kind: "matmul", programConfig: { ...programConfig, in0BlockW: 0 } }, "programConfig.in0BlockW"],
    [{ kind: "matmul", programConfig: { ...programConfig, fuseBatch: true } }, "programConfig.fuseBatch"],
    [{ kind: "matmul", programConfig: { ...programConfig, kind: "x" } }, "programConfig.kind"],
    [{ kind: "conv2d", programConfig }, "programConfig"],
    [{ kind: "conv2d", conv2dConfig: { shardLayout: "sharded" } }, "conv2dConfig.shardLayout"],
    [{ kind: "conv2d", sliceConfig: { sliceType: "l1_full" } }, "sliceConfig.numSlices"],
    [{ kind: "conv4d" }, "kind"],
  ];
  assertEquals(v.is(OP_CONFIG_SCHEMA, { kind: "matmul", programConfig }), true);
  for (const [data, path] of refused) {
    const result = v.safeParse(OP_CONFIG_SCHEMA, data);
    assertEquals(result.issues && v.getDotPath(result.issues[0]), path);
    assertNotEquals(validateJson(data, OP_CONFIG_JSON_SCHEMA), []);
  }
});
