// SPDX-License-Identifier: Apache-2.0
import { attributesOf, DRAM, L1 } from "../op_question.ts";
import { statedCompute } from "../questions/matmul.ts";
import type { OpReader } from "./measured_chip.ts";
import { dataTypeIn, integersIn, numberIn, productExtents, textIn } from "./texts.ts";

/** Collectives between equal chips along one axis. */
export const collectiveOp: OpReader = ({ params, what, note, chip: onMachine }, chip) => {
  const name = textIn(params, "op") || (/^(all_gather|reduce_scatter)\b/.exec(what)?.[1] ?? "");
  if (name !== "all_gather" && name !== "reduce_scatter") return "the collective is not named in the row";
  if (chip.chips < 2) return "the number of chips is not in the row";
  if (/direct/.test(textIn(params, "algorithm"))) {
    return "the algorithm is not the one that the backend chooses";
  }
  if (/before/.test(note) || /before|old/.test(textIn(params, "variant", "topology"))) {
    return "the row measures an implementation that has been replaced";
  }
  if (params.in_shard !== undefined) return "a model's own kernel for its shards is not an op of the dialect";
  const links = numberIn(params, "links") ?? usualLinks(onMachine);
  const part = integersIn(params.per_chip_input) ?? integersIn(params.in_shape) ?? integersIn(params.shape);
  if (part === undefined) return "shapes are not in the row";
  const dim = numberIn(params, "dim") ?? part.length - 1;
  const gathers = name === "all_gather";
  const result = part.map((extent, at) =>
    at === dim ? gathers ? extent * chip.chips : Math.ceil(extent / chip.chips) : extent
  );
  const dataType = dataTypeIn(textIn(params, "dtype")) ?? "bf16";
  const place = /L1/.test(textIn(params, "memory")) ? L1 : DRAM;
  return [{
    name: `ttnn.${name}`,
    attributes: attributesOf({ cluster_axis: 0, [gathers ? "all_gather_dim" : "scatter_dim"]: dim }),
    inputs: [{ shape: part, dataType, place }],
    outputs: [{ shape: result, dataType, place }],
    mesh: [{
      chips: chip.chips,
      links,
      topology: /ring/i.test(textIn(params, "topology") || onMachine) ? "ring" : "linear",
    }],
  }];
};

/** A product whose sums are scattered while it is made, with the blocks that the row states. */
export const fusedCollectiveOp: OpReader = ({ params, chip: onMachine }, chip) => {
  if (!/matmul[+_]reduce_scatter/.test(textIn(params, "op"))) return "the collective is not named in the row";
  const extents = productExtents(params);
  if (extents === undefined) return "shapes are not in the row";
  const { M, K, N } = extents;
  const [, columns, rows] = /(\d+)x(\d+)/.exec(textIn(params, "mm_grid"))?.map(Number) ?? [];
  const blocks = /^(\d+)_(\d+)_(\d+)(?:_(\d+)x(\d+))?/.exec(textIn(params, "blocks"))?.slice(1).map(Number) ??
    [];
  const [blockM, blockK, blockN, subblockH = 2, subblockW = 2] = blocks.filter((extent) =>
    !Number.isNaN(extent)
  );
  if (
    columns === undefined || rows === undefined || blockM === undefined || blockK === undefined ||
    blockN === undefined
  ) {
    return "the blocks of the product are not in the row";
  }
  // Galaxy's rows are rings of four chips, along which feed-forward sums are scattered.
  const chips = chip.chips > 1 ? chip.chips : RING_OF_GALAXY;
  const [perCoreM, perCoreN] = [Math.ceil(M / 32 / rows), Math.ceil(N / 32 / columns)];
  const dataType = dataTypeIn(textIn(params, "dtype")) ?? "bfp_bf8";
  return [{
    name: "ttnn.minimal_matmul_strided_reduce_scatter_async",
    attributes: attributesOf({ cluster_axis: 0, dim: 3 }),
    inputs: [
      { shape: [1, 1, M, K], dataType, place: DRAM },
      { shape: [K, N], dataType: dataTypeIn(textIn(params, "weights")) ?? dataType, place: DRAM },
    ],
    outputs: [{ shape: [1, 1, M, Math.ceil(N / chips)], dataType, place: DRAM }],
    config: {
      kind: "matmul",
      computeConfig: { ...statedCompute({ params, attributes: "" }), packerL1Acc: true },
      programConfig: {
        kind: "matmul_multi_core_reuse_multi_cast",
        computeWithStorageGridSize: [columns, rows],
        in0BlockW: blockK,
        outSubblockH: subblockH,
        outSubblockW: Math.min(subblockW, perCoreN),
        outBlockH: Math.min(blockM, perCoreM),
        outBlockW: Math.min(blockN, perCoreN),
        perCoreM,
        perCoreN,
        transposeMcast: false,
        fuseBatch: true,
      },
    },
    mesh: [{
      chips,
      links: numberIn(params, "links") ?? usualLinks(onMachine),
      topology: "ring",
    }],
  }];
};

/** Chips of a row of a Galaxy (tt-metal:mesh-graph-descriptors). */
const RING_OF_GALAXY = 4;

/**
 * Links between neighbours for rows that do not state them: two on a ring of Blackhole boards, as in all rows
 * of that table which do; otherwise the number that the tests pass. With more links, each would carry less
 * than half of the fabric benchmarks' bandwidth.
 */
function usualLinks(machine: string): number {
  return /blackhole.*ring/i.test(machine) ? 2 : 1;
}
