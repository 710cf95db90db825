// SPDX-License-Identifier: Apache-2.0
import { insideAngles, splitTopLevel } from "../ir/balanced.ts";
import type { CoreRange } from "../layout/core_range.ts";
import {
  type BufferType,
  isSharded,
  type ShardOrientation,
  type TensorMemoryLayout,
  type TtnnLayout,
} from "../layout/ttnn_layout.ts";
import { type AliasText, coreRangeSetText, parseCoreRangeSet } from "./core_range_set.ts";
import { parseBufferType, parseMemoryLayout } from "./ttnn_layout.ts";

/** `#ttnn.shard_spec`. */
export interface ShardSpec {
  readonly coreRanges: readonly CoreRange[];
  /** Extents of one shard in elements, also for tiled tensors. */
  readonly shape: readonly number[];
  readonly orientation: ShardOrientation;
}

/** `#ttnn.memory_config`. */
export interface MemoryConfig {
  readonly bufferType: BufferType;
  /** `undefined` for system memory. */
  readonly memoryLayout: TensorMemoryLayout | undefined;
  /** `undefined` for interleaved tensors, and for sharded ones that leave the shards to the backend. */
  readonly shardSpec: ShardSpec | undefined;
}

/**
 * Parses `#ttnn.memory_config<#dram, <interleaved>>`, with an optional shard spec.
 *
 * @returns `undefined` when the text is none, or in a spelling that we do not read (2024 text, `ndShardSpec`)
 */
export function parseMemoryConfig(text: string, alias: AliasText = (name) => name): MemoryConfig | undefined {
  const body = /^#ttnn\.memory_config\s*<([^]*)>$/.exec(alias(text.trim()))?.[1];
  if (body === undefined) return undefined;
  const [space = "", ...rest] = splitTopLevel(body, ",");
  const bufferType = parseBufferType(space, alias);
  if (bufferType === undefined) return undefined;
  let memoryLayout: TensorMemoryLayout | undefined;
  let shardSpec: ShardSpec | undefined;
  for (const part of rest) {
    const asLayout = parseMemoryLayout(part, alias);
    if (asLayout !== undefined) {
      memoryLayout = asLayout;
      continue;
    }
    shardSpec = parseShardSpec(part, alias);
    if (shardSpec === undefined) return undefined;
  }
  return { bufferType, memoryLayout, shardSpec };
}

function parseShardSpec(text: string, alias: AliasText): ShardSpec | undefined {
  const value = text.startsWith("shardSpec") ? text.slice(text.indexOf("=") + 1).trim() : text;
  const body = insideAngles(alias(value).replace(/^#ttnn\.shard_spec\s*/, ""));
  if (body === undefined) return undefined;
  const [cores = "", shapeText = "", orientationText = "<row_major>"] = splitTopLevel(body, ",");
  const coreRanges = parseCoreRangeSet(cores, alias);
  const shape = insideAngles(alias(shapeText).replace(/^#ttnn\.shape\s*/, ""))?.split("x").map(Number);
  const orientation = /^(?:#ttnn\.shard_orientation\s*)?<\s*(row_major|col_major)\s*>$/.exec(orientationText)
    ?.[1];
  if (coreRanges === undefined || shape === undefined || !shape.every(Number.isSafeInteger)) return undefined;
  if (orientation !== "row_major" && orientation !== "col_major") return undefined;
  return { coreRanges, shape, orientation };
}

/** The memory config of a layout; without a shard spec if the layout names no cores. */
export function memoryConfigOf(layout: TtnnLayout): MemoryConfig {
  const { bufferType, memoryLayout } = layout;
  if (!isSharded(layout) || layout.coreRanges.length === 0) {
    return { bufferType, memoryLayout, shardSpec: undefined };
  }
  const { tile, shardShape } = layout;
  const shape = shardShape.map((extent, dim) => {
    if (tile === undefined || dim < shardShape.length - 2) return extent;
    return extent * (dim === shardShape.length - 1 ? tile.width : tile.height);
  });
  return {
    bufferType,
    memoryLayout,
    shardSpec: { coreRanges: layout.coreRanges, shape, orientation: layout.shardOrientation },
  };
}

/**
 * The text of a memory config.
 *
 * @param bufferType how a memory space is written, for example as the alias `#dram`
 */
export function memoryConfigText(
  config: MemoryConfig,
  bufferType: (bufferType: BufferType) => string = (name) => `#ttnn.buffer_type<${name}>`,
): string {
  const parts = [bufferType(config.bufferType)];
  if (config.memoryLayout !== undefined) parts.push(`<${config.memoryLayout}>`);
  if (config.shardSpec !== undefined) {
    const { coreRanges, shape, orientation } = config.shardSpec;
    parts.push(`#ttnn.shard_spec<${coreRangeSetText(coreRanges)}, <${shape.join("x")}>, <${orientation}>>`);
  }
  return `#ttnn.memory_config<${parts.join(", ")}>`;
}
