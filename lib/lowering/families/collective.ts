// SPDX-License-Identifier: Apache-2.0
import type { FunctionLowering } from "../function_lowering.ts";
import { becomes, type LoweringRule, type LoweringRules } from "../lowering_rule.ts";
import type { Properties } from "../../ttnn/op.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Collectives between the chips of a mesh. */
export const COLLECTIVE: LoweringRules = {
  "ttir.all_gather": exchange("all_gather", (op) => ({
    all_gather_dim: resultDimension(op, "all_gather_dim"),
    cluster_axis: clusterAxis(op),
  })),
  "ttir.all_reduce": exchange("all_reduce", (op) => ({
    cluster_axis: clusterAxis(op),
    reduce_type: reduceType(op),
  })),
  "ttir.all_reduce_async": exchange("all_reduce_async", (op) => ({
    cluster_axis: clusterAxis(op),
    reduce_type: reduceType(op),
  })),
  "ttir.reduce_scatter": exchange("reduce_scatter", (op) => ({
    cluster_axis: clusterAxis(op),
    reduce_type: reduceType(op),
    scatter_dim: resultDimension(op, "scatter_dim", "scatter_split_dim"),
  })),
  "ttir.mesh_partition": becomes("mesh_partition", 1, (op) => ({
    cluster_axis: clusterAxis(op),
    dim: resultDimension(op, "dim"),
  })),
  "ttir.mesh_shard": { lower: meshShard, operands: 1 },
};

/**
 * A collective on a mesh axis of one chip is its operand; upstream folds it, ttnn refuses it
 * (ttnn:backend-0-81-1).
 */
function exchange(name: string, properties: (op: TtirOp) => Properties): LoweringRule {
  const rule = becomes(name, 1, properties);
  return {
    ...rule,
    lower: (op, f) => {
      const [result] = op.operation.results;
      if (f.mesh[clusterAxis(op)] === 1 && result !== undefined) f.define(result, f.operand(op, 0));
      else rule.lower(op, f);
    },
  };
}

function clusterAxis(op: TtirOp): number {
  if (op.attribute("cluster_axis") === undefined) {
    throw ofEarly2025(op, "the axis of the mesh (cluster_axis)");
  }
  return op.requiredInteger("cluster_axis");
}

/** Until spring 2025 a program did not say which axis of the mesh its exchanges run along. */
function ofEarly2025(op: TtirOp, missing: string): Error {
  return op.error(
    `it does not tell ${missing}, as in TTIR of early 2025; make the TTIR anew with a newer tt-mlir, or add it`,
    "attribute",
  );
}

/** A dimension of the result, from the first of these attributes that the op has. */
function resultDimension(op: TtirOp, ...names: readonly string[]): number {
  const rank = op.resultType().shape.length;
  return op.dimension(op.requiredInteger(...names), rank);
}

function reduceType(op: TtirOp): string {
  return op.attributeText("reduce_type") ?? "#ttcore.reduce_type<sum>";
}

/** `distribute_tensor` or `aggregate_tensor` on the host; an identity is its operand. */
function meshShard(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const kind = dialectBody(op, "shard_type");
  // Presharded tensors are already on their chips; arguments and results have the local shape.
  if (kind === "identity") {
    const [result] = op.operation.results;
    return result === undefined ? undefined : f.define(result, input);
  }
  const mesh = f.mesh.length === 0 ? [1, 1] : f.mesh;
  if (op.attribute("shard_dims") === undefined) {
    throw ofEarly2025(op, "which dimension each axis of the mesh shards (shard_dims)");
  }
  const dims = op.requiredIntegers("shard_dims");
  const host = { place: { rowMajor: true, bufferType: "system_memory" } } as const;
  const operands = [f.host(input), f.device()];
  if (dialectBody(op, "shard_direction") === "full_to_shard") {
    const placements = mesh.map((_, axis) => {
      const dim = kind === "replicate" ? -1 : dims[axis] ?? -1;
      return `<${dim < 0 ? "replicate" : "shard"}, ${dim} : i32>`;
    });
    const extents = mesh.map((extent) => `${extent} : ui32`);
    const mapper = `#ttnn.mesh_mapper_config<placements = [${placements.join(", ")}], ` +
      `mesh_shape_override = [${extents.join(", ")}]>`;
    return f.replace(op, "distribute_tensor", operands, { mapper_config: mapper }, host);
  }
  const composer = composerConfig(kind, dims, mesh, op.resultType().shape.length);
  f.replace(op, "aggregate_tensor", operands, { composer_config: composer }, host);
}

/** A mesh axis that shards no dimension keeps one copy and names an unsharded dimension. */
function composerConfig(
  kind: string,
  dims: readonly number[],
  mesh: readonly number[],
  rank: number,
): string {
  if (kind === "replicate") {
    return "#ttnn.mesh_composer_config<dims = [0 : i32], mesh_shape_override = [1 : ui32]>";
  }
  const free = Array.from({ length: rank }, (_, dim) => rank - 1 - dim).filter((dim) => !dims.includes(dim));
  const named: number[] = [];
  const extents: number[] = [];
  mesh.forEach((extent, axis) => {
    const dim = dims[axis] ?? -1;
    named.push(dim >= 0 ? dim : free.shift() ?? 0);
    extents.push(dim >= 0 ? extent : 1);
  });
  return `#ttnn.mesh_composer_config<dims = [${named.map((dim) => `${dim} : i32`).join(", ")}], ` +
    `mesh_shape_override = [${extents.map((extent) => `${extent} : ui32`).join(", ")}]>`;
}

function dialectBody(op: TtirOp, name: string): string {
  const attribute = op.attribute(name);
  if (attribute?.kind !== "dialect") throw op.error(`attribute '${name}' is missing`, "attribute");
  return attribute.body.trim();
}
