// SPDX-License-Identifier: Apache-2.0
import { chipDramBandwidth } from "../microbenchmarks/dram_streams.ts";
import { getMeasuredDevice, type MeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { numberIn, textIn } from "./measured_ops/texts.ts";
import type { MeasuredRow } from "./measured_row.ts";
import {
  type AuditRow,
  auditRow,
  type BaselineWork,
  bytesOf,
  EARLIER_KERNEL,
  leaveOut,
  required,
  requiring,
  type RowReading,
  withWorkerGrid,
} from "./row_model.ts";
import { type DispatchedProgram, dispatchMicroseconds } from "../microbenchmarks/dispatch.ts";
import { decoderNamed } from "./decoder_architecture.ts";
import { decoderPassMicroseconds } from "./decoder_step.ts";
import type { DeviceOp } from "./device_op.ts";
import { unaryNeighbours, unaryRow } from "./eltwise_rows.ts";
import { gemmGroup, gemmRow, heightShardedRow, singleCoreRow, wallRow } from "./matmul_rows.ts";
import type { MeasuredChip } from "./measured_ops/measured_chip.ts";
import { nocBandwidthRow, nocLatencyRow } from "./noc_rows.ts";
import { isOfEarlierKernel } from "./questions/device_question.ts";
import { deviceOpClass, deviceOpMicroseconds } from "./questions/device_op_time.ts";
import { programTensors } from "./questions/placed_op.ts";
import { readPerfReportRow } from "./readers/perf_report.ts";
import { reshardRow } from "./reshard_rows.ts";

/** Peak DRAM bandwidth of Wormhole in GB/s at the two memory clocks that were measured. */
const PEAK_BY_CLOCK: readonly (readonly [string, number])[] = [["14GT/s", 336], ["12GT/s", 288]];

function dramBandwidthRow(row: MeasuredRow, device: string): RowReading {
  const measured = required("GB/s are missing", numberIn(row.measured, "GBps"));
  const predict = required(`the case ${row.op} is not modelled`, bandwidthOf(row));
  return {
    configuration: [
      device,
      row.device,
      row.op,
      row.grid,
      JSON.stringify(row.shapes),
      JSON.stringify(row.config),
    ].join(" "),
    table: `${row.op} ${row.grid}`,
    measured,
    unit: "GB/s",
    predict,
  };
}

function bandwidthOf(row: MeasuredRow): ((device: MeasuredDevice) => number) | undefined {
  const peak = PEAK_BY_CLOCK.find(([clock]) => row.device.includes(clock))?.[1];
  const scale = (device: MeasuredDevice) => (peak ?? device.dram.peakBandwidth) / device.dram.peakBandwidth;
  if (row.op === "dram_read:spec") return (device) => device.dram.peakBandwidth * scale(device);
  if (row.op === "dram_read:u-benchmark") return (device) => placedRead(device) * scale(device);
  if (row.op === "dram_read" || row.op === "dram_write") {
    const cores = numberIn(row.shapes, "cores") ?? 1;
    const channels = numberIn(row.shapes, "channels") ?? 1;
    const noc = textIn(row.config, "noc").includes("1") ? 1 : 0;
    return (device) =>
      chipDramBandwidth({
        kind: row.op === "dram_write" ? "write" : "read",
        cores,
        channels,
        placed: row.grid.includes("carefully"),
        noc,
        dynamicChannels: textIn(row.config, "vc").startsWith("Dynamic"),
      }, device);
  }
  // Weights streamed by matmuls from DRAM shards.
  if (row.op.startsWith("dram_")) {
    return (device) => device.dram.peakBandwidth * device.dram.shardedReadShare * scale(device);
  }
  return undefined;
}

function placedRead(device: MeasuredDevice): number {
  return chipDramBandwidth(
    {
      kind: "read",
      cores: device.dram.banks,
      channels: device.dram.banks,
      placed: true,
      noc: 0,
      dynamicChannels: false,
    },
    device,
  );
}

/**
 * The audit's rows for measurements, in the order of the file; two for a measurement with two independent times.
 */
export function auditRows(rows: readonly MeasuredRow[]): AuditRow[] {
  const hostFloor = hostFloors(rows);
  const neighbours = unaryNeighbours(rows);
  const readers: Readonly<Record<string, RowReader>> = {
    matmul_height_sharded: { ofOps: true, read: heightShardedRow },
    matmul_1core: { device: () => "n150", read: singleCoreRow },
    eltwise_unary: { ofOps: true, read: (row) => unaryRow(row, neighbours) },
    noc_latency: { device: ({ device }) => device.includes("BH") ? WIDE_P150 : "n150", read: nocLatencyRow },
    noc_bw: { device: ({ device }) => device === "blackhole" ? WIDE_P150 : "n150", read: nocBandwidthRow },
    dram_bw: { device: ({ device }) => /BH|^p1/.test(device) ? WIDE_P150 : "n150", read: dramBandwidthRow },
    dispatch: { device: dispatchDevice, read: dispatchRow },
    reshard: { device: () => "n150", read: reshardRow },
    op_profile: { ofOps: true, device: ({ device }) => DEVICES[device]?.[0] ?? device, read: profileRow },
    e2e: { read: decoderRow },
    llm_decode_op: WITHOUT_SHAPES,
    llm_prefill_op: WITHOUT_SHAPES,
    op_target: WITHOUT_SHAPES,
  };
  const reading = (row: MeasuredRow, group: string, { ofOps, device, read }: RowReader): AuditRow => {
    const chip = device?.(row) ?? row.device;
    const of = ofOps === true ? { parameters: parametersOf(row) } : {};
    return auditRow(group, chip, () => ({ ...read(row, chip), ...of }));
  };
  const gemm: RowReader = { ofOps: true, read: (row) => gemmRow(row, hostFloor) };
  const gemmWall: RowReader = { read: (row) => gemmRow(row, () => undefined) };
  return rows.flatMap((row) => {
    if (row.group !== "gemm") return reading(row, row.group, readers[row.group] ?? UNKNOWN_GROUP);
    const [own, wall] = [reading(row, gemmGroup(row), gemm), wallRow(row)];
    return wall === undefined ? own : [own, reading(wall, `${gemmGroup(row)}_wall`, gemmWall)];
  });
}

/** How the rows of a group are read. */
interface RowReader {
  /** Whether they are times of ops that plans decide about. */
  readonly ofOps?: true;
  /** The device that they are reported under; by default the row's own. */
  readonly device?: (row: MeasuredRow) => string;
  /** @param device as above */
  readonly read: (row: MeasuredRow, device: string) => RowReading;
}

const WITHOUT_SHAPES: RowReader = { read: () => leaveOut("shapes are not in the row") };
const UNKNOWN_GROUP: RowReader = { read: () => leaveOut("the group is not modelled") };

/** p150 with all cores that such a chip may have, as microbenchmarks use them. */
const WIDE_P150 = "p150-13x10";

/** The parameters of a run. */
function parametersOf(row: MeasuredRow): Readonly<Record<string, string>> {
  const { source, op, dtype, fidelity, grid } = row;
  const named = (prefix: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, JSON.stringify(value)]);
  return Object.fromEntries([
    ...Object.entries({ source, op, dtype, fidelity, grid }),
    ...named("shape", row.shapes),
    ...named("layout", row.layouts),
    ...named("config", row.config),
  ]);
}

