// SPDX-License-Identifier: Apache-2.0
import { stringify } from "@std/csv/stringify";
import { type DataType, TTNN_FORMATS } from "../../lib/layout/data_type.ts";
import { volume } from "../../lib/layout/extents.ts";
import { makeInterleaved, roundUp } from "../../lib/layout/make_layout.ts";
import { type DataMovement, reshardClass } from "../../lib/layout/ttnn/reshard_class.ts";
import { DEFAULT_TILE, type TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { FIDELITY_NAMES } from "../../lib/op_config/math_fidelity.ts";
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { Device } from "../devices/device.ts";
import { workers } from "../kernels/kernel.ts";
import type { FunctionTimeline, StepTimeline, Timeline } from "../timeline/timeline.ts";

/** Tensors that get columns of their own. */
const TENSORS = ["INPUT_0", "INPUT_1", "INPUT_2", "OUTPUT_0"] as const;

/** A format as ttnn names it in capitals; one without such a name keeps ours. */
export function profilerFormat(dataType: DataType): string {
  return (TTNN_FORMATS[dataType] ?? dataType).toUpperCase();
}

/** Labels that {@linkcode perfCsv} writes into every row. */
export interface PerfCsvOptions {
  /** Name and version of the tool. */
  readonly tool: string;
  /** The simulated chip. */
  readonly device: Device;
}

/**
 * A timeline as the CSV that tt-metal's profiler writes and tt-perf-report reads. Nothing in it was measured: each
 * function starts with a signpost `SIMULATED …`, and every row says so in its attributes. Functions that run once come
 * first, because tt-perf-report reports what follows the last signpost.
 *
 * @example
 * ```ts
 * import { loadModule, perfCsv, simulateGraph } from "@tilewright/tilewright";
 * import { assertMatch } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
 * assertMatch(perfCsv(timeline, { tool: "example", device: workbench.device }), /^OP CODE,/);
 * ```
 */
export function perfCsv(timeline: Timeline, options: PerfCsvOptions): string {
  const rows: Readonly<Record<string, string | number>>[] = [];
  const functions = [
    ...timeline.functions.filter((fn) => fn.role === "once"),
    ...timeline.functions.filter((fn) => fn.role === "inference"),
  ];
  let clock = 0;
  let call = 0;
  for (const fn of functions) {
    if (fn.steps.every((step) => step.deviceUs === 0)) continue;
    rows.push({
      "OP CODE": `SIMULATED ${options.tool} ${timeline.device} @${fn.name}`,
      "OP TYPE": "signpost",
      "HOST START TS": Math.round(clock),
    });
    for (const step of fn.steps) {
      if (step.deviceUs === 0 && step.gapUs === 0) continue;
      const [start, duration, gap] = [
        clock + step.startUs * 1000,
        Math.round(step.deviceUs * 1000),
        step.gapUs * 1000,
      ];
      const row = { ...options, step, fn, call: call++, start, duration, gap, tensors: tensorCells(step) };
      rows.push(Object.fromEntries(COLUMNS.map(([name, cell]) => [name, cell(row)])));
    }
    clock += fn.totalUs * 1000 + 1;
  }
  // The profiler ends its lines without a carriage return.
  return stringify(rows, { columns: PERF_CSV_COLUMNS }).replaceAll("\r\n", "\n");
}

/** What the columns of a step's row are made of. Times are ns of the program's clock. */
interface CsvRow extends PerfCsvOptions {
  readonly step: StepTimeline;
  readonly fn: FunctionTimeline;
  /** Rows of steps before this one. */
  readonly call: number;
  readonly start: number;
  readonly duration: number;
  readonly gap: number;
  /** Cells of {@linkcode TENSORS} by column. */
  readonly tensors: ReadonlyMap<string, string>;
}

const gapOf = ({ gap }: CsvRow): number => Math.round(gap);
const durationOf = ({ duration }: CsvRow): number => duration;
const cycleOf = (at: number, { device }: CsvRow): number => Math.round(at * device.clock.aiclk / 1000);
const empty = (): string => "";

/** Columns with their cells in the row of a step. */
const COLUMNS: readonly (readonly [name: string, cell: (row: CsvRow) => string | number])[] = [
  ["OP CODE", ({ step }) => deviceOperation(step)],
  ["OP TYPE", ({ step }) => step.bound === "HOST" ? "python_fallback" : "tt_dnn_device"],
  ["GLOBAL CALL COUNT", ({ call }) => call],
  ["DEVICE ID", () => 0],
  ["DEVICE ARCH", ({ device }) => device.architecture],
  ["ATTRIBUTES", ({ step, fn, tool }) => attributes(step, fn, tool)],
  ["MATH FIDELITY", ({ step: { fidelity } }) => fidelity === undefined ? "" : FIDELITY_NAMES[fidelity]],
  ["CORE COUNT", ({ step }) => step.estimate.cores],
  ["AVAILABLE WORKER CORE COUNT", ({ device }) => workers(device)],
  ["PARALLELIZATION STRATEGY", empty],
  ["HOST START TS", ({ start, gap }) => Math.round(start - gap)],
  ["HOST END TS", ({ start }) => Math.round(start)],
  ["HOST DURATION [ns]", gapOf],
  ["DEVICE FW START CYCLE", (row) => cycleOf(row.start, row)],
  ["DEVICE FW END CYCLE", (row) => cycleOf(row.start + row.duration, row)],
  ["OP TO OP LATENCY [ns]", gapOf],
  ["OP TO OP LATENCY BR/NRISC START [ns]", gapOf],
  ["DEVICE FW DURATION [ns]", durationOf],
  ["DEVICE KERNEL DURATION [ns]", durationOf],
  ...TENSORS.flatMap((tensor) => [
    ...["W", "Z", "Y", "X"].map((axis) => `${tensor}_${axis}_PAD[LOGICAL]`),
    `${tensor}_LAYOUT`,
    `${tensor}_DATATYPE`,
    `${tensor}_MEMORY`,
  ]).map((name) => [name, ({ tensors }: CsvRow) => tensors.get(name) ?? ""] as const),
  ["METAL TRACE ID", empty],
  ["METAL TRACE REPLAY SESSION ID", empty],
  ["PM IDEAL [ns]", durationOf],
  ["PM COMPUTE [ns]", ({ step }) => Math.round(step.estimate.terms.compute * 1000)],
  [
    "PM BANDWIDTH [ns]",
    ({ step: { estimate: { terms } } }) => Math.round(Math.max(terms.read, terms.write) * 1000),
  ],
];

/**
 * The columns of tt-metal's `ops_perf_results.csv` that tt-perf-report and ttnn-visualizer read, in the profiler's
 * order (tt-metal tools/tracy/process_ops_logs.py).
 */
export const PERF_CSV_COLUMNS: readonly string[] = COLUMNS.map(([name]) => name);

/** The tensors of a step that get columns. */
function tensorCells(step: StepTimeline): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const [index, name] of TENSORS.entries()) {
    const isOutput = name === "OUTPUT_0";
    const at = isOutput ? 0 : index;
    const weights = name === "INPUT_1" ? preparedWeights(step) : undefined;
    const shape = weights?.shape ?? (isOutput ? step.outputShapes : step.inputShapes)[at];
    const layout = weights?.layout ?? (isOutput ? step.outputLayouts : step.inputLayouts)[at];
    if (shape !== undefined) addTensor(cells, name, shape, layout);
  }
  return cells;
}

