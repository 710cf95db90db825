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
    subjects: ["divisible", "blocks"],
    says: /size of (?:cb|buffer)\b|divisible by one of the numbers|\bi[nm]\d*_t\b|intermed\d*_tiles/i,
    because:
      "Op's own choice of buffer and block for long rows, which the call does not name, does not come out even",
    advice: [
      "another format of the operand, or no fp32 accumulation: either gives other buffers and blocks",
      remedy`shards with the op's sharded program config, which take another program${asks.NEWER}; or a newer ttnn`,
    ],
  },
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
    subjects: ["shard_extent"],
    ops: /^(?:reshard|to_memory_config)$/,
    says: /row.?major/i,
    because: "In rows a page is a row of a shard: both sides of the copy need rows of one width",
    advice: [
      "the same shard width on both sides (height shards to height shards), or the copy in tiles, whose pages are all alike",
      remedy`${asks.DRAM}or by way of interleaved: sharded_to_interleaved, and interleaved_to_sharded into the new shards${asks.NEWER}; or a newer ttnn, which splits the rows`,
    ],
  },
  {
    subjects: ["memory_layout", "shard_extent", "shard_grid"],
    says: /\bun-?even(?:ly)?\b.{0,20}shard|shards? .{0,20}\bun-?even/i,
    because:
      "The shards do not divide the tensor evenly, so that the last cores hold less, and this version of the op takes equal ones only",
    advice: [
      "shards that divide the tensor in whole tiles: a to_memory_config before the op, or the op before it on a grid whose sides divide its rows and columns of tiles",
      remedy`${asks.DRAM}or that operand interleaved${asks.NEWER}, or a newer ttnn, which takes uneven shards in more ops`,
    ],
  },
  {
    says: /Invalid (?:sharding )?core_grid/,
    because:
      "ttnn.create_sharded_memory_config takes a CoreGrid, a CoreRangeSet, or a tuple or list of numbers or ranges as core_grid (a single CoreRange is none), and divides height and width among its rows and columns (block shards), or one of them among all its cores: the parts have to come out even",
    advice: [
      "ttnn.CoreRangeSet({core_range}) around it, or ttnn.CoreGrid(y=, x=) whose sides divide the shape in whole tiles, or the shape padded to it",
      "or the shard's own shape: use_height_and_width_as_shard_shape = True with height and width of a shard, rounded up to 32",
    ],
  },
  {
    subjects: ["capacity"],
    says: /(?:every|all|whole|full)\b(?: of)?(?: the)? channels?\b/i,
    because:
      "Shards that keep all channels on each core are as wide on more cores: the channels have to be divided",
    advice: [
      "block or width shards, which divide the channels among columns of cores; or the channels in slices, an op for each (groups of a depthwise convolution are independent), and a concat",
      remedy`operands in bfp_bf8${asks.ACT_BLOCK}, or a smaller act_block_h_override`,
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
    says: /\bmux\b/i,
    because:
      "The fabric's mux keeps its channel buffers at a fixed place in L1 of its cores, where a tensor lies",
    advice: [
      remedy`fewer or smaller buffers of the mux (num_buffers, num_links, workers per link)${asks.DRAM}, or that tensor in DRAM${asks.OR}, or in shards on other cores`,
      remedy`fewer rows (experts, tokens) per device and call${asks.NEWER}; or a newer ttnn, which places them apart`,
    ],
  },
  {
    subjects: ["cores", "worker_grid", "shard_grid", "kernel_program", "capacity"],
    ops: /^(?:interleaved_to_sharded|sharded_to_interleaved|to_memory_config|reshard)$/,
    says: /compute grid|core ?ranges?\b.*overlap/i,
    because:
      "For shards in DRAM the grid is of its banks (12x1 on Wormhole, 8x1 on Blackhole), which this version takes for worker cores; for shards in L1 it names cores that the board has not, or one twice",
    advice: [
      remedy`DRAM shards are made on the host (from_torch or to_device with that memory config)${asks.DRAM}, or left out: DRAM interleaved with a matmul's 1D or 2D multicast config`,
      remedy`for shards in L1: a grid within device.compute_with_storage_grid_size(), without a core twice${asks.NEWER}; or a newer ttnn`,
    ],
  },
  {
    subjects: ["cores"],
    says: /core ?ranges?.{0,120}overlap/i,
    because: "The ranges of a set of cores may not share a core: each core stands in one of them",
    advice: "ranges that are disjoint, or the union of them (CoreRangeSet.merge), where the grid is written",
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
    subjects: ["blocks", "shard_extent", "divisible"],
    ops: /norm|^softmax/,
    says: /^(?!.*\bsubblock).*\bblock_[hw]\b/i,
    advice:
      "block_w = the width over 32 and over the columns of the grid, block_h = the rows over 32 and over its rows: the sides of a shard over 32, on the shards' own grid (block shards; with width or height shards over all cores); subblock_w then divides block_w",
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
    subjects: ["memory_layout", "shard_extent", "shard_grid", "shapes"],
    ops: /update_cache/,
    says: /^(?!.*update_idx).*(?:shard|users?\b)/i,
    advice:
      "the new entries are height sharded in L1, one user per core: shards of the padded heads (32) x head size on a grid of as many cores as users, from (0, 0) on",
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
  {
    ops: /^(?:matmul|linear)$/,
    says: /for output sharding/i,
    because:
      "ttnn chose no program config for these operands (mostly because A is interleaved) under which the result can be sharded",
    advice: [
      remedy`${asks.DRAM}the result interleaved (DRAM or L1), and a to_memory_config behind it where the next op wants shards`,
      "A in shards of the kind and grid of the result: height shards of both, or width or block shards of both",
      "or a program config of the call's own: MatmulMultiCoreReuseMultiCast1DProgramConfig with mcast_in0 = False for height shards and True for width shards, MatmulMultiCoreReuseMultiCastProgramConfig for block shards",
      remedy`${asks.LEVEL_1}in a compiled program: --override-output-layout for that op, optimization-level=1${asks.NEWER}, or a newer tt-mlir, which writes the config`,
    ],
  },
  {
    subjects: ["accuracy"],
    ops: /^(?:matmul|linear|conv|sparse_matmul)/,
    advice:
      "run this op alone with its inputs against torch: without program config and shards first, then HiFi4, fp32_dest_acc_en and packer_l1_acc, weights in bf16",
  },
  {
    subjects: ["accuracy"],
    ops: /norm|softmax/,
    advice:
      "run this op alone with its inputs against torch: interleaved, HiFi4 and fp32_dest_acc_en; shards need the sharded program config, a group_norm the mask and weight that its helpers make, a softmax numeric_stable = true",
  },
  {
    says: /should be placed in the program config's fused_activation|fused_activation field/,
    because: "With sharded operands an activation is part of the program config, not of the call",
    advice: [
      "a program config of the call's own with fused_activation, and no activation argument",
      remedy`or the activation as an op behind it (ttnn.silu, ttnn.gelu, ttnn.relu)${asks.DRAM}, or operands and result interleaved`,
    ],
  },
  {
    subjects: ["runtime_arguments"],
    says: /halo/,
    because:
      "The kernel that gathers the halo of a convolution's or pool's shards gets an entry for each piece that it copies",
    advice: [
      "in_place_halo = False (a pool's argument, in_place in a Conv2dConfig): the other kernel passes no list",
      remedy`fewer cores, or another shard scheme (height shards of more rows each)${asks.NEWER}; or a newer ttnn`,
    ],
  },
  {
    subjects: ["runtime_arguments"],
    ops: /avg_pool2d/,
    because: "An average pool passes a divisor for each kind of output position that has another one",
    advice: [
      "ceil_mode = False with count_include_pad = True, or a divisor_override: then there is one divisor",
      remedy`${asks.MORE_CORES}height shards over more cores: each has fewer positions${asks.NEWER}; or a newer ttnn, which keeps divisors in a tensor`,
    ],
  },
];
