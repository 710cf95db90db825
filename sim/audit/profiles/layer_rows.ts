// SPDX-License-Identifier: Apache-2.0
import { getMeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import { type DeviceOp, kindOf } from "../device_op.ts";
import { chipNamed, type MeasuredChip } from "../measured_ops/measured_chip.ts";
import { deviceOpClass, deviceOpMicroseconds } from "../questions/device_op_time.ts";
import { type AuditRow, excluding } from "../row_model.ts";
import { quantile } from "../statistics.ts";
import type { NamedProfile } from "./audit_layers.ts";
import { withTrueShapes } from "./stale_shapes.ts";

/**
 * The ops of profiles as measurements, each configuration of a profile once with its median time: what constants are
 * fitted to beside published rows. A profile is a table of its own.
 */
export function layerRows(profiles: readonly NamedProfile[]): AuditRow[] {
  return profiles.flatMap((profile): AuditRow[] => {
    const chip = chipNamed(profile.ops[0]?.chip ?? "");
    const configurations = Map.groupBy(
      withTrueShapes(profile.ops),
      (op) => JSON.stringify([op.op, op.inputs, op.outputs, op.cores, op.attributes]),
    );
    return [...configurations].map(([key, ops]) => layerRow(profile.name, key, ops, chip));
  });
}

/** Report group of a kind of device op: `layer_sharded_to_interleaved`. */
function groupOf(kind: string): string {
  return `layer_${kind.replace(/([a-z\d])([A-Z])/g, "$1_$2").replaceAll(/\W+/g, "_").toLowerCase()}`;
}

function layerRow(
  table: string,
  key: string,
  ops: readonly DeviceOp[],
  chip: MeasuredChip | undefined,
): AuditRow {
  const op = ops.toSorted((a, b) => a.us - b.us)[Math.floor((ops.length - 1) / 2)];
  if (op === undefined) throw new RangeError("A configuration without ops");
  const kind = kindOf(op);
  const group = groupOf(kind);
  const excluded = excluding(group, chip?.device ?? op.chip);
  if (chip === undefined) return excluded("the chip is not modelled");
  if (deviceOpMicroseconds(op, chip, getMeasuredDevice(chip.device)) === undefined) {
    return excluded("layouts or config are not given, or the op is not in the dialect");
  }
  return {
    status: "modelled",
    group,
    ...deviceOpClass(op, chip),
    device: chip.device,
    configuration: `${group} ${chip.device} ${key}`,
    table: `layers ${table}`,
    measured: quantile(ops.map(({ us }) => us).sort((a, b) => a - b), 0.5),
    unit: "us",
    predict: (device) => deviceOpMicroseconds(op, chip, device) ?? NaN,
  };
}
