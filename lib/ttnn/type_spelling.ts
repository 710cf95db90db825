// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "../ir/mod.ts";
import { perModule } from "../ir/per_module.ts";
import type { Spelling } from "./spelling.ts";
import type { TtnnType } from "./value.ts";

/** The spelling in the module of each type read from it; changed copies of a type have no entry. */
export const spellingsOf: (module: ModuleText) => WeakMap<TtnnType, string> = perModule(() => new WeakMap());

/** The text of a type, spelled as in the module if it was read from there. */
export function spelledType(module: ModuleText, type: TtnnType, spelling: Spelling): string {
  const known = spellingsOf(module).get(type);
  if (known !== undefined) return known;
  if (type.kind === "other") return type.text;
  const element = type.element ?? spelling.element(type.dataType);
  const extents = type.shape.map((extent) => `${extent}x`).join("");
  return `tensor<${extents}${element}, ${spelling.layout(type.layout, type.shape)}>`;
}
