// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type AliasText, coreRangeSetText, parseCoreRangeSet } from "../dialect/core_range_set.ts";
import { insideAngles, splitTopLevel } from "../ir/balanced.ts";
import type { CoreRange } from "../layout/core_range.ts";
import { DATA_TYPES, type DataType, parseDataType } from "../layout/data_type.ts";
import { structFields } from "./struct_fields.ts";

/** `#ttnn.unary_with_param`. */
export interface UnaryWithParam {
  /** Name as TTNN spells it, for example `relu` or `gelu`; not checked. */
  readonly opType: string;
  /** Numbers that the function takes, in its order; `[]` for most. */
  readonly params: readonly number[];
}

/** A JSON schema, as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How the values of one kind are read from text, checked and written. */
export interface ValueKind<out Value> {
  /** Description of valid values, for messages. */
  readonly expected: string;
  /** The value in the JSON of a plan. */
  readonly schema: v.GenericSchema<unknown, Value>;
  /** The same as JSON schema. */
  readonly json: JsonSchema;
  /** Reads the text of a field, nested attributes in long or stripped form; `undefined` if it is not such a value. */
  readonly read: (text: string, alias: AliasText) => Value | undefined;
  /**
   * The text of a value.
   *
   * @throws {RangeError} if the value is of another kind
   */
  readonly print: (value: unknown) => string;
  /** How override options spell the value, where that differs. */
  readonly inOverride?: ValueKind<Value>;
}

interface KindParts<Value> extends Omit<ValueKind<Value>, "print"> {
  readonly print: (value: Value) => string;
}

function valueKind<Value>(parts: KindParts<Value>): ValueKind<Value> {
  const { expected, schema, read, print } = parts;
  return {
    ...parts,
    read: (text, alias) => {
      const value = read(alias(text.trim()), alias);
      return v.is(schema, value) ? value : undefined;
    },
    print: (value) => {
      const result = v.safeParse(schema, value);
      if (result.success) return print(result.output);
      throw new RangeError(`Cannot write ${JSON.stringify(value)}: expected ${expected}`);
    },
  };
}

