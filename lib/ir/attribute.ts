// SPDX-License-Identifier: Apache-2.0

/**
 * An attribute of an operation as data. Aliases are resolved, except inside a `dialect` body and inside source text.
 * An attribute that the parser does not understand is `opaque`: its exact source text.
 */
export type Attribute =
  | { readonly kind: "unit" }
  | { readonly kind: "bool"; readonly value: boolean }
  /** `type` is the printed type suffix (`i32`, `si32`, `ui64`, `index`) or `undefined` where none stands. */
  | { readonly kind: "integer"; readonly value: bigint; readonly type: string | undefined }
  | { readonly kind: "float"; readonly value: number; readonly type: string | undefined }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "array"; readonly elements: readonly Attribute[] }
  /** `array<i64: 1, 2>`. */
  | { readonly kind: "denseArray"; readonly elementType: string; readonly values: readonly number[] }
  | { readonly kind: "dictionary"; readonly entries: AttributeMap }
  /** `@name`, possibly nested `@a::@b` (kept as written, without the first `@`). */
  | { readonly kind: "symbol"; readonly name: string }
  /** A type used as an attribute; exact source text. */
  | { readonly kind: "type"; readonly text: string }
  /**
   * `#dialect.mnemonic<body>` and `#dialect<mnemonic body>`. `body` is the exact source text between the angle
   * brackets (after the mnemonic in the second form), with the aliases inside it still unresolved.
   */
  | { readonly kind: "dialect"; readonly dialect: string; readonly mnemonic: string; readonly body: string }
  /** `dense<…> : type`, `affine_map<…>`, locations and everything else: exact source text. */
  | { readonly kind: "opaque"; readonly text: string };

/** Attributes by name, in the order of the source. Inherent properties and discardable attributes are merged. */
export type AttributeMap = ReadonlyMap<string, Attribute>;
