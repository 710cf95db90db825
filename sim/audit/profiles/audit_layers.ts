// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../../lib/layout/extents.ts";
import { launchMicroseconds } from "../../cost/estimate.ts";
import type { Device } from "../../devices/device.ts";
import {
  getMeasuredDevice,
  type MeasuredDevice,
  type MeasuredDeviceLookup,
} from "../../microbenchmarks/measured_device.ts";
import { createClock } from "../../timeline/device_clock.ts";
import { type DeviceOp, type DeviceTensor, kindOf } from "../device_op.ts";
import { chipNamed, type MeasuredChip } from "../measured_ops/measured_chip.ts";
import { isOfEarlierKernel } from "../questions/device_question.ts";
import { deviceOpClass, deviceOpMicroseconds } from "../questions/device_op_time.ts";
import { type AuditRow, auditRow, EARLIER_KERNEL, leaveOut, required } from "../row_model.ts";
import { quantile, sum } from "../statistics.ts";

/** A profile with its name. */
export interface NamedProfile {
  readonly name: string;
  readonly ops: readonly DeviceOp[];
}

/** One device op of a profile with its prediction. */
export interface LayerOp {
  /** Place in the profile, from 0. */
  readonly order: number;
  /** Device operation. */
  readonly op: string;
  /** Kind of op: the device operation without its suffix. */
  readonly class: string;
  /** Device kernel duration in µs. */
  readonly measuredUs: number;
  /** Predicted duration in µs; `null` if the op is unknown. */
  readonly predictedUs: number | null;
}

/** Ops of one class together. */
export interface LayerClass {
  readonly name: string;
  readonly ops: number;
  /** µs of all ops of the class. */
  readonly measuredUs: number;
  /** µs of those that are predicted. */
  readonly coveredUs: number;
  /** Predicted µs of these. */
  readonly predictedUs: number;
  /** Mean absolute percentage error of these ops, unweighted; `null` if none is predicted. */
  readonly mape: number | null;
}

/** A whole profile with its prediction. Times are device kernel times, without gaps. */
export interface LayerReport {
  /** Name of the profile, usually its file. */
  readonly name: string;
  /** Bundled device that predicted it. */
  readonly device: string;
  readonly ops: readonly LayerOp[];
  /** Most time first. */
  readonly classes: readonly LayerClass[];
  /** µs of all ops. */
  readonly measuredUs: number;
  /** Predicted µs; unknown ops count with their measured time, so that the total covers the whole profile. */
  readonly predictedUs: number;
  /** Share of the measured time in ops that are predicted. */
  readonly coveredShare: number;
  /** Mean absolute relative error of the predicted ops, each weighted with its time; `null` where none is. */
  readonly opError: number | null;
  /** Sum in µs and number of the measured gaps that the device causes (at most {@linkcode DEVICE_GAP_US}). */
  readonly measuredGapUs: number;
  readonly gaps: number;
  /** The same gaps on the simulator's clock. */
  readonly predictedGapUs: number;
}

/** The document of `audit layers --json`. */
export interface LayerAudit {
  /** Changes when older documents would be misread. */
  readonly schema: "tilewright.layer-audit/1";
  /** By name. */
  readonly layers: readonly LayerReport[];
  /** Profiles of chips without a similar bundled device. */
  readonly unknown: readonly string[];
}

/** Gaps longer than this are the host's. */
const DEVICE_GAP_US = 8;

/** Prices profiles op by op, each from its own layouts and config. */
export function auditLayers(
  profiles: readonly NamedProfile[],
  devices: MeasuredDeviceLookup,
): LayerAudit {
  const layers: LayerReport[] = [];
  const unknown: string[] = [];
  for (const profile of profiles.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
    const chip = chipNamed(profile.ops[0]?.chip ?? "");
    if (chip === undefined) unknown.push(profile.name);
    else layers.push(layerReport(profile, chip, devices(chip.device)));
  }
  return { schema: "tilewright.layer-audit/1", layers, unknown };
}

function layerReport(profile: NamedProfile, chip: MeasuredChip, device: MeasuredDevice): LayerReport {
  const { name } = profile;
  const ops = withTrueShapes(profile.ops);
  const rows = ops.map((op, order): LayerOp => ({
    order,
    op: op.op,
    class: kindOf(op),
    measuredUs: op.us,
    predictedUs: deviceOpMicroseconds(op, chip, device) ?? null,
  }));
  const measuredUs = sum(rows.map((row) => row.measuredUs));
  const covered = rows.filter(isCovered);
  const coveredUs = sum(covered.map((row) => row.measuredUs));
  const gaps = ops.filter(isDeviceGap).map(({ gapUs }) => gapUs);
  const apart = sum(covered.map((row) => Math.abs(row.predictedUs - row.measuredUs)));
  return {
    name,
    device: chip.device,
    ops: rows,
    classes: classesOf(rows),
    measuredUs,
    predictedUs: sum(covered.map((row) => row.predictedUs)) + measuredUs - coveredUs,
    coveredShare: measuredUs === 0 ? 0 : coveredUs / measuredUs,
    opError: coveredUs === 0 ? null : apart / coveredUs,
    measuredGapUs: sum(gaps),
    gaps: gaps.length,
    predictedGapUs: sum(clockedGaps(ops, rows, device).filter((_, at) => isDeviceGap(ops[at]))),
  };
}