/**
 * The weights that the kernel of a convolution reads: a matrix of tiles in DRAM, whose columns tt-perf-report takes for
 * the output channels. A program may still name the raw ones.
 */
function preparedWeights(
  step: StepTimeline,
): { readonly shape: readonly number[]; readonly layout: TtnnLayout } | undefined {
  const [, patch = NaN, channels = NaN] = step.shape.split(" x ").map(Number);
  const raw = step.inputLayouts[1];
  if (step.costClass !== "conv2d" || raw === undefined || !Number.isFinite(patch * channels)) {
    return undefined;
  }
  const shape = [1, 1, patch, channels];
  const paged = { shape, dataType: raw.dataType, tile: DEFAULT_TILE };
  return { shape, layout: makeInterleaved("dram", paged, { rows: 1, columns: 1 }) };
}

function addTensor(
  fields: Map<string, string>,
  name: string,
  shape: readonly number[],
  layout: TtnnLayout | undefined,
): void {
  const rank4 = shape.length <= 4
    ? [...Array.from({ length: 4 - shape.length }, () => 1), ...shape]
    : [volume(shape.slice(0, -3)), ...shape.slice(-3)];
  const tile = layout?.tile;
  const padding = [1, 1, tile?.height ?? 1, tile?.width ?? 1];
  for (const [axis, letter] of ["W", "Z", "Y", "X"].entries()) {
    const extent = rank4[axis] ?? 1;
    fields.set(`${name}_${letter}_PAD[LOGICAL]`, `${roundUp(extent, padding[axis] ?? 1)}[${extent}]`);
  }
  if (layout === undefined) return;
  fields.set(`${name}_LAYOUT`, tile === undefined ? "ROW_MAJOR" : "TILE");
  fields.set(`${name}_DATATYPE`, profilerFormat(layout.dataType));
  fields.set(
    `${name}_MEMORY`,
    layout.memoryLayout === undefined
      ? "HOST"
      : `DEV_0_${layout.bufferType}_${layout.memoryLayout}`.toUpperCase(),
  );
}

