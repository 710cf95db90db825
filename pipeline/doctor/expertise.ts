// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { type CheckWords, TILE } from "./check_subject.ts";

/** What those who know an op or a rule answer, beyond what is said of the subject. A row is enough to add one. */
interface Expertise {
  /** Subjects that it is for; default: all. */
  readonly subjects?: readonly string[];
  /** Last name of the op. */
  readonly ops?: RegExp;
  /** In the condition, or in the words. */
  readonly says?: RegExp;
  /** Why, in a sentence each. */
  readonly because?: (check: CheckWords) => readonly string[];
  /** Remedies, most promising first. */
  readonly advice: (check: CheckWords) => readonly string[];
  /** Whether what is said of the subject in general would mislead. */
  readonly instead?: true;
}

/** What compilers say of an op, by the op, and what helps: forms that are lowered. */
const LOWERED: readonly (readonly [op: RegExp, advice: string])[] = [
  [
    /typecast|\bconvert\b|[if]64/i,
    "the device has no types of 64 bits: i32 and f32 instead of i64 and f64 in the model, or such constants folded on the host",
  ],
  [
    /pooling|pool2d|reduce_window|select_and_scatter/i,
    "pools are lowered for four dimensions in NHWC order, with a window over height and width only: reshape HxW to 1xHxWx1 before it (a sum over windows is avg_pool2d times the window), or compute what is constant on the host",
  ],
  [
    /batch_?norm/i,
    "the form for inference is lowered, which uses the first result only: model.eval() and torch.no_grad() before the model is traced",
  ],
  [
    /reverse/i,
    "a reverse is mostly the flipped weight of a transposed convolution or of a convolution's gradient: flip it on the host, or mend the convolution behind it, which failed first",
  ],
  [
    /conv(?:olution)?(?:\d|_|\b)/i,
    "convolutions in 1D and 2D are lowered, with batch_group_count 1, padding of 0 and more, and either strides or dilated operands: gradients use the other forms",
  ],
  [
    /gather|scatter|index/i,
    "gathers and scatters along one dimension are lowered: join the others before it, index one after the other, or write it as embedding, slices or a product with one-hot rows",
  ],
  [
    /dynamic/i,
    "shapes have to be static: pad to a fixed length, and write without nonzero, boolean indexing and arange of a computed value",
  ],
  [
    /custom_?call/i,
    "a custom call is lowered only if a pass knows its target: decompose it in the model; one of sharding needs the mesh and the partitioner's pass before",
  ],
  [
    /\.(?:while|if|case|cond)\b/i,
    "unroll the loop or branch, or keep it on the host: the body alone is lowered",
  ],
  [
    /fft|complex|eigh?\b|cholesky|svd|\bqr\b|triangular_solve|rng|random/i,
    "there is no kernel for it: compute it on the host, and pass the result in",
  ],
  [
    /sort|top_?k/i,
    "sorts of one operand along the last dimension are lowered, with values and indices as results",
  ],
  [
    /\breduce\b/i,
    "reductions by sum, mean, max, min and product, and argmax, are lowered: write others with these",
  ],
];

/** Collectives of devices. */
const COLLECTIVES = /gather|reduce_scatter|all_reduce|all_to_all|broadcast$|point_to_point|send|recv/;

/** Ops over one dimension that they move to the end by themselves. */
const OVER_A_DIM = /^(?:sort|topk|softmax|argmax|cumsum|cumprod|gather|scatter|moreh_\w*soft\w*)$/;

/** The two numbers of a check that contradict each other; `undefined` if it has not two different ones. */
function twoOf({ numbers: [a, b] }: CheckWords): readonly [number, number] | undefined {
  return a === undefined || b === undefined || a === b ? undefined : [a, b];
}

/** The least power of two that is not below `value`. */
function powerOfTwo(value: number): number {
  return 2 ** Math.ceil(Math.log2(value));
}

