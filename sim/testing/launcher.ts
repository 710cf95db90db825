// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutIds, LayoutTable } from "../../lib/layout/layout_table.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { definitionOf, OP_DEFINITIONS } from "../../lib/ops/op_book.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import { traitsOf } from "../../lib/ops/op_traits.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import { programTensor } from "../../lib/programs/program_tensor.ts";
import { relayout } from "../../lib/programs/data_movement/relayout.ts";
import type { Device } from "../devices/device.ts";
import { loneChip } from "../kernels/price_program.ts";

/** The part of an op model that a cost model needs; it answers for illegal ops too. */
export function launcherOf(
  device: Device,
  layouts: LayoutTable,
): Pick<OpModel, "traits" | "programs" | "reshardPrograms"> {
  const context = loneChip(device);
  const tensor = (shape: TensorShape, layout: LayoutId | undefined) =>
    programTensor(shape, layout === undefined ? undefined : layouts.get(layout));
  const tensors = (
    shapes: readonly (TensorShape | undefined)[],
    ids: LayoutIds,
  ) => shapes.map((shape, index) => shape === undefined ? undefined : tensor(shape, ids[index]));
  return {
    traits: traitsOf,
    programs: (op, inputs, outputs, config) =>
      launchPrograms(definitionOf(op.name).costClass, {
        name: op.name,
        attributes: op.attributes,
        inputs: tensors(op.operands, inputs),
        outputs: tensors(op.results, outputs),
        config,
      }, context),
    reshardPrograms: (shape, from, to) => relayout(tensor(shape, from), tensor(shape, to), context.chip),
  };
}

/** An op of a class, for tests of every class. @throws {RangeError} if no op is of the class */
export function opOfClass(costClass: CostClass): string {
  const definition = OP_DEFINITIONS.find((op) => op.costClass === costClass);
  if (definition === undefined) throw new RangeError(`No op is of the class ${costClass}`);
  return definition.name;
}
