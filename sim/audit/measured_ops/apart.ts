// SPDX-License-Identifier: Apache-2.0
import { moveProgram } from "../../../lib/programs/stream.ts";
import { chipDescription, type Device } from "../../devices/device.ts";
import { microsecondsOf } from "../../kernels/kernel.ts";
import { priceProgram } from "../../kernels/price_program.ts";
import { L1, placedProgramTensor } from "../op_question.ts";
import { leaveOut, required, requiring, type RowReading } from "../row_model.ts";
import type { MeasuredChip } from "./measured_chip.ts";
import { type MeasuredOp, modelledOp, type Params } from "./measured_op.ts";
import { dataTypeOf, numberIn, placeIn, shapesIn, textIn } from "./texts.ts";
import { periodMicroseconds } from "../../microbenchmarks/dispatch.ts";
import { hopMicroseconds, type PacketStream, packetStreamGigabytes } from "../../microbenchmarks/fabric.ts";
import type { MeasuredDevice } from "../../microbenchmarks/measured_device.ts";

/** A buffer moved to another address by the backend, to close gaps: no op of the dialect, but its program is known. */
export function moveRow(row: MeasuredOp, chip: MeasuredChip): RowReading {
  const { params, measured } = row;
  const shard = textIn(params, "shard");
  const need = requiring("shapes or shards are not in the row");
  const shape = need(shapesIn(params.shape)[0]);
  need(shard || undefined);
  const dataType = dataTypeOf(params);
  const page = /ROW_MAJOR/.test(textIn(params, "layout")) ? { tile: null } : {};
  const place = { ...placeIn(shard, L1, numberIn(params, "cores"), chip), ...page };
  const microseconds = (on: Device): number => {
    const description = chipDescription(on);
    const { workerGrid, dramBanks } = description;
    const tensor = placedProgramTensor({ shape, dataType, place }, workerGrid, dramBanks);
    return microsecondsOf(on, priceProgram(moveProgram(tensor, tensor, description), on).cycles);
  };
  return modelledOp(row, chip.device, {
    costClass: "reshard",
    placement: "l1_sharded",
    measured: measured.value,
    unit: "us",
    predict: microseconds,
  });
}

/** Rows of equal programs that follow each other in a trace, by the time from start to start. */
export function dispatchPeriodRow(row: MeasuredOp, chip: MeasuredChip): RowReading {
  const { params, measured: { unit, value } } = row;
  const need = requiring("cores or length of the kernels are not in the row");
  const cores = need(numberIn(params, "cores"));
  const kernelUs = need(unit === "us" ? numberIn(params, "kernel_us") : undefined);
  return modelledOp(row, chip.device, {
    measured: value,
    unit: "us",
    predict: (device) => periodMicroseconds({ cores, kernelUs }, device),
  });
}

/** Machines of the fabric's golden tables as measured devices, the first that matches; those of p300 are of 2025. */
const MACHINES: readonly (readonly [RegExp, string])[] = [
  [/T3K|T3000/i, "t3000"],
  [/n300/i, "n300"],
  [/wormhole galaxy|WH galaxy|\bTG\b/i, "wormhole-galaxy"],
  [/blackhole galaxy|BH galaxy/i, "blackhole-galaxy"],
  [/p150 ?x ?4/i, "p150x4"],
  [/p150 ?x ?8|8 ?x ?p150/i, "p150x8-ring"],
  [/p300/i, "p300-2025"],
];

/** Rows of the fabric's own benchmarks: packets of one size between chips, by how many bytes a link carries one way. */
export function fabricBandwidthRow(row: MeasuredOp): RowReading {
  const { unit, value } = row.measured;
  if (unit !== "GB/s") leaveOut("the value is not a bandwidth");
  return modelled(row, value, "GB/s", (stream, machine) => packetStreamGigabytes(stream, machine));
}

/** Rows of the time of one packet from chip to chip. */
export function fabricLatencyRow(row: MeasuredOp): RowReading {
  const { unit, value } = row.measured;
  const time = unit === "ns" ? value / 1000 : unit === "us" ? value : undefined;
  const us = required("the value is not a time", time);
  if (!/per hop/.test(row.measured.quantity)) leaveOut("the number of hops is not in the row");
  return modelled(row, us, "us", ({ packetBytes }, machine) => hopMicroseconds(packetBytes, machine));
}

function modelled(
  row: MeasuredOp,
  measured: number,
  unit: "us" | "GB/s",
  predict: (stream: PacketStream, machine: MeasuredDevice) => number,
): RowReading {
  const machine = MACHINES.find(([pattern]) => pattern.test(row.chip))?.[1];
  const device = required("the machine is not bundled", machine);
  const stream = streamOf(row.params);
  const model = { measured, unit, predict: (machine: MeasuredDevice) => predict(stream, machine) };
  return modelledOp(row, device, model, textIn(row.params, "test"));
}

function streamOf(params: Params): PacketStream {
  const packetBytes = required("the size of a packet is not in the row", numberIn(params, "packet_bytes"));
  const pattern = textIn(params, "pattern");
  const topology = textIn(params, "topology");
  return {
    packetBytes,
    route: /ring/i.test(topology) ? "ring" : /mesh|torus/i.test(topology) ? "mesh" : "line",
    multicast: /multicast/.test(pattern),
    increments: /inc/.test(pattern),
    lone: /^SingleSender/.test(textIn(params, "test")),
    links: numberIn(params, "links") ?? 1,
  };
}
