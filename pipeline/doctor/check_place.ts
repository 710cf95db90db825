// SPDX-License-Identifier: Apache-2.0
import { isKnownOp, knownOps } from "../../lib/ops/op_book.ts";
import { PYTHON_OPS } from "./python_ops.ts";
import { isArgumentName } from "./requirements/settable.ts";

/** Parts of paths that name no op: groups of ops, and folders that every op has. */
const NO_OPS: ReadonlySet<string> = new Set(
  ("ccl common codegen core datamovement debug device deprecated eltwise examples experimental factories factory " +
    "fusion generic host kda kernels kernellib move moreh operations opslicing normalization poolutils quasar " +
    "reductioncommon sharded shardedpartial test transformer tosa uops utils utility worksplit deepseekprefill " +
    "deepseek moe").split(" "),
);

/** Ops by the folder, file or word of tt-metal where its name differs from the op's. */
const OPS_OF_PLACES: Readonly<Record<string, readonly string[]>> = {
  accumulation: ["cumsum", "cumprod", "moreh_cumsum"],
  bmm: ["matmul", "linear"],
  batchnorm: ["batch_norm_inference", "batch_norm_training"],
  conv: ["conv2d", "conv_transpose2d"],
  conv2d: ["conv2d", "conv_transpose2d"],
  copy: ["copy", "assign"],
  dotgeneral: ["matmul"],
  createqkvheads: ["split_query_key_value_and_split_heads"],
  embeddingbackward: ["embedding_bw"],
  embeddings: ["embedding"],
  genericpools: ["max_pool2d", "avg_pool2d", "global_avg_pool2d"],
  groupnorm: ["group_norm"],
  halo: ["conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d"],
  kvcache: ["update_cache", "fill_cache"],
  layernorm: ["layer_norm", "rms_norm"],
  layernormdistributed: [
    "layer_norm_pre_all_gather",
    "rms_norm_pre_all_gather",
    "layer_norm_post_all_gather",
    "rms_norm_post_all_gather",
  ],
  layernormpostallgather: ["layer_norm_post_all_gather", "rms_norm_post_all_gather"],
  layernormpreallgather: ["layer_norm_pre_all_gather", "rms_norm_pre_all_gather"],
  matmul: ["matmul", "linear"],
  maxpool: ["max_pool2d"],
  nlpconcatheads: ["concatenate_heads", "nlp_concat_heads"],
  pagedcache: ["paged_update_cache", "paged_fill_cache"],
  pool: ["max_pool2d", "avg_pool2d", "global_avg_pool2d"],
  pool2d: ["max_pool2d", "avg_pool2d"],
  poolgeneric: ["max_pool2d", "avg_pool2d"],
  pow: ["pow_scalar", "pow_tensor"],
  quantization: ["quantize", "dequantize", "requantize"],
  reduction: ["sum", "mean", "max", "min"],
  reshapeondevice: ["reshape"],
  reshapeview: ["reshape"],
  rmsnorm: ["rms_norm"],
  sdpa: ["scaled_dot_product_attention"],
  sdpadecode: ["scaled_dot_product_attention_decode", "paged_scaled_dot_product_attention_decode"],
  slidingwindow: ["conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d"],
  tilize: ["to_layout"],
  tilizewithvalpadding: ["to_layout"],
  untilize: ["to_layout"],
  untilizewithhalo: ["conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d"],
  untilizewithunpadding: ["to_layout"],
  updatecache: ["update_cache", "fill_cache", "paged_update_cache", "paged_fill_cache"],
};

/** Families of ops by the folder that all of them share. */
const FAMILIES_OF_PLACES: Readonly<Record<string, string>> = {
  binary: "binary",
  binaryng: "binary",
  ternary: "ternary",
  unary: "unary",
};

/** The suffix after the op in the name of its program config: `LayerNormShardedMultiCoreProgramConfig`. */
const CONFIG = /(?:sharded|default|multicore|reuse|optimized|multicast|mcast|dram|[12]d)*programconfig$/;

