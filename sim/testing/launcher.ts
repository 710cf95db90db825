// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutTable } from "../../lib/layout/layout_table.ts";
import type { CostClass, OpModel, OpTraits } from "../../lib/opmodel/op_model.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import { programTensor } from "../../lib/programs/program_tensor.ts";
import { relayout } from "../../lib/programs/relayout.ts";
import { usableL1Bytes } from "../../lib/device/chip_description.ts";
import type { TensorShape } from "../../lib/graph/graph.ts";
import { chipDescription, type Device } from "../devices/device.ts";

/** What a cost model asks of an op model, for ops of classes that a test chooses, legal or not. */
export function launcherOf(
  device: Device,
  layouts: LayoutTable,
  classOf: (name: string) => CostClass,
): Pick<OpModel, "traits" | "programs" | "reshardPrograms"> {
  const chip = chipDescription(device);
  const tensor = (shape: TensorShape, layout: LayoutId | undefined) =>
    programTensor(shape, layout === undefined ? undefined : layouts.get(layout));
  const tensors = (
    shapes: readonly (TensorShape | undefined)[],
    ids: readonly (LayoutId | undefined)[],
  ) => shapes.map((shape, index) => shape === undefined ? undefined : tensor(shape, ids[index]));
  return {
    traits: (op): OpTraits => ({
      movable: true,
      known: true,
      viewOf: undefined,
      inPlaceOperand: undefined,
      costClass: classOf(op.name),
      operandRoles: op.operands.map(() => "activation"),
    }),
    programs: (op, inputs, outputs, config) =>
      launchPrograms(classOf(op.name), {
        name: op.name,
        attributes: op.attributes,
        inputs: tensors(op.operands, inputs),
        outputs: tensors(op.results, outputs),
        config,
      }, { chip, usableL1Bytes: usableL1Bytes(chip, 1, 0), meshShape: [] }),
    reshardPrograms: (shape, from, to) => relayout(tensor(shape, from), tensor(shape, to), chip),
  };
}
