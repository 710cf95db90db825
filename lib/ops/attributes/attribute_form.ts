// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../../ir/attribute.ts";

/**
 * How an attribute is printed, as upstream prints it. The type of its value follows: lists are lists of numbers, an
 * enum (`#ttcore.reduce_type`) is its word, `scalar` is a number printed as `f32` or `i32`, and `any` is an attribute with
 * a reader of its own, such as a config.
 */
export type AttributeType =
  | "i32"
  | "si32"
  | "ui32"
  | "i64"
  | "si64"
  | "si8"
  | "f32"
  | "scalar"
  | "bool"
  | "string"
  | "array<i32>"
  | "array<i64>"
  | "[i32]"
  | "[ui32]"
  | "shape"
  /** One number for all entries of a list, or the list. */
  | "si32 or array<i32>"
  | `#${string}`
  | "any";

/** A type with `?` is of an attribute that an op may lack, without a default. */
export type AttributeWord = AttributeType | `${AttributeType}?`;

/** One attribute: its type, or that with what else there is to say. */
export type AttributeSpec = AttributeWord | {
  readonly type: AttributeWord;
  /** Upstream's default if the op does not have it. */
  readonly default?: number | boolean | string | readonly number[];
  /** The least number that makes sense, or the least entry of a list. */
  readonly least?: number;
  /** How the text spells the name where that is not the key; spellings after the first are read, not written. */
  readonly spelled?: readonly string[];
  /** Meaning of the entries of a list, in their order; a single word holds for all of any number. */
  readonly order?: readonly string[];
};

/** The attributes of an op, by the names that code knows them by. */
export type AttributeForm = Readonly<Record<string, AttributeSpec>>;

type TypeOf<S> = S extends { readonly type: infer T } ? T : S;

type ValueOf<T> = T extends "bool" ? boolean
  : T extends `#${string}` | "string" ? string
  : T extends `[${string}` | `${string}array<${string}` | "shape" ? readonly number[]
  : T extends "any" ? Attribute
  : number;

type Read<S> = S extends { readonly default: unknown } ? ValueOf<TypeOf<S>>
  : TypeOf<S> extends `${infer T}?` ? ValueOf<T> | undefined
  : ValueOf<TypeOf<S>>;

/** Values of an op's attributes: of the declared type, the default, or `undefined` for one that may be missing. */
export type AttributeValues<F extends AttributeForm> = { readonly [K in keyof F]: Read<F[K]> };

/** A number with the type that it is printed in. */
export type Scalar = { readonly f32: number } | { readonly i32: number };

type InputOf<T> = T extends "any" ? string : T extends "scalar" ? Scalar : ValueOf<T>;

type Input<S> = TypeOf<S> extends `${infer T}?` ? InputOf<T> : InputOf<TypeOf<S>>;

/** Values to print; attributes with a reader of their own are given as printed; missing ones are not printed. */
export type AttributeInputs<F extends AttributeForm> = {
  readonly [K in keyof F]?: Input<F[K]> | undefined;
};

/** A value of any attribute to print; text of enums and scalars may be given as another text has printed it. */
export type AttributeValue = number | boolean | string | readonly number[] | Scalar;

/** A declaration with all its parts. */
export interface DeclaredAttribute {
  readonly type: string;
  readonly isRequired: boolean;
  readonly default: number | boolean | string | readonly number[] | undefined;
  readonly least: number | undefined;
  /** Spellings in the text, the one to write first. */
  readonly spelled: readonly [string, ...string[]];
  readonly order: readonly string[] | undefined;
}

/** The declaration of an attribute with what its short form leaves out. */
export function declaredAttribute(key: string, spec: AttributeSpec): DeclaredAttribute {
  const { type: word, ...given } = typeof spec === "string" ? { type: spec } : spec;
  const [first = key, ...older] = given.spelled ?? [];
  const type = word.replace(/\?$/, "");
  return {
    type,
    isRequired: type === word && given.default === undefined,
    default: given.default,
    least: given.least,
    spelled: [first, ...older],
    order: given.order,
  };
}