/** The profiler's attribute dictionary: separators inside of it are semicolons, so that the line stays one CSV row. */
function attributes(step: StepTimeline, fn: FunctionTimeline, tool: string): string {
  const entries = [
    `'SIMULATED': '${tool}'`,
    `'function': '${fn.name}'`,
    `'op': '${step.op}'`,
    `'relative_error': '${step.estimate.relativeError}'`,
    `'bound': '${step.bound}'`,
  ];
  if (step.config?.kind === "matmul" && step.config.programConfig !== undefined) {
    const config = step.config.programConfig;
    const fields = Object.entries(config).filter(([, value]) => typeof value !== "object")
      .map(([key, value]) => `${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}=${value}`);
    const name = config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded"
      ? "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"
      : "MatmulProgramConfig";
    entries.push(`'program_config': '${name}(${fields.join(";")})'`);
  }
  const window = convolutionWindow(step);
  const convolution = step.estimate.programs.find((program) => program.kind === "convolution");
  if (convolution !== undefined) {
    entries.push(
      `act_block_h_ntiles=${convolution.blockRows}`,
      `per_core_out_matrix_height_ntile=${convolution.rows}`,
    );
  }
  if (step.costClass === "conv2d") {
    const { conv2dConfig } = step.config?.kind === "conv2d" ? step.config : {};
    entries.push(
      `'enable_act_double_buffer': '${conv2dConfig?.enableActDoubleBuffer ?? false}'`,
      // Which kernels split the reading is not modelled; without the word tt-perf-report would say that all do.
      `'enable_split_reader': 'false'`,
    );
  }
  if (window !== undefined) entries.push(`window_hw=(${window[0]};${window[1]}); `);
  return `{${entries.join("; ")}}`;
}

/**
 * Extents of a convolution's kernel, which tt-perf-report reads from the attributes. Prepared weights may not show them; then
 * the first extent is the product of both, which is enough for its figures.
 */
function convolutionWindow(step: StepTimeline): readonly [number, number] | undefined {
  const channels = step.inputShapes[0]?.at(-1);
  const patch = Number(step.shape.split(" x ")[1]);
  if (step.costClass !== "conv2d" || channels === undefined || !Number.isFinite(patch)) return undefined;
  const area = Math.max(1, Math.round(patch / channels));
  const [height = 1, width = 1] = step.inputShapes[1]?.slice(-2) ?? [];
  return height * width === area ? [height, width] : [area, 1];
}

/** Device operations of movements; the others copy. */
const MOVEMENTS: Readonly<Partial<Record<DataMovement, string>>> = {
  interleaved_to_sharded: "InterleavedToShardedDeviceOperation",
  sharded_to_interleaved: "ShardedToInterleavedDeviceOperation",
  reshard: "ReshardDeviceOperation",
};

/**
 * The profiler's op code of a step: tt-metal's device operation where it is known, else the op's own name in its
 * spelling. Host work carries the mark `(torch)`, by which tt-perf-report knows it.
 */
export function deviceOperation(step: StepTimeline): string {
  if (step.bound === "HOST") return `${step.name} (torch)`;
  const [from] = step.inputLayouts;
  const [to] = step.outputLayouts;
  const { changesLayout, deviceOperation } = COST_CLASSES[step.costClass];
  if (changesLayout && from !== undefined && to !== undefined) {
    const { movement, pages } = reshardClass(from, to);
    if (pages === "tilize") return "TilizeDeviceOperation";
    if (pages === "untilize") return "UntilizeDeviceOperation";
    return MOVEMENTS[movement] ?? "CopyDeviceOperation";
  }
  return definitionOf(step.name).deviceOperation ?? deviceOperation ??
    `${pascalCase(step.name)}DeviceOperation`;
}

function pascalCase(name: string): string {
  return name.replace(/^.*\./, "").split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** The head of the profiler's second file, `profile_log_device.csv`, without which ttnn-visualizer takes no run. */
export function deviceLog(device: Device): string {
  return `ARCH: ${device.architecture}, CHIP_FREQ[MHz]: ${device.clock.aiclk}, Max Compute Cores: ${
    workers(device)
  }\nPCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, ` +
    "trace id counter, zone name, type, source line, source file, meta data\n";
}
