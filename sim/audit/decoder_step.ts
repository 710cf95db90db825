// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import type { MathFidelity } from "../../lib/op_config/op_config.ts";
import type { CostClass } from "../../lib/opmodel/op_model.ts";
import type { Device } from "../devices/device.ts";
import { type KernelCost, microsecondsOf } from "../kernels/kernel.ts";
import { collectiveCycles } from "../kernels/collective.ts";
import { priceLaunch } from "../kernels/price_launch.ts";
import { type ProgramTensor, programTensor } from "../../lib/programs/program_tensor.ts";
import type { DecoderArchitecture } from "./decoder_architecture.ts";

/** One pass of a decoder over the newest tokens. */
export interface DecoderPass {
  readonly architecture: DecoderArchitecture;
  /** Chips that the matrices are split over. */
  readonly chips: number;
  readonly users: number;
  /** New tokens per user: 1 when decoding, the prompt's length in prefill. */
  readonly newTokens: number;
  /** Tokens that are in the cache already. */
  readonly cachedTokens: number;
  /** Whether activations are shards in L1 and weights are sharded over the banks, as in demos tuned for decoding. */
  readonly sharded: boolean;
}

/**
 * Device time in µs of a decoder's pass, composed of the ops that the published demos run: the op list is TTNN's
 * (norm, projections, head splitting, rotary embedding, cache update, attention, feed-forward, sums, collectives and
 * the language model head), every op at its simulated time.
 */
export function decoderPassMicroseconds(pass: DecoderPass, device: Device): number {
  const { architecture: a, chips, users, newTokens, cachedTokens } = pass;
  const rows = users * newTokens;
  const decodes = newTokens === 1;
  let total = 0;
  const add = (cost: Pick<KernelCost, "cycles">, times: number) => {
    const kernel = microsecondsOf(device, cost.cycles) + device.dispatch.tracedGap;
    total += times * Math.max(kernel, device.dispatch.programSend);
  };
  const run = (
    costClass: CostClass,
    name: string,
    inputs: readonly ProgramTensor[],
    output: ProgramTensor,
    times: number,
    mathFidelity?: MathFidelity,
  ) => {
    const config = mathFidelity === undefined
      ? undefined
      : { kind: "matmul", computeConfig: { mathFidelity, packerL1Acc: true } } as const;
    add(
      priceLaunch(costClass, { name, attributes: new Map(), inputs, outputs: [output], config }, device),
      times,
    );
  };
  const active = (width: number, dataType: DataType = "bf16") =>
    tensor([1, 1, rows, width], dataType, pass.sharded ? "l1" : "dram", device);
  const project = (from: number, to: number, dataType: DataType, times: number) => {
    const fidelity = dataType === "bfp_bf4" ? "lofi" : "hifi2";
    if (pass.sharded) {
      total += times * shardedProjection(rows, from, to, dataType, fidelity, device);
      return;
    }
    const weight = tensor([from, to], dataType, "dram", device);
    run("matmul", "ttnn.matmul", [active(from), weight], active(to), times, fidelity);
  };
  const exchange = (width: number, times: number) => {
    if (chips === 1) return;
    // An all-reduce is a scatter of partial sums and a gather of the sums.
    const bytes = 2 * rows * width * 2 * (chips - 1) / chips;
    const hops = 2 * (chips - 1);
    add(
      { cycles: collectiveCycles({ bytes, hops, links: device.ethernet.linksPerNeighbour }, device) },
      times,
    );
  };

  const heads = Math.max(1, Math.round(a.heads / chips));
  const keyHeads = Math.max(1, Math.round(a.keyHeads / chips));
  const queryWidth = heads * a.headSize;
  const keyWidth = keyHeads * a.headSize;
  const inner = Math.round(a.feedForward * a.experts / chips);
  const hidden = active(a.hidden);
  const norms = (a.parallelBlocks ? 1 : 2) * a.layers;

  const normed = pass.sharded ? acrossWidth(rows, a.hidden, device) : hidden;
  run("norm", "ttnn.rms_norm", [normed], normed, norms + 1);
  project(a.hidden, queryWidth + 2 * keyWidth, "bfp_bf8", a.layers);
  run(
    "heads",
    "ttnn.split_heads",
    [active(queryWidth + 2 * keyWidth)],
    active(queryWidth + 2 * keyWidth),
    a.layers,
  );
  for (const count of [heads, keyHeads]) {
    const [rotated, table] = pass.sharded
      ? [perUser(users, count, a.headSize, device), perUser(users, 1, a.headSize, device)]
      : [active(count * a.headSize), active(a.headSize)];
    run("rotary", "ttnn.rotary_embedding_llama", [rotated, table, table], rotated, a.layers);
  }
  const length = cachedTokens + newTokens;
  const cache = tensor([users, keyHeads, length, a.headSize], "bfp_bf8", "dram", device);
  const fresh = tensor(
    [users, keyHeads, newTokens, a.headSize],
    "bf16",
    pass.sharded ? "l1" : "dram",
    device,
  );
  run(
    "cache_update",
    decodes ? "ttnn.update_cache" : "ttnn.fill_cache",
    [cache, fresh],
    cache,
    2 * a.layers,
  );
  const query = tensor([users, heads, newTokens, a.headSize], "bf16", pass.sharded ? "l1" : "dram", device);
  run(
    decodes ? "sdpa_decode" : "sdpa",
    "ttnn.scaled_dot_product_attention",
    [query, cache, cache],
    query,
    a.layers,
  );
  run("heads", "ttnn.concatenate_heads", [query], active(queryWidth), a.layers);
  project(queryWidth, a.hidden, "bfp_bf8", a.layers);

  const gates = a.gated ? 2 : 1;
  project(a.hidden, inner, a.fourBitGates ? "bfp_bf4" : "bfp_bf8", gates * a.layers);
  run(
    a.gated ? "eltwise_binary" : "eltwise_unary",
    a.gated ? "ttnn.multiply" : "ttnn.gelu",
    a.gated ? [active(inner), active(inner)] : [active(inner)],
    active(inner),
    a.layers,
  );
  project(inner, a.hidden, "bfp_bf8", a.layers);
  exchange(a.hidden, (a.parallelBlocks ? 1 : 2) * a.layers);
  run("eltwise_binary", "ttnn.add", [hidden, hidden], hidden, 2 * a.layers);

  project(a.hidden, Math.round(a.vocabulary / chips), "bfp_bf8", 1);
  return total;
}

