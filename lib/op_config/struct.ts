// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { AliasText } from "../dialect/core_range_set.ts";
import { type ProfileName, TTNN_PROFILES, type TtnnProfile } from "../dialect/ttnn_profile.ts";
import type { JsonSchema, ValueKind } from "./value_kinds.ts";

/** An older spelling of a field; omitted parts are unchanged. */
export interface FormerSpelling<out Value> {
  /** The last profile that spells it so. */
  readonly until: ProfileName;
  readonly name?: string;
  readonly kind?: ValueKind<Value>;
}

/** One row of a table: a field of a struct attribute. */
export interface Field<out Value> {
  /** Name in the newest text. */
  readonly name: string;
  readonly kind: ValueKind<Value>;
  /** Whether it is required. A missing optional field means the backend's default. */
  readonly required: boolean;
  /** Older spellings, oldest first. All of them are read, for any profile of the text. */
  readonly formerly: readonly FormerSpelling<Value>[];
  /** All spellings, the newest first. */
  readonly spellings: readonly FieldSpelling<Value>[];
  /** Whether only the backend has it: no generation of TTNN spells it. Read and priced, never written. */
  readonly backendOnly: boolean;
}

/** A name of a field, and how its values are spelled under it. */
interface FieldSpelling<out Value> {
  readonly name: string;
  readonly kind: ValueKind<Value>;
}

/** Fields by their name in data, in the order in which they print. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A row for every field of a config, required exactly where the type says so. */
export type FieldTable<Config> = {
  readonly [Key in keyof Config]-?:
    & Field<NonNullable<Config[Key]>>
    & { readonly required: undefined extends Config[Key] ? false : true };
};

/** An optional field. */
export function optional<Value>(
  name: string,
  kind: ValueKind<Value>,
  formerly: readonly FormerSpelling<Value>[] = [],
): Field<Value> & { readonly required: false } {
  return {
    name,
    kind,
    required: false,
    formerly,
    spellings: spellings(name, kind, formerly),
    backendOnly: false,
  };
}

/** An optional field of the backend that no generation of TTNN spells. */
export function backendOnly<Value>(
  name: string,
  kind: ValueKind<Value>,
): Field<Value> & { readonly required: false } {
  return { ...optional(name, kind), backendOnly: true };
}

/** A required field. */
export function required<Value>(
  name: string,
  kind: ValueKind<Value>,
): Field<Value> & { readonly required: true } {
  return { ...optional(name, kind), required: true };
}

function spellings<Value>(
  name: string,
  kind: ValueKind<Value>,
  formerly: readonly FormerSpelling<Value>[],
): readonly FieldSpelling<Value>[] {
  const former = formerly.map((was) => ({ name: was.name ?? name, kind: was.kind ?? kind }));
  return [{ name, kind }, ...former.toReversed()];
}

/** A struct attribute `#ttnn.mnemonic<…>`. */
export interface Struct<out Config> {
  readonly mnemonic: string;
  readonly fields: Fields;
  /** Every name of every field. */
  readonly fieldNames: ReadonlySet<string>;
  /** Names of fields of older generations that no prediction depends on: kept in the text, and not read. */
  readonly dropped: ReadonlySet<string>;
  /** Extra data besides the fields, to discriminate structs. */
  readonly tag: Readonly<Record<string, string>>;
  /** Names of the fields when they stand by position instead of by name, as in `<l1_full, 0>`; else none. */
  readonly positions: readonly string[];
  /** The struct in the JSON of a plan. */
  readonly schema: v.GenericSchema<unknown, Config>;
  /** The same as JSON schema. */
  readonly json: JsonSchema;
}

/**
 * A struct attribute of the given table.
 *
 * @param dropped names of fields that older generations have beside those of the table
 */
export function struct<Config extends object>(
  mnemonic: string,
  fields: FieldTable<Config> & Fields,
  dropped: readonly string[] = [],
): Struct<Config> {
  return { ...structOf<Config>(mnemonic, fields, {}, []), dropped: new Set(dropped) };
}

