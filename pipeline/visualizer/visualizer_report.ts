// SPDX-License-Identifier: Apache-2.0
import { functionNamed, type Graph, type GraphFunction } from "../../lib/graph/graph.ts";
import { isHostOp } from "../../lib/dialect/host_dialects.ts";
import type { CoreRange } from "../../lib/layout/core_range.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import { isSharded, type TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { BankMemory } from "../../lib/memory/bank_memory.ts";
import { dramRegion } from "../../lib/memory/dram_timeline.ts";
import { allocatedBytesPerBank } from "../../lib/opmodel/tensor.ts";
import { type ChipDescription, workerCores } from "../../lib/device/chip_description.ts";
import type { FunctionPlan, Plan } from "../../lib/plan/plan.ts";
import { profilerFormat } from "../../sim/export/perf_csv.ts";
import { dataflowOf, type FlowTensor } from "../../sim/timeline/dataflow.ts";
import {
  type FunctionTimeline,
  type StepTimeline,
  stepUs,
  type Timeline,
} from "../../sim/timeline/timeline.ts";

export type DatabaseCell = string | number | null;

/** Rows by name of their table, cells in the order of `VISUALIZER_TABLES`. */
export type DatabaseRows = Readonly<Record<string, readonly (readonly DatabaseCell[])[]>>;

/** Numbers of memories, as ttnn counts its buffer types. */
const BUFFER_TYPES = { dram: 0, l1: 1, system_memory: 2, l1_small: 3, trace: 4 } as const;

/** Numbers of layouts, as ttnn counts them. */
const MEMORY_LAYOUTS = {
  interleaved: 0,
  height_sharded: 2,
  width_sharded: 3,
  block_sharded: 4,
  nd_sharded: 5,
} as const;

/** The only chip of a report. */
const DEVICE = 0;

/**
 * The memory report of a simulated program: every op with its tensors, the address of every buffer in L1 and DRAM after it, and its circular buffers. Functions of an inference follow each other, with consecutive ids of ops and tensors.
 *
 * @param plan decisions of the timeline; `undefined` for a program as written
 */
export function visualizerRows(
  graph: Graph,
  plan: Plan | undefined,
  timeline: Timeline,
  chip: ChipDescription,
): DatabaseRows {
  const report = new MemoryReport(chip);
  for (const simulated of timeline.functions) {
    if (simulated.role !== "inference") continue;
    const fn = functionNamed(graph, simulated.name);
    report.add(fn, plan?.functions.find(({ name }) => name === fn.name), simulated);
  }
  return report.rows;
}

class MemoryReport {
  readonly rows: Record<string, (readonly DatabaseCell[])[]>;
  readonly #chip: ChipDescription;
  #operations = 0;
  #tensors = 0;

  constructor(chip: ChipDescription) {
    this.#chip = chip;
    const { rows, columns } = chip.workerGrid;
    const cores = workerCores(chip);
    const bank = chip.l1Size - chip.l1UnreservedBase - chip.l1SmallSize;
    this.rows = {
      devices: [[
        DEVICE,
        rows,
        columns,
        rows,
        columns,
        chip.l1Size,
        cores,
        bank,
        chip.l1SmallSize,
        chip.l1UnreservedBase,
        1,
        cores,
        0,
        cores * chip.l1Size,
        0,
        cores * bank,
        cores * bank,
        chip.l1Size - chip.l1UnreservedBase,
      ]],
    };
  }