/**
 * A projection of decoding: activations sharded by width, weights sharded over the banks, each bank's weights streamed
 * by a core of its own; then the result moves to the shards that the next op wants.
 */
function shardedProjection(
  rows: number,
  from: number,
  to: number,
  dataType: DataType,
  mathFidelity: MathFidelity,
  device: Device,
): number {
  const tiles = { from: Math.ceil(from / 32), to: Math.ceil(to / 32) };
  const perCoreM = Math.ceil(rows / 32);
  const perCoreN = Math.ceil(tiles.to / device.dram.banks);
  const weight = tensor([from, to], dataType, "dram", device);
  const input = tensor([1, 1, rows, from], "bf16", "l1", device);
  const output = tensor([1, 1, rows, to], "bf16", "l1", device);
  const cost = priceLaunch("matmul", {
    name: "ttnn.matmul",
    attributes: new Map(),
    inputs: [{ ...input, placement: "l1_sharded" }, { ...weight, placement: "dram_sharded" }],
    outputs: [{ ...output, placement: "l1_sharded" }],
    config: {
      kind: "matmul",
      programConfig: {
        kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
        in0BlockW: divisorUpTo(tiles.from, 8),
        perCoreM,
        perCoreN,
      },
      computeConfig: { mathFidelity, packerL1Acc: true },
    },
  }, device);
  const moved = priceLaunch("reshard", {
    name: "ttnn.to_memory_config",
    attributes: new Map(),
    inputs: [output],
    outputs: [output],
    config: undefined,
  }, device);
  return [cost, moved].reduce(
    (sum, { cycles }) =>
      sum +
      Math.max(microsecondsOf(device, cycles) + device.dispatch.tracedGap, device.dispatch.programSend),
    0,
  );
}

/** Activations of a sharded norm: columns over as many cores as divide them, at most half of an 8x8 grid. */
function acrossWidth(rows: number, width: number, device: Device): ProgramTensor {
  const cores = divisorUpTo(Math.ceil(width / 32), 32);
  return sharded([1, 1, rows, width], "width_sharded", [1, cores], device);
}

/** Heads of a decoding step: one user per core. */
function perUser(users: number, heads: number, headSize: number, device: Device): ProgramTensor {
  return sharded([1, users, heads, headSize], "height_sharded", [users, 1], device);
}

function divisorUpTo(value: number, limit: number): number {
  for (let divisor = limit; divisor > 1; divisor--) if (value % divisor === 0) return divisor;
  return 1;
}

function sharded(
  shape: readonly number[],
  memoryLayout: "height_sharded" | "width_sharded",
  grid: readonly [number, number],
  device: Device,
): ProgramTensor {
  const cores = { rows: device.grid.workerRows, columns: device.grid.workerColumns };
  const dataType = "bf16";
  return programTensor(
    { shape, dataType },
    makeLayout({ shape, dataType, bufferType: "l1", memoryLayout, grid }, cores, device.dram.banks),
  );
}

function tensor(
  shape: readonly number[],
  dataType: DataType,
  bufferType: "dram" | "l1",
  device: Device,
): ProgramTensor {
  const grid = { rows: device.grid.workerRows, columns: device.grid.workerColumns };
  const layout = makeLayout(
    { shape, dataType, bufferType, memoryLayout: "interleaved" },
    grid,
    device.dram.banks,
  );
  return programTensor({ shape, dataType }, layout);
}