/** In the order in which they are told. */
export const EXPERTISE: readonly Expertise[] = [
  ...LOWERED.map(([op, advice]): Expertise => ({
    subjects: ["compiler", "wrapper"],
    says: op,
    advice: () => [advice],
  })),
  {
    says: /non-training|batch_?norm.*(?:training|return value)/i,
    because: () => [
      "A pass of the front end refuses the model's form for training: the device was never asked, and layouts have no part in it",
    ],
    advice: () => [
      "model.eval() and torch.no_grad() before the model is traced or compiled: then one result is used",
    ],
    instead: true,
  },
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
    subjects: ["data_type"],
    ops: /softmax/,
    advice: () => [
      "a softmax over another dim than the last one runs as moreh_softmax, which takes fewer formats: transpose so that dim is the last one",
    ],
  },
  {
    subjects: ["data_type"],
    ops: /^(?:argmax|sort|topk|max|gather)$/,
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
    subjects: ["shapes", "arguments"],
    says: /\[-?\d\] == 1\b|\bdim \d must be 1\b/,
    advice: () => [
      "an operand of fewer than four dimensions is first made one of four: ttnn.unsqueeze_to_4D, or a reshape (a row of N as 1x1x1xN), with dim counted anew",
    ],
  },
  {
    subjects: ["shapes"],
    says: /(?:new|old)_volume|different volumes|arguments to reshape/i,
    because: (check) => {
      const [a, b] = twoOf(check) ?? [];
      return a === undefined || b === undefined
        ? ["A reshape keeps the number of elements, and the target has another one"]
        : [`A reshape keeps the number of elements, and ${a} is not ${b}`];
    },
    advice: () => [
      "compare the product of the target's extents with the operand's logical ones: results of pools and convolutions are 1x1xNHWxC with the output's height and width, which padding, stride and ceil_mode change",
      "an op that was fused or moved in front of it (pad, permute, slice) changed the shape: report the op before it",
    ],
    instead: true,
  },
  {
    subjects: ["shapes", "divisible"],
    ops: COLLECTIVES,
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
    subjects: ["shapes", "divisible", "page_layout", "rank"],
    ops: /^group_norm$/,
    says: /gamma|beta|weight|bias|mask/i,
    advice: () => [
      "ttnn.create_group_norm_weight_bias_rm and create_group_norm_input_mask make weight, bias and mask as the op reads them: rows of 32 channels, per column of cores",
    ],
  },
  {
    says: /power of (?:2|two)|is_pow_?(?:of_?)?2/i,
    because: () => ["This version asks for a power of two, not for a multiple of a tile"],
    advice: ({ numbers }) => {
      const size = numbers.find((value) => value > 2 && powerOfTwo(value) !== value);
      return [
        size === undefined
          ? "pad that extent to the next power of two (ttnn.pad), and cut the result"
          : `pad it from ${size} to ${powerOfTwo(size)} (bytes of a row of bf16 are channels times 2: ${
            size / 2
          } to ${powerOfTwo(size) / 2} channels), and cut the result`,
        "a newer ttnn, which takes other sizes",
      ];
    },
    instead: true,
  },
  {
    says: /even width|% 2 == 0/,
    because: () => ["Rows are copied in words of 4 bytes: a row of bf16 needs an even number of elements"],
    advice: () => [
      "keep it in tiles, or pad the width to an even number before it leaves them (ttnn.pad), or f32, or a newer ttnn",
    ],
    instead: true,
  },
  {
    subjects: ["divisible", "shapes", "alignment"],
    ops: /attention|heads|sdpa|rotary/,
    says: /head|\[3\]|width/i,
    advice: ({ numbers, words, condition }) => {
      const size = words === condition
        ? undefined
        : numbers.find((value) => value % TILE !== 0 && value > 4 && value < 1024);
      return [
        `pad the head size${size === undefined ? "" : ` from ${size} to ${roundUp(size, TILE)}`}${
          size === undefined ? " to a multiple of 32" : ""
        } with zeros, best in the weights of the projections: scores do not change, the scale stays that of the real size`,
      ];
    },
  },
  {
    subjects: ["divisible", "shapes", "blocks", "accuracy"],
    ops: /attention|sdpa/,
    says: /chunk|seq|mask/i,
    advice: () => [
      "q_chunk_size and k_chunk_size (SDPAProgramConfig) that divide the padded sequence, at least 64, or a sequence padded to them with a mask of -inf behind its end",
    ],
  },
  {
    says: /\w+ProgramConfig\b.*\bshard|shard.*ProgramConfig/i,
    because: () => [
      "The program config is of another kind than the operand: ttnn has one for interleaved and others for sharded operands",
    ],
    advice: ({ words }) =>
      /Matmul/.test(words)
        ? [
          "MatmulMultiCoreReuseMultiCast1DProgramConfig for width or height shards, MatmulMultiCoreReuseMultiCastProgramConfig for block shards, or none: then the backend chooses",
        ]
        : /Softmax/.test(words)
        ? ["SoftmaxShardedMultiCoreProgramConfig for shards, or the operand interleaved"]
        : [
          "LayerNormShardedMultiCoreProgramConfig with the grid of the shards, block_h and block_w = sides of a shard over 32, and a subblock_w that divides block_w (at most 8, with fp32 accumulation 4)",
          "or the operand interleaved, with the config as it is",
        ],
    instead: true,
  },
  {
    subjects: ["memory_layout", "shard_extent", "shard_grid", "shapes"],
    ops: /update_cache/,
    advice: () => [
      "the new entries are height sharded in L1, one user per core: shards of the padded heads (32) x head size on a grid of as many cores as users, from (0, 0) on",
    ],
  },
  {
    subjects: ["shard_extent"],
    says: /shard (?:height|width) \(?0\b/i,
    because: () => [
      "The shard has no extent: a sharded result was asked for without a shard spec, and the op had none of an operand to take over",
    ],
    advice: ({ numbers: [wanted], words }) => [
      `write the whole shard spec of the result (grid, orientation, and a shape of ${wanted ?? "…"} ${
        /height 0/i.test(words) ? "x the width over the cores" : "for that side"
      }, in multiples of 32)`,
      "or make the result interleaved, and shard it by a to_memory_config of its own; or shard the operand: then the result takes its shards",
    ],
    instead: true,
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
    says: /\bhost tensors?\b/i,
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
    says: /ordering|dims/i,
    advice: () => [
      "a permutation with one entry for each dimension of the operand: an op before it left another rank (keepdim, a view): squeeze or reshape to the rank of the permutation, or give it the entries that are missing",
    ],
  },
  {
    subjects: ["verifier"],
    says: /return operand|function result type/,
    advice: () => [
      "a to_memory_config (or to_layout) in front of the return that makes the declared type, or the function's result type as the last op makes it",
    ],
  },
  {
    subjects: ["mesh"],
    says: /same (?:tensor )?spec|divisib|uneven/i,
    because: () => [
      "Every device gets a part of the same shape: the dimension that is divided has to be a multiple of the devices along that axis of the mesh",
    ],
    advice: () => [
      "pad that dimension to a multiple of the devices (and cut the result), divide another dimension, or replicate the tensor",
    ],
    instead: true,
  },
  {
    subjects: ["mesh"],
    says: /topology/i,
    advice: () => [
      "pass topology = ttnn.Topology.Linear: a ring needs links that close it, which two devices and lines do not have; and open the mesh with a fabric config of the same kind (FABRIC_1D, FABRIC_1D_RING)",
    ],
  },
  {
    subjects: ["mesh", "board"],
    says: /num_links|\blinks?\b/i,
    advice: () => ["fewer num_links: 1 on n300 and on boards that one cable connects"],
  },
  {
    subjects: ["hang"],
    ops: COLLECTIVES,
    advice: () => [
      "fabric config, topology and num_links that are the same on all devices and that the links have (num_links = 1 first), semaphores that are reset between calls; tt-triage and the watcher (TT_METAL_WATCHER) tell which kernel waits",
      "reset the boards first (tt-smi -r): one that hung before makes the next run hang",
    ],
  },
  {
    subjects: ["hang"],
    ops: /norm/,
    advice:
      () => ["weight and bias in tiles, or a width padded to 32, where rows of another width are given"],
  },
  {
    subjects: ["missing_value"],
    says: /this->size\(\) \(which is 0\)/,
    because: () => ["A list is empty whose first entry is read"],
    advice: () => [
      "in ttrt or at a compiler's start it is the list of devices: look at the boards (tt-smi), the driver (tt-kmd) and the runtime's build, and make the system description anew (ttrt query --save-artifacts), or take a bundled one where there is no board",
    ],
  },
  {
    subjects: ["blocks", "shard_count", "cores"],
    ops: /^(?:matmul|linear)$/,
    says: /per_core_M|M blocks|shard/i,
    advice: () => [
      "with A in shards, per_core_M is a shard's height in tiles (rows over 32), in0_block_w divides its width in tiles, and the grid is that of the shards: a program config with these, or A over more cores, or interleaved",
    ],
  },
  {
    subjects: ["crash"],
    says: /floating point/i,
    because: () => ["A division by zero: a block or a number of cores came out as 0"],
    advice: () => [
      "the op with its own program config (LayerNormSharded…, a matmul's for its shards), shards of at least one tile, or interleaved operands",
    ],
  },
  {
    subjects: ["crash"],
    says: /segmentation|segfault|signal: 11/i,
    advice: () => [
      "look for an operand without a buffer: on the host, deallocated before, or of another device",
    ],
  },
  {
    subjects: ["accuracy"],
    ops: /^(?:matmul|linear|conv|sparse_matmul)/,
    advice: () => [
      "run this op alone with its inputs against torch: without program config and shards first, then HiFi4, fp32_dest_acc_en and packer_l1_acc, weights in bf16",
    ],
  },
  {
    subjects: ["accuracy"],
    ops: /norm|softmax/,
    advice: () => [
      "run this op alone with its inputs against torch: interleaved, HiFi4 and fp32_dest_acc_en; shards need the sharded program config, a group_norm the mask and weight that its helpers make, a softmax numeric_stable = true",
    ],
  },
  {
    subjects: ["kernel_program"],
    says: /not placed on (?:logical )?core|core_to_runtime_args/,
    because: () => [
      "A program that was compiled for other cores is used again: the program cache took this call for one that it had seen, with another shape or grid",
    ],
    advice: () => [
      "device.disable_and_clear_program_cache() before the call: if it then runs, the cache is at fault; report it, or use a newer ttnn",
    ],
    instead: true,
  },
  {
    subjects: ["runtime_arguments"],
    ops: /pool2d/,
    because: () => ["An average pool passes a divisor for each kind of output position that has another one"],
    advice: () => [
      "ceil_mode = False with count_include_pad = True, or a divisor_override: then there is one divisor",
      "height shards over more cores: each has fewer positions; or a newer ttnn, which keeps divisors in a tensor",
    ],
    instead: true,
  },
  {
    subjects: ["queue", "hidden_cache_miss"],
    says: /synchroni[sz]ation|reads? (?:are )?not/i,
    advice: () => [
      "what waits for the device or reads from it goes behind end_trace_capture: .to('cpu'), to_torch, and ttnn's reports and detailed logs (enable_logging, enable_detailed_buffer_report), which synchronize after every op",
    ],
  },
];

/** Rows that a check is of, in the order of the table. */
export function expertiseOn(check: CheckWords & { readonly subject: string }): readonly Expertise[] {
  const text = `${check.condition ?? ""} ${check.words}`;
  const names = (check.ops ?? []).map((op) => op.replace(/^.*\./, ""));
  return EXPERTISE.filter(({ subjects, ops, says }) =>
    (subjects === undefined || subjects.includes(check.subject)) &&
    (ops === undefined ||
      names.length > 0 && names.length <= MOST_OPS && names.some((name) => ops.test(name))) &&
    (says === undefined || says.test(text))
  );
}

/** Most ops of a check that rows of single ops are for. */
const MOST_OPS = 4;
