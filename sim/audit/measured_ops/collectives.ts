// SPDX-License-Identifier: Apache-2.0
import { attributesOf, DRAM, L1 } from "../op_question.ts";
import type { OpReader } from "./op_reader.ts";
import { dataTypeIn, integersIn, numberIn, textIn } from "./texts.ts";

/** Collectives between equal chips along one axis. */
export const collectiveOp: OpReader = ({ params, what, note, chip: onMachine }, chip) => {
  const name = textIn(params, "op") || (/^(all_gather|reduce_scatter)\b/.exec(what)?.[1] ?? "");
  if (name !== "all_gather" && name !== "reduce_scatter") return "the collective is not named in the row";
  if (chip.chips < 2) return "the number of chips is not in the row";
  if (/direct/.test(textIn(params, "algorithm"))) {
    return "the algorithm is not the one that the backend chooses";
  }
  if (/before/.test(note) || /before|old/.test(textIn(params, "variant", "topology"))) {
    return "the row is of an implementation that has been replaced";
  }
  if (params.in_shard !== undefined) return "a model's own kernel for its shards is no op of the dialect";
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

/**
 * Links between neighbours where a row does not say: two on a ring of Blackhole boards, as in all tables of it that say;
 * else the one that tests pass. More would have to carry less than half of what the fabric's own benchmarks measure.
 */
function usualLinks(machine: string): number {
  return /blackhole.*ring/i.test(machine) ? 2 : 1;
}
