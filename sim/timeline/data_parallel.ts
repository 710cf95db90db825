// SPDX-License-Identifier: Apache-2.0
import { type Mesh, meshChips } from "../../lib/device/mesh.ts";
import type { Graph, GraphFunction } from "../../lib/graph/graph.ts";
import { inOrder } from "../../lib/programs/program.ts";
import { type ProgramTensor, programTensor } from "../../lib/programs/program_tensor.ts";
import { hostTransfer } from "../../lib/programs/data_movement/relayout.ts";
import type { Device } from "../devices/device.ts";
import { estimateOf } from "../cost/estimate.ts";
import type { Timeline } from "./timeline.ts";

/** A program on all chips of a machine at the same time. */
export interface DataParallel {
  /** Chips of the machine. */
  readonly chips: number;
  /** Copies of the program that run in parallel, each with its own inputs; one for a multi-chip program. */
  readonly copies: number;
  /** Time of one inference on every copy, in µs. */
  readonly roundUs: number;
  /** Transfer time of the tensors of one inference of one copy over the link to the host, in µs. */
  readonly hostUs: number;
  /** Inferences of all copies in a second. */
  readonly perSecond: number;
}

/**
 * Throughput of a single-chip program on a machine: one copy per chip. Transfers of one copy overlap the work
 * of the others, but chips behind one host link share it: round = max(inference, Σ transfers over one link).
 * A program with its own mesh runs once.
 *
 * @param mesh axes that the program runs on; `[]` for one chip
 */
export function dataParallel(
  { timeline, graph }: { readonly timeline: Timeline; readonly graph: Graph },
  mesh: Mesh,
  device: Device,
): DataParallel {
  const chips = meshChips(device.mesh.map((axis) => axis.chips));
  const copies = meshChips(mesh.map((axis) => axis.chips)) > 1 ? 1 : chips;
  const { functions, inference } = timeline;
  const run = functions.filter(({ role }) => role === "inference");
  const moved = run.flatMap(({ steps }) => steps)
    .filter(({ estimate }) => estimate.programs.some(({ kind }) => kind === "host_transfer"))
    .reduce((sum, { estimate }) => sum + estimate.microseconds, 0);
  const names = run.map(({ name }) => name);
  const crossing = graph.functions.filter(({ name }) => names.includes(name)).flatMap(ownTransfers)
    .reduce(
      (sum, tensor) =>
        sum + estimateOf(inOrder(hostTransfer([tensor])), "host_transfer", device).microseconds,
      0,
    );
  const hostUs = moved + crossing;
  const roundUs = Math.max(inference.totalUs, Math.min(copies, device.host.chipsPerLink) * hostUs);
  return { chips, copies, roundUs, hostUs, perSecond: roundUs === 0 ? 0 : copies / roundUs * 1e6 };
}

/**
 * Inputs and results in device memory, which the caller transfers; weights and KV caches stay on the device. Empty
 * unless the function is of kind `forward_device`.
 */
function ownTransfers({ kind, arguments: args, results, values }: GraphFunction): readonly ProgramTensor[] {
  if (kind !== "forward_device") return [];
  const inputs = args.filter((id) => {
    const definition = values[id]?.definition;
    return definition?.kind === "argument" && !definition.isKvCache &&
      (definition.argumentType === "input" || definition.argumentType === "default");
  });
  return [...inputs, ...results].flatMap((id) => {
    const { tensor, layout } = values[id] ?? {};
    return tensor === undefined || layout?.bufferType === "system_memory"
      ? []
      : [programTensor(tensor, layout)];
  });
}
