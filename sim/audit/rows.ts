// SPDX-License-Identifier: Apache-2.0
import { chipDramBandwidth } from "../microbenchmarks/dram_streams.ts";
import { getMeasuredDevice, type MeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { numberIn, textIn } from "./measured_ops/texts.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { type AuditRow, type BaselineWork, bytesOf, excluding, withWorkerGrid } from "./row_model.ts";
import { type DispatchedProgram, dispatchMicroseconds } from "../microbenchmarks/dispatch.ts";
import { decoderNamed } from "./decoder_architecture.ts";
import { decoderPassMicroseconds } from "./decoder_step.ts";
import type { DeviceOp } from "./device_op.ts";
import { unaryNeighbours, unaryRow } from "./eltwise_rows.ts";
import { gemmRow, gemmWallRow, heightShardedRow, singleCoreRow } from "./matmul_rows.ts";
import type { MeasuredChip } from "./measured_ops/measured_chip.ts";
import { nocBandwidthRow, nocLatencyRow } from "./noc_rows.ts";
import { deviceOpClass, deviceOpMicroseconds } from "./questions/device_op_time.ts";
import { programTensors } from "./questions/placed_op.ts";
import { readPerfReportRow } from "./readers/perf_report.ts";
import { reshardRow } from "./reshard_rows.ts";

/** Peak DRAM bandwidth of Wormhole in GB/s at the two memory clocks that were measured. */
const PEAK_BY_CLOCK: readonly (readonly [string, number])[] = [["14GT/s", 336], ["12GT/s", 288]];

function dramBandwidthRow(row: MeasuredRow): AuditRow {
  const group = "dram_bw";
  const device = row.device.includes("BH") || row.device.startsWith("p1") ? "p150-13x10" : "n150";
  const excluded = excluding(group, device);
  const measured = numberIn(row.measured, "GBps");
  if (measured === undefined) return excluded("GB/s are missing");
  const predict = bandwidthOf(row);
  if (predict === undefined) return excluded(`the case ${row.op} is not modelled`);
  return {
    status: "modelled",
    group,
    device,
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
  const readers: Readonly<Record<string, (row: MeasuredRow) => AuditRow>> = {
    gemm: (row) => gemmRow(row, hostFloor),
    matmul_height_sharded: heightShardedRow,
    matmul_1core: singleCoreRow,
    eltwise_unary: (row) => unaryRow(row, neighbours),
    noc_latency: nocLatencyRow,
    noc_bw: nocBandwidthRow,
    dram_bw: dramBandwidthRow,
    dispatch: dispatchRow,
    reshard: reshardRow,
    op_profile: profileRow,
    e2e: decoderRow,
    llm_decode_op: withoutShapes,
    llm_prefill_op: withoutShapes,
    op_target: withoutShapes,
  };
  return rows.flatMap((row) => {
    const read = readers[row.group] ?? (() => excluding(row.group, row.device)("the group is not modelled"));
    const wall = row.group === "gemm" ? gemmWallRow(row) : undefined;
    const questions = wall === undefined ? [read(row)] : [read(row), wall];
    if (!OF_OPS.has(row.group)) return questions;
    const parameters = parametersOf(row);
    return questions.map((question) =>
      question.status === "modelled" && !question.group.endsWith("_wall")
        ? { ...question, parameters }
        : question
    );
  });
}

function withoutShapes({ group, device }: MeasuredRow): AuditRow {
  return excluding(group, device)("shapes are not in the row");
}

/** Groups whose rows are times of ops that plans decide about. */
const OF_OPS: ReadonlySet<string> = new Set(["gemm", "matmul_height_sharded", "eltwise_unary", "op_profile"]);

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
export function decoderRow(row: MeasuredRow): AuditRow {
  const group = row.group;
  const excluded = excluding(group, row.device);
  const name = row.op.startsWith("falcon7b") ? "Falcon-7B" : textIn(row.shapes, "model");
  const model = decoderNamed(name);
  if (model === undefined) return excluded("the graph of the model is not in the row");
  const device = CHIPS.find(([pattern]) => pattern.test(row.device))?.[1];
  if (device === undefined) return excluded("the chip is not modelled");
  const us = numberIn(row.measured, "us");
  const users = numberIn(row.shapes, "batch");
  const cached = numberIn(row.shapes, "kv_len");
  const prompt = row.op.endsWith("prefill") ? numberIn(row.shapes, "seq") : 1;
  if (us === undefined || users === undefined || cached === undefined || prompt === undefined) {
    return excluded("batch, length or time is missing");
  }
  if (row.quality !== "") return excluded(`flagged: ${row.quality}`);
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
    status: "modelled",
    group,
    device,
    configuration: [group, row.device, row.op, name, users, prompt, cached].join(" "),
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
function dispatchRow(row: MeasuredRow): AuditRow {
  const group = "dispatch";
  const device = deviceOf(row);
  const excluded = excluding(group, device);
  const us = numberIn(row.measured, "us");
  const size = numberIn(row.shapes, "kernel_bytes");
  const name = row.op.replace(/^program_dispatch:/, "");
  if (us === undefined || size === undefined) return excluded("time or kernel size is missing");
  if (name.includes("no_trace")) return excluded("untraced: bound by the host");
  if (/tensix_eth.*shadow/.test(name)) {
    return excluded("several programs on workers and Ethernet cores at once");
  }
  const program = programOf(name, size);
  const shadows = Number(/(\d+)_shadow/.exec(name)?.[1] ?? 0);
  const programs = shadows === 0 ? 1 : (shadows + 1) * SHADOW_SHARE;
  return {
    status: "modelled",
    group,
    device,
    configuration: `${device} ${name} ${size}`,
    table: `${device} ${name}`,
    measured: us,
    unit: "us",
    predict: (chip) => programs * dispatchMicroseconds(program, chip),
  };
}

/** The 2025 golden file was made with slower software; it has a device of its own. */
function deviceOf(row: MeasuredRow): string {
  if (row.device.startsWith("p1")) return "p150-13x10";
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

/** Rows of op profiles: device kernel duration of one op with all its tensors. */
function profileRow(row: MeasuredRow): AuditRow {
  const group = "op_profile";
  const named = DEVICES[row.device];
  const excluded = excluding(group, named?.[0] ?? row.device);
  if (row.quality !== "") return excluded(`flagged: ${row.quality.replace(/ \(.*/s, "")}`);
  if (named === undefined) return excluded("the chip is not modelled");
  const [device, columns, rows] = named;
  const op = readPerfReportRow(row);
  if (op === undefined) return excluded("tensors or time are missing");
  const measured = withWorkerGrid(getMeasuredDevice(device), [columns, rows]);
  const chip: MeasuredChip = { device, columns, rows, dramBanks: measured.dram.banks, chips: 1 };
  if (deviceOpMicroseconds(op, chip, measured) === undefined) {
    return excluded(`the op ${row.op} is not modelled`);
  }
  const attributes = textIn(row.config, "attributes");
  return {
    status: "modelled",
    group,
    ...deviceOpClass(op, chip),
    device,
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
