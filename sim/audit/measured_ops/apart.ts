// SPDX-License-Identifier: Apache-2.0
import { moveProgram } from "../../../lib/programs/stream.ts";
import { chipDescription, type Device } from "../../devices/device.ts";
import { microsecondsOf } from "../../kernels/kernel.ts";
import { priceProgram } from "../../kernels/price_program.ts";
import { L1, placedProgramTensor } from "../op_question.ts";
import { type AuditRow, excluding } from "../row_model.ts";
import { measuredChip } from "./measured_chip.ts";
import { type MeasuredOp, modelledOp, type Params } from "./measured_op.ts";
import { dataTypeOf, numberIn, placeIn, shapesIn, textIn } from "./texts.ts";
import { periodMicroseconds } from "../../microbenchmarks/dispatch.ts";
import { hopMicroseconds, type PacketStream, packetStreamGigabytes } from "../../microbenchmarks/fabric.ts";
import type { MeasuredDevice } from "../../microbenchmarks/measured_device.ts";

/** A buffer moved to another address by the backend, to close gaps: no op of the dialect, but its program is known. */
export function moveRow(row: MeasuredOp): AuditRow {
  const { group, params, measured } = row;
  const chip = measuredChip(row);
  const excluded = excluding(group, chip?.device ?? row.chip);
  if (chip === undefined) return excluded("the chip is not modelled");
  const [shape] = shapesIn(params.shape);
  const shard = textIn(params, "shard");
  if (shape === undefined || shard === "") return excluded("shapes or shards are not in the row");
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
export function dispatchPeriodRow(row: MeasuredOp): AuditRow {
  const { group, params, measured: { unit, value } } = row;
  const chip = measuredChip(row);
  const excluded = excluding(group, chip?.device ?? row.chip);
  const [cores, kernelUs] = [numberIn(params, "cores"), numberIn(params, "kernel_us")];
  if (chip === undefined) return excluded("the chip is not modelled");
  if (cores === undefined || kernelUs === undefined || unit !== "us") {
    return excluded("cores or length of the kernels are not in the row");
  }
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
export function fabricBandwidthRow(row: MeasuredOp): AuditRow {
  const { unit, value } = row.measured;
  if (unit !== "GB/s") return excluded(row, "the value is not a bandwidth");
  return modelled(row, value, "GB/s", (stream, machine) => packetStreamGigabytes(stream, machine));
}

/** Rows of the time of one packet from chip to chip. */
export function fabricLatencyRow(row: MeasuredOp): AuditRow {
  const { unit, value } = row.measured;
  const us = unit === "ns" ? value / 1000 : unit === "us" ? value : undefined;
  if (us === undefined) return excluded(row, "the value is not a time");
  if (!/per hop/.test(row.measured.quantity)) return excluded(row, "the number of hops is not in the row");
  return modelled(row, us, "us", ({ packetBytes }, machine) => hopMicroseconds(packetBytes, machine));
}

function excluded({ group, chip }: MeasuredOp, reason: string): AuditRow {
  return excluding(group, chip)(reason);
}

function modelled(
  row: MeasuredOp,
  measured: number,
  unit: "us" | "GB/s",
  predict: (stream: PacketStream, machine: MeasuredDevice) => number,
): AuditRow {
  const device = MACHINES.find(([pattern]) => pattern.test(row.chip))?.[1];
  if (device === undefined) return excluded(row, "the machine is not bundled");
  const stream = streamOf(row.params);
  if (stream === undefined) return excluded(row, "the size of a packet is not in the row");
  const model = { measured, unit, predict: (machine: MeasuredDevice) => predict(stream, machine) };
  return modelledOp(row, device, model, textIn(row.params, "test"));
}

function streamOf(params: Params): PacketStream | undefined {
  const packetBytes = numberIn(params, "packet_bytes");
  if (packetBytes === undefined) return undefined;
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