  #push(table: string, ...row: readonly DatabaseCell[]): void {
    (this.rows[table] ??= []).push(row);
  }

  add(fn: GraphFunction, plan: FunctionPlan | undefined, timeline: FunctionTimeline): void {
    const { tensors } = dataflowOf(fn, plan, timeline);
    const steps = timeline.steps.filter((step) =>
      !isHostOp(step.name) && [...step.reads, ...step.makes].some((id) => tensors.has(id))
    );
    const dram = this.#dramAddresses(steps, tensors);
    const l1 = l1Addresses(timeline.steps);
    const firstTensor = this.#tensors;
    const idOf = new Map([...tensors.keys()].map((id, index) => [id, firstTensor + index] as const));
    this.#tensors += tensors.size;
    for (const [id, tensor] of tensors) {
      const { layout } = tensor;
      const address = layout?.bufferType === "l1" ? l1.get(id) : dram.addressOf.get(id);
      const memory = layout === undefined ? null : BUFFER_TYPES[layout.bufferType];
      const own = idOf.get(id) ?? 0;
      this.#push(
        "tensors",
        own,
        `Shape([${tensor.tensor.shape.join(", ")}])`,
        `DataType.${profilerFormat(tensor.tensor.dataType)}`,
        layout?.tile === undefined ? "Layout.ROW_MAJOR" : "Layout.TILE",
        layout === undefined ? null : memoryConfigText(layout),
        DEVICE,
        address ?? null,
        memory,
      );
      if (address !== undefined) this.#push("device_tensors", own, DEVICE, address);
    }
    for (const step of steps) this.#addStep(step, timeline, tensors, idOf, dram.live.get(step.index) ?? []);
  }

  #addStep(
    step: StepTimeline,
    { l1Region }: FunctionTimeline,
    tensors: ReadonlyMap<number, FlowTensor>,
    idOf: ReadonlyMap<number, number>,
    dramBuffers: readonly DramBuffer[],
  ): void {
    const operation = ++this.#operations;
    this.#push("operations", operation, step.name, stepUs(step) / 1e6);
    step.reads.forEach((id, index) => {
      const layout = step.inputLayouts[index];
      if (layout !== undefined) {
        this.#push("operation_arguments", operation, String(index), describeLayout(layout));
      }
      const tensor = idOf.get(id);
      if (tensor === undefined) return;
      this.#push("input_tensors", operation, index, tensor);
      this.#push("tensor_consumers", tensor, operation, index);
    });
    step.makes.forEach((id, index) => {
      const tensor = idOf.get(id);
      if (tensor === undefined) return;
      this.#push("output_tensors", operation, index, tensor);
      this.#push("tensor_producers", tensor, operation, index);
    });
    if (step.location !== "") this.#push("stack_traces", operation, step.location, null);
    for (const { tensor, address, bytes } of step.l1.placements) {
      const layout = tensors.get(tensor)?.layout;
      this.#push("buffers", operation, DEVICE, address, bytes, BUFFER_TYPES.l1, layoutNumber(layout));
    }
    for (const { address, bytes, layout } of dramBuffers) {
      this.#push("buffers", operation, DEVICE, address, bytes, BUFFER_TYPES.dram, layoutNumber(layout));
    }
    this.#push("captured_graph", operation, JSON.stringify(capturedNodes(step, l1Region.base, this.#chip)));
  }

  /**
   * Addresses in a bank of DRAM, first fit from below: arguments stay, results are freed after their last reader. A step without time is a view of its operand.
   */
  #dramAddresses(steps: readonly StepTimeline[], tensors: ReadonlyMap<number, FlowTensor>): {
    readonly addressOf: ReadonlyMap<number, number>;
    readonly live: ReadonlyMap<number, readonly DramBuffer[]>;
  } {
    const { base, top, alignment } = dramRegion(this.#chip);
    const memory = new BankMemory(base, top, alignment, "bottom_up");
    const lastUse = new Map<number, number>();
    for (const { index, reads, makes } of steps) {
      for (const id of [...reads, ...makes]) lastUse.set(id, index);
    }
    const ownerOf = new Map<number, number>();
    const held = new Map<number, DramBuffer>();
    const addressOf = new Map<number, number>();
    const place = (id: number): void => {
      const tensor = tensors.get(id);
      if (tensor?.layout?.bufferType !== "dram" || ownerOf.has(id)) return;
      ownerOf.set(id, id);
      const { layout } = tensor;
      memory.place(id, allocatedBytesPerBank({ shape: tensor.tensor.shape, layout }, this.#chip));
      const placed = memory.placementOf(id);
      if (placed === undefined) return;
      addressOf.set(id, placed.address);
      held.set(id, { ...placed, layout });
    };
    // Arguments and const-eval results.
    const made = new Set<number>(steps.flatMap(({ makes }) => makes));
    const residents = new Set<number>([...tensors.keys()].filter((id) => !made.has(id)));
    for (const id of residents) place(id);
    const live = new Map<number, readonly DramBuffer[]>();
    for (const { index, reads, makes, deviceUs, gapUs } of steps) {
      const [read] = reads;
      const owner = read === undefined ? undefined : ownerOf.get(read);
      for (const id of makes) {
        const isView = deviceUs + gapUs === 0 && owner !== undefined &&
          tensors.get(id)?.layout?.bufferType === "dram";
        if (!isView) place(id);
        else {
          ownerOf.set(id, owner);
          const address = addressOf.get(owner);
          if (address !== undefined) addressOf.set(id, address);
          lastUse.set(owner, Math.max(lastUse.get(owner) ?? 0, lastUse.get(id) ?? 0));
        }
      }
      live.set(index, [...held.values()]);
      for (const id of [...held.keys()]) {
        if (residents.has(id) || (lastUse.get(id) ?? 0) > index) continue;
        held.delete(id);
        memory.free(id);
      }
    }
    return { addressOf, live };
  }
}

interface DramBuffer {
  readonly address: number;
  readonly bytes: number;
  readonly layout: TtnnLayout;
}

/** The first L1 address of every tensor; a view has that of its operand. */
function l1Addresses(steps: readonly StepTimeline[]): ReadonlyMap<number, number> {
  const addresses = new Map<number, number>();
  for (const { l1, reads, makes } of steps) {
    for (const { tensor, address } of l1.placements) {
      if (!addresses.has(tensor)) addresses.set(tensor, address);
    }
    const [read] = reads;
    const shown = read === undefined ? undefined : addresses.get(read);
    for (const id of makes) if (!addresses.has(id) && shown !== undefined) addresses.set(id, shown);
  }
  return addresses;
}

function layoutNumber(layout: TtnnLayout | undefined): number {
  return MEMORY_LAYOUTS[layout?.memoryLayout ?? "interleaved"];
}

/** A memory config in the form that ttnn-visualizer reads; it does not parse ttnn's current form. */
function memoryConfigText(layout: TtnnLayout): string {
  const shards = isSharded(layout)
    ? `ShardSpec(grid={${rangesText(layout.coreRanges)}},shape={${shardElements(layout).join(", ")}},` +
      `orientation=ShardOrientation::${layout.shardOrientation.toUpperCase()},halo=0)`
    : "std::nullopt";
  return `MemoryConfig(memory_layout=TensorMemoryLayout::${
    (layout.memoryLayout ?? "interleaved").toUpperCase()
  },buffer_type=BufferType::${layout.bufferType.toUpperCase()},shard_spec=${shards})`;
}

/** Rows and columns of a shard, in elements. */
function shardElements({ shardShape, tile }: TtnnLayout): readonly number[] {
  const [rows = 1, columns = 1] = shardShape.slice(-2);
  return [rows * (tile?.height ?? 1), columns * (tile?.width ?? 1)];
}

interface CapturedNode {
  readonly counter: number;
  readonly node_type: string;
  readonly params: Readonly<Record<string, string>>;
  readonly connections: readonly number[];
}

/** The graph that ttnn captures of an op, reduced to its circular buffers. */
function capturedNodes(step: StepTimeline, base: number, chip: ChipDescription): readonly CapturedNode[] {
  const nodes: CapturedNode[] = [];
  const push = (type: string, params: CapturedNode["params"] = {}): void => {
    const counter = nodes.length;
    nodes.push({ counter, node_type: type, params, connections: [counter + 1] });
  };
  push("capture_start");
  push("function_start", { name: step.name.replaceAll(".", "::"), inputs: String(step.reads.length) });
  const cores = rangesText(firstCores(step.estimate.cores, chip.workerGrid.columns));
  for (const { circularBuffers } of step.estimate.programs) {
    push("circular_buffer_deallocate_all");
    let address = base;
    for (const { bytes, bytesOnCore = bytes, name } of circularBuffers) {
      if (bytesOnCore === 0) continue;
      push("circular_buffer_allocate", {
        address: String(address),
        size: String(bytesOnCore),
        core_range_set: `{${cores}}`,
        globally_allocated: "0",
        device_id: String(DEVICE),
        name,
      });
      address += bytesOnCore;
    }
  }
  push("function_end", { name: step.name.replaceAll(".", "::") });
  push("capture_end");
  const last = nodes.pop();
  return last === undefined ? nodes : [...nodes, { ...last, connections: [] }];
}

/** The first cores of a grid, row by row. */
function firstCores(cores: number, columns: number): readonly CoreRange[] {
  const rows = Math.floor(cores / columns);
  const rest = cores % columns;
  return [
    ...rows === 0 ? [] : [{ start: { x: 0, y: 0 }, end: { x: columns - 1, y: rows - 1 } }],
    ...rest === 0 ? [] : [{ start: { x: 0, y: rows }, end: { x: rest - 1, y: rows } }],
  ];
}

function rangesText(ranges: readonly CoreRange[]): string {
  return ranges.map(({ start, end }) => `[(x=${start.x},y=${start.y}) - (x=${end.x},y=${end.y})]`).join(", ");
}