/** Bundled devices that the chips of a system are, by its name. */
const CHIPS: readonly (readonly [RegExp, string])[] = [
  [/^n150(\/WH)?$/, "n150"],
  [/^(n300|T3000|T3K)$|^(QuietBox|LoudBox)( WH)?$/, "n300"],
  [/^p100a?$/, "p100"],
  [/^p150[abc]?( ?x ?\d)?$|^(QuietBox|LoudBox) BH$/, "p150-13x10"],
  [/^p300[abc]?$|^QuietBox 2/, "p300"],
];

/** Whole models: language models are composed from their published configuration, others need their graph. */
function decoderRow(row: MeasuredRow): RowReading {
  const name = row.op.startsWith("falcon7b") ? "Falcon-7B" : textIn(row.shapes, "model");
  const model = required("the graph of the model is not in the row", decoderNamed(name));
  const chip = CHIPS.find(([pattern]) => pattern.test(row.device))?.[1];
  const device = required("the chip is not modelled", chip);
  const need = requiring("batch, length or time is missing");
  const us = need(numberIn(row.measured, "us"));
  const users = need(numberIn(row.shapes, "batch"));
  const cached = need(numberIn(row.shapes, "kv_len"));
  const prompt = need(row.op.endsWith("prefill") ? numberIn(row.shapes, "seq") : 1);
  if (row.quality !== "") leaveOut(`flagged: ${row.quality}`);
  // Copies of a model beside each other share the users.
  const copies = Number(/\bDP(\d+)\b/.exec(name)?.[1] ?? 1);
  const pass = {
    ...model,
    users: Math.max(1, Math.round(users / copies)),
    newTokens: prompt,
    cachedTokens: cached,
    // Falcon's demo is of the time before weights were sharded over the banks.
    sharded: prompt === 1 && !name.startsWith("Falcon"),
  };
  // Demos measure on the host, which reads the logits and chooses the next tokens.
  const onHost = row.basis.includes("host");
  const logits = onHost ? users * model.architecture.vocabulary : 0;
  return {
    device,
    configuration: [row.group, row.device, row.op, name, users, prompt, cached].join(" "),
    table: [row.device, name].join(" "),
    measured: us,
    unit: "us",
    predict: (chip) => decoderPassMicroseconds(pass, chip) + logits * chip.sampling.logitHost / 1000,
  };
}

