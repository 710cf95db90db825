// SPDX-License-Identifier: Apache-2.0
import { type AttributeMap, attributeOf, type ModuleText, type Operation } from "../ir/mod.ts";

/** What a composite says when it is read as the op that it stands for. */
export interface StatedOp {
  /** The TTIR op of the same meaning. */
  readonly name: string;
  readonly attributes: AttributeMap;
}

/**
 * Composites that upstream makes TTNN ops of where its op model takes them (tt-mlir:resolve-composites), without those
 * whose programs are not known here: their decompositions can be priced. What a front end gives as decomposition of
 * these may be a placeholder of the right type.
 */
const TYPED: ReadonlySet<string> = new Set([
  "chunked_scaled_dot_product_attention",
  "cross_entropy_bw",
  "cross_entropy_fw",
  "flash_mla_prefill",
  "layernorm_bw",
  "layernorm_fw",
  "rmsnorm_bw",
  "rmsnorm_fw",
  "rotary_embedding",
  "sdpa_bw",
  "sdpa_fw",
  "silu_bw",
  "softmax_backward",
  "swiglu_elemwise_bw",
]);

/** The op that a composite is read as; `undefined` where its decomposition takes its place. */
export function typedComposite(module: ModuleText, operation: Operation): StatedOp | undefined {
  if (operation.name !== "ttcore.composite") return undefined;
  const name = attributeOf(module, operation, "composite_name");
  if (name?.kind !== "string" || !TYPED.has(name.value)) return undefined;
  const given = attributeOf(module, operation, "composite_attributes");
  return {
    name: `ttir.${name.value}`,
    attributes: given?.kind === "dictionary" ? given.entries : new Map(),
  };
}
