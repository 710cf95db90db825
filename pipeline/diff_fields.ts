// SPDX-License-Identifier: Apache-2.0
import { isRecord } from "../lib/diagnostics/diagnostic.ts";
import type { DiffConversion, DiffOp } from "./diff_side.ts";

/** One difference between two matched ops. */
export interface ChangedField {
  /**
   * `layout`, `layout 1` for further results, `config.in0BlockW` and so on by path, the name of an attribute,
   * or `memory ops` for the copies that the op reads.
   */
  readonly field: string;
  /** Value in A; `""` for none. */
  readonly a: string;
  /** Value in B; `""` for none. */
  readonly b: string;
}

/** Every field that differs: layouts, memory ops, the config field by field, attributes. */
export function changedFields(a: DiffOp, b: DiffOp): readonly ChangedField[] {
  return [
    ...layoutFields(a, b),
    ...hasOtherConversions(a, b)
      ? difference("memory ops", conversionText(a.conversions), conversionText(b.conversions))
      : [],
    ...fieldsOf("config", parsed(a.config), parsed(b.config)),
    ...attributeFields(a.key, b.key),
  ];
}

/** The copies that an op reads, in no particular order, with the reading operands. */
export function conversionText(conversions: readonly DiffConversion[]): string {
  return conversions.map(({ from, to, operand }) =>
    `${operand === undefined ? "" : `operand ${operand}: `}${from}→${to}`
  ).sort().join("; ");
}

/** Whether the copies differ; the reading operand is not known everywhere. */
export function hasOtherConversions(a: DiffOp, b: DiffOp): boolean {
  const key = ({ conversions }: DiffOp) =>
    conversions.map(({ from, to }) => `${from}→${to}`).sort().join(" ");
  return key(a) !== key(b);
}

function layoutFields(a: DiffOp, b: DiffOp): readonly ChangedField[] {
  const count = Math.max(a.layouts.length, b.layouts.length);
  return Array.from({ length: count }, (_, result) =>
    difference(
      result === 0 ? "layout" : `layout ${result}`,
      a.layouts[result] ?? "",
      b.layouts[result] ?? "",
    )).flat();
}

function parsed(config: string): unknown {
  return config === "" ? undefined : JSON.parse(config);
}

function fieldsOf(path: string, a: unknown, b: unknown): readonly ChangedField[] {
  if (!isRecord(a) && !isRecord(b)) return difference(path, textOf(a), textOf(b));
  const [fieldsA, fieldsB] = [isRecord(a) ? a : {}, isRecord(b) ? b : {}];
  // The kind first, because it determines the other fields.
  return [...new Set(["kind", ...Object.keys(fieldsA), ...Object.keys(fieldsB)])]
    .flatMap((key) => fieldsOf(path === "" ? key : `${path}.${key}`, fieldsA[key], fieldsB[key]));
}

/** Keys are `name|shapes|…|attribute=value|…`; fields without a name are shapes and formats. */
function attributeFields(a: string, b: string): readonly ChangedField[] {
  if (a === b) return [];
  const [partsA, partsB] = [namedParts(a), namedParts(b)];
  return [...new Set([...partsA.keys(), ...partsB.keys()])]
    .flatMap((name) => difference(name, partsA.get(name) ?? "", partsB.get(name) ?? ""));
}

const PARTS = ["name", "operand shapes", "result shapes", "result formats"];

function namedParts(key: string): ReadonlyMap<string, string> {
  return new Map(
    key.split("|").map((part, index): [string, string] => {
      const name = PARTS[index];
      if (name !== undefined) return [name, part];
      const equals = part.indexOf("=");
      return [part.slice(0, equals), part.slice(equals + 1)];
    }),
  );
}

function difference(field: string, a: string, b: string): readonly ChangedField[] {
  return a === b ? [] : [{ field, a, b }];
}

function textOf(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
