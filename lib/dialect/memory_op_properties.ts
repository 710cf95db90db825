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
 * The properties that repeat an op's result layout (`dtype`, `layout`, `memory_config`), for those keys that the op has:
 * when a layout changes, they must change with it. In print order.
 *
 * @param bufferType how a memory space is written, for example as the alias `#dram`
 */
export function resultProperties(
  keys: ReadonlySet<string>,
  result: TtnnLayout,
  bufferType?: (bufferType: BufferType) => string,
  dialect?: "ttcore" | "tt",
): PropertyText[] {
  const properties: PropertyText[] = [];
  if (keys.has("dtype")) properties.push({ key: "dtype", value: dataTypeText(result, dialect) });
  if (keys.has("layout")) properties.push({ key: "layout", value: pageLayoutText(result) });
  if (keys.has("memory_config")) {
    properties.push({ key: "memory_config", value: memoryConfigText(memoryConfigOf(result), bufferType) });
  }
  return properties;
}

/** A property that repeats a part of the result's type. */
type RepeatedKey = "dtype" | "layout" | "memory_config";

/** Ops that carried such properties as long as their profile has them, by key (tt-mlir:ir-generations). */
const REPEATING_OPS: Readonly<Record<RepeatedKey, ReadonlySet<string>>> = {
  dtype: ttnnOps(
    "typecast add subtract multiply divide eq ne gt ge lt le logical_and logical_or logical_xor " +
      "full constant arange ones zeros empty conv2d conv_transpose2d conv3d",
  ),
  layout: ttnnOps("to_layout full constant arange ones zeros empty"),
  memory_config: ttnnOps("to_memory_config to_device constant arange ones zeros empty"),
};

function ttnnOps(names: string): ReadonlySet<string> {
  return new Set(names.split(" ").map((name) => `ttnn.${name}`));
}

/**
 * Which of the properties that repeat the result's layout an op has in a profile, in print order.
 *
 * @param name full name of the op
 */
export function repeatedKeys(name: string, profile: TtnnProfile): readonly RepeatedKey[] {
  const keys: readonly RepeatedKey[] = ["dtype", "layout", "memory_config"];
  const isPresent = {
    dtype: profile.dtypeProperty,
    layout: profile.layoutProperty,
    memory_config: profile.memoryConfigProperty,
  };
  return keys.filter((key) => isPresent[key] && REPEATING_OPS[key].has(name));
}

/** Whether an op carried a property for a result's layout in some profile. */
export function wasRepeated(name: string, key: string): boolean {
  return (key === "dtype" || key === "layout" || key === "memory_config") && REPEATING_OPS[key].has(name);
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
