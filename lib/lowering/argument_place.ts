// SPDX-License-Identifier: Apache-2.0
import { enumWord } from "../dialect/attribute_values.ts";
import { attributes, type AttributeTexts } from "../dialect/printed_attributes.ts";
import { type Attribute, attributeOf, type ModuleText, type Operation, type Span } from "../ir/mod.ts";
import { ON_HOST, type TensorPlace } from "../ttnn/tensor_type.ts";

/** Ops that change their first operand in place. */
export const CACHE_OPS: ReadonlySet<string> = new Set([
  "ttir.update_cache",
  "ttir.fill_cache",
  "ttir.paged_update_cache",
  "ttir.paged_fill_cache",
]);

/** Ops whose second operand is a convolution's weight. */
const CONVOLUTION_OPS: ReadonlySet<string> = new Set([
  "ttir.conv2d",
  "ttir.convolution",
  "ttir.conv_transpose2d",
  "ttir.conv1d",
  "ttir.conv3d",
]);

/** Those over images and lines, whose third operand is a bias that the backend prepares with the weight. */
const BIASED_OPS: ReadonlySet<string> = new Set(["ttir.conv2d", "ttir.conv_transpose2d", "ttir.conv1d"]);

/** A use of a value. */
export interface ArgumentUse {
  readonly operation: Operation;
  /** Number of the operand. */
  readonly index: number;
}

/** Where an argument lies. */
export interface ArgumentPlace {
  readonly place: TensorPlace;
  /** Attributes that upstream infers. */
  readonly inferred: AttributeTexts;
}

/** Where upstream's `TTNNLayout` puts an argument (tt-mlir:ttnn-layout-pass). */
export function argumentPlace(
  given: ReadonlyMap<string, Attribute>,
  uses: readonly ArgumentUse[],
): ArgumentPlace {
  const none: AttributeTexts = new Map();
  const kind = enumWord(given.get("ttcore.argument_type"));
  if (uses.some(({ operation }) => operation.name === "ttir.mesh_shard")) {
    return { place: ON_HOST, inferred: none };
  }
  const isCache = uses.some(({ operation, index }) => index === 0 && CACHE_OPS.has(operation.name));
  if (given.has("ttcore.kv_cache") || isCache) {
    return { place: {}, inferred: attributes({ "ttcore.kv_cache": "unit" }) };
  }
  // A step writes into these: a copy in tiles would keep what it wrote.
  if (uses.some(({ operation }) => operation.name === "ttir.adamw")) return { place: {}, inferred: none };
  const isWeight = uses.length > 0 &&
    uses.every(({ operation, index }) => index === 1 && CONVOLUTION_OPS.has(operation.name));
  if (given.has("ttir.conv2d_weight") || isWeight) {
    return { place: ON_HOST, inferred: attributes({ "ttir.conv2d_weight": "unit" }) };
  }
  // A bias on the device counts as prepared, which may take more tiles (`ttnn:backend-0-81-1`).
  const isBias = uses.length > 0 &&
    uses.every(({ operation, index }) => index === 2 && BIASED_OPS.has(operation.name));
  if (isBias) return { place: ON_HOST, inferred: none };
  return { place: kind === "input" ? { rowMajor: true } : {}, inferred: none };
}

/**
 * Type of one chip's part of an argument that is cut over the mesh before the function is called; `undefined` for other
 * arguments.
 */
export function localShape(module: ModuleText, uses: readonly ArgumentUse[]): Span | undefined {
  const [first, ...others] = uses.map(({ operation }) => operation);
  if (first?.name !== "ttir.mesh_shard" || others.length > 0) return undefined;
  const shardType = attributeOf(module, first, "shard_type");
  const identity = shardType?.kind === "dialect" && shardType.body.trim() === "identity";
  return identity ? first.resultTypes?.[0] : undefined;
}
