// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { type Expertise, TILE } from "./check_subject.ts";
import { chipsOfL1 } from "./check_subjects.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** Most cores in a row or column of a Wormhole. */
const MOST_IN_ROW = 8;

/** Rectangles of so many cores, in words. */
function rectanglesOf(cores: number): string {
  const sides = Array.from({ length: MOST_IN_ROW }, (_, index) => index + 1).filter((side) =>
    cores % side === 0 && cores / side <= MOST_IN_ROW && side <= cores / side
  );
  return cores < 2 || sides.length === 0
    ? ""
    : ` (${cores} of them as ${sides.map((side) => `${cores / side}x${side}`).join(" or ")})`;
}

const MATMULS = /\.(?:matmul|linear)$/;

/** Advice on L1 capacity, program configs, blocks, cores, shards and accuracy. */
export const CONFIG_EXPERTISE: readonly Expertise[] = [
  {
    subjects: ["divisible", "shapes"],
    ops: /conv|pool|upsample|halo/,
    says: /channels: ?\d{2,}, num core channels/i,
    because: ({ numbers: [channels, cores] }) =>
      `Width and block shards divide the channels among the columns (or rows) of the grid, and ${channels} channels are no multiple of ${cores}`,
    advice: ({ numbers: [channels = 0, cores = 1] }) => {
      const tiles = Math.ceil(channels / TILE);
      const columns = Array.from({ length: tiles }, (_, index) => index + 1).filter((count) =>
        tiles % count === 0
      );
      return [
        "height shards (shard_layout, applied_shard_scheme): these do not divide the channels among cores",
        `or a grid whose side along the channels divides them in whole tiles: ${
          columns.slice(-4).join(", ")
        } of its cores for ${tiles} tiles of channels`,
        remedy`or channels padded to ${
          roundUp(channels, cores * TILE)
        } (ttnn.pad, weights as well), and cut behind it${asks.DRAM}${asks.NEWER}; or the operand in DRAM interleaved, so that a newer ttnn chooses shards or slices by itself`,
      ];
    },
  },
  {
    subjects: ["shard_grid", "cores", "shard_count"],
    says: /non-rectangular|bounding box|\bbbox|must be (?:a |one )?(?:full )?rectang/i,
    because: ({ numbers: [cores, box], words }) =>
      `The op runs on the whole rectangle around the shards${
        cores === undefined || box === undefined || box <= cores || /\d ?x ?\d/.test(words)
          ? ""
          : `, of ${box} cores, and ${cores} of them have one`
      }: cores without a shard have nothing to work on`,
    advice: ({ numbers: [cores = 0] }) => [
      `shards on one full rectangle of cores${
        rectanglesOf(cores)
      }; smaller or larger shards where their number does not fill one`,
      remedy`${asks.DRAM}or the operand interleaved, where the op takes that`,
    ],
  },
  {
    subjects: ["capacity"],
    says: /required L1 memory usage/,
    because: ({ numbers }) => [
      `Direct-to-metal (D2M) keeps operands and results of a function in L1 at once${
        numbers.length < 2 ? "" : `: ${numbers[0]} bytes per core, of ${numbers[1]}`
      }`,
      ...chipsOfL1(numbers),
    ],
    advice: ({ ops }) => [
      ops?.some((op) => MATMULS.test(op)) === true
        ? "for a matmul: a larger grid, so that each core holds less of A, B and the result; smaller blocks of the three (K in parts, or rows and columns); bf16 for f32, bfp_bf8 for bf16"
        : "a larger grid of cores, smaller blocks, or bf16 for f32: each core then holds less",
      "the TTNN pipeline, whose ops stream from DRAM; or the op in pieces (slices of rows) that fit",
    ],
  },
  {
    says: /available_reg_count|\bsubblock\w*\b.*\b(?:fit in hardware|dest(?:ination)?\b|DST\b|registers?)/i,
    because:
      "A subblock is what the destination register holds at once: 8 tiles, or 4 where it accumulates in f32 (fp32_dest_acc_en); dst_full_sync_en doubles both",
    advice: ({ words }) => {
      const most = Number(/\bat most (\d+)/i.exec(words)?.[1] ?? 4);
      const pairs = Array.from({ length: most }, (_, index) => index + 1).filter((side) => most % side === 0)
        .map((side) => `${side}x${most / side}`);
      return [
        `out_subblock_h x out_subblock_w of ${most} or less (${
          pairs.join(", ")
        }), which divide out_block_h and out_block_w (per_core_M, per_core_N)`,
        remedy`or fp32_dest_acc_en = False in the compute kernel config${asks.NO_PROGRAM_CONFIG}, or no program config at all: then the backend chooses one that fits`,
      ];
    },
  },
  {
    subjects: ["shard_extent"],
    says: /shard (?:height|width) \(?0\b/i,
    because:
      "The shard has no extent: a sharded result was asked for without a shard spec, and the op had none of an operand to take over",
    advice: ({ numbers: [wanted], words }) => [
      `write the whole shard spec of the result (grid, orientation, and a shape of ${wanted ?? "…"} ${
        /height 0/i.test(words) ? "x the width over the cores" : "for that side"
      }, in multiples of 32)`,
      remedy`${asks.DRAM}or make the result interleaved, and shard it by a to_memory_config of its own${asks.OR}; or shard the operand: then the result takes its shards`,
    ],
  },
];
