// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { coreCount } from "../layout/core_range.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { layoutFootprint } from "../layout/ttnn/layout_footprint.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { physicalUnits } from "../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpDefinition } from "../ops/definition.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { shardMisfit } from "../programs/shard_spec.ts";
import type { InvalidConstraints, OpModel } from "./op_model.ts";
import type { Tensor } from "./tensor.ts";
import { describeTensor, refusalOf, refuseConfig, refuseLayout, RuleRefusal } from "./verdict.ts";

/** A defect of a layout, regardless of the tensor. */
export interface LayoutFault {
  readonly failure: "unsupported_layout" | "not_implemented";
  readonly rule: string;
  readonly message: string;
  readonly source: string;
}

function faultOf(
  rule: string,
  message: string,
  source: string = SHARDING,
  failure: LayoutFault["failure"] = "unsupported_layout",
): LayoutFault {
  return { failure, rule, message, source };
}

/** What layouts are checked against. */
export type CheckedLayouts = Pick<OpModel, "chip" | "layouts">;

/**
 * The first fault that a layout has for tensors of every shape (tt-mlir:op-model): row-major block floats, ND shards,
 * block shards in DRAM, a grid or shard that is not 2D, cores outside of the chip or fewer than shards. Cores are not
 * checked where the layout leaves them to the backend.
 */
export function layoutFault(layout: TtnnLayout, chip: ChipDescription): LayoutFault | undefined {
  if (layout.tile === undefined && isBlockFloat(layout.dataType)) {
    return faultOf(
      "layout/format",
      `is row-major ${layout.dataType}; block-float exists only in tiles`,
      "tt-metal:tensor-layout",
    );
  }
  if (!isSharded(layout)) return undefined;
  if (layout.memoryLayout === "nd_sharded") {
    return faultOf(
      "layout/nd-sharded",
      "is ND sharded, which TTNN ops of this rule book do not take",
      SHARDING,
      "not_implemented",
    );
  }
  if (layout.bufferType === "dram" && layout.memoryLayout === "block_sharded") {
    return faultOf("layout/dram-block-sharded", "is block sharded in DRAM");
  }
  if (layout.gridShape.length !== 2 || layout.shardShape.length !== 2) {
    return faultOf("layout/rank", "has a grid or a shard that is not two-dimensional");
  }
  return layout.ignorePhysicalLayout ? undefined : coresFault(layout, chip);
}

/** Checks that the cores or DRAM banks exist, at least one per shard. */
function coresFault(layout: TtnnLayout, chip: ChipDescription): LayoutFault | undefined {
  const { rows, columns } = layout.bufferType === "dram"
    ? { rows: 1, columns: chip.dramBanks }
    : chip.workerGrid;
  for (const { start, end } of layout.coreRanges) {
    if (end.x >= columns || end.y >= rows || start.x < 0 || start.y < 0) {
      return faultOf(
        "layout/grid",
        `uses core (${end.x},${end.y}) outside of the ${columns}x${rows} (x, y) grid`,
        "tt-mlir:op-model",
      );
    }
  }
  const cores = coreCount(layout.coreRanges);
  const shards = (layout.gridShape[0] ?? 0) * (layout.gridShape[1] ?? 0);
  if (cores < shards) {
    return faultOf("layout/grid", `has ${shards} shards and ${cores} cores`);
  }
  return undefined;
}

/**
 * The operands as tensors. Refuses a wrong number of operands. For ops whose layouts may change, also refuses operands
 * without a layout and layouts that no op accepts.
 */
export function checkOperands(
  op: OpSignature,
  definition: OpDefinition,
  inputs: LayoutIds,
  { chip, layouts }: CheckedLayouts,
): readonly (Tensor | undefined)[] {
  const count = op.operands.length;
  if (inputs.length !== count) {
    refuseConfig({ op }, "operand/count", `${inputs.length} layouts for ${count} operands`, DEFINITION);
  }
  const tensors: (Tensor | undefined)[] = [];
  let present = 0;
  for (let index = 0; index < count; index++) {
    const type = op.operands[index];
    const id = inputs[index];
    if (type === undefined) {
      tensors.push(undefined);
      continue;
    }
    present++;
    if (id === undefined) {
      if (!definition.movable) {
        tensors.push(undefined);
        continue;
      }
      refuseLayout({ op }, "operand/no-layout", `operand ${index} has no known layout`, DEFINITION);
    }
    const tensor: Tensor = { shape: type.shape, layout: layouts.get(id), layoutId: id };
    if (definition.movable) {
      const fault = operandFault(op, definition, index, tensor, chip);
      if (fault !== undefined) throw new RuleRefusal(fault);
    }
    tensors.push(tensor);
  }
  if (present < definition.minOperands && !takesNumber(definition, tensors)) {
    const fault = `needs ${definition.minOperands} tensor operands and has ${present}`;
    refuseConfig({ op }, "operand/missing", fault, DEFINITION);
  }
  if (present > definition.maxOperands) {
    const fault = `takes at most ${definition.maxOperands} tensor operands and has ${present}`;
    refuseConfig({ op }, "operand/count", fault, DEFINITION);
  }
  return tensors;
}

