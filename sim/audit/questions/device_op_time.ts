// SPDX-License-Identifier: Apache-2.0
import { LayoutError } from "../../../lib/layout/layout_error.ts";
import type { CostClass } from "../../../lib/ops/cost_class.ts";
import { definitionOf } from "../../../lib/ops/op_book.ts";
import { choosesBlocks, placementOf } from "../../cost/coverage.ts";
import { getDevice } from "../../devices/device_registry.ts";
import { microsecondsOf } from "../../kernels/kernel.ts";
import type { MeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import { recordedWait } from "../../microbenchmarks/profiler.ts";
import { type DeviceOp, kindOf } from "../device_op.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { askQuestion, questionPrograms } from "../op_question.ts";
import type { RowModel } from "../row_model.ts";
import { deviceProgramTime } from "./device_program.ts";
import { deviceQuestion, isOfEarlierKernel } from "./device_question.ts";

/**
 * Device kernel time of a device op in µs, through the programs that plans are priced with, as the profiler records it;
 * `undefined` if the op is unknown, its tensors cannot lie as printed, or its kernel is not today's.
 */
export function deviceOpMicroseconds(
  op: DeviceOp,
  chip: MeasuredChip,
  device: MeasuredDevice,
): number | undefined {
  if (isOfEarlierKernel(op)) return undefined;
  const program = deviceProgramTime(op, chip);
  if (program !== undefined) {
    const { cycles, cores } = program(device);
    return microsecondsOf(device, cycles) + recordedWait(device, cores, op.gapUs);
  }
  try {
    const question = deviceQuestion(op, chip);
    if (question === undefined) return undefined;
    const programs = questionPrograms(question, device);
    if (programs.status === "unknown" || programs.programs.length === 0) return undefined;
    const { microseconds, terms, cores } = askQuestion(question, device);
    return microseconds - terms.launch + recordedWait(device, cores, op.gapUs);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** Kinds of device ops that are a part of an op, with the class that they count for. */
const PARTS: Readonly<Record<string, CostClass>> = {
  Conv2d: "conv2d",
  OptimizedConvNew: "conv2d",
  Halo: "conv2d",
  PaddedSlice: "slice",
  Pool2D: "pool",
  Move: "reshard",
};

/** Cost class of a device op that is priced, and where its first operand lies. */
export function deviceOpClass(
  op: DeviceOp,
  chip: MeasuredChip,
): Pick<RowModel, "costClass" | "placement" | "byBackend"> {
  const part = PARTS[kindOf(op)];
  if (part !== undefined) return { costClass: part, placement: "l1_sharded" };
  const question = deviceQuestion(op, chip);
  if (question === undefined) return {};
  const launched = questionPrograms(question, getDevice(chip.device));
  const { costClass } = definitionOf(question.name);
  return launched.status === "known"
    ? {
      costClass,
      placement: placementOf(launched.programs),
      byBackend: choosesBlocks(launched.programs),
    }
    : { costClass };
}
