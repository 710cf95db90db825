// SPDX-License-Identifier: Apache-2.0
import { type BufferType, pagesOf, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { memoryConfigOf, memoryConfigText } from "./memory_config.ts";
import type { TtnnProfile } from "./ttnn_profile.ts";

/** One property of an op: its key and the text of its value. */
export interface PropertyText {
  readonly key: string;
  readonly value: string;
}

/** Ops that conversions between two layouts are made of. */
export type MemoryOp =
  | "ttnn.to_memory_config"
  | "ttnn.to_layout"
  | "ttnn.to_device"
  | "ttnn.from_device"
  | "ttnn.typecast";

/**
 * The properties that a memory op carries in a file of the given profile, as text in the order in which they print;
 * empty for profiles in which the result type says it all (tt-mlir:ir-generations).
 *
 * @param result layout of the op's result
 * @param bufferType how a memory space is written, for example as the alias `#dram`
 */
export function memoryOpProperties(
  op: MemoryOp,
  result: TtnnLayout,
  profile: TtnnProfile,
  bufferType?: (bufferType: BufferType) => string,
): PropertyText[] {
  switch (op) {
    case "ttnn.to_memory_config":
    case "ttnn.to_device":
      if (!profile.memoryConfigProperty) return [];
      return [{ key: "memory_config", value: memoryConfigText(memoryConfigOf(result), bufferType) }];
    case "ttnn.to_layout":
      return profile.layoutProperty ? [{ key: "layout", value: pageLayoutText(result) }] : [];
    case "ttnn.typecast":
      return profile.dtypeProperty ? [{ key: "dtype", value: dataTypeText(result, profile.dialect) }] : [];
    case "ttnn.from_device":
      return [];
  }
}

/**
 * The properties that repeat what an op's result layout says (`dtype`, `layout`, `memory_config`), for those keys that
 * the op carries: when a layout changes, they must change with it. Keys in print order.
 *
 * @param present keys of the op's attributes
 */
export function resultProperties(
  present: ReadonlySet<string>,
  result: TtnnLayout,
  bufferType?: (bufferType: BufferType) => string,
  dialect?: "ttcore" | "tt",
): PropertyText[] {
  const properties: PropertyText[] = [];
  if (present.has("dtype")) properties.push({ key: "dtype", value: dataTypeText(result, dialect) });
  if (present.has("layout")) properties.push({ key: "layout", value: pageLayoutText(result) });
  if (present.has("memory_config")) {
    properties.push({ key: "memory_config", value: memoryConfigText(memoryConfigOf(result), bufferType) });
  }
  return properties;
}

/** `#ttnn.layout<tile>` or `#ttnn.layout<row_major>`. */
export function pageLayoutText(layout: Pick<TtnnLayout, "tile">): string {
  return `#ttnn.layout<${pagesOf(layout)}>`;
}

/** `#ttcore.supportedDataTypes<bf16>`. */
function dataTypeText(
  layout: Pick<TtnnLayout, "dataType">,
  dialect: "ttcore" | "tt" = "ttcore",
): string {
  return `#${dialect}.supportedDataTypes<${layout.dataType}>`;
}
