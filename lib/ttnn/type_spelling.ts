// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "../ir/mod.ts";
import { perModule } from "../ir/per_module.ts";
import type { Spelling } from "./spelling.ts";
import type { TtnnType } from "./value.ts";

/** The spelling in the module of each type read from it; changed copies of a type have no entry. */
export const spellingsOf: (module: ModuleText) => WeakMap<TtnnType, string> = perModule(() => new WeakMap());

/** The text of a type, spelled as in the module if it was read from there. */
export function spelledType(module: ModuleText, type: TtnnType, spelling: Spelling): string {
  const cached = spellingsOf(module).get(type);
  if (cached !== undefined) return cached;
  if (type.kind === "other") return type.text;
  const { shape } = type;
  return tensorText(
    shape,
    type.element ?? spelling.element(type.dataType),
    spelling.layout(type.layout, shape),
  );
}

/** A tensor type as printed, from its element and its encoding as printed. */
export function tensorText(shape: readonly number[], element: string, encoding: string): string {
  return `tensor<${[...shape, element].join("x")}, ${encoding}>`;
}
