// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { type GraphFunction, valueAt, type ValueId } from "../graph/graph.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { allocatedBytesPerBank } from "../opmodel/tensor.ts";
import type { L1Schedule } from "./l1_schedule.ts";

/**
 * The arguments of a function as its L1 schedule holds them: whole pages per core, as the allocator reserves them,
 * freed after their last use where the input deallocates them.
 *
 * @param layoutOf layout in which an argument is given
 */
export function givenTensors(
  fn: GraphFunction,
  chip: ChipDescription,
  layoutOf: (argument: ValueId) => TtnnLayout | undefined = (argument) => valueAt(fn, argument).layout,
): L1Schedule["liveIn"] {
  return fn.arguments.map((tensor) => {
    const { definition, tensor: whole } = valueAt(fn, tensor);
    const layout = layoutOf(tensor);
    // In a mesh, each chip holds its part of an argument, regardless of the shape in its type.
    const shape = definition.kind === "argument" ? definition.chipShape ?? whole?.shape : whole?.shape;
    const isInL1 = layout?.bufferType === "l1" && shape !== undefined;
    return {
      tensor,
      l1Bytes: isInL1 ? allocatedBytesPerBank({ shape, layout }, chip) : 0,
      isFreed: fn.freedArguments.includes(tensor),
    };
  });
}
