// SPDX-License-Identifier: Apache-2.0
import { twoOf } from "./operand_expertise.ts";
import type { Expertise } from "./check_subject.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** Ops over one dimension that they move to the end by themselves. */
const OVER_A_DIM = /^(?:sort|topk|softmax|argmax|cumsum|cumprod|gather|scatter|moreh_\w*soft\w*)$/;

/** Matches checks of an op that takes certain formats only. */
const FORMAT_ASKED = /dtype\(\) [=!]= DataType::|must be (?:bfloat16|float32)/i;

/** Advice on single ops: data movement, views and windows. */
export const OP_EXPERTISE: readonly Expertise[] = [
  {
    subjects: ["shapes"],
    ops: OVER_A_DIM,
    says: /transformation|transpos/i,
    because:
      "The op moves the dimension that it works on to the end, and back behind it: here the way back made another shape, which is a fault of the op for this dim",
    advice: [
      "permute the operand so that dim is the last one, call the op with dim = -1, and permute the results back",
      remedy`${asks.NEWER}a newer ttnn, which may have this mended`,
    ],
  },
  {
    subjects: ["divisible", "shapes", "alignment", "no_shards"],
    ops: /conv|pool|upsample|halo/,
    says:
      /^(?!.*channels: ?\d{2,}, num core channels).*(?:channels? (?:%|must|should|per|shard|\(|:)|channels:|(?<!tile[- ](?:(?:width|height)[- ])?)align|stick|auto.?shard|== 16\b)/i,
    advice: [
      remedy`channels padded to 16${asks.PAD}, or to a multiple of 32, in the last dimension of the operand (ttnn.pad), and cut behind it: they are rows of 16 bytes at least`,
      "height shards (shard_layout, applied_shard_scheme): these do not divide the channels among cores",
    ],
  },
  {
    subjects: ["shapes"],
    says: /fit input/,
    because:
      "A pad, called or run by another op, would make its result smaller than the operand: a negative padding cuts, and this op only adds; or the operand has not the four dimensions that this version counts",
    advice: ({ ops }) => [
      ops?.[0] === "ttnn.pad" ? "ttnn.slice for what is cut, and a pad for what is added" : [],
      remedy`an operand of four dimensions (ttnn.unsqueeze_to_4D), the op with its dims counted anew, and a reshape back behind it${asks.NEWER}; or a newer ttnn`,
    ],
  },
  {
    ops: /^pad$/,
    says: /front padding/i,
    title: "The backend refuses an op",
    because: "On the device tiles are padded at the end of a dimension only",
    advice: [
      remedy`${asks.ROWS}in rows (to_layout ROW_MAJOR, pad, to_layout TILE): tiles alone take no padding in front`,
      "or zeros (ttnn.zeros) in front by ttnn.concat, or the pad on the host",
    ],
  },
  {
    subjects: ["divisible", "alignment", "shapes"],
    ops: /^(?:pad|slice)$/,
    says: /tile/i,
    because:
      "In tiles this version pads and cuts whole tiles only: begins and extents of the last two dimensions at multiples of 32",
    advice: ({ ops }) => {
      const op = ops?.[0]?.replace("ttnn.", "") ?? "the op";
      return remedy`${asks.ROWS}in rows (to_layout ROW_MAJOR, ${op}, to_layout TILE)${asks.OR}, or a larger part up to multiples of 32, and what is too much cut behind it${asks.NEWER}; a newer ttnn does so by itself`;
    },
  },
  {
    subjects: ["alignment", "divisible", "arguments", "shapes"],
    says: /valid_page_size|page size \d+ must equal buffer size|total_size_bytes % page_size/,
    because: (check) => {
      const [page, bytes] = twoOf(check) ?? [];
      return `A buffer holds whole pages (rows or tiles)${
        page === undefined || bytes === undefined || bytes % page === 0
          ? ""
          : `, and ${bytes} bytes are no whole number of ${page}`
      }: extents of the tensor are not those that its layout counts, mostly by padding`;
    },
    advice: [
      remedy`${asks.TILES}the operand in tiles (layout=TILE, to_layout), which are padded to whole ones, where it is in rows`,
      remedy`${asks.PAD}extents that are whole rows and tiles: ttnn.pad to multiples of 32 in tiles (channels to 16 or 32 in rows)${asks.OR}, or a reshape to the shape that the op reads (1x1xNHWxC of convolutions and pools)`,
      remedy`${asks.NEWER}or a newer ttnn, which pads by itself`,
    ],
  },
  {
    says: /\btile[_ ]padding\b|padded along|padding along/i,
    because:
      "An extent that is no multiple of 32 is padded in tiles, and this version does not leave that padding out",
    advice: [
      remedy`${asks.ROWS}in rows, which have no padding: to_layout ROW_MAJOR of the operands, the op, to_layout TILE`,
      remedy`${asks.PAD}or extents that are multiples of 32 (ttnn.pad before it, and cut the result)${asks.NEWER}, or a newer ttnn`,
    ],
  },
  {
    subjects: ["divisible", "alignment", "shapes", "page_layout"],
    ops: /^(?:concat|repeat)$/,
    says: /align|sizeof|last dim/i,
    because:
      "Joined along the last dimension, every row of the result is one of each operand behind the other: each has to be whole words and pages, and what pads one stays between them",
    advice: [
      "another dimension joined: permute (or transpose) the operands so that the joined dimension is not the last one, concat there, and permute back",
      "or operands whose last dimensions are multiples as they are: of 16 elements of bf16 in rows (8 of f32, whose words are whole), of 32 in tiles",
      remedy`or the concat in tiles where rows are refused, and in rows where tiles are (to_layout)${asks.NEWER}; or a newer ttnn`,
      "no ttnn.pad of each operand: its zeros would stay between the parts, unless what reads the result leaves them out",
    ],
  },
  {
    ops: /^to_layout$/,
    says: ({ condition = "", words }) =>
      /typecast|data ?type/i.test(words) && !FORMAT_ASKED.test(`${condition} ${words}`),
    advice:
      remedy`${asks.TILES}in steps: to_layout TILE, ttnn.typecast there, and back to ROW_MAJOR where rows are wanted${asks.OR}; or the cast on the host${asks.NEWER}; or a newer version`,
    instead: true,
  },
  {
    ops: /^slice/,
    says: /\bends?\b.{0,40}(?:less than|<=|exceed|out of|within|beyond)|slice_end\S* <=/i,
    because: "A slice ends behind the last element of its operand in one dimension",
    advice:
      "ends that are at most the operand's extents: an op before it made another shape than the call was written for (1x1xNHWxC of convolutions, padding that was cut, a dimension that is 1)",
  },
  {
    says: /not enough circular buffers?|exceeds? max number of circular buffers/i,
    title: "The backend refuses an op",
    because:
      "The op makes a circular buffer for each operand in shards, and a core has a fixed number of them",
    advice: [
      "fewer operands at a time: a concat of concats (of 16 shards at most, each with a shard spec of its own result)",
      remedy`${asks.DRAM}or operands and result interleaved, which share one buffer`,
    ],
  },
  {
    ops: /reshape/,
    says: /[Uu]nable to reshape given|[Ll]ast dimension of the (?:old|new)/,
    because:
      "This version reshapes on the device where the last dimension stays, or the rows of both shapes divide each other",
    advice:
      remedy`two steps over a shape whose last dimension divides both${asks.TILES}; in tiles${asks.OR}; or on the host (from_device, reshape, to_device); heads by split_query_key_value_and_split_heads and concatenate_heads${asks.NEWER}; or a newer ttnn`,
  },
  {
    says: /(?:Borrowed|Owned)Storage/,
    because:
      "A tensor of the host borrows the memory of torch or owns a copy, and this step of this version takes one of the two only",
    advice:
      remedy`${asks.NEWER}a newer ttnn, which has one kind of memory on the host; until then make the operand anew (ttnn.from_torch of a contiguous clone${asks.OR}; in another format, such as bf16 for bfp8, where it is made for a mesh)`,
  },
  {
    ops: /^permute$/,
    says: /dims\.back\(\) ==/,
    because: "In this version a permute of this kind keeps the last dimension where it is",
    advice: [
      "join dimensions that stay side by side, so that four are left (ttnn.reshape before and behind the permute)",
      remedy`or ttnn.transpose of two dimensions at a time${asks.NEWER}; or a newer ttnn`,
    ],
  },
  {
    subjects: ["divisible", "alignment", "shapes"],
    says: /new page size|page_size == 0 \? size_/,
    because:
      "A view keeps the buffer and cuts it into pages anew: rows of the new shape (tiles, in tiles) have to divide what was allocated, padding included",
    advice: ({ ops }) => [
      ops === undefined || ops.some((op) => /reshape|view/.test(op))
        ? []
        : "where the operands have more than four dimensions: join leading ones (ttnn.reshape) before the op, or ttnn.repeat the one that is broadcast, so that it makes no view of its own",
      remedy`a reshape that copies: in tiles with both last dimensions multiples of 32${asks.ROWS}${asks.DRAM}, or in rows from DRAM interleaved (to_memory_config before it, where the operand is in shards)`,
      remedy`${asks.PAD}or pad the operand so that the new rows divide it${asks.NEWER}; or a newer ttnn, which copies by itself`,
    ],
  },
  {
    says: /page[ _]?table.{0,40}(?:stick|row(?!.?major)|width|multiple|% ?\d)/i,
    because:
      "The page table is read in rows of whole 32 bytes: an entry is an int32 of 4 bytes, so 8 of them at a time",
    advice:
      remedy`${asks.PAD}pad the page table's width (blocks per user) to a multiple of 8, with entries that are not read (0 or -1): a server's max_model_len over its block size`,
  },
  {
    says: /BcastOpMath/,
    title: "The backend refuses an op",
    because: "The broadcasting program of this version adds, subtracts and multiplies only",
    advice: [
      "the smaller operand in the shape of the other first (ttnn.repeat, ttnn.expand): then nothing is broadcast",
      remedy`a comparison as ttnn.subtract, which broadcasts, and gtz, ltz, eqz … of the difference${asks.NEWER}; or a newer ttnn, which broadcasts all of them`,
    ],
  },
  {
    ops: /^upsample/,
    says: /integer scale|scale.?factors?/i,
    title: "The backend refuses an op",
    because:
      "An upsample repeats rows and columns a whole number of times: a factor below 1 is a down-sampling",
    advice: [
      "for 1/n: a pool of n x n with stride n (avg_pool2d; the nearest is a slice with step n); for n/m: the upsample by n, and then that",
      remedy`${asks.NEWER}or a newer ttnn, which takes float factors in nearest mode${asks.OR}; or a matmul with a constant matrix of weights`,
    ],
  },
  {
    ops: /^conv/,
    says: /READER_INDICES|config tensor/,
    because:
      "The table of a convolution's reads does not fit the circular buffer that was made for it: a case that this version does not know",
    advice:
      remedy`config_tensors_in_dram = false in the Conv2dConfig, with the room in L1_SMALL that it then needs${asks.NEWER}; or a newer ttnn`,
  },
  {
    says: /L1 buffers can have an associated circular buffer/,
    title: "The backend refuses an op",
    because:
      "The op reads and writes shards where they lie, as circular buffers of each core: that is L1, and here a shard is in DRAM",
    advice: [
      remedy`operands and result as shards in L1${asks.DRAM}, or interleaved in DRAM (a to_memory_config before the op, memory_config of its result): no shards in DRAM`,
      remedy`${asks.NEWER}or a newer ttnn, which copies them by itself`,
    ],
  },
  {
    says: /rank.{0,60}\bshard[_ ]shape rank|tensor_shape\.rank\(\) >= shard_shape\.rank\(\)/i,
    because:
      "The shard spec (NdShardSpec) cuts more dimensions than the tensor has: the op lost or joined some, and its result kept the operand's shards",
    advice: [
      remedy`${asks.DRAM}the operand interleaved before the op (to_memory_config), and in shards again behind it`,
      remedy`a shard shape with as many dimensions as the tensor, or fewer; 2D shards (height, width or block), which fit any rank${asks.NEWER}; or a newer ttnn, which makes them anew`,
    ],
  },
  {
    says: /num_float_in_tile|fp32_vec\.size\(\) %/,
    because:
      "bfp8 and bfp4 are packed tile by tile, with an exponent for each 16 elements: a tensor whose padded shape is no whole number of tiles of 32x32 cannot be packed",
    advice: [
      remedy`${asks.TILES}the operands in tiles before the op (ttnn.to_layout TILE, which pads), all of them, and not one in rows`,
      "or bf16 for what is in rows, and a typecast to bfp8 behind the op; or both last dimensions padded to multiples of 32",
    ],
  },
  {
    subjects: ["declared_layout"],
    ops: /^(?:sort|topk|argmax)$/,
    says: /UINT(?:16|32).{0,20}UINT(?:16|32)/,
    because:
      "The format of the indices follows from the length of the dimension: 16 bits count to 65,535, and the op takes 32 bits where the dimension, padded to the next power of 2, is longer",
    advice: [
      "declare the indices as u32 (ui32), and typecast them behind the op where u16 is read; or sort along a shorter dimension",
      remedy`${asks.NEWER}where a compiler declared them: a newer tt-mlir, which chooses by the length; only builds with debug assertions end here`,
    ],
  },
  {
    says: /Buffer size and page size|\bpage_size != 0|^!?shape\[\w+\] (?:>|!=) 0\b/,
    because:
      "A buffer of 0 bytes is asked for: an extent of the operand or of the result is 0, or what the op computes from them for its rows",
    advice: [
      remedy`extents, begins, ends and repeats of 1 and more: an op before it left none (a slice of nothing, a view)${asks.TILES}, or the op in tiles (to_layout TILE), whose pages are never empty`,
      remedy`${asks.NEWER}or a newer ttnn, which knows tensors without elements`,
    ],
  },
  {
    ops: /^pad$/,
    says: /lowest \d dim/i,
    because: "A tensor of more than four dimensions is padded along its last three only",
    advice: [
      "the padded dimension among the last three: a reshape that joins others (to four dimensions at most), or a permute before the pad and one back behind it",
      "or a ttnn.concat with ttnn.zeros (ttnn.full of the value) along that dimension",
    ],
  },
  {
    ops: /^topk$/,
    says: /\bk\b.{0,12}(?:<|less|must|at most)/i,
    advice: "ttnn.sort along that dimension, and ttnn.slice of the first k of its values and indices",
  },
];
