// SPDX-License-Identifier: Apache-2.0
import { workerCores } from "../../lib/device/chip_description.ts";
import { type CoreCoord, walkCores } from "../../lib/layout/core_range.ts";
import { LayoutError } from "../../lib/layout/layout_error.ts";
import { gridCores, type WorkerGrid } from "../../lib/layout/make_layout.ts";
import { coreNode, dramNode } from "../../lib/layout/ttnn/nodes.ts";
import { shardNodes } from "../../lib/layout/ttnn/placement.ts";
import { isDramBuffer, isSharded, type TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import type { MatmulBlocks } from "../../lib/programs/matmul/matmul_blocks.ts";
import { type ProgramTensor, programTensor } from "../../lib/programs/program_tensor.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { networkOf } from "../network/network.ts";
import type { NocId } from "../network/noc_route.ts";
import { reshardFlows } from "../network/reshard_traffic.ts";
import {
  type Flow,
  flowTraffic,
  type NetworkPlace,
  type TrafficCost,
  type TrafficModel,
} from "../network/traffic.ts";
import type { StepTimeline } from "./timeline.ts";

/** The part of a step that determines its traffic. */
export type TrafficStep = Pick<
  StepTimeline,
  | "name"
  | "costClass"
  | "estimate"
  | "config"
  | "inputLayouts"
  | "outputLayouts"
  | "inputShapes"
  | "outputShapes"
  | "inputTypes"
  | "outputTypes"
>;

/**
 * Load of every link, bank and issuing core during one step, at flow level. For inspecting a step (heat maps,
 * bottlenecks); its time is the cost model's, with congestion added for layout changes only.
 *
 * @returns `undefined` if {@linkcode stepFlows} is empty, or the device's cores have no known place on the torus
 */
export function stepTraffic(step: TrafficStep, device: Device): TrafficCost | undefined {
  const flows = stepFlows(step, device);
  return flows.length === 0 ? undefined : trafficOf(device)?.time(flows);
}

/** The model of the time of flows on a device; `undefined` if its cores have no known place on the torus. */
export function trafficOf(device: Device): TrafficModel | undefined {
  const network = networkOf(device);
  return network === undefined ? undefined : flowTraffic(device, network);
}

/**
 * The flows of a step. Layout changes with known flows ({@linkcode reshardFlows}) move exactly the bytes that
 * change their node. A matmul reads its first two operands by its dataflow: one core per multicast group reads the
 * group's part and multicasts it; without multicast every core reads its own part. In every other op each core
 * reads an equal share of the operands (NoC0) and writes an equal share of the results (NoC1). A tensor in L1
 * shards causes no such read or write if every core of the step holds a shard.
 *
 * @returns nothing if a layout does not fit its tensor or the chip
 */
export function stepFlows(step: TrafficStep, device: Device): readonly Flow[] {
  const chip = chipDescription(device);
  const [shape] = step.inputShapes;
  const [from] = step.inputLayouts;
  const [to] = step.outputLayouts;
  try {
    if (COST_CLASSES[step.costClass].changesLayout) {
      const moves = shape === undefined || from === undefined || to === undefined
        ? undefined
        : reshardFlows(shape, from, to, chip);
      if (moves !== undefined) return moves;
    }
    const product = step.estimate.programs.find((program) => program.kind === "matmul");
    if (product !== undefined && step.costClass === "matmul") {
      return matmulFlows(step, product.blocks, device);
    }
    const cores = stepCores(step, chip.workerGrid).map((core) => coreNode(chip, core));
    return [
      ...tensors(step, "input").flatMap((tensor) => sharedFlows("read", tensor, cores, 0, device)),
      ...tensors(step, "output").flatMap((tensor) => sharedFlows("write", tensor, cores, 1, device)),
    ];
  } catch (error) {
    // Layouts that do not fit their tensor or the chip cannot be placed.
    if (error instanceof LayoutError) return [];
    throw error;
  }
}

/** A tensor of a step with its layout. */
interface StepTensor {
  readonly layout: TtnnLayout;
  readonly priced: ProgramTensor;
}

function tensors(step: TrafficStep, side: "input" | "output"): StepTensor[] {
  const shapes = side === "input" ? step.inputShapes : step.outputShapes;
  const layouts = side === "input" ? step.inputLayouts : step.outputLayouts;
  return shapes.flatMap((shape, index) => {
    const layout = layouts[index];
    if (shape === undefined || layout === undefined || layout.bufferType === "system_memory") return [];
    return [{ layout, priced: programTensor({ shape, dataType: layout.dataType }, layout) }];
  });
}

/** Network places that hold a tensor, in equal parts: of its shards, all DRAM banks, or all worker cores. */
function holders(layout: TtnnLayout, device: Device): readonly NetworkPlace[] {
  const chip = chipDescription(device);
  if (isSharded(layout)) return shardNodes(layout, chip);
  if (isDramBuffer(layout.bufferType)) {
    return Array.from({ length: chip.dramBanks }, (_, bank) => dramNode(chip, bank));
  }
  return Array.from({ length: workerCores(chip) }, (_, core) => core);
}

/** Whether every core that uses a tensor holds one of its L1 shards. */
function isLocal(
  layout: TtnnLayout,
  places: readonly NetworkPlace[],
  cores: readonly NetworkPlace[],
): boolean {
  if (!isSharded(layout) || isDramBuffer(layout.bufferType)) return false;
  const held = new Set(places);
  return cores.every((core) => held.has(core));
}

/**
 * Each core reads an equal share from every holder, or writes one to it; no flow if the tensor is local
 * ({@linkcode isLocal}).
 */
function sharedFlows(
  kind: "read" | "write",
  tensor: StepTensor,
  cores: readonly NetworkPlace[],
  noc: NocId,
  device: Device,
): Flow[] {
  const places = holders(tensor.layout, device);
  if (isLocal(tensor.layout, places, cores)) return [];
  const bytes = tensor.priced.bytes / cores.length / places.length;
  const transactionBytes = Math.max(1, Math.min(tensor.priced.pageBytes, bytes));
  return cores.flatMap((core) =>
    places.map((place): Flow => {
      const [source, destination] = kind === "read" ? [place, core] : [core, place];
      return { kind, noc, source, destinations: [destination], bytes, transactionBytes };
    })
  );
}

/**
 * Flows of a matmul by its dataflow (tt-metal matmul program factories): the first operand uses NoC1, all other
 * operands and the results NoC0. If every core of the matmul holds an L1 shard of an operand, each multicasts its own.
 */
function matmulFlows(step: TrafficStep, blocks: MatmulBlocks, device: Device): Flow[] {
  const chip = chipDescription(device);
  const columns = Math.min(blocks.gridX, chip.workerGrid.columns);
  const rows = Math.min(blocks.gridY, chip.workerGrid.rows);
  const grid = Array.from(
    { length: rows },
    (_, y) => Array.from({ length: columns }, (_, x) => coreNode(chip, { x, y })),
  );
  const cores = grid.flat().slice(0, Math.max(1, step.estimate.cores));
  const byColumn = Array.from({ length: columns }, (_, x) => grid.map((row) => row[x] ?? 0));
  const [in0, in1, ...more] = tensors(step, "input");
  if (in0 === undefined || in1 === undefined) return [];
  const groups = {
    mcast_2d: [grid, byColumn],
    mcast_in0: [[cores], alone(cores)],
    mcast_in1: [alone(cores), [cores]],
    dram_sharded: [[cores], alone(cores)],
    reuse: [alone(cores), alone(cores)],
    single_tile: [alone(cores), alone(cores)],
  }[blocks.dataflow];
  const [in0Groups = [], in1Groups = []] = groups;
  return [
    ...operandFlows(in0, in0Groups, 1, device),
    ...operandFlows(in1, in1Groups, 0, device),
    ...more.flatMap((tensor) => sharedFlows("read", tensor, cores, 0, device)),
    ...tensors(step, "output").flatMap((tensor) => sharedFlows("write", tensor, cores, 0, device)),
  ];
}

function alone(cores: readonly NetworkPlace[]): (readonly NetworkPlace[])[] {
  return cores.map((core) => [core]);
}

/**
 * Every group of cores needs its part of the operand, `bytes / groups`. The first core of the group reads it and
 * multicasts it to the others. If the operand is local ({@linkcode isLocal}), nothing is read, and every core
 * multicasts an equal share to the others.
 */
function operandFlows(
  tensor: StepTensor,
  groups: readonly (readonly NetworkPlace[])[],
  noc: NocId,
  device: Device,
): Flow[] {
  const sources = holders(tensor.layout, device);
  const flows: Flow[] = [];
  const resident = isLocal(tensor.layout, sources, groups.flat());
  const senders = groups.flatMap(([first]) => first ?? []);
  if (!resident) flows.push(...sharedFlows("read", tensor, senders, noc, device));
  for (const group of groups) {
    if (group.length < 2) continue;
    const from = resident ? group : group.slice(0, 1);
    const bytes = tensor.priced.bytes / groups.length / from.length;
    for (const sender of from) {
      flows.push({
        kind: "write",
        noc,
        source: sender,
        destinations: group.filter((core) => core !== sender),
        bytes,
        transactionBytes: Math.max(1, Math.min(tensor.priced.pageBytes, bytes)),
      });
    }
  }
  return flows;
}

/**
 * Cores of a step, `estimate.cores` of them: the first ones of its first result or operand in L1 shards, if it has
 * so many; otherwise the first ones of the grid, row by row.
 */
export function stepCores(
  step: Pick<StepTimeline, "estimate" | "inputLayouts" | "outputLayouts">,
  grid: WorkerGrid,
): readonly CoreCoord[] {
  const count = step.estimate.cores;
  const sharded = [...step.outputLayouts, ...step.inputLayouts].find((layout) =>
    layout !== undefined && layout.bufferType === "l1" && isSharded(layout) && layout.coreRanges.length > 0
  );
  const cores = walkCores(sharded?.coreRanges ?? []);
  if (cores.length >= count) return cores.slice(0, count);
  return Array.from({ length: Math.min(count, gridCores(grid)) }, (_, index) => ({
    x: index % grid.columns,
    y: Math.floor(index / grid.columns),
  }));
}
