// SPDX-License-Identifier: Apache-2.0
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { NO_PROGRAMS } from "../../lib/programs/program.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { launcherOf } from "./launcher.ts";
import type { CostClass, OpModel, OpSignature } from "../../lib/opmodel/op_model.ts";

const CLASSES: Readonly<Record<string, CostClass>> = {
  "ttnn.matmul": "matmul",
  "ttnn.linear": "matmul",
  "ttnn.relu": "eltwise_unary",
  "ttnn.add": "eltwise_binary",
  "ttnn.reshape": "reshape",
  "ttnn.from_device": "host_transfer",
  "ttnn.to_memory_config": "to_layout",
};

/**
 * An op model without rules for tests of the simulator: every op is legal as asked, results get the wanted layouts,
 * `ttnn.reshape` is a view.
 *
 * @param circularBufferBytes per core, of every op that is no view
 */
export function plainOpModel(device: Device, circularBufferBytes = 0): OpModel {
  const isView = (op: OpSignature) => op.name === "ttnn.reshape";
  const layouts = new LayoutTable();
  const launches = launcherOf(device, layouts, (name) => CLASSES[name] ?? "opaque");
  return {
    chip: chipDescription(device),
    layouts,
    statistics: { queries: 0, hits: 0 },
    traits: (op) => ({
      movable: true,
      known: true,
      viewOf: isView(op) ? 0 : undefined,
      inPlaceOperand: undefined,
      costClass: CLASSES[op.name] ?? "opaque",
      operandRoles: op.operands.map(() => "activation"),
    }),
    queryOpConstraints: (op, _inputs, hint, config) => ({
      status: "valid",
      outputLayouts: op.results.map(() => hint),
      config,
      cbPeakBytes: isView(op) ? 0 : circularBufferBytes,
      tensorL1PeakBytes: 0,
      l1PeakBytes: circularBufferBytes,
      outputL1Bytes: 0,
      buffers: [],
      programs: [],
      cores: 1,
      aliasedOperand: isView(op) ? 0 : undefined,
    }),
    programs: (op, inputs, outputs, config) =>
      isView(op) ? NO_PROGRAMS : launches.programs(op, inputs, outputs, config),
    reshardPrograms: launches.reshardPrograms,
    outputHints: () => ({ primary: [], fallback: [] }),
    acceptsInput: () => true,
    exploresReshards: () => true,
  };
}
