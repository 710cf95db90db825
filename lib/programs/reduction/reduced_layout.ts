// SPDX-License-Identifier: Apache-2.0

/** Result layouts of reductions (`ttnn:backend-0-81-1`). */

import { boxExtent, coreCount } from "../../layout/core_range.ts";
import { physicalUnits } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { shardMisfit } from "../shard_spec.ts";

/** Why a chain of programs cannot run, as an exception. */
export class StepFault extends Error {
  /** Stable name of the rule, without the family. */
  readonly rule: string;

  constructor(rule: string, fault: string) {
    super(fault);
    this.name = "StepFault";
    this.rule = rule;
  }
}

/**
 * The layout of a reduction's result: memory layout and buffer type of the requested memory, on its cores, or
 * the operand's if it has no shard spec; shards are computed anew. A result whose rows fit one height shard
 * becomes width sharded.
 *
 * @throws {StepFault} if there are no cores, or for blocks no single rectangle of cores
 */
export function reducedLayout(tensor: TensorShape, asked: TtnnLayout, operand: TtnnLayout): TtnnLayout {
  if (!isSharded(asked)) return asked;
  const source = asked.ignorePhysicalLayout ? operand : asked;
  if (!isSharded(source) || source.bufferType !== asked.bufferType) {
    throw new StepFault("no-shard-spec", "a sharded result of an operand in other memory needs a shard spec");
  }
  const [rows, columns] = physicalUnits(tensor.shape, DEFAULT_TILE);
  const cores = coreCount(source.coreRanges);
  const placed = {
    ...source,
    dataType: tensor.dataType,
    tile: DEFAULT_TILE,
    bufferType: asked.bufferType,
    ignorePhysicalLayout: false,
  } as const;
  if (asked.memoryLayout === "block_sharded") {
    if (source.coreRanges.length !== 1) {
      throw new StepFault("block-cores", "blocks need one rectangle of cores");
    }
    const [down, across] = boxExtent(source.coreRanges);
    return {
      ...placed,
      memoryLayout: "block_sharded",
      gridShape: [down, across],
      shardShape: [Math.ceil(rows / down), Math.ceil(columns / across)],
    };
  }
  const height = Math.ceil(rows / cores);
  if (asked.memoryLayout === "height_sharded" && height < rows) {
    return {
      ...placed,
      memoryLayout: "height_sharded",
      gridShape: [cores, 1],
      shardShape: [height, columns],
    };
  }
  const width = asked.memoryLayout === "height_sharded" ? columns : Math.ceil(columns / cores);
  return { ...placed, memoryLayout: "width_sharded", gridShape: [1, cores], shardShape: [rows, width] };
}

/** The requested shards for a tiled tensor. @throws {StepFault} if they cannot hold it */
export function fitting({ shape, dataType }: TensorShape, asked: TtnnLayout): TtnnLayout {
  const layout = { ...asked, dataType, tile: DEFAULT_TILE };
  const misfit = isSharded(layout) ? shardMisfit(layout, shape, DEFAULT_TILE) : undefined;
  if (misfit !== undefined) {
    throw new StepFault("step-shards", `an intermediate of ${shape.join("x")}: ${misfit}`);
  }
  return layout;
}
