// SPDX-License-Identifier: Apache-2.0
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import type { OpSignature } from "../../lib/ops/op_signature.ts";
import { traitsOf } from "../../lib/ops/op_traits.ts";
import { FULL_RUN } from "../../lib/programs/op_launch.ts";
import { NO_PROGRAMS } from "../../lib/programs/program.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { launcherOf } from "./launcher.ts";

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
