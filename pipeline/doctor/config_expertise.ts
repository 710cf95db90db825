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

/** An index that an op's program counts to from core to core, and that no caller passes. */
const UNEVEN_INDEX =
  /\b(?:spatial|core|worker|output|reducer|sender|receiver) (?:\w+ )?(?:index|id)(?: \(?\d+\)?)? (?:is )?out of (?:bounds|range) \(?max|invalid core range for start_coord/i;

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
    says: /number of CB pages|max_num_cb_pages/,
    title: "The backend refuses an op",
    because:
      "A circular buffer counts its pages (rows or tiles) in 16 bits, 65,535 at most: it is their number on one core that is too high, not their bytes",
    advice: ({ ops }) => [
      ops?.some((op) => /conv|pool/.test(op)) === true
        ? "slices through DRAM (conv2d_slice_config: dram_height or dram_width with num_slices, instead of l1_full), so that a core holds fewer rows of the padded input"
        : "fewer rows on a core: the operand in parts (slices of the batch or of rows)",
      remedy`${asks.MORE_CORES}or shards along the rows over more cores${asks.SMALLER_BATCH}, or a smaller batch${asks.OR}; or tiles in place of rows, where the op takes them${asks.NEWER}; or a newer ttnn`,
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
    says: UNEVEN_INDEX,
    title: "The backend refuses an op",
    because:
      "The op itself counts to this, from the number of its cores and the parts (users, heads, rows, shards) that each of them gets: on this many cores the parts do not come out even, and the last core gets past the end. No argument is out of its range",
    advice: ({ ops }) => [
      ops?.some((op) => /decode/.test(op)) === true
        ? "max_cores_per_head_batch = 1 in its SDPAProgramConfig, or a compute_with_storage_grid_size (8x8 or 8x4) on which the cores per user divide the KV heads, or are a multiple of them"
        : [],
      "a program config or core grid with fewer cores, of a number that divides the parts (8x8 or 8x4), in place of the whole grid (110 or 130 cores of Blackhole)",
      remedy`${asks.SMALLER_BATCH}a smaller batch${asks.OR}, or parts that divide among the cores${asks.NEWER}; or a newer ttnn, which chooses the cores so`,
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
    says:
      /^(?!.*(?:\bPCC\b|incorrect|wrong|hang)).*(?:\w+ProgramConfig\b(?!:).*\bshard|shard.*ProgramConfig\b(?!:))/i,
    because:
      "The program config is of another kind than the operand: ttnn has one for interleaved and others for sharded operands",
    advice: ({ words }) =>
      /Matmul/.test(words)
        ? remedy`MatmulMultiCoreReuseMultiCast1DProgramConfig for width or height shards, MatmulMultiCoreReuseMultiCastProgramConfig for block shards${asks.NO_PROGRAM_CONFIG}, or none: then the backend chooses`
        : /Softmax/.test(words)
        ? remedy`SoftmaxShardedMultiCoreProgramConfig for shards${asks.DRAM}, or the operand interleaved`
        : [
          "LayerNormShardedMultiCoreProgramConfig with the grid of the shards, block_h and block_w = sides of a shard over 32, and a subblock_w that divides block_w (at most 8, with fp32 accumulation 4)",
          remedy`${asks.DRAM}or the operand interleaved, with the config as it is`,
        ],
  },
  {
    says: /unsupported (?:matmul)?\s?program ?config|program ?config type\b/i,
    advice: ({ words }) =>
      /\b1-?D\b/i.test(words)
        ? remedy`MatmulMultiCoreReuseMultiCast1DProgramConfig, the kind that it takes${asks.NO_PROGRAM_CONFIG}, or no program config`
        : /\b2-?D\b/i.test(words)
        ? remedy`MatmulMultiCoreReuseMultiCastProgramConfig, the kind that it takes (2D multicast)${asks.NO_PROGRAM_CONFIG}, or no program config`
        : "a program config of the kind that it takes (2D: …MultiCastProgramConfig, 1D: …MultiCast1DProgramConfig), or none",
    instead: true,
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
