// SPDX-License-Identifier: Apache-2.0
import type { PropertyText } from "../dialect/memory_op_properties.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import type { ModuleText, Patch } from "../ir/mod.ts";
import type { DataType } from "../layout/data_type.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { perModule } from "../ir/per_module.ts";
import type { TtnnType } from "./value.ts";

/** How a dialect generation spells types and ops (tt-mlir:ir-generations). */
export interface Spelling {
  /**
   * Alias of the layout attribute in the encoding of a tensor type. `shape` is the logical tensor shape; `mesh` is the
   * text of the mesh of a multi-chip tensor.
   */
  layout(layout: TtnnLayout, shape: readonly number[], mesh?: string): string;
  /** Element of a tensor type, for example `ui32` or `!ttcore.tile<32x32, bfp_bf8>`. */
  element(dataType: DataType): string;
  /**
   * Properties that repeat a result layout (`memory_config`, `layout`, `dtype`): those that the op has, and those that ops
   * of its name have in this generation.
   */
  resultProperties(name: string, present: Iterable<string>, layout: TtnnLayout): readonly PropertyText[];
  /** The attribute that states the purpose of a new function. */
  functionKind(kind: string): AttributeTexts;
  /** Patches with the dialect of tiles and devices (`tt`, `ttcore`) named as in this age. */
  inDialect(patches: readonly Patch[]): readonly Patch[];
  /** Properties of `ttnn.deallocate`, for example ` <{force = false}>`. */
  readonly deallocateProperties: string;
}

/** The spelling in the module of each type read from it; changed copies of a type have no entry. */
export const spellingsOf: (module: ModuleText) => WeakMap<TtnnType, string> = perModule(() => new WeakMap());

/** The text of a type, spelled as in the module if it was read from there. */
export function spelledType(module: ModuleText, type: TtnnType, spelling: Spelling): string {
  const cached = spellingsOf(module).get(type);
  if (cached !== undefined) return cached;
  if (type.kind === "other") return type.text;
  const { shape } = type;
  const element = type.element ?? spelling.element(type.dataType);
  return `tensor<${[...shape, element].join("x")}, ${spelling.layout(type.layout, shape, type.mesh)}>`;
}