/**
 * Host time of one untraced op, per set of runs: the median of the shorter half of the set's untraced rows,
 * without the row itself, so that no row explains itself. The host and its software determine it, not the
 * chip: all short ops take this long.
 *
 * @returns a lookup that gives `undefined` when fewer than three other rows of the set are known
 */
export function hostFloors(rows: readonly MeasuredRow[]): (row: MeasuredRow) => number | undefined {
  const sets = new Map<string, MeasuredRow[]>();
  for (const row of rows) {
    if (row.group !== "gemm" || row.config.trace !== false) continue;
    sets.getOrInsertComputed(keyOf(row), () => []).push(row);
  }
  return (row) => {
    const others = (sets.get(keyOf(row)) ?? []).filter((other) => other !== row);
    const times = others.map((other) => numberIn(other.measured, "us") ?? 0).sort((a, b) => a - b);
    const shorter = times.slice(0, Math.ceil(times.length / 2));
    return shorter.length < 2 ? undefined : shorter[Math.floor(shorter.length / 2)];
  };
}

function keyOf(row: MeasuredRow): string {
  return [row.source, row.device, row.grid, String(row.config.tuning)].join("|");
}

/** Groups of cores that the benchmark's `kernel_groups` cases make. */
const KERNEL_GROUPS = 8;

/** Share of a lone program's time that each program of a `shadow` case takes. */
const SHADOW_SHARE = 0.9;

/** Rows of tt-metal's program dispatch benchmark, under trace. */
function dispatchRow(row: MeasuredRow, device: string): RowReading {
  const need = requiring("time or kernel size is missing");
  const us = need(numberIn(row.measured, "us"));
  const size = need(numberIn(row.shapes, "kernel_bytes"));
  const name = row.op.replace(/^program_dispatch:/, "");
  if (name.includes("no_trace")) leaveOut("untraced: bound by the host");
  if (/tensix_eth.*shadow/.test(name)) leaveOut("several programs on workers and Ethernet cores at once");
  const program = programOf(name, size);
  const shadows = Number(/(\d+)_shadow/.exec(name)?.[1] ?? 0);
  const programs = shadows === 0 ? 1 : (shadows + 1) * SHADOW_SHARE;
  return {
    configuration: `${device} ${name} ${size}`,
    table: `${device} ${name}`,
    measured: us,
    unit: "us",
    predict: (chip) => programs * dispatchMicroseconds(program, chip),
  };
}