function isDeviceGap(op: DeviceOp | undefined): op is DeviceOp & { readonly gapUs: number } {
  return op?.gapUs !== undefined && op.gapUs <= DEVICE_GAP_US;
}

/** µs before every op on the simulator's clock, each a program on the cores that the profile names. */
function clockedGaps(
  ops: readonly DeviceOp[],
  rows: readonly LayerOp[],
  device: Device,
): readonly number[] {
  const clock = createClock(true, device);
  return rows.map(({ measuredUs, predictedUs }, at) => {
    const launch = launchMicroseconds([{ cores: ops[at]?.cores ?? 0 }], device);
    return clock({ microseconds: launch + (predictedUs ?? measuredUs), bound: "SLOW", terms: { launch } })
      .gapUs;
  });
}

function isCovered(row: LayerOp): row is LayerOp & { readonly predictedUs: number } {
  return row.predictedUs !== null;
}

function classesOf(rows: readonly LayerOp[]): readonly LayerClass[] {
  return [...Map.groupBy(rows, (row) => row.class)].map(([name, own]): LayerClass => {
    const covered = own.filter(isCovered);
    const errors = covered.map(({ predictedUs, measuredUs }) => Math.abs(predictedUs / measuredUs - 1));
    return {
      name,
      ops: own.length,
      measuredUs: sum(own.map((row) => row.measuredUs)),
      coveredUs: sum(covered.map((row) => row.measuredUs)),
      predictedUs: sum(covered.map((row) => row.predictedUs)),
      mape: errors.length === 0 ? null : sum(errors) / errors.length,
    };
  }).sort((a, b) => b.measuredUs - a.measuredUs);
}

/** Device operations whose compiled program serves every shape. */
const ANY_SHAPE = /^(Binary|Unary|Ternary|Softmax|Typecast)/;

/**
 * Corrects shapes of elementwise ops. Profilers print an op's columns once per compiled program, so an
 * elementwise op may show the shape of an earlier run. If the tensors before and behind a run of such ops
 * have equal sizes and the printed ones differ, the one behind gives the shape; runs at a gap in the profile
 * are left as they are.
 */
export function withTrueShapes(ops: readonly DeviceOp[]): readonly DeviceOp[] {
  const result = [...ops];
  let begin = 0;
  while (begin < ops.length) {
    let end = begin;
    while (ANY_SHAPE.test(ops[end]?.op ?? "")) end++;
    const [first, last] = [ops[begin - 1], ops[end]];
    const [before, behind] = [first?.outputs[0], last?.inputs[0]];
    const isWhole = (last?.order ?? end) - (first?.order ?? begin - 1) === end - begin + 1;
    if (
      before !== undefined && behind !== undefined && volume(before.shape) === volume(behind.shape) && isWhole
    ) {
      for (let at = begin; at < end; at++) {
        const op = ops[at];
        if (op !== undefined) result[at] = asLargeAs(behind, op);
      }
    }
    begin = end + 1;
  }
  return result;
}

/** The op with the shape of `tensor` in place of its result's, if that is of another size and not sharded. */
function asLargeAs(tensor: DeviceTensor, op: DeviceOp): DeviceOp {
  const printed = op.outputs[0];
  if (
    printed === undefined || printed.shardShape !== undefined ||
    volume(printed.shape) === volume(tensor.shape)
  ) {
    return op;
  }
  const mended = (each: DeviceTensor): DeviceTensor =>
    volume(each.shape) === volume(printed.shape) ? { ...each, shape: tensor.shape } : each;
  return { ...op, inputs: op.inputs.map(mended), outputs: op.outputs.map(mended) };
}

/**
 * The ops of profiles as rows to fit constants to, beside published ones: each configuration of a profile once, with its
 * median time. A profile counts as one table.
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
  found: MeasuredChip | undefined,
): AuditRow {
  const op = ops.toSorted((a, b) => a.us - b.us)[Math.floor((ops.length - 1) / 2)];
  if (op === undefined) throw new RangeError("A configuration without ops");
  const group = groupOf(kindOf(op));
  return auditRow(group, found?.device ?? op.chip, () => {
    const chip = required("the chip is not modelled", found);
    if (isOfEarlierKernel(op)) leaveOut(EARLIER_KERNEL);
    required(
      "layouts or config are not given, or the op is not in the dialect",
      deviceOpMicroseconds(op, chip, getMeasuredDevice(chip.device)),
    );
    return {
      ...deviceOpClass(op, chip),
      configuration: `${group} ${chip.device} ${key}`,
      table: `layers ${table}`,
      measured: quantile(ops.map(({ us }) => us).sort((a, b) => a - b), 0.5),
      unit: "us",
      predict: (device) => deviceOpMicroseconds(op, chip, device) ?? NaN,
    };
  });
}
