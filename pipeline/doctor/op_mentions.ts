// SPDX-License-Identifier: Apache-2.0
import { isKnownOp, knownOps } from "../../lib/ops/op_book.ts";
import { MOST_OPS, opsBeginning, opsNamed } from "./check_place.ts";
import { PYTHON_OPS } from "./python_ops.ts";

/** Letters up to which the words of an op may be a phrase of English: `fill cache`. */
const LONGEST_PHRASE = 11;

/** Names of ops of several words, as people write them: with blanks or hyphens. */
const OF_WORDS = new RegExp(
  String.raw`(?<![\w./])(${
    [...PYTHON_OPS.values(), ...knownOps().map(({ name }) => name)].map((name) => name.replace(/^.*\./, ""))
      .filter((name) => /^[a-z]+(?:_[a-z]+)+$/.test(name) && name.length > LONGEST_PHRASE)
      .toSorted((a, b) => b.length - a.length).join("|").replaceAll("_", "[ -]")
  })(?![\w/])`,
  "gi",
);

/** Ways in which running text names an op, and how sure each is. */
const MENTIONS: readonly (readonly [weight: number, mention: RegExp])[] = [
  // `ttnn.Conv2d`, `ttir.update_cache`, `ttnn::sum`
  [4, /\btt(?:nn|ir|_lib)[.:]+(?:[a-z]\w*[.:]+)*([A-Za-z]\w{2,})/g],
  // PyTorch's name: `aten::convolution`, `aten.native_layer_norm`
  [3, /\baten(?:::|\.)_?(?:native_)?(\w+)/g],
  // `self._in_proj_matmul`, `qkv_linear`: what a name of the model ends with
  [
    2,
    /\w_(matmul|linear|conv2d|softmax|layer_?norm|rms_?norm|sdpa|embedding|all_gather|reduce_scatter)\b(?!\w)/g,
  ],
  // `ReshapeOp`
  [3, /(?<![\w.:])([A-Z]\w+)Op\b/g],
  // `sharded to interleaved`
  [2, OF_WORDS],
  // `all_reduce_async called on`, `maxpool2d`
  [3, /(?<![\w/.])([a-z]+(?:_[a-z\d]+)+|[a-z]+\d?\dd)(?![\w/]|\.\w)/gi],
  // `the sort op`, `conv ops`
  [3, /\b([A-Za-z]\w+)\b[\x60'"]? op(?:eration)?s?\b/g],
  // a graph of pytorch2.0_ttnn: `ttnn_decorators_ttnn_expand(`
  [3, /\bttnn_(?:decorators_ttnn_)?([a-z]\w*?)(?:_\d+)?\(/g],
  // `tensor.reshape(`
  [2, /(?<!torch|np|os)\.([a-z]\w+)\((?!\))/g],
  // words of models
  [
    2,
    /(?<![\w:./])((?:transposed? )?conv(?:olution)?(?:\d[dD])?|(?:max|avg|average)[ -]?pool(?:ing)?[ -]?(?:2[dD])?|(?:rms|layer|group|batch)[ -]?norm|matmul|(?<!\bin )linear|softmax|sdpa|(?<!rotary )embedding|(?:all[- ](?:gather|reduce)|reduce[- ]scatter))s?(?![\w/])/gi,
  ],
  [
    1,
    /(?<![\w:./])(reshape|permute|transpose|concat|argmax|topk|tilize|untilize|typecast|upsample)s?(?![\w/])/gi,
  ],
  // `ops.mlir/matmul_0`: the op of a file by its number
  [3, /\.mlir[/:]([a-z]\w*?)_\d+\b/g],
  // `test_group_norm[`
  [1.5, /\btest_(?:new_|ttnn_|eltwise_|backward_|bw_|unary_|binary_)*(\w+?)(?:_op|_DRAM)?(?=\.py|\[|::|$)/g],
  // `operations/eltwise/test_where_sharding.py`: what a test's name begins with
  [1.5, /ops\/test_(?:new_|ttnn_)?(\w+?)\.py|operations\/[\w/]*test_(?:new_|ttnn_)?(\w+?)\.py/g],
];

/** The name of the op that a word of models means, without blanks: `averagepooling` is `avgpool2d`. */
function opCalled(word: string): string {
  return word.replace(/^transposed?conv(?:olution)?$|^conv2dtranspose$/, "convtranspose2d")
    .replace(/^convolution$/, "conv").replace(
      /^(max|av)(?:g|erage)?pool(?:ing)?$/,
      (_, kind: string) => kind === "av" ? "avgpool2d" : "maxpool2d",
    )
    .replace(/^sdpa$/, "scaleddotproductattention")
    .replace(
      /^(greater|less)(?:than)?(?:(or)?equal(?:to)?)?$/,
      (all, side: string) => `${side.charAt(0)}${all.includes("equal") ? "e" : "t"}`,
    )
    .replace(/^notequal$/, "ne");
}

/**
 * The parameters of a convolution's test: batch, two numbers of channels, height, width, and ten or so small ones of kernel,
 * stride, padding, dilation and groups.
 */
const OF_WINDOW = /[[(]\d{1,2}, ?(?:\d{1,4}, ?){4}(?:\d{1,2}, ?){6,}/g;

/** Names behind `ttnn.` that are of ops although TTNN's dialect has none of them: `mul_bw`. */
const UNKNOWN_OP = /^[a-z][a-z\d]*(?:_[a-z\d]+)*_(?:bw|async|bmm)$/;

/** Characters before a failure that are searched first, and before and behind it after that. */
const [NEAR, FAR] = [200, 1_500];

/**
 * The op that a text names in its surest way: what all such names may mean, else the two of them; `undefined` if there
 * are none or more.
 */
export function opsMentioned(text: string): readonly string[] | undefined {
  return mentioned(text)?.ops;
}

function mentioned(text: string): { readonly ops: readonly string[]; readonly weight: number } | undefined {
  // Values of a test's parameters name no op: `[b=1-sliding_window=130]`.
  const plainText = text.replaceAll(/\[[^\[\]]*\w=[^\]]*\]/g, "[").replaceAll(OF_WINDOW, " conv2d op ");
  const found = MENTIONS.flatMap(([weight, mention]) =>
    [...plainText.matchAll(mention)].flatMap(([whole, first, second]) => {
      const name = first ?? second ?? "";
      const plain = name.replace(/[ _-]/g, "").toLowerCase();
      const exact = `ttnn.${name.toLowerCase()}`;
      const isOp = weight > 2 && isKnownOp(exact) || whole.startsWith("ttnn.") && UNKNOWN_OP.test(name);
      const ops = isOp ? [exact] : opsNamed(opCalled(plain)) ??
        opsNamed(opCalled(plain.replace(/s$/, ""))) ??
        (weight < 4 && name.includes("_")
          ? opsBeginning(name, whole.includes("ops/") || whole.includes("operations/"))
          : undefined);
      // The name of a family counts only in a phrase that marks it as an op.
      return ops === undefined || ops.length > MOST_OPS && weight !== 3 ? [] : [{ weight, ops }];
    })
  );
  // An op says more than the family that is named beside it.
  const narrow = found.filter(({ ops }) => ops.length <= MOST_OPS);
  const named = narrow.length > 0 ? narrow : found;
  const most = Math.max(0, ...named.map(({ weight }) => weight));
  const sets = named.filter(({ weight }) => weight === most).map(({ ops }) => ops);
  const [first] = sets;
  if (first === undefined) return undefined;
  const common = first.filter((op) => sets.every((ops) => ops.includes(op)));
  if (common.length > 0) return { ops: common, weight: most };
  const all = [...new Set(sets.flat())];
  return all.length <= 2 ? { ops: all, weight: most } : undefined;
}

/** An op as a program spells it: `"ttir.softmax"(`. */
const SPELLED = /"tt(?:nn|ir)\.(\w+)"\(/g;

/**
 * As {@linkcode opsMentioned}, of the text right before a failure, else of more text around it. Where the text holds a
 * program, the only op of that one that the name is a part of is meant: `sdpa` of `paged_scaled_dot_product_attention_decode`.
 */
export function opsAround(before: string, behind: string): readonly string[] | undefined {
  // Ops of a program that is dumped before are no mention.
  const told = before.slice(before.lastIndexOf("END OF MLIR MODULE") + 1);
  // A word that the cut begins in is another one.
  const last = (length: number): string =>
    told.slice(-length).replace(told.length > length ? /^\S*/ : "", "");
  const around = `${last(FAR)} \u241E ${behind.slice(0, FAR)}`;
  const near = mentioned(last(NEAR));
  const far = mentioned(around);
  // A word of models says less than what is written as code.
  const isSurer = near !== undefined && near.ops.length <= MOST_OPS &&
    !(near.weight <= 2 && far?.weight === 4);
  const named = (isSurer ? near : far ?? near)?.ops;
  const longer = new Set(
    [...around.matchAll(SPELLED)].map(([, name]) => `ttnn.${name}`)
      .filter((op) => named?.some((one) => op.includes(one.replace("ttnn.", ""))) === true),
  );
  return longer.size === 1 && [...longer].every(isKnownOp) ? [...longer] : named;
}
