// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../device/chip_description.ts";
import { type AttributeMap, attributeOf, type ModuleText, type Operation, tensorTypeOf } from "../ir/mod.ts";

/** A composite read as the op that it stands for. */
export interface StatedOp {
  /** The TTIR op of the same meaning. */
  readonly name: string;
  readonly attributes: AttributeMap;
}

/** When upstream makes a composite a TTNN op, where its op model is there (tt-mlir:resolve-composites). */
type CompositeCondition = (place: CompositeSite) => boolean;

interface CompositeSite {
  /** Undefined where it is not known yet. */
  readonly architecture: Architecture | undefined;
  /** Shapes of the operands. */
  readonly shapes: readonly (readonly number[] | undefined)[];
}

const always: CompositeCondition = () => true;
/** Also where the chip is not known. */
const onBlackhole: CompositeCondition = ({ architecture }) => architecture !== "wormhole_b0";
/** The kernels of attention in training take whole tiles of tokens. */
const inWholeTiles: CompositeCondition = ({ shapes }) =>
  shapes.slice(0, 3).every((shape) => (shape?.at(-2) ?? 0) % 32 === 0);

/**
 * Composites that become TTNN ops: their decomposition may be a placeholder of the right type. Every other composite is
 * replaced by its decomposition.
 */
const TYPED: ReadonlyMap<string, CompositeCondition> = new Map([
  ...[
    "chunk_gated_delta_rule",
    "chunked_scaled_dot_product_attention",
    "cross_entropy_bw",
    "cross_entropy_fw",
    "flash_mla_prefill",
    "layernorm_bw",
    "layernorm_fw",
    "rmsnorm_bw",
    "rmsnorm_fw",
    "rotary_embedding",
    "silu_bw",
    "softmax_backward",
    "swiglu_elemwise_bw",
    "topk_router_gpt",
  ].map((name) => [name, always] as const),
  ...["sdpa_bw", "sdpa_fw"].map((name) => [name, inWholeTiles] as const),
  ...["indexer_score", "indexer_score_dsa", "sparse_sdpa", "topk_large_indices"].map((name) =>
    [name, onBlackhole] as const
  ),
]);

/**
 * The op that a composite is read as; `undefined` where its decomposition takes its place.
 *
 * @param architecture of the chip, where it is known
 */
export function typedComposite(
  module: ModuleText,
  operation: Operation,
  architecture?: Architecture,
): StatedOp | undefined {
  if (operation.name !== "ttcore.composite") return undefined;
  const name = attributeOf(module, operation, "composite_name");
  if (name?.kind !== "string") return undefined;
  const shapes = operation.operands.map(({ value }) =>
    value === undefined ? undefined : tensorTypeOf(module, value)?.shape
  );
  if (TYPED.get(name.value)?.({ architecture, shapes }) !== true) return undefined;
  const given = attributeOf(module, operation, "composite_attributes");
  return {
    name: `ttir.${name.value}`,
    attributes: given?.kind === "dictionary" ? given.entries : new Map(),
  };
}
