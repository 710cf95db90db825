// SPDX-License-Identifier: Apache-2.0
import type { Operation, Value } from "../ir/mod.ts";
import { pythonIdentifier, type PythonText } from "./python_text.ts";

/** Shorter words for results of ops with long names. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  batch_norm_inference: "batch_norm",
  load_cached: "cached",
  nlp_concat_heads: "concat_heads",
  nlp_concat_heads_decode: "concat_heads",
  nlp_create_qkv_heads_decode: "heads",
  rotary_embedding: "rotated",
  rotary_embedding_llama: "rotated",
  scaled_dot_product_attention: "attention",
  scaled_dot_product_attention_decode: "attention",
  slice_static: "slice",
  split_query_key_value_and_split_heads: "heads",
  to_memory_config: "moved",
};

/** SSA names numbered by a compiler: `3`, `reshard_2`. */
const COUNTED = /^(?:\d+|(?:pass|reshard|return)_\d+)$/;

/** `linear` of `ttnn.linear`. */
export function opWord({ name }: Operation): string {
  const op = name.slice(name.indexOf(".") + 1);
  return SHORT_NAMES[op] ?? op;
}

/** `linear_3` of `%3 = "ttnn.linear"`, `hidden` of `%hidden`, `heads_5_1` of the second result of `%5:3`. */
export function variableName(operation: Operation, value: Value, index: number): PythonText {
  const word = value.name.replace(/^%/, "").replace(/#\d+$/, "");
  const suffix = operation.results.length > 1 ? `_${index}` : "";
  if (!COUNTED.test(word)) return pythonIdentifier(word + suffix);
  const number = /^\d+$/.test(word) ? `_${word}` : "";
  return pythonIdentifier(`${opWord(operation)}${number}${suffix}`);
}

/** Ops whose second operand is a weight. */
const WEIGHTED: ReadonlySet<string> = new Set(
  "matmul linear conv2d conv_transpose2d conv3d rms_norm layer_norm embedding".split(" ").map((name) =>
    `ttnn.${name}`
  ),
);

/** Words after the layer in a weight's name. */
const WEIGHT_WORDS: ReadonlySet<string> = new Set(["weight", "weights", "kernel", "prepared"]);

/** Argument names without a layer: `arg_3`. */
const COUNTED_ARGUMENT = /^(?:arg|args|p|param|input|v)?[_\d]*$/;

/** `conv1` of the convolution by `conv1_weight`; `undefined` if the op has no weight, or one without a name. */
export function layerName(
  { name, operands }: Operation,
  heldAs: (value: Value) => string | undefined,
): PythonText | undefined {
  const weight = operands[1]?.value;
  const held = WEIGHTED.has(name) && weight !== undefined ? heldAs(weight) : undefined;
  if (held === undefined) return undefined;
  const words = held.split("_");
  while (WEIGHT_WORDS.has(words.at(-1) ?? "")) words.pop();
  const layer = words.join("_");
  return words.length === held.split("_").length || COUNTED_ARGUMENT.test(layer) ? undefined : layer;
}

/** `conv1_weight_prepared`; for several weights, their common first and last words. `undefined` if they have none. */
export function preparedName(weights: readonly string[]): string | undefined {
  const [first = [], ...others] = weights.map((name) => name.split("_"));
  const isShared = (at: number): boolean => others.every((words) => words.at(at) === first.at(at));
  const least = Math.min(first.length, ...others.map(({ length }) => length));
  let [start, end] = [0, 0];
  while (start < least && isShared(start)) start++;
  while (start + end < least && isShared(-1 - end)) end++;
  const words = [...first.slice(0, start), ...first.slice(first.length - end)];
  return words.length === 0 ? undefined : `${words.join("_")}_prepared`;
}