/** The 2025 golden file was made with slower software; it has a device of its own. */
function dispatchDevice(row: MeasuredRow): string {
  if (row.device.startsWith("p1")) return WIDE_P150;
  return row.source.includes("2025-06") ? "n150-2025-06" : "n150";
}

/** The settings in a case's name. */
function programOf(name: string, size: number): DispatchedProgram {
  const processors = name.startsWith("trisc_only")
    ? 3
    : name.startsWith("brisc_trisc")
    ? 4
    : /^(brisc|ncrisc)_only|one_processor|1_processor|256_bytes_brisc/.test(name)
    ? 1
    : 5;
  // In this family the number is the length of the kernel in cycles, not its size.
  const slow = name.startsWith("256_bytes");
  const cycles = Number(/^(\d+)_(?:cycle_)?kernel/.exec(name)?.[1] ?? (slow ? size : 0));
  const unique = Number(/(\d+)_rta/.exec(name)?.[1] ?? (name.startsWith("maxed") ? 128 : 0));
  return {
    processors,
    kernelBytes: slow ? 256 : size,
    configures: /cb|sem|crta|maxed|rta/.test(name),
    uniqueArguments: unique,
    allCores: !name.includes("1_core"),
    launchGroups: name.includes("8g") ? 8 : 1,
    kernelGroups: /kernel_groups|tensix_eth/.test(name) ? KERNEL_GROUPS : 1,
    kernelCycles: cycles,
    ethernet: name.includes("eth"),
  };
}

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

/** Kernels of the reports, all of 2025: tilizes that wait for every tile, products of `binary_ng` on the matrix engine. */
const EARLIER_IN_REPORTS = /^(Tilize|BinaryNg\w*:MUL)/;

/** Rows of op profiles: device kernel duration of one op with all its tensors. */
function profileRow(row: MeasuredRow): RowReading {
  if (row.quality !== "") leaveOut(`flagged: ${row.quality.replace(/ \(.*/s, "")}`);
  const [device, columns, rows] = required("the chip is not modelled", DEVICES[row.device]);
  const op = required("tensors or time are missing", readPerfReportRow(row));
  const measured = withWorkerGrid(getMeasuredDevice(device), [columns, rows]);
  const chip: MeasuredChip = { device, columns, rows, dramBanks: measured.dram.banks, chips: 1 };
  if (isOfEarlierKernel(op) || EARLIER_IN_REPORTS.test(row.op)) leaveOut(EARLIER_KERNEL);
  const unread = row.op.startsWith("Reshape")
    ? "the extents without padding are not in the row"
    : `the op ${row.op} is not modelled`;
  required(unread, deviceOpMicroseconds(op, chip, measured));
  const attributes = textIn(row.config, "attributes");
  return {
    ...deviceOpClass(op, chip),
    workerGrid: [columns, rows],
    configuration: [device, row.op, JSON.stringify(row.shapes), row.dtype, row.grid, attributes].join(" "),
    table: `${device} ${op.op}`,
    measured: op.us,
    unit: "us",
    predict: (chipDevice) => deviceOpMicroseconds(op, chip, chipDevice) ?? NaN,
    work: workOf(op, chip),
  };
}

/** Input of the public models for an op: its bytes. */
function workOf(op: DeviceOp, chip: MeasuredChip): BaselineWork {
  const { inputs, outputs: [output] } = programTensors(op, chip);
  return {
    flops: 0,
    tileCycles: 16,
    elements: (output?.tiles ?? 0) * 1024,
    ...bytesOf(inputs, output),
  };
}