/** The word of an enum value: `tile`, `<tile>` or `#ttnn.layout<tile>`. */
function wordOf(text: string): string {
  return /^(?:#[\w.]+\s*)?<?\s*([A-Za-z_]\w*)\s*>?$/.exec(text)?.[1] ?? "";
}

/** The body of `#ttnn.x<body>` or `<body>`. */
function bodyOf(text: string): string {
  return insideAngles(text.replace(/^#[\w.]+\s*/, "")) ?? "";
}

/** A decimal integer within a range, with or without a type behind it. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): ValueKind<number> {
  return valueKind({
    expected: most === Number.MAX_SAFE_INTEGER
      ? `an integer of at least ${least}`
      : `an integer from ${least} to ${most}`,
    schema: v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most)),
    json: { type: "integer", minimum: least, maximum: most },
    read: (text) => {
      const digits = /^(\d+)(?:\s*:\s*\w+)?$/.exec(text)?.[1];
      return digits === undefined ? undefined : Number(digits);
    },
    print: String,
  });
}

/** `true` or `false`. */
export const FLAG: ValueKind<boolean> = valueKind({
  expected: "true, false",
  schema: v.boolean(),
  json: { type: "boolean" },
  read: (text) => text === "true" ? true : text === "false" ? false : undefined,
  print: String,
});

/** One of the words of an enum. */
export function word<Word extends string>(words: readonly Word[]): ValueKind<Word> {
  return valueKind({
    expected: words.join(", "),
    schema: v.picklist(words),
    json: { enum: words },
    read: (text) => {
      const read = wordOf(text).toLowerCase();
      return words.find((known) => known === read);
    },
    print: (value) => value,
  });
}

/** An element format. */
export const DATA_TYPE: ValueKind<DataType> = {
  ...word(DATA_TYPES),
  read: (text, alias) => parseDataType(wordOf(alias(text))),
};

const EXTENT = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Cores `[columns, rows]`, written as a core coordinate `<x, y>`, with the long form's head before it or without. */
export function coordinate(head: "" | "#ttnn.core_coord"): ValueKind<readonly [number, number]> {
  return pair("a core coordinate <x, y> of at least <1, 1>", {
    read: (text) => {
      const parts = /^(\d+)\s*,\s*(\d+)$/.exec(bodyOf(text));
      return parts === null ? undefined : [Number(parts[1]), Number(parts[2])];
    },
    print: ([x, y]) => `${head}<${x}, ${y}>`,
  });
}

/** Cores `[columns, rows]`, written as a grid of rows by columns. */
export const GRID: ValueKind<readonly [number, number]> = pair("a grid <rows x columns> of at least <1x1>", {
  read: (text) => {
    const parts = /^(\d+)\s*x\s*(\d+)$/.exec(bodyOf(text));
    return parts === null ? undefined : [Number(parts[2]), Number(parts[1])];
  },
  print: ([columns, rows]) => `#ttcore.grid<${rows}x${columns}>`,
});

function pair(
  expected: string,
  spelling: Pick<KindParts<readonly [number, number]>, "read" | "print">,
): ValueKind<readonly [number, number]> {
  return valueKind({
    expected,
    schema: v.tuple([EXTENT, EXTENT]),
    json: { type: "array", items: { type: "integer", minimum: 1 }, minItems: 2, maxItems: 2 },
    ...spelling,
  });
}

const POSITION = v.pipe(v.number(), v.integer(), v.minValue(0));
const CORE = v.strictObject({ x: POSITION, y: POSITION });

/** A core range in the JSON of a plan. */
export const CORE_RANGE: v.GenericSchema<unknown, CoreRange> = v.strictObject({ start: CORE, end: CORE });

const CORE_JSON: JsonSchema = {
  type: "object",
  required: ["x", "y"],
  properties: { x: { type: "integer", minimum: 0 }, y: { type: "integer", minimum: 0 } },
  additionalProperties: false,
};

export const CORE_RANGE_SET: ValueKind<readonly CoreRange[]> = valueKind<readonly CoreRange[]>({
  expected: "a core range set <[#ttnn.core_range<(0,0), (7,7)>]>",
  schema: v.array(CORE_RANGE),
  json: {
    type: "array",
    items: {
      type: "object",
      required: ["start", "end"],
      properties: { start: CORE_JSON, end: CORE_JSON },
      additionalProperties: false,
    },
  },
  read: parseCoreRangeSet,
  print: (ranges) => `#ttnn.core_range_set${coreRangeSetText(ranges)}`,
});

const UNARY: Pick<ValueKind<UnaryWithParam>, "schema" | "json"> = {
  schema: v.strictObject({
    opType: v.pipe(v.string(), v.regex(/^\w+$/)),
    params: v.array(v.pipe(v.number(), v.finite())),
  }),
  json: {
    type: "object",
    required: ["opType", "params"],
    properties: { opType: { type: "string" }, params: { type: "array", items: { type: "number" } } },
    additionalProperties: false,
  },
};

/** The only function that tt-mlir's `Conv2dConfigOverrideParser` takes. */
const RELU: ValueKind<UnaryWithParam> = valueKind({
  expected: "relu",
  ...UNARY,
  read: (text) => text === "relu" ? { opType: text, params: [] } : undefined,
  print: ({ opType }) => opType,
});

/** A unary function, with the long form's head before it or without. */
export function unary(head: "" | "#ttnn.unary_with_param"): ValueKind<UnaryWithParam> {
  return valueKind({
    expected: "a unary function <op_type = relu>",
    ...UNARY,
    read: (text, alias) => {
      const fields = structFields(bodyOf(text));
      const opType = wordOf(alias(fields.get("op_type") ?? ""));
      const list = /^\[([^]*)\]$/.exec(fields.get("params") ?? "[]")?.[1];
      if (list === undefined) return undefined;
      return { opType, params: splitTopLevel(list, ",").map((item) => Number(item.split(":")[0])) };
    },
    print: ({ opType, params }) => {
      const numbers = params.map((value) => `${Number.isInteger(value) ? value.toFixed(1) : value} : f32`);
      return `${head}<op_type = ${opType}${
        numbers.length === 0 ? "" : `, params = [${numbers.join(", ")}]`
      }>`;
    },
    inOverride: RELU,
  });
}

/** A unary function by its name in quotes, as in text before mid 2025. */
export const UNARY_NAME: ValueKind<UnaryWithParam> = valueKind({
  expected: 'the name of a unary function "relu" without parameters',
  ...UNARY,
  read: (text) => {
    const opType = /^"(\w+)"$/.exec(text)?.[1];
    return opType === undefined ? undefined : { opType, params: [] };
  },
  print: (value) => {
    if (value.params.length === 0) return `"${value.opType}"`;
    throw new RangeError(`Cannot write ${value.opType} with parameters by its name alone`);
  },
});
