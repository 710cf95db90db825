// SPDX-License-Identifier: Apache-2.0
import { attributesOf, DRAM, L1, tensorAt } from "../op_question.ts";
import type { OpReader } from "./measured_chip.ts";
import { dataTypeIn, integersIn, numberIn, productExtents, textIn } from "./texts.ts";
import { leaveOut, required, requiring } from "../row_model.ts";
import { statedCompute } from "../questions/matmul.ts";

/** Collectives between equal chips along one axis. */
export const collectiveOp: OpReader = ({ params, what, note, chip: onMachine }, chip) => {
  const name = textIn(params, "op") || (/^(all_gather|reduce_scatter)\b/.exec(what)?.[1] ?? "");
  if (name !== "all_gather" && name !== "reduce_scatter") leaveOut("the collective is not named in the row");
  if (chip.chips < 2) leaveOut("the number of chips is not in the row");
  if (/direct/.test(textIn(params, "algorithm"))) {
    leaveOut("the algorithm is not the one that the backend chooses");
  }
  if (/before/.test(note) || /before|old/.test(textIn(params, "variant", "topology"))) {
    leaveOut("the row measures an implementation that has been replaced");
  }
  if (params.in_shard !== undefined) {
    leaveOut("a model's own kernel for its shards is not an op of the dialect");
  }
  const links = numberIn(params, "links") ?? usualLinks(onMachine);
  const part = required(
    "shapes are not in the row",
    integersIn(params.per_chip_input) ?? integersIn(params.in_shape) ?? integersIn(params.shape),
  );
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
    inputs: [tensorAt(part, place, dataType)],
    outputs: [tensorAt(result, place, dataType)],
    mesh: [{
      chips: chip.chips,
      links,
      topology: /ring/i.test(textIn(params, "topology") || onMachine) ? "ring" : "linear",
    }],
  }];
};

/** A product whose sums are scattered while it is made, with the blocks that the row states. */
export const fusedCollectiveOp: OpReader = ({ params, chip: onMachine }, chip) => {
  if (!/matmul[+_]reduce_scatter/.test(textIn(params, "op"))) {
    leaveOut("the collective is not named in the row");
  }
  const { M, K, N } = required("shapes are not in the row", productExtents(params));
  const need = requiring("the blocks of the product are not in the row");
  const [, columns = 1, rows = 1] = need(/(\d+)x(\d+)/.exec(textIn(params, "mm_grid"))?.map(Number));
  const [, blockM = 1, blockK = 1, blockN = 1, subblockH = 2, subblockW = 2] = need(
    /^(\d+)_(\d+)_(\d+)(?:_(\d+)x(\d+))?/.exec(textIn(params, "blocks"))
      ?.map((extent) => extent === undefined ? undefined : Number(extent)),
  );
  // Galaxy's rows are rings of four chips, along which feed-forward sums are scattered.
  const chips = chip.chips > 1 ? chip.chips : RING_OF_GALAXY;
  const [perCoreM, perCoreN] = [Math.ceil(M / 32 / rows), Math.ceil(N / 32 / columns)];
  const dataType = dataTypeIn(textIn(params, "dtype")) ?? "bfp_bf8";
  return [{
    name: "ttnn.minimal_matmul_strided_reduce_scatter_async",
    attributes: attributesOf({ cluster_axis: 0, dim: 3 }),
    inputs: [
      tensorAt([1, 1, M, K], DRAM, dataType),
      tensorAt([K, N], DRAM, dataTypeIn(textIn(params, "weights")) ?? dataType),
    ],
    outputs: [tensorAt([1, 1, M, Math.ceil(N / chips)], DRAM, dataType)],
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