/** Ops of a folder, file or word; `undefined` if it names none that we know. */
export function opsNamed(name: string): readonly string[] | undefined {
  const plain = name.replaceAll("_", "").toLowerCase().replace(CONFIG, "");
  // `Matmul1D` is a way of `matmul`, `conv1d` an op.
  return opsCalled(plain) ?? (/\d[d]$/.test(plain) ? opsCalled(plain.slice(0, -2)) : undefined);
}

function opsCalled(plain: string): readonly string[] | undefined {
  const listed = Object.hasOwn(OPS_OF_PLACES, plain) ? OPS_OF_PLACES[plain] : undefined;
  if (listed !== undefined) return listed.map((op) => `ttnn.${op}`);
  const family = Object.hasOwn(FAMILIES_OF_PLACES, plain) ? FAMILIES_OF_PLACES[plain] : undefined;
  const found = knownOps().filter((op) =>
    family === undefined ? op.name.replaceAll("_", "") === `ttnn.${plain}` : op.family === family
  );
  if (found.length > 0) return found.map((op) => op.name);
  const own = PYTHON_OPS.get(plain);
  return own === undefined ? undefined : [own];
}

/** Ops that run a matmul within theirs: convolutions whose kernel is 1x1 are nothing else. */
const RUN_AS_MATMUL: readonly string[] = ["ttnn.conv2d", "ttnn.conv_transpose2d"];

const ENDS_OF_STEMS =
  /_(?:device_op|(?:sharded_|multi_?core_)?program|pybind|nanobind|util|op_validation|op(?:_v\d)?$)\w*$/;

/**
 * Ops whose program or checks are in a file of tt-metal, from its folders, else from its name; `undefined` for files
 * that many ops share.
 */
export function opsOfFile(path: string): readonly string[] | undefined {
  const parts = path.split("/");
  const stem = (parts.pop() ?? "").replace(/\.\w+$/, "").replace(ENDS_OF_STEMS, "").replace(/_op$/, "");
  // tt-metal kept its ops in `op_library` before 2024-11.
  const root = Math.max(parts.indexOf("operations"), parts.indexOf("op_library"));
  if (root < 0) {
    const named = parts.length === 0 ? opsNamed(stem) ?? opsBeginning(stem) : undefined;
    return named?.[0] === "ttnn.matmul" ? [...named, ...RUN_AS_MATMUL] : named;
  }
  const below = parts.slice(root + 1);
  const folders = below.includes("device") ? below.slice(0, below.indexOf("device")) : below;
  // `reduction/generic` and `pool/generic` are ops by the group that `generic` stands in.
  const group = folders.at(-1) === "generic" ? folders.at(-2) : undefined;
  if (group !== undefined) return opsNamed(group);
  // `bmm/multi_core_reuse_mcast_2d` is a way of the op that it stands in.
  const own = folders.findLast((folder) =>
    !NO_OPS.has(folder.replaceAll("_", "")) && !/^(?:multi|single)_?core_/.test(folder)
  );
  if (own === undefined || GROUPS.has(own)) {
    // `move/device/move_device_operation.cpp` is of an op, also of one that TTNN has none of.
    const isOwn = own === undefined && !NO_OPS.has(stem.replaceAll("_", "")) &&
      !["generic", "common"].includes(stem) &&
      (stem === folders.at(-1) || /_device_op(?:eration)?\.cpp$/.test(path));
    return opsNamed(stem) ?? (own === undefined ? undefined : opsNamed(own)) ??
      (isOwn ? [`ttnn.${stem}`] : undefined);
  }
  const exact = Object.hasOwn(OPS_OF_PLACES, stem.replaceAll("_", "")) ? undefined : onlyOpOf(stem);
  if (
    exact !== undefined && stem !== own && (opsNamed(own)?.includes(exact) === true || stem.includes(own))
  ) return [exact];
  // `conv/multi_core_optimized_conv_sharded` is a way of what it stands in.
  const outer = folders.find((folder) => folder !== own && own.includes(folder));
  // `untilize/untilize_with_halo` is what its name says in full.
  return (stem.startsWith(`${own}_`) ? opsNamed(stem) : undefined) ?? opsNamed(own) ??
    opsNamed(outer ?? "") ??
    // `numpy/functions.hpp` is of no op.
    (below.includes("device") || stem.startsWith(own)
      ? [`ttnn.${folders.includes("experimental") ? "experimental." : ""}${own}`]
      : undefined);
}

