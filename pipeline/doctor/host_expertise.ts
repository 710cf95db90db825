// SPDX-License-Identifier: Apache-2.0
import { COLLECTIVES, type Expertise, paddingIn } from "./check_subject.ts";
import { LINKS } from "./link_expertise.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** The subject of a compiler's message: the op that it quotes (`'ttir.gather'`), else all its words. */
function refusedIn(words: string): string {
  return /['\x60"](?:\w+\.)+(\w+)['\x60"]/.exec(words)?.[1] ?? words;
}

/** Ops that compilers refuse ({@linkcode refusedIn}), with advice: forms that are lowered. */
const LOWERED: readonly (readonly [op: RegExp, advice: string])[] = [
  [
    /^(?:typecast|convert)$|\b[if]64\b/i,
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
    "convolutions in 2D are lowered (in 1D by newer versions: unsqueeze operand and weight to 2D with one extent of 1), with batch_group_count 1, padding of 0 and more, and either strides or dilated operands: gradients use the other forms",
  ],
  [
    /gather|scatter|^index/i,
    "gathers and scatters along one dimension are lowered: join the others before it, index one after the other, or write it as embedding, slices or a product with one-hot rows",
  ],
  [
    /dynamic_(?:update_)?slice/i,
    "a slice or an update with start indices that are known, as slice and concat; an update of a cache as update_cache or fill_cache (a static cache of the model), or as a scatter",
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
    /^(?:while|if|case|cond)$/i,
    "unroll the loop or branch, or keep it on the host: the body alone is lowered",
  ],
  [
    /fft|complex|\beigh?\b|cholesky|svd|\bqr\b|triangular_solve|\brng|random/i,
    "there is no kernel for it: compute it on the host, and pass the result in",
  ],
  [
    /^pad$/i,
    "padding at the edges with a constant is lowered: interior (dilating) padding, negative padding (write a slice) and a computed value are not",
  ],
  [
    /dot_general/i,
    "products with batch dimensions in front and one contracted dimension are lowered: permute and reshape the others into these",
  ],
  [
    /^sort|top_?k/i,
    "sorts of one operand along the last dimension are lowered, with values and indices as results",
  ],
  [
    /^reduce$/i,
    "reductions by sum, mean, max, min and product, and argmax, are lowered: write others with these",
  ],
];

/** Advice on compilers, meshes, hangs, crashes, queues and programs. */
export const HOST_EXPERTISE: readonly Expertise[] = [
  ...LOWERED.map(([op, advice]): Expertise => ({
    subjects: ["compiler", "wrapper"],
    says: ({ words }) => LOWERED.find(([first]) => first.test(refusedIn(words)))?.[0] === op,
    advice,
  })),
  {
    says: /non-training|batch_?norm.*(?:training|return value)/i,
    because:
      "A pass of the front end refuses the model's form for training: the device was never asked, and layouts have no part in it",
    advice:
      "model.eval() and torch.no_grad() before the model is traced or compiled: then one result is used",
  },
  {
    subjects: ["verifier"],
    says: /reduce_window.*incompatible|pool\w*' op .*(?:shape|dimension)/,
    advice:
      "an extent that differs by one is ceil_mode: the size of the output is rounded up, which needs more padding at the end: ceil_mode = False, or the operand padded by what is missing (-inf for a maximum)",
  },
  {
    subjects: ["accuracy"],
    says:
      /\bshapes? (?:mis\w+|differ|do(?:es)? ?n|!=|of \S+ against)|(?:match|mis\w+|wrong|incorrect|unequal|different|unexpected) (?:\w+ ){0,2}shapes?\b|shape\S*=.*shape\S*=/i,
    because: "Shapes differ here, and numbers were not compared",
    advice:
      "compare the order of the dimensions (NHWC in ttnn, NCHW in torch) and which of them a scale, stride or axis of the op is of; a permute before and behind it, or the reference in the op's own order",
  },
  {
    subjects: ["verifier"],
    says: /return operand|function result type/,
    advice:
      "a to_memory_config (or to_layout) in front of the return that makes the declared type, or the function's result type as the last op makes it",
  },
  {
    subjects: ["model_code", "python_error"],
    says: /pad should be (?:at most|smaller than|less than)/,
    because: "PyTorch's own rule for pools, which holds on the CPU as well",
    advice:
      "a smaller padding of the pool, for each axis at most half of its kernel (a tuple is height, then width), or a pad of its own before a pool without",
  },
  {
    subjects: ["model_code", "python_error"],
    says: (check) => paddingIn(check) !== undefined,
    because: (check) =>
      `Tensors of different extents are compared or joined, and ${
        paddingIn(check)
      }: one of them may still have the padding of ttnn`,
    advice:
      "cut the result to its logical shape, or report an op that returns its padded shape as the logical one",
    instead: false,
  },
  {
    subjects: ["mesh"],
    says: /same (?:tensor )?spec|divisib|evenly\b|uneven/i,
    because: ({ words, numbers }) => {
      const [extent, devices] = /\bsize\b/i.test(words) ? numbers.slice(-2) : [];
      return `Every device gets a part of the same shape: the dimension that is divided has to be a multiple of the devices along that axis of the mesh${
        extent === undefined || devices === undefined || extent % devices === 0
          ? ""
          : `, and ${extent} is none of ${devices}`
      }`;
    },
    advice:
      remedy`${asks.PAD}pad that dimension to a multiple of the devices (and cut the result), divide another dimension${asks.OR}, or replicate the tensor`,
  },
  {
    subjects: ["mesh", "queue"],
    says:
      /trace_buffer != nullptr|trace (?:instance|id|buffer)\b.{0,40}(?:exist|not found|released|unknown)/i,
    because:
      "The trace that is replayed is not on the device: it was released, or captured under another sub-device manager, whose traces go with it",
    advice: [
      "capture the trace after the sub-device manager is loaded under which it is replayed, and again after every change of it (a prefetcher loads one of its own)",
      "release_trace only behind the last replay; one trace id for each device and command queue",
    ],
  },
  {
    says: /override non-?existing op/i,
    because:
      "An override names an op by its location, and no op of the module has this one: passes before the optimizer rename, fuse and split ops",
    advice: [
      'the name that stands in loc("…") of the op where the optimizer sees it: --mlir-print-debuginfo with --mlir-print-ir-before=ttnn-optimizer',
      "'tilewright optimize FILE --emit overrides=FILE' writes overrides with the names that the text has",
    ],
  },
  {
    subjects: ["board", "hang"],
    says: /initiali[sz]e FW|(?:try|you should) reset|Ethernet core service|remote IO/i,
    because:
      "The firmware of a core does not start, or the host reads nothing from the chip: a run before left it hanging, or it did not come up when the host booted",
    advice: [
      remedy`${asks.RESET}tt-smi -r (on a Galaxy tt-smi -glx_reset), then again${asks.OR}; a power cycle of the host where it stays so`,
      "versions of firmware, driver (tt-kmd) and ttnn that belong together, and no other process on the board",
    ],
  },
  {
    subjects: ["tools"],
    says: /\bCHECK(?:-\w+)?:/,
    because:
      "A test compares the text that a compiler wrote with lines that it expects (FileCheck): nothing ran, and the compiler wrote another one, in this version or for this chip",
    advice: [
      "compare the line of the test with the text (--input-file): layouts, grids and addresses are those of the chip (8x8 cores of n150, 10x13 of p150)",
      "where the text is right, lines that hold on every chip, or the test for its own chip only; else a change of the compiler is at fault",
    ],
  },
  {
    subjects: ["mesh"],
    says:
      /mesh is too (?:big|large)|system ?mesh|exceeds? the (?:system|physical)|only \d+ devices? (?:is|are)|requested device/i,
    because: ({ words }) => {
      const [asked, there] = [...words.matchAll(/\[(\d+(?:, ?\d+)*)\]/g)].map(([, list = ""]) =>
        list.replaceAll(/, ?/g, "x")
      );
      return `The mesh that is opened has more devices than the system, or another shape${
        asked === undefined || there === undefined ? "" : `: ${asked} is asked for, and ${there} is there`
      }`;
    },
    advice: [
      "a mesh shape that the system has (ttnn.get_num_devices; a model's MESH_DEVICE, a server's device, tensor_parallel), or a board with as many chips",
      remedy`${asks.RESET}chips that are there and not seen: tt-smi lists them, TT_VISIBLE_DEVICES may hide some, tt-smi -r brings their links up`,
    ],
  },
  {
    subjects: ["xla_status", "python_error", "crash"],
    says: /deleted or donated|donated buffer|buffer has been deleted/i,
    because:
      "A call reads a buffer that an earlier call took over (a donated argument) or that was deleted: the device's memory was given to that call's result",
    advice: [
      "the result of the earlier call in place of its argument (caches, parameters, optimizer state), or a copy kept before it; donate_argnums of jax.jit without that argument",
      "layouts and shapes have no part in it",
    ],
  },
  {
    subjects: ["installation"],
    says: /FAILED: \[code|(?:patch|build|configure|install|download) step/i,
    because:
      "A step of the build ends with an error: its own output stands above this line, or in the log beside its stamp",
    advice: [
      "a clean build (the build folder and the dependency's folder removed): a patch that is applied twice, or half a download, fails like this",
      "what the documentation of that version builds with (compiler, CMake, Python, its container), the network, and a name for git; or the wheel in place of the build",
    ],
  },
  {
    says: /\bTensor \d+ - (?:stride|shape|data ?type|dtype) mismatch/i,
    title: "An input is not as the program declares it",
    because: ({ words }) =>
      `The runtime compares each input of the host with the compiled program's: the ${
        /- (.+?) mismatch/i.exec(words)?.[1] ?? "type"
      } of this one differs, before anything runs`,
    advice: ({ words }) => [
      /stride/i.test(words)
        ? "the tensor contiguous in torch before the call: x.contiguous() of a transposed, expanded or sliced input, parameter or buffer (strides 1, N are those of a transpose)"
        : "the input with the shape and type that the model was compiled with (x.to(dtype)), or the model compiled again for this one",
      remedy`${asks.NEWER}a newer compiler, which makes inputs contiguous by itself; layouts on the device have no part in it`,
    ],
  },
  {
    says: /num_devices\(\) == 1|(?:compiled|made|built) for \d+ devices?\b/i,
    because: "The program was made for one device, and the mesh that is open has more",
    advice:
      remedy`compile for the mesh that runs it (mesh-shape of the pipeline, the frontend's mesh), or open a mesh of one device${asks.NEWER}; or a newer version`,
  },
  ...LINKS,
  {
    subjects: ["hang"],
    ops: COLLECTIVES,
    advice: [
      remedy`${asks.FEWER_LINKS}fabric config, topology and num_links that are the same on all devices and that the links have (num_links = 1 first), semaphores that are reset between calls; tt-triage and the watcher (TT_METAL_WATCHER) tell which kernel waits`,
      remedy`${asks.RESET}reset the boards first (tt-smi -r): one that hung before makes the next run hang`,
    ],
  },
  {
    subjects: ["hang"],
    says: /\b(?:grids?|shard\w*|(?<!physical )cores)\b/i,
    advice:
      "one grid and shard spec for operands and result (no memory_config in the call), and a to_memory_config behind the op where another is wanted; grids without cores that hold no shard",
  },
  {
    subjects: ["hang"],
    ops: /norm/,
    advice: "weight and bias in tiles, or a width padded to 32, where rows of another width are given",
  },
  {
    subjects: ["missing_value"],
    says: /\bvariant\b/,
    because:
      "An argument that comes in kinds is of another kind than the operand asks for, mostly the program config: ttnn has some for interleaved and some for sharded operands",
    advice:
      remedy`${asks.NO_PROGRAM_CONFIG}no program config${asks.OR}, or for a sharded operand the sharded one (LayerNormShardedMultiCoreProgramConfig, for one), and none of that kind for an interleaved operand`,
  },
  {
    subjects: ["missing_value"],
    says: /this->size\(\) \(which is 0\)/,
    because: "A list is empty whose first entry is read",
    advice:
      "in ttrt or at a compiler's start it is the list of devices: look at the boards (tt-smi), the driver (tt-kmd) and the runtime's build, and make the system description anew (ttrt query --save-artifacts), or take a bundled one where there is no board",
    instead: false,
  },
  {
    subjects: ["mesh"],
    says: /num_devices > 1|more than (?:one|1) device|but has 1\b/,
    advice:
      "open a mesh of several devices (ttnn.open_mesh_device with a MeshShape) and call it on tensors of that mesh; on one device leave the collective out",
    instead: true,
  },
  {
    subjects: ["crash"],
    says: /max_size_|vector_downward/,
    because: "A flatbuffer holds 2 GiB at most, and the program with its constants is larger",
    advice:
      "weights as arguments of the program and not as constants in it (parameters that the frontend marks as such), or the model in parts",
  },
  {
    subjects: ["accuracy"],
    says: /shard/i,
    advice:
      remedy`${asks.DRAM}the same op from DRAM interleaved to DRAM interleaved: if the numbers then agree, it does not know these shards: a to_memory_config before and behind it${asks.OR}, or shards of another kind, and a report`,
  },
  {
    subjects: ["kernel_build"],
    says: /get_noc_addr|TensorAccessor|InterleavedAddrGen/,
    because:
      "A kernel that reads or writes interleaved tensors got a sharded one, or the other way round: the op chose it by one tensor, and another lies otherwise",
    advice:
      "operands and result in one memory layout, all interleaved or all sharded alike, with a to_memory_config behind the op for other shards of the result",
    instead: false,
  },
  {
    subjects: ["kernel_program"],
    says: /not placed on (?:logical )?core|core_to_runtime_args|runtime args size/,
    because:
      "A program that was compiled for other cores is used again: the program cache took this call for one that it had seen, with another shape or grid",
    advice:
      remedy`device.disable_and_clear_program_cache() before the call: if it then runs, the cache is at fault; report it${asks.NEWER}, or use a newer ttnn`,
  },
  {
    subjects: ["queue", "hidden_cache_miss"],
    says: /synchroni[sz]ation|reads? (?:are )?not/i,
    advice:
      "what waits for the device or reads from it goes behind end_trace_capture: .to('cpu'), to_torch, and ttnn's reports and detailed logs (enable_logging, enable_detailed_buffer_report), which synchronize after every op",
  },
  {
    says: /deallocated after move|probably another consumer/,
    title: "An operand has another reader",
    because:
      "The op takes the place of its operand, which it frees; something else still holds that tensor: a second variable, a list, a view of it, or a later op",
    advice: [
      "the last reference given up before the call: no second name for the tensor, and no reader of it behind the op",
      "or a copy in place of the move (ttnn.clone, ttnn.to_memory_config), with the old one deallocated afterwards; no layout changes that",
    ],
  },
];
