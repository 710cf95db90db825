// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../../lib/ops/cost_class.ts";
import { definitionOf } from "../../../lib/ops/op_book.ts";
import { placementOf } from "../../cost/coverage.ts";
import { getDevice } from "../../devices/device_registry.ts";
import { getMeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import { chipNamed, type MeasuredChip } from "../measured_ops/measured_chip.ts";
import { questionPrograms } from "../op_question.ts";
import { type AuditRow, excluding, type RowModel } from "../row_model.ts";
import { quantile } from "../statistics.ts";
import { classOf, type NamedProfile, profiledMicroseconds } from "./audit_layers.ts";
import type { ProfiledOp } from "./profiled_op.ts";
import { profiledQuestion } from "./profiled_question.ts";
import { withTrueShapes } from "./stale_shapes.ts";

/** Kinds of device ops that are a part of an op, with the class that they count for. */
const PARTS: Readonly<Record<string, CostClass>> = {
  Conv2d: "conv2d",
  OptimizedConvNew: "conv2d",
  Halo: "conv2d",
  Pool2D: "pool",
  Move: "reshard",
};

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
  ops: readonly ProfiledOp[],
  chip: MeasuredChip | undefined,
): AuditRow {
  const op = ops.toSorted((a, b) => a.us - b.us)[Math.floor((ops.length - 1) / 2)];
  if (op === undefined) throw new RangeError("A configuration without ops");
  const kind = classOf(op);
  const group = groupOf(kind);
  const excluded = excluding(group, chip?.device ?? op.chip);
  if (chip === undefined) return excluded("the chip is not modelled");
  if (profiledMicroseconds(op, chip, getMeasuredDevice(chip.device)) === undefined) {
    return excluded("layouts or config are not given, or the op is not in the dialect");
  }
  return {
    status: "modelled",
    group,
    ...kindOf(op, PARTS[kind], chip),
    device: chip.device,
    configuration: `${group} ${chip.device} ${key}`,
    table: `layers ${table}`,
    measured: quantile(ops.map(({ us }) => us).sort((a, b) => a - b), 0.5),
    unit: "us",
    predict: (device) => profiledMicroseconds(op, chip, device) ?? NaN,
  };
}

/** Cost class and place of the first operand, for ops that plans have whole. */
function kindOf(
  op: ProfiledOp,
  part: CostClass | undefined,
  chip: MeasuredChip,
): Pick<RowModel, "costClass" | "placement"> {
  if (part !== undefined) return { costClass: part, placement: "l1_sharded" };
  const question = profiledQuestion(op, chip);
  if (question === undefined) return {};
  const launched = questionPrograms(question, getDevice(chip.device));
  const { costClass } = definitionOf(question.name);
  return launched.status === "known"
    ? { costClass, placement: placementOf(launched.programs) }
    : { costClass };
}
