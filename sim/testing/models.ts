// SPDX-License-Identifier: Apache-2.0
import { type LayoutId, type LayoutIds, LayoutTable } from "../../lib/layout/layout_table.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { definitionOf, OP_DEFINITIONS } from "../../lib/ops/op_book.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import { traitsOf } from "../../lib/ops/op_traits.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import { programTensor } from "../../lib/programs/program_tensor.ts";
import { relayout } from "../../lib/programs/data_movement/relayout.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { loneChip } from "../kernels/price_program.ts";
import { FULL_RUN } from "../../lib/programs/op_launch.ts";
import { NO_PROGRAMS } from "../../lib/programs/program.ts";
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";

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

/**
 * An op model without rules for tests of the simulator: every op is legal as asked, results get the wanted layouts,
 * `ttnn.reshape` is a view.
 *
 * @param circularBufferBytes per core, of every op that is no view
 */
export function plainOpModel(device: Device, circularBufferBytes = 0): OpModel {
  const isView = (op: OpSignature) => op.name === "ttnn.reshape";
  const layouts = new LayoutTable();
  const launches = launcherOf(device, layouts);
  return {
    assumed: FULL_RUN,
    chip: chipDescription(device),
    layouts,
    statistics: { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 0 },
    traits: (op) => ({ ...traitsOf(op), viewOf: isView(op) ? 0 : undefined }),
    queryOpConstraints: (op, _inputs, hint, config) => ({
      status: "valid",
      outputLayouts: op.results.map(() => hint),
      config,
      cbPeakBytes: isView(op) ? 0 : circularBufferBytes,
      cbPlacedBytes: isView(op) ? 0 : circularBufferBytes,
      tensorL1PeakBytes: 0,
      l1PeakBytes: circularBufferBytes,
      ownPeakBytes: circularBufferBytes,
      outputL1Bytes: 0,
      events: [],
      dependsOnRoom: false,
      programs: [],
      cores: 1,
      aliasedOperand: isView(op) ? 0 : undefined,
    }),
    programs: (op, inputs, outputs, config) =>
      isView(op) ? NO_PROGRAMS : launches.programs(op, inputs, outputs, config),
    reshardPrograms: launches.reshardPrograms,
    outputHints: () => ({ primary: [], fallback: [] }),
    acceptsInput: () => true,
    operandAsRead: (_op, _operand, layout) => layout,
    exploresReshards: () => true,
  };
}

const NOTHING: RuntimeEstimate = {
  programs: [],
  microseconds: 0,
  bound: "SLOW",
  relativeError: 0,
  ownError: 0,
  cores: 0,
  dramBytes: 0,
  nocBytes: 0,
  flops: 0,
  terms: { launch: 0, read: 0, compute: 0, write: 0 },
  dominant: "launch",
};

/**
 * A cost model whose answers are given, for tests of what is done with them: they stay the same when the simulator is
 * calibrated anew.
 *
 * @param byName estimate per op name; `reshard` prices conversions, other ops cost nothing
 * @param opModel says which programs the answers are for; none when absent
 */
export function fixedCostModel(
  byName: Readonly<Record<string, Partial<RuntimeEstimate>>>,
  opModel?: Pick<OpModel, "programs">,
): CostModel {
  const answers = new Map(Object.entries(byName).map(([name, part]) => [name, { ...NOTHING, ...part }]));
  return {
    getOpRuntime: (op, inputs, outputs, config) => {
      const answer = answers.get(op.name) ?? NOTHING;
      const launched = opModel?.programs(op, inputs, outputs, config);
      return launched?.status === "known" ? { ...answer, programs: launched.programs } : answer;
    },
    getReshardRuntime: () => answers.get("reshard") ?? NOTHING,
  };
}
