// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { tensorElementText } from "../dialect/data_type.ts";
import { functionKindAttribute } from "../dialect/function_kind.ts";
import { inDialect } from "../dialect/host_dialects.ts";
import { repeatedKeys, resultProperties } from "../dialect/memory_op_properties.ts";
import { ttnnLayoutText } from "../dialect/ttnn_layout_text.ts";
import type { TtnnProfile } from "../dialect/ttnn_profile.ts";
import { type ModuleText, textOf } from "../ir/mod.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { LayoutAliases } from "./layout_aliases.ts";
import type { Spelling } from "./spelling.ts";

/** The spelling of a dialect generation, with aliases for layouts and buffer types. */
export function spellingOf(profile: TtnnProfile, aliases: LayoutAliases, chip: ChipDescription): Spelling {
  const bufferType = aliases.bufferType.bind(aliases);
  const style = {
    generation: profile.layoutGeneration,
    workerGrid: chip.workerGrid,
    dialect: profile.dialect,
    paddedMaps: profile.paddedMaps,
    bufferType,
  };
  /** By layout, then by shape and mesh: graphs have few layouts in many places. */
  const layouts = new Map<TtnnLayout, Map<string, string>>();
  const spelledLayout: Spelling["layout"] = (layout, shape, mesh) => {
    const cached = layouts.getOrInsertComputed(layout, () => new Map());
    const key = `${shape.join("x")} ${mesh ?? ""}`;
    const text = cached.getOrInsertComputed(
      key,
      () => aliases.layout(ttnnLayoutText(layout, shape, style, mesh)),
    );
    return text;
  };
  return {
    layout: spelledLayout,
    element: (dataType) => tensorElementText(dataType, profile.dialect),
    resultProperties: (name, present, layout) =>
      resultProperties(
        new Set([...present, ...repeatedKeys(name, profile)]),
        layout,
        bufferType,
        profile.dialect,
      ),
    functionKind: (kind) => functionKindAttribute(kind, profile),
    inDialect: (patches) =>
      profile.dialect === "ttcore"
        ? patches
        : patches.map((patch) => ({ ...patch, text: inDialect(patch.text, profile.dialect) })),
    deallocateProperties: " <{force = false}>",
  };
}

/** The spelling of a dialect generation in a module, which new deallocations are to look like. */
export function moduleSpelling(
  module: ModuleText,
  aliases: LayoutAliases,
  chip: ChipDescription,
  profile: TtnnProfile,
): Spelling {
  const spelling = spellingOf(profile, aliases, chip);
  const freed = module.operations.find(({ name }) => name === "ttnn.deallocate")?.properties;
  return freed === undefined
    ? spelling
    : { ...spelling, deallocateProperties: ` ${textOf(module, freed.span)}` };
}
