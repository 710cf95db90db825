// SPDX-License-Identifier: Apache-2.0
import type { Bound, CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import type { LayoutId, LayoutTable } from "../../lib/layout/layout_table.ts";
import { LayoutError } from "../../lib/layout/layout_error.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { networkOf } from "./network.ts";
import { reshardFlows } from "./reshard_traffic.ts";
import { type Bottleneck, type Flow, flowTraffic, type TrafficLoad } from "./traffic.ts";

/** Adds congestion between flows to estimates that were made for each core separately. */
export interface CongestionModel {
  /**
   * The estimate of a layout change with congestion: if its flows take longer than both the reader and the
   * writer of the kernel model, the longer of these takes as long. Never below the given estimate.
   */
  refine(estimate: RuntimeEstimate, tensor: TensorShape, from: LayoutId, to: LayoutId): RuntimeEstimate;
}

/** Cached models: simulations of one workbench ask about the same layout changes repeatedly. */
const CACHE: WeakMap<LayoutTable, WeakMap<Device, CongestionModel>> = new WeakMap();

/**
 * Congestion of layout changes on a device, memoised by shape and layouts; one model per device and table. Devices whose
 * cores cannot be placed on the torus (see {@linkcode networkOf}) and changes that have no flows keep their estimates.
 *
 * @param layouts table that the layout ids are from
 */
export function congestionModelOf(device: Device, layouts: LayoutTable): CongestionModel {
  return CACHE.getOrInsertComputed(layouts, () => new WeakMap())
    .getOrInsertComputed(device, () => createCongestionModel(device, layouts));
}

/** A cost model that adds congestion to layout changes. */
export function withCongestion(cost: CostModel, device: Device, layouts: LayoutTable): CostModel {
  const model = congestionModelOf(device, layouts);
  return {
    ...cost,
    congestionMicroseconds: (estimate, tensor, from, to) =>
      model.refine(estimate, tensor, from, to).microseconds - estimate.microseconds,
  };
}

function createCongestionModel(device: Device, layouts: LayoutTable): CongestionModel {
  const network = networkOf(device);
  if (network === undefined) return { refine: (estimate) => estimate };
  const traffic = flowTraffic(device, network);
  const chip = chipDescription(device);
  const known = new Map<string, CachedFlows | null>();
  // Grids that differ in cores without a shard, and shapes that differ in axes of 1, move the same bytes.
  const byFlows = new Map<string, CachedFlows>();

  const flowsOf = (shape: readonly number[], from: LayoutId, to: LayoutId): readonly Flow[] => {
    try {
      return reshardFlows(shape, layouts.get(from), layouts.get(to), chip) ?? [];
    } catch (error) {
      // A layout that does not fit the tensor or the chip has no flows; the verifier reports it, not the clock.
      if (error instanceof LayoutError) return [];
      throw error;
    }
  };
  const timeOf = (load: TrafficLoad): FlowTime => {
    const { cycles, bottleneck } = load.time();
    return { microseconds: cycles / device.clock.aiclk, bottleneck };
  };

  return {
    refine(estimate, tensor, from, to) {
      // Shards that are converted in place cross no link.
      if (estimate.programs.every((program) => program.kind === "transfer" && !program.moves)) {
        return estimate;
      }
      const { read, write } = estimate.terms;
      const alone = Math.max(read, write);
      const key = `${tensor.shape.join("x")}|${from}|${to}`;
      let flows = known.get(key);
      let load: TrafficLoad | undefined;
      if (flows === undefined) {
        const moved = flowsOf(tensor.shape, from, to);
        const content = contentOf(moved);
        flows = moved.length === 0 ? null : byFlows.get(content);
        if (flows === undefined) {
          load = traffic.load(moved);
          flows = { atMost: load.cyclesAtMost * (1 + ROUNDING) / device.clock.aiclk, time: undefined };
          byFlows.set(content, flows);
        }
        known.set(key, flows);
      }
      if (flows === null || flows.atMost <= alone) return estimate;
      flows.time ??= timeOf(load ?? traffic.load(flowsOf(tensor.shape, from, to)));
      const { time } = flows;
      if (time.microseconds <= alone) return estimate;
      return congested(estimate, time);
    },
  };
}

/** The estimate with the longer of its reads and writes raised to the time of the network under all flows. */
function congested(estimate: RuntimeEstimate, { microseconds, bottleneck }: FlowTime): RuntimeEstimate {
  const { read, write, launch, compute } = estimate.terms;
  const side = write > read ? "write" : "read";
  return {
    ...estimate,
    microseconds: estimate.microseconds + (microseconds - Math.max(read, write)),
    bound: congestedBound(estimate, bottleneck),
    terms: { ...estimate.terms, [side]: microseconds },
    dominant: microseconds > Math.max(launch, compute) ? side : estimate.dominant,
  };
}

/** The flows of one layout change and what has been computed for them. */
interface CachedFlows {
  /** µs that they never take longer than. */
  readonly atMost: number;
  /** `undefined` until it is computed. */
  time: FlowTime | undefined;
}

/** Equal for flows with equal loads on the network. */
function contentOf(flows: readonly Flow[]): string {
  return flows.map(({ kind, noc, source, destinations, bytes, transactionBytes }) =>
    `${kind}${noc} ${source} ${destinations} ${bytes} ${transactionBytes}`
  ).join();
}

/** Relative slack of a bound that is summed in another order than the time that it bounds. */
const ROUNDING = 1e-9;

interface FlowTime {
  readonly microseconds: number;
  readonly bottleneck: Bottleneck | undefined;
}

function congestedBound(estimate: RuntimeEstimate, bottleneck: Bottleneck | undefined): Bound {
  if (estimate.bound === "HOST") return "HOST";
  return bottleneck?.kind === "dram_bank" ? "DRAM" : "NOC";
}
