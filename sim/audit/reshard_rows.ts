// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import { chipDescription } from "../devices/device.ts";
import { dramReadCycles } from "../kernels/dram.ts";
import { smoothMax } from "../kernels/kernel.ts";
import type { MeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { networkOf } from "../network/network.ts";
import { reshardFlows } from "../network/reshard_traffic.ts";
import { type Flow, flowTraffic } from "../network/traffic.ts";
import { numberIn } from "./measured_ops/texts.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { leaveOut, requiring, type RowReading } from "./row_model.ts";

/** Columns of pages of the traced tensors: the widest grids in the traces have as many cores along a row. */
const PAGE_COLUMNS = 8;

/** Rows of traced reshards on one chip. */
export function reshardRow(row: MeasuredRow): RowReading {
  const grids = row.grid.split(" -> ");
  const need = requiring("grids, pages or cycles are missing");
  const cycles = need(numberIn(row.measured, "cycles"));
  const pages = need(numberIn(row.shapes, "transactions"));
  const from = need(grids[0]);
  const to = need(grids[1]);
  const pageBytes = numberIn(row.shapes, "page_bytes");
  if (pageBytes !== 4096 && pageBytes !== 2048) leaveOut("the page is not a tile of a known format");
  const dataType = pageBytes === 4096 ? "f32" : "bf16";
  const shape = [Math.ceil(pages / PAGE_COLUMNS) * 32, Math.min(pages, PAGE_COLUMNS) * 32];
  const source = layoutOf(from, shape, dataType);
  const target = layoutOf(to, shape, dataType);
  return {
    costClass: "reshard",
    placement: source.bufferType === "dram" ? "dram_interleaved" : "l1_sharded",
    configuration: `${row.grid} ${pages}`,
    table: `${from} ${row.op}`,
    measured: cycles,
    unit: "cycles",
    predict: (device) => tracedCycles(device, shape, source, target, pages * pageBytes),
  };
}

/** Span of the trace: flows on the torus, the cores' own reads as tracing slows them, and DRAM for all. */
function tracedCycles(
  device: MeasuredDevice,
  shape: readonly number[],
  from: TtnnLayout,
  to: TtnnLayout,
  bytes: number,
): number {
  const network = networkOf(device);
  const flows = network === undefined ? undefined : reshardFlows(shape, from, to, chipDescription(device));
  if (network === undefined || flows === undefined) return Number.NaN;
  const shared = onOneThread(to) ? flows.map((flow): Flow => ({ ...flow, noc: 0 })) : flows;
  const moving = shared.filter((flow) => flow.source !== flow.destinations[0]);
  const traffic = flowTraffic(device, network).time(moving);
  const own = new Map<number, number>();
  for (const { destinations: [core = 0], noc, transactionBytes, bytes: part } of shared) {
    const thread = core * 2 + noc;
    const each = Math.max(device.noc.readIssue, transactionBytes / device.noc.readBytesPerCycle);
    const reads = part / transactionBytes;
    own.set(thread, (own.get(thread) ?? 0) + reads * (each + device.reshard.tracedRead));
  }
  const slowest = Math.max(0, ...own.values());
  const memory = from.bufferType === "dram" ? dramReadCycles(device, bytes) : 0;
  return device.reshard.tracedStart +
    smoothMax(slowest, Math.max(traffic.cycles, memory), device.stream.sharingOverlap);
}

/** The threads of a core share whole rows of at least two pages; smaller shards are one thread's work. */
function onOneThread(to: TtnnLayout): boolean {
  const [rows = 1, columns = 1] = to.shardShape;
  return rows === 1 || rows * columns < 4;
}

/** `4x2_BLOCK`, `2x8_HEIGHT` (rows x columns of a rectangle of cores) or `DRAM`. */
function layoutOf(text: string, shape: readonly number[], dataType: "f32" | "bf16"): TtnnLayout {
  const workers = { rows: 8, columns: 8 };
  if (text === "DRAM") {
    return makeLayout({ shape, dataType, bufferType: "dram", memoryLayout: "interleaved" }, workers, 12);
  }
  const [, height, width, shards] = /^(\d+)x(\d+)_(BLOCK|HEIGHT|WIDTH)$/.exec(text) ?? [];
  const [rows, columns] = [Number(height), Number(width)];
  if (!(rows <= workers.rows && columns <= workers.columns)) leaveOut("the grid is not understood");
  const [memoryLayout, grid] = shards === "BLOCK"
    ? ["block_sharded" as const, [rows, columns] as const]
    : shards === "HEIGHT"
    ? ["height_sharded" as const, [rows * columns, 1] as const]
    : ["width_sharded" as const, [1, rows * columns] as const];
  const layout = makeLayout({ shape, dataType, bufferType: "l1", memoryLayout, grid }, workers, 12);
  return { ...layout, coreRanges: [{ start: { x: 0, y: 0 }, end: { x: columns - 1, y: rows - 1 } }] };
}
