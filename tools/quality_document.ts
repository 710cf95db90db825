// SPDX-License-Identifier: Apache-2.0
import { difference, distance, type OpCounts, sumOf, total } from "./op_multiset.ts";

/** Ops of two graphs that should be the same. */
export interface Graphs {
  readonly ours: OpCounts;
  readonly theirs: OpCounts;
}

/** One model against what upstream makes of it. */
export interface ComparedQuality {
  readonly name: string;
  readonly family: string;
  /** With the passes that upstream runs on the level; `undefined` where its graph is not at hand. */
  readonly level0: Graphs | undefined;
  readonly level2: Graphs | undefined;
  /** With every pass that is here, against level 2. */
  readonly all: Graphs | undefined;
  /** Predicted time of one inference, µs; `undefined` where upstream's level 2 is not at hand. */
  readonly us: {
    readonly fromTtir: number;
    readonly fromLevel0: number | undefined;
    readonly upstream: number;
  } | undefined;
}

/** Why an op occurs more or less often with upstream's own passes. */
const REASONS: Readonly<Record<string, string>> = {
  add:
    "a bias behind a reshape is fused into a `linear`; an addend that is not a parameter stays an `add` behind a convolution",
  concat: "weights that are reshaped between their matmuls (`open_llama_3b_single_layer`) are not joined",
  divide: "a division by a scalar, which upstream turns into a multiplication",
  empty: "every distributed norm has its own statistics buffer; upstream's share one",
  linear: "a bias behind a reshape, which upstream adds separately (`segformer`)",
  matmul: "as `linear`",
  mean: "as `rms_norm`",
  multiply: "as `rms_norm`",
  neg: "as `rotary_embedding`",
  permute: "meets its inverse through a pool",
  pow_scalar: "as `rms_norm`",
  prepare_conv2d_bias: "an addend that is not a parameter does not become a bias",
  relu: "stays behind an `add` that is not fused into a convolution",
  repeat: "masks broadcast implicitly",
  repeat_interleave: "a single key head broadcasts",
  reshape: "views move through elementwise ops even if no inverse follows, and merge",
  rms_norm: "upstream leaves the norms of Gemma's decode block unfused",
  rotary_embedding:
    "angles of each user, of which the kernel takes one row (decode blocks): ttnn 0.81.1 refuses upstream's op",
  rsqrt: "as `rms_norm`",
  silu: "fused into the matmul before it, since the reshape between them moved behind it",
  slice_static: "heads that upstream slices before it permutes them (Phi)",
  typecast: "upstream computes in f32 around heads that are padded or sliced from one matmul (BERT, Phi)",
};

/** Why an op occurs more or less often than upstream's, of what only passes beyond its own do. */
const BEYOND: Readonly<Record<string, string>> = {
  add: "as `layer_norm`",
  concat: "upstream joins weights of unknown role in every inference; we join only parameters",
  eq: "as `scaled_dot_product_attention_decode`",
  gelu: "fused into the matmul before it",
  layer_norm: "unfused upstream (Phi)",
  linear: "three matmuls of one input are joined only if their weights are parameters",
  logical_not: "as `scaled_dot_product_attention_decode`",
  matmul: "as `concat`; the two matmuls of attention over one key are one op",
  mean: "as `layer_norm`",
  multiply: "as `layer_norm`; scales of attention over one key",
  nlp_concat_heads_decode: "as `scaled_dot_product_attention_decode`",
  nlp_create_qkv_heads_decode: "only for a matmul that computes nothing else",
  pad: "a pad between tilize and untilize is folded into them",
  permute:
    "matmul operands are read transposed; views also meet their inverses through concats, norms, sums and pads",
  reciprocal: "the reciprocal of a root is one `rsqrt`",
  repeat: "masks broadcast, and repeats of repeats are merged",
  reshape: "scalars and rows broadcast without a reshape; views meet their inverses through more ops",
  rsqrt: "as `reciprocal`; fewer as `layer_norm`",
  scaled_dot_product_attention_decode: "attention over one key, which upstream leaves unfused",
  slice_static: "as `concat`; heads of one position are sliced and reshaped",
  softmax: "as `scaled_dot_product_attention_decode`",
  sqrt: "as `reciprocal`",
  split_query_key_value_and_split_heads: "for one position a reshape, which is faster",
  subtract: "as `layer_norm`",
  sum: "as `scaled_dot_product_attention_decode`",
  typecast: "attention results stay in bf16",
  where: "masks are selected in their repeated size",
};