/** The op of a name without its underscores, as files may be called: `paged_fill_cache` of the folder `paged_cache`. */
export function onlyOpOf(stem: string): string | undefined {
  const plain = stem.replaceAll("_", "");
  return knownOps().find(({ name }) => name.replaceAll("_", "") === `ttnn.${plain}`)?.name;
}

/** Whether other ops run the op of a file within theirs: copies, paddings, conversions. */
export function isShared(path: string): boolean {
  return /reshape_view|fill_pad|interleaved_to_sharded|sharded_to_interleaved|reshard|tilize|clone|\/copy|\/pad|\/move|\/slice|\/to_layout|typecast|halo|sliding_window|\/fold/
    .test(path);
}

/** Folders that hold files of several ops beside folders of their own. */
const GROUPS: ReadonlySet<string> = new Set([
  "conv",
  "creation",
  "loss",
  "pool",
  "unary_backward",
  "binary_backward",
]);

/** Names of ops that are also words of English or of torch: they name an op only in the positions of {@linkcode NAMES}. */
const ENGLISH: ReadonlySet<string> = new Set(
  ("accumulation angle arange assign binary broadcast chunk clip clone constant copy deallocate divide embedding empty expand floor " +
    "fold full gather halo linear maximum mean minimum move multiply narrow nonzero ones outer polar pool quantize remainder " +
    "repeat reshape rotate roll round sampling scatter sign slice sort split square squeeze stack subtract " +
    "threshold transpose trunc unary uniform view where zeros").split(" "),
);

/**
 * Words that may name an op: the title of a message; a word with a capital, a digit or an underscore; a word in a phrase
 * about ops (`supported for X`, `X op`); the first word of a sentence; and, as `plain`, any word.
 */
const NAMES =
  /^(?:ttnn[.:]+(?:\w+[.:]+)*)?(\w+?)(?:DeviceOperation|Operation|Op)?(?:\[\w+\])?(?: op(?:eration)?)?: |\btt(?:nn|ir)[.:]+(?:experimental[.:]+|prim[.:]+)?(\w+)|\b(\w*(?:[a-z][A-Z\d]|_|[A-Z]{2})\w*)\b|\b(\w{4,})(?= op(?:eration)?\b)|\b(?:supported|implemented|available|allowed|valid) (?:for|by|in|with) (?:the )?([a-z]\w{2,})\b|\bto (\w{4,})(?= need)|\b(?:[Uu]nable to|[Cc]annot) (\w{3,})(?= (?:a |the )?(?:\w+ )?tensors?\b)|^([A-Z][a-z]\w+)(?= (?!the |an? |to |of |it |and |your |all |must ))|\b(?<plain>[A-Za-z][a-z]{3,})\b/g;

/** Names of ops with which sentences begin that are not of them. */
const FIRST: ReadonlySet<string> = new Set(
  "Cos Sin Tan Exp Log Sum Max Min Mean Split Full Move Empty Zeros Ones Round Square Stack Chunk Copy Fill Add View"
    .split(" "),
);

/** Most ops that a place or name may be of and still be narrower than a family. */
export const MOST_OPS = 4;

