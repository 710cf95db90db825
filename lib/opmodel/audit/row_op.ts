// SPDX-License-Identifier: Apache-2.0

/** Names that tests use for ops of the dialect. */
const RENAMED: Readonly<Record<string, string>> = {
  Equal: "eq",
  NotEqual: "ne",
  GreaterEqual: "ge",
  GreaterThan: "gt",
  LessEqual: "le",
  LessThan: "lt",
  IsFinite: "isfinite",
  ArgMax: "argmax",
  MorehCumSum: "moreh_cumsum",
  CumSum: "cumsum",
  CumProd: "cumprod",
  TopK: "topk",
  TopKRouterGpt: "topk_router_gpt",
  AdamW: "adamw",
  SDPAForward: "sdpa_fw",
  SDPABackward: "sdpa_bw",
  EmbeddingBackward: "embedding_bw",
  GeluBackward: "gelu_bw",
};

/** Name in the `ttnn` dialect of an op that a test names, for example `NLPConcatHeads` → `ttnn.nlp_concat_heads`. */
export function ttnnName(testName: string): string {
  const renamed = RENAMED[testName];
  if (renamed !== undefined) return `ttnn.${renamed}`;
  const snake = testName
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return `ttnn.${snake}`;
}
