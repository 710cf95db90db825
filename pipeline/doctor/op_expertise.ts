// SPDX-License-Identifier: Apache-2.0
import type { CheckWords } from "./check_subject.ts";
import { COLLECTIVES, type Expertise } from "./expertise_row.ts";

/** Ops over one dimension that they move to the end by themselves. */
const OVER_A_DIM = /^(?:sort|topk|softmax|argmax|cumsum|cumprod|gather|scatter|moreh_\w*soft\w*)$/;

/** That an op takes certain formats only. */
const FORMAT_ASKED = /dtype\(\) [=!]= DataType::|must be (?:bfloat16|float32)/i;

/** The two numbers of a check that contradict each other; `undefined` if it has not two different ones. */
function twoOf({ numbers: [a, b] }: CheckWords): readonly [number, number] | undefined {
  return a === undefined || b === undefined || a === b ? undefined : [a, b];
}

/** The least power of two that is not below `value`. */
function powerOfTwo(value: number): number {
  return 2 ** Math.ceil(Math.log2(value));
}

/** Of ops, their extents, pages, formats and operands. */
export const OP_EXPERTISE: readonly Expertise[] = [
  {
    subjects: ["shapes"],
    ops: OVER_A_DIM,
    says: /transformation|transpos/i,
    because: () => [
      "The op moves the dimension that it works on to the end, and back behind it: here the way back made another shape, which is a fault of the op for this dim",
    ],
    advice: () => [
      "permute the operand so that dim is the last one, call the op with dim = -1, and permute the results back",
      "a newer ttnn, which may have this mended",
    ],
    instead: true,
  },
  {
    subjects: ["divisible", "shapes", "alignment", "no_shards"],
    ops: /conv|pool|upsample|halo/,
    says:
      /channels? (?:%|must|should|per|shard|\(|:)|channels:|num core channels|align|stick|auto.?shard|== 16\b/i,
    advice: () => [
      "channels padded to 16, or to a multiple of 32, in the last dimension of the operand (ttnn.pad), and cut behind it: they are rows of 16 bytes at least",
      "height shards (shard_layout, applied_shard_scheme): these do not divide the channels among cores",
    ],
  },
  {
    subjects: ["shapes"],
    ops: /^pad$/,
    says: /fit input/,
    because: () => ["The result is smaller than the operand: a negative padding cuts, and this op only adds"],
    advice: () => ["ttnn.slice for what is cut, and a pad for what is added"],
    instead: true,
  },
  {
    ops: /^pad$/,
    says: /front padding/i,
    title: "The backend refuses an op",
    because: () => ["On the device tiles are padded at the end of a dimension only"],
    advice: () => [
      "in rows (to_layout ROW_MAJOR, pad, to_layout TILE): tiles alone take no padding in front",
      "or zeros (ttnn.zeros) in front by ttnn.concat, or the pad on the host",
    ],
    instead: true,
  },
  {
    subjects: ["divisible", "alignment", "shapes"],
    ops: /^(?:pad|slice)$/,
    says: /tile/i,
    because: () => [
      "In tiles this version pads and cuts whole tiles only: begins and extents of the last two dimensions at multiples of 32",
    ],
    advice: ({ ops }) => {
      const op = ops?.[0]?.replace("ttnn.", "") ?? "the op";
      return [
        `in rows (to_layout ROW_MAJOR, ${op}, to_layout TILE), or a larger part up to multiples of 32, and what is too much cut behind it; a newer ttnn does so by itself`,
      ];
    },
    instead: true,
  },
  {
    subjects: ["alignment", "divisible", "arguments", "shapes"],
    says: /valid_page_size|page size \d+ must equal buffer size|total_size_bytes % page_size/,
    because: (check) => {
      const [page, bytes] = twoOf(check) ?? [];
      return [
        `A buffer holds whole pages (rows or tiles)${
          page === undefined || bytes === undefined || bytes % page === 0
            ? ""
            : `, and ${bytes} bytes are no whole number of ${page}`
        }: extents of the tensor are not those that its layout counts, mostly by padding`,
      ];
    },
    advice: () => [
      "extents that are whole rows and tiles: ttnn.pad to multiples of 32 in tiles (channels to 16 or 32 in rows), or a reshape to the shape that the op reads (1x1xNHWxC of convolutions and pools)",
      "or a newer ttnn, which pads by itself",
    ],
    instead: true,
  },
  {
    says: /\btile[_ ]padding\b|padded along|padding along/i,
    because: () => [
      "An extent that is no multiple of 32 is padded in tiles, and this version does not leave that padding out",
    ],
    advice: () => [
      "in rows, which have no padding: to_layout ROW_MAJOR of the operands, the op, to_layout TILE",
      "or extents that are multiples of 32 (ttnn.pad before it, and cut the result), or a newer ttnn",
    ],
    instead: true,
  },
  {
    subjects: ["divisible", "alignment", "shapes", "page_layout"],
    ops: /^concat$/,
    says: /align|sizeof|last dim/i,
    because: () => [
      "Joined along the last dimension, every row of the result is one of each operand behind the other: each has to be whole words and pages, and what pads one stays between them",
    ],
    advice: () => [
      "another dimension joined: permute (or transpose) the operands so that the joined dimension is not the last one, concat there, and permute back",
      "or operands whose last dimensions are multiples as they are: of 16 elements of bf16 in rows (8 of f32, whose words are whole), of 32 in tiles",
      "or the concat in tiles where rows are refused, and in rows where tiles are (to_layout); or a newer ttnn",
      "no ttnn.pad of each operand: its zeros would stay between the parts, unless what reads the result leaves them out",
    ],
    instead: true,
  },
  {
    ops: /^to_layout$/,
    says: FORMAT_ASKED,
    because: () => ["This version does not change the layout of that format on the device"],
    advice: () => [
      "the layout on the host: ttnn.from_torch(…, dtype, layout=ttnn.TILE_LAYOUT, device=device), so that nothing is left to convert",
      "or as bf16 or f32 into tiles, and ttnn.typecast there to the format that is wanted (whole numbers are exact to 256 in bf16 and to 2^24 in f32); or a newer ttnn",
    ],
    instead: true,
  },
  {
    ops: /^to_layout$/,
    says: ({ condition = "", words }) =>
      /typecast|data ?type/i.test(words) && !FORMAT_ASKED.test(`${condition} ${words}`),
    advice: () => [
      "in steps: to_layout TILE, ttnn.typecast there, and back to ROW_MAJOR where rows are wanted; or the cast on the host; or a newer version",
    ],
    instead: true,
  },
  {
    ops: /^slice$/,
    says: /\bends?\b.{0,40}(?:less than|<=|exceed|out of|within|beyond)|slice_end\S* <=/i,
    because: () => ["A slice ends behind the last element of its operand in one dimension"],
    advice: () => [
      "ends that are at most the operand's extents: an op before it made another shape than the call was written for (1x1xNHWxC of convolutions, padding that was cut, a dimension that is 1)",
    ],
    instead: true,
  },
  {
    says: /not enough circular buffers?/i,
    title: "The backend refuses an op",
    because: () => [
      "The op makes a circular buffer for each operand in shards, and a core has a fixed number of them",
    ],
    advice: () => [
      "fewer operands at a time: a concat of concats (of 16 shards at most, each with a shard spec of its own result)",
      "or operands and result interleaved, which share one buffer",
    ],
    instead: true,
  },
  {
    ops: /reshape/,
    says: /[Uu]nable to reshape given|[Ll]ast dimension of the (?:old|new)/,
    because: () => [
      "This version reshapes on the device where the last dimension stays, or the rows of both shapes divide each other",
    ],
    advice: () => [
      "two steps over a shape whose last dimension divides both; in tiles; or on the host (from_device, reshape, to_device); heads by split_query_key_value_and_split_heads and concatenate_heads; or a newer ttnn",
    ],
    instead: true,
  },
  {
    subjects: ["divisible", "alignment", "shapes"],
    says: /new page size|page_size == 0 \? size_/,
    because: () => [
      "A view keeps the buffer and cuts it into pages anew: rows of the new shape (tiles, in tiles) have to divide what was allocated, padding included",
    ],
    advice: () => [
      "a reshape that copies: in tiles with both last dimensions multiples of 32, or in rows from DRAM interleaved (to_memory_config before it, where the operand is in shards)",
      "or pad the operand so that the new rows divide it; or a newer ttnn, which copies by itself",
    ],
    instead: true,
  },
  {
    says: /page[ _]?table.{0,40}(?:stick|row|width|multiple|% ?\d)/i,
    because: () => [
      "The page table is read in rows of whole 32 bytes: an entry is an int32 of 4 bytes, so 8 of them at a time",
    ],
    advice: () => [
      "pad the page table's width (blocks per user) to a multiple of 8, with entries that are not read (0 or -1): a server's max_model_len over its block size",
    ],
    instead: true,
  },
  {
    subjects: ["shapes", "arguments", "divisible"],
    says:
      /^(?!.*\b(?:bias|mask|weight|gamma|beta)).*\bbatch(?:[ _]?size)? (?:(?:must|should|has to|to) (?:be |equal )|== |of |= )?(?:exactly )?(?:1|one)\b(?!\.?\d)/i,
    because: () => ["The op takes one element of the batch at a time"],
    advice: () => [
      "call it for each element (ttnn.slice along the batch, and ttnn.concat of the results), or fold the batch into a spatial dimension, where windows do not reach from one element into the next (as a matmul, if windows do not overlap at all)",
      "or a newer ttnn: padding does not help",
    ],
    instead: true,
  },
  {
    says: /BcastOpMath/,
    title: "The backend refuses an op",
    because: () => ["The broadcasting program of this version adds, subtracts and multiplies only"],
    advice: () => [
      "the smaller operand in the shape of the other first (ttnn.repeat, ttnn.expand): then nothing is broadcast",
      "a comparison as ttnn.subtract, which broadcasts, and gtz, ltz, eqz … of the difference; or a newer ttnn, which broadcasts all of them",
    ],
    instead: true,
  },
  {
    ops: /^upsample/,
    says: /integer scale|scale.?factors?/i,
    title: "The backend refuses an op",
    because: () => [
      "An upsample repeats rows and columns a whole number of times: a factor below 1 is a down-sampling",
    ],
    advice: () => [
      "for 1/n: a pool of n x n with stride n (avg_pool2d; the nearest is a slice with step n); for n/m: the upsample by n, and then that",
      "or a newer ttnn, which takes float factors in nearest mode; or a matmul with a constant matrix of weights",
    ],
    instead: true,
  },
  {
    ops: /^conv/,
    says: /READER_INDICES|config tensor/,
    because: () => [
      "The table of a convolution's reads does not fit the circular buffer that was made for it: a case that this version does not know",
    ],
    advice: () => [
      "config_tensors_in_dram = false in the Conv2dConfig, with the room in L1_SMALL that it then needs; or a newer ttnn",
    ],
    instead: true,
  },
  {
    subjects: ["prepared_weights"],
    says: /width of tensor a|act_matrix_width/,
    advice: (check) => [
      `in_channels over groups, times the kernel's sides, is what the rows of the weight have to be${
        twoOf(check) === undefined ? "" : ` (${twoOf(check)?.join(" against ")})`
      }: compare in_channels and groups of the call with the weight's shape and the operand's channels, padding included`,
    ],
  },
  {
    subjects: ["data_type", "page_layout"],
    says: /dtype cannot be/i,
    advice: () => ["the call without dtype, and a typecast of its own in tiles before or behind it"],
    instead: true,
  },
  {
    subjects: ["data_type"],
    ops: /^moreh_softmax/,
    advice: () => [
      "a softmax over another dim than the last one runs as moreh_softmax, which takes fewer formats: transpose so that dim is the last one",
    ],
  },
  {
    subjects: ["data_type"],
    ops: /^(?:argmax|sort|topk|max|gather)$/,
    says: /bfloat16|bf16/i,
    advice: () => [
      "as bf16 whole numbers above 256 are no longer exact: where these count, f32 if this version takes it, or the host",
    ],
  },
  {
    subjects: ["data_type", "page_layout"],
    ops: /^embedding/,
    advice: () => [
      "an embedding reads indices as u32 in rows, and a weight of bf16 (in rows, unless its version takes tiles)",
    ],
  },
  {
    subjects: ["shapes"],
    ops: /norm/,
    says: /(?:\b(?:gamma|beta)\b.*tile_?(?:width|height))/i,
    advice: () => [
      "a weight or bias of W elements is W/32 x 32 in rows, or 1 x W in tiles (32 rows with their padding): reshape it, or a to_layout",
    ],
  },
  {
    subjects: ["shapes"],
    says: /(?:new|old)_volume|volume\(\) ==|different volumes|arguments to reshape/i,
    because: (check) => {
      const [a, b] = twoOf(check) ?? [];
      return a === undefined || b === undefined
        ? ["A reshape keeps the number of elements, and the target has another one"]
        : [`A reshape keeps the number of elements, and ${a} is not ${b}`];
    },
    advice: ({ condition }) => [
      ...(/padded/.test(condition ?? "")
        ? [
          "extents in tiles count with their padding: to_layout ROW_MAJOR before it, or the operand as the op makes it itself (1x1xNHWxC for a convolution)",
        ]
        : []),
      "compare the product of the target's extents with the operand's logical ones: results of pools and convolutions are 1x1xNHWxC with the output's height and width, which padding, stride and ceil_mode change",
      "an op that was fused or moved in front of it (pad, permute, slice) changed the shape: report the op before it",
    ],
    instead: true,
  },
  {
    subjects: ["shapes", "divisible"],
    ops: COLLECTIVES,
    says: /^(?!.*(?:ring_size\S* %|\.size\(\)|\brank\b))/,
    because: (check) => {
      const [a, b] = twoOf(check)?.toSorted((x, y) => y - x) ?? [];
      return a !== undefined && b !== undefined && a % b === 0
        ? [
          `${a} is ${a / b} x ${b}: one operand has the extent of one device, the other that of ${
            a / b
          } of them`,
        ]
        : ["Extents of a collective's operands differ by the number of devices along its axis"];
    },
    advice: () => [
      "look at how the tensors were divided: the dims of the mapper (ShardTensor2dMesh), cluster_axis and dim of the call, so that one device's extent times the devices of that axis is the whole",
      "an extent that the devices do not divide evenly, in tiles of 32, is padded to a multiple before it is divided",
    ],
    instead: true,
  },
  {
    subjects: ["shapes"],
    ops: /^(?:matmul|linear)$/,
    says: /width of the first|inner dim|\[-1\] == \S*\[-2\]/i,
    advice: () => [
      "the last extent of A and the last but one of B are K: transpose_a or transpose_b, or the operands in the other order",
      "of a convolution that runs as a product (1x1 kernels): in_channels and groups do not fit its prepared weight",
    ],
  },
  {
    ops: /^(?:matmul|linear)$/,
    says: /front dim|in1 rank|rank .{0,30}in1/i,
    because: () => [
      "B has more dimensions than A, or a batch of its own that A has not: this version repeats B only",
    ],
    advice: () => [
      "A with the batch of B: a reshape (unsqueeze) to its rank, and ttnn.repeat along those dimensions",
      "or the operands swapped, as A may have what B may not: (B^T A^T)^T, with transpose_a, transpose_b and a transpose of the result; or a newer ttnn",
    ],
    instead: true,
  },
  {
    subjects: ["shapes", "divisible", "page_layout", "rank"],
    ops: /^group_norm$/,
    says: /gamma|beta|weight|bias|mask/i,
    advice: () => [
      "ttnn.create_group_norm_weight_bias_rm and create_group_norm_input_mask make weight, bias and mask as the op reads them: rows of 32 channels, per column of cores",
    ],
  },
  {
    subjects: ["divisible", "shapes", "arguments", "alignment"],
    says: /power of (?:2|two)|is_pow_?(?:of_?)?2/i,
    because: () => ["This version asks for a power of two, not for a multiple of a tile"],
    advice: ({ numbers, words }) => {
      const size = numbers.find((value) => value > 2 && powerOfTwo(value) !== value);
      return [
        size === undefined
          ? "pad that extent to the next power of two (ttnn.pad), and cut the result"
          : `pad it from ${size} to ${powerOfTwo(size)}${
            /bytes|row size/i.test(words)
              ? ` (bytes of a row of bf16 are channels times 2: ${size / 2} to ${
                powerOfTwo(size) / 2
              } channels)`
              : ""
          }, and cut the result`,
        "a newer ttnn, which takes other sizes",
      ];
    },
    instead: true,
  },
  {
    says: /even width|(?:width|\[-1\]|\bW)\S* % 2 == 0|% sizeof\(u?int32_t\)/,
    because: () => ["Rows are copied in words of 4 bytes: a row of bf16 needs an even number of elements"],
    advice: () => [
      "keep it in tiles, or pad the width to an even number (ttnn.pad: 3 channels to 4, and cut the result), or f32, or the host, or a newer ttnn",
    ],
    instead: true,
  },
  {
    subjects: ["divisible", "shapes", "blocks", "accuracy"],
    ops: /attention|sdpa/,
    says: /chunk|seq/i,
    advice: () => [
      "q_chunk_size and k_chunk_size (SDPAProgramConfig) that divide the padded sequence, at least 64, or a sequence padded to them with a mask of -inf behind its end",
    ],
  },
  {
    subjects: ["storage"],
    says: /on a device tensor|already on (?:the )?device/i,
    because: () => ["The tensor is on the device already"],
    advice: () => [
      "leave the to_device out, or to_memory_config in its place; a from_device before it where the host's copy is wanted",
    ],
    instead: true,
  },
  {
    subjects: ["arguments", "storage", "memory_layout"],
    says:
      /^(?!.*(?:expect\w*|must be|requires?|needs?|only) (?:an? |on )?host tensors?)(?=.*\bhost tensors?\b)/i,
    because: () => ["The tensor is on the host, where this op knows less than on the device"],
    advice: () => ["move it to the device first (ttnn.to_device), or do it on the host in torch"],
    instead: true,
  },
  {
    subjects: ["rank"],
    says: /alignment/i,
    because: () => ["A tensor in tiles has two dimensions at least, in this version"],
    advice: () => ["keep it as 1xN, or in rows (ROW_MAJOR) while it has one dimension; or a newer ttnn"],
    instead: true,
  },
  {
    subjects: ["rank"],
    ops: /permute|transpose/,
    says: /ordering|dims?\b.*(?:==|match|length|size)/i,
    advice: () => [
      "a permutation with one entry for each dimension of the operand: an op before it left another rank (keepdim, a view): squeeze or reshape to the rank of the permutation, or give it the entries that are missing",
    ],
  },
  {
    subjects: ["data_type", "page_layout"],
    says: /(?:bfloat[84]_b|\bbfp[84]|block (?:float|format)).*(?:tile|layout|row)/i,
    advice: () => [
      "block formats (bfp_bf8, bfp_bf4) exist in tiles only: layout = TILE with them, or bf16 in rows",
    ],
  },
  {
    subjects: ["data_type"],
    says: /conversion.*tili[sz]ed|tili[sz]ed.*conversion/i,
    advice: () => [
      "a typecast of its own in tiles (to_layout TILE before it), or the same format for operand and result",
    ],
    instead: true,
  },
  {
    subjects: ["rank"],
    ops: /^(?:slice|pad|repeat|expand)$/,
    says: /begin|start|end|step|paddings?\b|entries|repeat|length|match|same/i,
    advice: () => [
      "one entry for each dimension of the operand in its begins, ends, steps or paddings: an op before it left another rank than the call was written for",
    ],
  },
];