/** The page as Markdown. @param policy name of what decided */
export function qualityDocument(rows: readonly ComparedQuality[], policy: string): string {
  const families = [...new Set(rows.map(({ family }) => family))].sort((a, b) =>
    a === "others" ? 1 : b === "others" ? -1 : a < b ? -1 : 1
  );
  const groups: readonly Group[] = [
    ...families.map((family): Group => [family, rows.filter((row) => row.family === family)]),
    ["all", rows],
  ];
  return [
    "# Graphs compared with upstream's",
    "",
    "`deno task quality` writes this page from the TTIR models of the shared corpus. It compares what tt-mlir makes of them",
    "at level 0 (with its fusions on TTIR) and level 2 with what Tilewright makes of them: with the passes that upstream has",
    "at that level (`--graph-passes upstream-level-0` and `upstream`), and with all.",
    "",
    "## Ops",
    "",
    "Ops of functions that run in every inference, without deallocations, `get_device`, layout ops and const-eval. Shares are",
    "relative to upstream's ops: _only ours_ is work that upstream avoids or spells differently, _only upstream's_ is work that",
    "our passes remove.",
    "",
    ...opsTable(groups),
    "",
    "## Predicted time",
    "",
    `Predicted time of one inference on n150, decided by \`${policy}\`, divided by that of upstream's own level 2.`,
    "",
    ...timesTable(groups),
    "",
    "## Differences and their reasons",
    "",
    ...reasons("Level 0", rows.flatMap(({ level0 }) => level0 ?? []), REASONS),
    ...reasons("Level 2", rows.flatMap(({ level2 }) => level2 ?? []), REASONS),
    ...reasons("All passes against level 2", rows.flatMap((row) => row.all ?? []), { ...REASONS, ...BEYOND }),
  ].join("\n");
}

/** Models of a family, or all of them. */
type Group = readonly [name: string, rows: readonly ComparedQuality[]];

function opsTable(groups: readonly Group[]): readonly string[] {
  return table(
    [
      "family",
      "models",
      "level 0: upstream's ops",
      "only ours",
      "only upstream's",
      "level 2: upstream's ops",
      "only ours",
      "only upstream's",
      "all passes: only ours",
      "only upstream's",
    ],
    groups.map(([family, group]) => [
      family,
      String(group.length),
      ...shares(group.flatMap(({ level0 }) => level0 ?? [])),
      ...shares(group.flatMap(({ level2 }) => level2 ?? [])),
      ...shares(group.flatMap((row) => row.all ?? [])).slice(1),
    ]),
  );
}

function timesTable(groups: readonly Group[]): readonly string[] {
  return table(
    ["family", "models", "from TTIR: geometric mean", "worst", "from level 0: geometric mean", "worst"],
    groups.map(([family, group]) => [
      family,
      String(group.filter(({ us }) => us !== undefined).length),
      ...ratios(
        group.map(({ us, name }) => us === undefined ? undefined : [us.fromTtir / us.upstream, name]),
      ),
      ...ratios(
        group.map(({ us, name }) =>
          us?.fromLevel0 === undefined ? undefined : [us.fromLevel0 / us.upstream, name]
        ),
      ),
    ]),
  );
}

function shares(graphs: readonly Graphs[]): readonly string[] {
  const theirs = graphs.reduce((sum, each) => sum + total(each.theirs), 0);
  const more = graphs.reduce((sum, each) => sum + total(each.ours) - total(each.theirs), 0);
  const apart = graphs.reduce((sum, each) => sum + distance(each.ours, each.theirs), 0);
  const share = (ops: number): string => theirs === 0 ? "–" : `${(100 * ops / theirs).toFixed(1)} %`;
  return [String(theirs), share((apart + more) / 2), share((apart - more) / 2)];
}

function ratios(all: readonly (readonly [number, string] | undefined)[]): readonly string[] {
  const known = all.filter((each) => each !== undefined).filter(([ratio]) =>
    Number.isFinite(ratio) && ratio > 0
  );
  if (known.length === 0) return ["–", "–"];
  const mean = Math.exp(known.reduce((sum, [ratio]) => sum + Math.log(ratio), 0) / known.length);
  const [worst] = known.toSorted(([a], [b]) => b - a);
  return [
    mean.toFixed(2),
    worst === undefined ? "–" : `${worst[0].toFixed(2)} (${worst[1].replace(".mlir", "")})`,
  ];
}

function reasons(
  title: string,
  graphs: readonly Graphs[],
  known: Readonly<Record<string, string>>,
): readonly string[] {
  const apart = [
    ...difference(sumOf(graphs.map(({ ours }) => ours)), sumOf(graphs.map(({ theirs }) => theirs))),
  ];
  const rows = apart.toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a)).map(([op, count]) => [
    `\`${op}\``,
    count > 0 ? `+${count}` : `−${-count}`,
    known[op] ?? "not investigated",
  ]);
  return [`### ${title}`, "", ...table(["op", "ours", "reason"], rows), ""];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => " --- |").join("")}`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ];
}
