// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { tensorElementText } from "../dialect/data_type.ts";
import { ttnnLayoutText } from "../dialect/ttnn_layout_text.ts";
import type { ModuleText } from "../ir/mod.ts";
import type { LayoutAliases } from "./layout_aliases.ts";
import type { Spelling } from "./spelling.ts";

/** The spelling of a module's generation. */
export function moduleSpelling(module: ModuleText, aliases: LayoutAliases, chip: ChipDescription): Spelling {
  const bufferType = aliases.bufferType.bind(aliases);
  return {
    layout: (layout, shape) =>
      aliases.layout(
        ttnnLayoutText(layout, shape, { generation: "G4", workerGrid: chip.workerGrid, bufferType }),
      ),
    element: tensorElementText,
    memoryOpProperties: () => [],
    resultProperties: () => [],
    configProperties: () => [],
    deallocateProperties: deallocateProperties(module),
  };
}

function deallocateProperties(module: ModuleText): string {
  const known = module.operations.find((operation) => operation.name === "ttnn.deallocate")?.properties?.span;
  return known === undefined ? " <{force = false}>" : ` ${module.text.slice(known.start, known.end)}`;
}