/** Whether a missing second operand may be a scalar: binary TTNN functions accept one. */
function takesNumber({ family }: OpDefinition, [first]: readonly (Tensor | undefined)[]): boolean {
  return family === "binary" && first !== undefined;
}

/** Whether an operand of an op may have a layout, regardless of the other operands. */
export function isSoundOperand(
  op: OpSignature,
  definition: OpDefinition,
  index: number,
  layoutId: LayoutId,
  { chip, layouts }: CheckedLayouts,
): boolean {
  const type = op.operands[index];
  if (type === undefined) return false;
  const tensor: Tensor = { shape: type.shape, layout: layouts.get(layoutId), layoutId };
  return operandFault(op, definition, index, tensor, chip) === undefined;
}

function operandFault(
  op: OpSignature,
  definition: OpDefinition,
  index: number,
  tensor: Tensor,
  chip: ChipDescription,
): InvalidConstraints | undefined {
  const { layout } = tensor;
  const refused = (
    rule: string,
    fault: string,
    source: string,
    failure: LayoutFault["failure"] = "unsupported_layout",
  ) => refusalOf(failure, rule, `${op.name}: ${describeTensor(index, tensor)}${fault}`, source);
  if (layout.bufferType === "system_memory") {
    return definition.acceptsHost ? undefined : refused("operand/host", " is in host memory", DEFINITION);
  }
  const fault = layoutFault(layout, chip);
  if (fault !== undefined) return refused(fault.rule, ` ${fault.message}`, fault.source, fault.failure);
  if (!isSharded(layout) || layout.ignorePhysicalLayout) return undefined;
  const misfit = shardMisfit(layout, tensor.shape, layout.tile);
  return misfit === undefined ? undefined : refused("operand/shard-does-not-fit", `: ${misfit}`, SHARDING);
}

const SHARDING = "tt-metal:sharding";
const DEFINITION = "op definition (ttnn dialect)";

/**
 * Why no tensor of this shape can have a layout on this chip: tt-mlir's `isLayoutLegalForTensorShape`, which
 * builds the tensor spec, checks its cores against the worker grid, and sizes pages and buffers
 * (tt-mlir:op-model).
 *
 * @returns `undefined` if one can
 */
export function layoutMisfit(
  shape: readonly number[],
  layout: TtnnLayout,
  chip: ChipDescription,
): string | undefined {
  const fault = layoutFault(layout, chip);
  if (fault !== undefined) return `the layout ${fault.message}`;
  if (layout.ignorePhysicalLayout || layout.bufferType === "system_memory") return undefined;
  const misfit = isSharded(layout) ? shardMisfit(layout, shape, layout.tile) : undefined;
  if (misfit !== undefined) return misfit;
  try {
    layoutFootprint(shape, layout, chip);
    return undefined;
  } catch (error) {
    if (error instanceof LayoutError) return error.message;
    throw error;
  }
}

/**
 * Whether no layout attribute can describe a tensor: `#ttnn.ttnn_layout` has shard = ⌈extent / grid⌉, but the
 * backend also allocates larger shards (tt-mlir:layout-attribute).
 */
export function isUnwritable(tensor: Tensor | undefined): boolean {
  if (tensor === undefined || !isSharded(tensor.layout)) return false;
  const { shardShape } = tensor.layout;
  return writtenLayout(tensor).shardShape.some((extent, axis) => extent !== shardShape[axis]);
}

/** The layout that an attribute states for the same grid: shard = ⌈extent / grid⌉. */
export function writtenLayout({ shape, layout }: Tensor): TtnnLayout {
  const { tile, gridShape } = layout;
  const shardShape = physicalUnits(shape, tile).map((extent, axis) =>
    Math.ceil(extent / (gridShape[axis] ?? 1))
  );
  return { ...layout, shardShape };
}

/** The refusal of an op with a result that no layout attribute can describe. */
export function unwritableResult({ name }: OpSignature, { shape, layout }: Tensor): InvalidConstraints {
  const { gridShape, shardShape } = layout;
  return refusalOf(
    "unsupported_layout",
    "result/unwritable",
    `${name}: its result of ${shape.join("x")} has ${gridShape.join("x")} shards of ${
      shardShape.join("x")
    }, ` +
      "which no layout attribute says",
    "tt-mlir:layout-attribute",
  );
}
