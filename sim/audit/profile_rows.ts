// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/ops/cost_class.ts";
import type { Device } from "../devices/device.ts";
import { type KernelCost, microsecondsOf } from "../kernels/kernel.ts";
import { inDram } from "../../lib/programs/program_tensor.ts";
import { type MeasuredRow, numberOf, textOf } from "./measured_row.ts";
import { profiledKernel } from "./profile_kernels.ts";
import { profileTensors } from "./profile_tensor.ts";
import { type AuditRow, type BaselineWork, excluding } from "./row_model.ts";

/** Chips of the profiles that are modelled, by the row's device, with the bundled device and worker grid. */
const DEVICES: Readonly<Record<string, readonly [device: string, columns: number, rows: number]>> = {
  "p100": ["p100", 11, 10],
  "p150": ["p150", 11, 10],
  "p150 (1 of 8)": ["p150", 11, 10],
  "n150/n300-chip (8x8 WH)": ["n150", 8, 8],
  // Blackhole chips configured to use only a part of their cores.
  "blackhole-20core": ["p150-13x10", 5, 4],
  "blackhole-64core": ["p150-13x10", 8, 8],
};

/** Rows of op profiles: device kernel duration of one op with all its tensors. */
export function profileRow(row: MeasuredRow): AuditRow {
  const group = "op_profile";
  const chip = DEVICES[row.device];
  const excluded = excluding(group, chip?.[0] ?? row.device);
  if (row.quality !== "") return excluded(`flagged: ${row.quality.replace(/ \(.*/s, "")}`);
  if (chip === undefined) return excluded("the chip is not modelled");
  const us = numberOf(row.measured, "us");
  const [device, columns, rows] = chip;
  const tensors = profileTensors(row, [columns, rows]);
  if (us === undefined || tensors === undefined) return excluded("tensors or time are missing");
  const attributes = textOf(row.config, "attributes");
  const kernel = profiledKernel(row.op, attributes, row.fidelity, tensors);
  if (kernel === undefined) return excluded(`the op ${row.op} is not modelled`);
  const output = tensors.output;
  const work: BaselineWork = {
    flops: 0,
    tileCycles: 16,
    elements: (output?.tiles ?? 0) * 1024,
    inputBytes: tensors.inputs.map((tensor) => tensor.bytes),
    outputBytes: output?.bytes ?? 0,
    dramInputBytes: tensors.inputs.filter(inDram).map((tensor) => tensor.bytes),
    dramOutputBytes: output !== undefined && inDram(output) ? output.bytes : 0,
  };
  const time = (chipDevice: Device): KernelCost => kernel(chipDevice);
  return {
    status: "modelled",
    group,
    costClass: costClassOf(row.op),
    ...(tensors.inputs[0] === undefined ? {} : { placement: tensors.inputs[0].placement }),
    device,
    workerGrid: [columns, rows],
    configuration: [device, row.op, JSON.stringify(row.shapes), row.dtype, row.grid, attributes].join(" "),
    table: `${device} ${row.op.split(":")[0]}`,
    measured: us,
    unit: "us",
    predict: (chipDevice) => microsecondsOf(chipDevice, time(chipDevice).cycles),
    work,
  };
}

/** Device operations by the beginning of their names, and the cost class that they count for. */
const COST_CLASS_OF: readonly (readonly [name: RegExp, costClass: CostClass])[] = [
  [/^(Matmul|MinimalMatmul)/, "matmul"],
  [/^(Conv2d|Halo)/, "conv2d"],
  [/^Pool2D/, "pool"],
  [/^Unary/, "eltwise_unary"],
  [/^Binary/, "eltwise_binary"],
  [/^Typecast/, "typecast"],
  [/^LayerNorm/, "norm"],
  [/^Softmax/, "softmax"],
  [/^(Reduce|FastReduce)/, "reduction"],
  [/^(InterleavedToSharded|ShardedToInterleaved|Reshard)/, "reshard"],
  [/^(Tilize|Untilize)/, "to_layout"],
  [/^(AllGather|ReduceScatter|AllReduce)/, "ccl"],
  [/^Rotary/, "rotary"],
  [/^(Scaled|SDPA|Sdpa)/, "sdpa"],
  [/^Concat/, "concat"],
  [/^(Permute|Transpose)/, "permute"],
  [/^Reshape/, "reshape"],
  [/^Slice/, "slice"],
  [/^Pad/, "pad"],
  [/^Repeat/, "repeat"],
  [/^(NlpCreate|NLP|CreateQkv)/i, "heads"],
  [/^Embedding/, "embedding"],
];

function costClassOf(op: string): CostClass {
  return COST_CLASS_OF.find(([name]) => name.test(op))?.[1] ?? "opaque";
}