/** A struct attribute whose fields stand by position, as in `<l1_full, 0>`. */
export function positionalStruct<Config extends object>(
  mnemonic: string,
  fields: FieldTable<Config> & Fields,
): Struct<Config> {
  return structOf(mnemonic, fields, {}, Object.values<Field<unknown>>(fields).map(({ name }) => name));
}

/** The program config `#ttnn.KIND_program_config<…>` among several that one op may carry. */
export function programConfig<Config extends { readonly kind: string }>(
  kind: Config["kind"],
  fields: FieldTable<Omit<Config, "kind">> & Fields,
): Struct<Config> {
  return structOf(`${kind}_program_config`, fields, { kind }, []);
}

function structOf<Config>(
  mnemonic: string,
  fields: Fields,
  tag: Readonly<Record<string, string>>,
  positions: readonly string[],
): Struct<Config> {
  const rows = Object.entries(fields);
  const tags = Object.entries(tag);
  return {
    mnemonic,
    fields,
    fieldNames: new Set(rows.flatMap(([, { spellings }]) => spellings.map(({ name }) => name))),
    dropped: new Set(),
    tag,
    positions,
    schema: tableSchema(v.strictObject({
      ...Object.fromEntries(tags.map(([key, value]) => [key, v.literal(value)])),
      ...Object.fromEntries(
        rows.map(([key, { kind, required }]) => [key, required ? kind.schema : v.exactOptional(kind.schema)]),
      ),
    })),
    json: {
      type: "object",
      required: [...Object.keys(tag), ...rows.filter(([, { required }]) => required).map(([key]) => key)],
      properties: {
        ...Object.fromEntries(tags.map(([key, value]) => [key, { const: value }])),
        ...Object.fromEntries(rows.map(([key, { kind }]) => [key, kind.json])),
      },
      additionalProperties: false,
    },
  };
}

/**
 * Types a schema that was put together from a table. The table is checked against the type by the compiler, row by row,
 * so what the schema lets pass is of the type.
 */
export function tableSchema<Value>(
  schema: v.GenericSchema<unknown, unknown>,
): v.GenericSchema<unknown, Value> {
  return v.pipe(schema, v.guard((_passed: unknown): _passed is Value => true));
}

/** A field read from a struct's text. */
export type FieldReading =
  | { readonly state: "missing" }
  | { readonly state: "value"; readonly value: unknown; readonly name: string; readonly text: string }
  /** It is present, but not a valid value in any known spelling. */
  | { readonly state: "unread"; readonly name: string; readonly text: string };

/** Reads one field in any of its spellings. */
export function readField(
  field: Field<unknown>,
  texts: ReadonlyMap<string, string>,
  alias: AliasText,
): FieldReading {
  let reading: FieldReading = { state: "missing" };
  for (const { name, kind } of field.spellings) {
    const text = texts.get(name);
    if (text === undefined) continue;
    const value = kind.read(text, alias);
    if (value !== undefined) return { state: "value", value, name, text };
    reading = { state: "unread", name, text };
  }
  return reading;
}

/** How a profile spells a field. */
export function spellingIn(
  field: Field<unknown>,
  profile: Pick<TtnnProfile, "name">,
): FieldSpelling<unknown> {
  const age = (of: ProfileName) => TTNN_PROFILES.findIndex((candidate) => candidate.name === of);
  const { name, kind, formerly } = field;
  const was = formerly.find(({ until }) => age(profile.name) <= age(until));
  return { name: was?.name ?? name, kind: was?.kind ?? kind };
}

/** One struct attribute of an op: the property that holds it, and the structs that may stand there. */
export interface Slot<out Config> {
  /** `undefined` is the program config, which ops carry under keys of their own. */
  readonly property: string | undefined;
  readonly structs: readonly Struct<Config>[];
}

/** Slots by their name in data. */
export type Slots = Readonly<Record<string, Slot<unknown>>>;

export function slot<Config>(
  property: string | undefined,
  ...structs: readonly Struct<Config>[]
): Slot<Config> {
  return { property, structs };
}