/** Words before the name of an op that a message recommends; the message is not about that op. */
const REMEDY =
  /\b(?:use|using|call|calling|with|via|by|see|or|before|prior to|from|into|try)\s+(?:the )?`?$/i;

/**
 * Ops that the words of a check name; `undefined` without any.
 *
 * @param isAlone whether the words are all that is known, and of an op: then it may be one that TTNN has none of
 */
export function opsOfWords(words: string, isAlone: boolean): readonly string[] | undefined {
  const called = isAlone ? /^([a-z]+(?:_[a-z\d]+)+): /.exec(words)?.[1] : undefined;
  if (called !== undefined) return opsNamed(called) ?? [`ttnn.experimental.${called}`];
  const named: (readonly string[])[] = [];
  for (const match of words.matchAll(NAMES)) {
    const name = match.slice(1).find((group) => group !== undefined);
    if (name === undefined || REMEDY.test(words.slice(0, match.index))) continue;
    // `ceil(M/per_core_M)` is arithmetic.
    if (/^\([^()]*[-+*/]/.test(words.slice(match.index + match[0].length))) continue;
    // `untilize_out` is an argument, `non-bcast` no bcast.
    if (name.includes("_") && isArgumentName(name) || words.slice(0, match.index).endsWith("non-")) continue;
    if (name === "Linear" && /topology/i.test(words)) continue;
    if (FIRST.has(name) && !/^\w+:/.test(words)) continue;
    const isPlain = match.groups?.["plain"] !== undefined;
    // The value of an option: `'sigmoid'`.
    if (isPlain && (ENGLISH.has(name.toLowerCase()) || words.charAt(match.index - 1) === "'")) continue;
    // Bindings call the types of ops `arange_t`.
    const exact = `ttnn.${name}`;
    named.push(
      (match[2] !== undefined || match[0].startsWith("ttnn.")) && isKnownOp(exact)
        ? [exact]
        : opsNamed(name.replace(/_t$/, "")) ?? [],
    );
  }
  // `Unary: SOFTCAP supports …` names a family, and then the op.
  const first = named.find((ops) => ops.length > 0);
  const ops = first === undefined || first.length <= MOST_OPS
    ? first
    : named.find((narrower) => narrower.length > 0 && narrower.length <= MOST_OPS) ?? first;
  if (ops !== undefined) return ops;
  const titled = isAlone ? OWN_TITLE.exec(words)?.[1] : undefined;
  if (titled !== undefined) return [`ttnn.${snakeCase(titled)}`];
  const own = isAlone ? OWN_NAME.exec(words) : null;
  const name = own?.[1] ?? own?.[2];
  return name === undefined || NO_OPS.has(name.replaceAll("_", ""))
    ? undefined
    : [`ttnn.experimental.${name}`];
}

/**
 * The title, the first words or the last words of a message where they name an op that TTNN does not have, rather than an
 * operand or a number.
 */
const OPERAND =
  "(?<!_(?:size|dim|dims|shape|tensor|config|layout|index|idx|grid|cores|name|id|count|in\\d|out|flat|blocks|at))";
const OWN_NAME = new RegExp(
  String.raw`^(?!(?:num|is|has|max|min|use|input|output)_)([a-z]+(?:_[a-z\d]+)+)${OPERAND}` +
    String.raw`(?:: | (?=(?:requires|expects|supports|only) |(?:[a-z]\w*[_/]\w+) )(?!to_|is_|has_))|` +
    String.raw`(?:not |only )?supported (?:for|by|in) ([a-z]+(?:_[a-z\d]+)+)${OPERAND}\.?$`,
);

/** The capitalized name of an op before its message; no kind of error and no part of the host's runtime. */
const OWN_TITLE =
  /^(?!\w*(?:Error|Exception|Warning|Note|Internal|Service|Graph|Plane|Topology|Mapper|Space|Args|Config|Factory|Mcast|Table|Device|Memory|Sync|Failed|Timeout|Expected|Actual|Reason|Hint|Examples?|Repro\w*|Details|Model|Shapes?|Inputs?|Outputs?|Results?|Log|Logs|Case|Test|Command|Steps|Version|Context|Update|Edit|Where|When|Title|Symptom|Problem|Issue|Bug|Description): )([A-Z][a-z\d]+(?:[A-Z][a-z\d]+)*)(?:DeviceOperation|Operation|Op)?: (?=[A-Za-z])/;

/** Fewest letters of an op that a longer name begins with. */
const SHORTEST = 6;

/**
 * Ops that a name begins with: of `matmul_default_height_sharded` and `concat_interleaved_start_id` the first words.
 *
 * @param isOp whether the name is known to be of an op, so that its first word may be one of English
 */
export function opsBeginning(name: string, isOp = false): readonly string[] | undefined {
  const parts = name.split("_");
  for (let length = parts.length; length > 0; length--) {
    const begin = parts.slice(0, length).join("_");
    // `gather_in0` and `max_model_len` are no ops.
    const isName = isOp || length === parts.length || begin.length >= SHORTEST && !ENGLISH.has(begin);
    const ops = isName ? opsNamed(begin) : undefined;
    if (ops !== undefined) return ops;
  }
  return undefined;
}

/** Ops of a kernel that a message names: `kernel reshard_reader`, `kernel reader_concat_interleaved`. */
export function opsOfKernel(words: string): readonly string[] | undefined {
  const [, name = ""] =
    /\b(?:kernel |binaries for |placement for |kernels\/)(?:\S*\/)?([a-z]\w+?)(?:\.cpp|\/build\.log)?(?=[ .,:]|$|\/\d{6,}\/)/
      .exec(
        words,
      ) ?? [];
  const plain = name.replace(
    /^(?:reader|writer|compute)_|_(?:reader|writer|compute|sender|receiver|tilize).*$/g,
    "",
  );
  return plain === "" || NO_OPS.has(plain.replaceAll("_", "")) ? undefined : opsBeginning(plain);
}

/** Frames of a backtrace of C++ as tt-metal writes them, or the functions of ttnn in a shortened one. */
const FRAMES =
  / --- (?:(?! --- ).){1,300}|\(_ZN\w+(?=[+)])|(?<=^| )(?:tt::runtime::)?ttnn::\w[\w:]*(?=[(<]| (?:→|->)|$)/g;

/** Helpers of tt-metal that build a matmul's program and are not named for it. */
const HELPERS_OF_MATMUL =
  /\b(?:reuse_\w+_helpers|bmm_op_utils)::|\bcreate_program_(?:mcast|dram_sharded|gather)/;

/**
 * Ops that a backtrace of C++ names first, from the inside out, and the op of ttnn that called them.
 *
 * @returns `undefined` if it names none
 */
export function opsOfBacktrace(
  trace: string,
): { readonly ops: readonly string[]; readonly within?: string } | undefined {
  let inner: readonly string[] | undefined;
  let outer: string | undefined;
  for (const [frame] of trace.matchAll(FRAMES)) {
    const [called = ""] = demangled(frame).split(/\((?!\w*\()/);
    if (HELPERS_OF_MATMUL.test(called)) inner ??= opsNamed("matmul");
    if (!/ttnn|tt_metal::[A-Z]\w+::(?:validate|create_(?:program|output)|compute_output)/.test(called)) {
      continue;
    }
    const named = [
      ...called.matchAll(
        /\b(?:Execute)?([A-Za-z]\w*?)(?:DeviceOperation|(?:Sharded|MultiCore|Interleaved)\w*Factory|Operation|Op)?\b/g,
      ),
    ]
      .flatMap(([, name = ""]) => NO_OPS.has(name.replaceAll("_", "").toLowerCase()) ? [] : [opsNamed(name)]);
    const own = /\bttnn::(?:\w+::)*?(?:prim::([a-z]\w*)$|([A-Z]\w*)DeviceOperation::validate)/.exec(called);
    const ops = named.findLast((one) => one !== undefined) ??
      (own === null ? undefined : [`ttnn.${snakeCase(own[1] ?? own[2] ?? "")}`]);
    inner ??= ops;
    // `ttnn::conv2d(…)`: what a program calls, not what runs within it.
    const call = /\bttnn::(?:experimental::|transformer::)?([a-z]\w*)$/.exec(called)?.[1];
    const callee = call === undefined ? undefined : opsNamed(call);
    if (callee?.[0] !== undefined) outer = callee[0];
  }
  if (inner === undefined) return undefined;
  return outer === undefined || inner.includes(outer) ? { ops: inner } : { ops: inner, within: outer };
}

/** `FillPad` as `fill_pad`. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase();
}

/** A frame with its names of C++ as the source spells them: `_ZN4ttnn6linearE…` is `ttnn::linear`. */
function demangled(frame: string): string {
  return frame.replace(/\(_ZN[A-Z]?((?:\d+\w+)+)/, (_, mangled: string) => {
    const names: string[] = [];
    for (let rest = mangled;;) {
      const digits = /^\d+/.exec(rest)?.[0];
      if (digits === undefined) return ` ${names.join("::")}(`;
      names.push(rest.slice(digits.length, digits.length + Number(digits)));
      rest = rest.slice(digits.length + Number(digits));
    }
  });
}
