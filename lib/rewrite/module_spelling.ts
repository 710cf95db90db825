// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { tensorElementText } from "../dialect/data_type.ts";
import { memoryOpProperties, resultProperties } from "../dialect/memory_op_properties.ts";
import { opConfigProperties } from "../op_config/print.ts";
import { aliasTextOf } from "../dialect/ttnn_layout.ts";
import { ttnnLayoutText } from "../dialect/ttnn_layout_text.ts";
import type { TtnnProfile } from "../dialect/ttnn_profile.ts";
import { attributeMap, type ModuleText, textOf } from "../ir/mod.ts";
import type { LayoutAliases } from "./layout_aliases.ts";
import type { Spelling } from "./spelling.ts";

/** The spelling of a generation, with the aliases of a module. */
export function moduleSpelling(
  module: ModuleText,
  aliases: LayoutAliases,
  chip: ChipDescription,
  profile: TtnnProfile,
): Spelling {
  const bufferType = aliases.bufferType.bind(aliases);
  const style = {
    generation: profile.layoutGeneration,
    workerGrid: chip.workerGrid,
    dialect: profile.dialect,
    paddedMaps: profile.paddedMaps,
    bufferType,
  };
  return {
    layout: (layout, shape, mesh) => aliases.layout(ttnnLayoutText(layout, shape, style, mesh)),
    element: (dataType) => tensorElementText(dataType, profile.dialect),
    memoryOpProperties: (op, layout) => memoryOpProperties(op, layout, profile, bufferType),
    resultProperties: (present, layout) => resultProperties(present, layout, bufferType, profile.dialect),
    configProperties: (operation, config) =>
      opConfigProperties(operation.name, config, profile, {
        attributes: attributeMap(module, operation),
        alias: aliasTextOf(module),
      }),
    deallocateProperties: deallocateProperties(module),
  };
}

/** As the input's own `deallocate`s have it. */
function deallocateProperties(module: ModuleText): string {
  const known = module.operations.find((operation) => operation.name === "ttnn.deallocate")?.properties?.span;
  return ` ${known === undefined ? "<{force = false}>" : textOf(module, known)}`;
}
