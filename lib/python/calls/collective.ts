// SPDX-License-Identifier: Apache-2.0
import { enumWord } from "../../dialect/attribute_values.ts";
import type { CallSite } from "../call_site.ts";
import { computeName, programName } from "../op_configs.ts";
import {
  type Keywords,
  pythonCall,
  pythonFloat,
  pythonList,
  type PythonText,
  Unsayable,
} from "../python_text.ts";
import { call, type CallWriter, type CallWriters } from "../writers.ts";

/**
 * Keywords of collectives: axis, memory config, links, topology.
 *
 * @throws {Unsayable} for axes of one chip, refused by ttnn (ttnn:backend-0-81-1), or unknown topologies
 */
function exchange(site: CallSite): Keywords {
  const axis = site.integerOr("cluster_axis", undefined);
  const chips = axis === undefined
    ? site.mesh.reduce((product, extent) => product * extent, 1)
    : site.mesh[axis] ?? 1;
  if (chips < 2) {
    throw new Unsayable(
      site.mesh.length === 0
        ? "an exchange between chips of a program for one; --mesh-shape says how many it has, where the text does not"
        : `an exchange along axis ${axis} of the mesh ${site.mesh.join("x")}, which has one chip there`,
    );
  }
  const topology = enumWord(site.attribute("topology"));
  if (topology !== undefined && topology !== "linear" && topology !== "ring") {
    throw new Unsayable(`the topology ${topology}`);
  }
  return {
    cluster_axis: axis,
    memory_config: site.memory,
    num_links: site.integerOr("num_links", undefined),
    topology: topology === undefined ? undefined : `ttnn.Topology.${topology === "ring" ? "Ring" : "Linear"}`,
  };
}

/** Requires a sum, as ttnn's collectives do. */
function requireSum(site: CallSite): void {
  const type = enumWord(site.attribute("reduce_type")) ?? "sum";
  if (type !== "sum") throw new Unsayable(`a reduction by ${type}`);
}

/** The config of a mapper or composer: its text. @throws {Unsayable} if it is missing */
function meshConfig(site: CallSite, key: string): string {
  const text = site.text(key);
  if (text === undefined) throw new Unsayable(`${key} is missing or of another kind`);
  return text;
}

/** The integers of a list in a config; `undefined` if it has no such list. */
function integersIn(config: string, key: string): readonly number[] | undefined {
  const list = new RegExp(`\\b${key}\\s*=\\s*\\[([^\\]]*)\\]`).exec(config)?.[1];
  return list === undefined ? undefined : [...list.matchAll(/(?<!\w)-?\d+/g)].map(Number);
}

/** Mesh shape by which a config overrides the device's. */
function meshShape(config: string): PythonText | undefined {
  const extents = integersIn(config, "mesh_shape_override");
  return extents === undefined ? undefined : pythonCall("ttnn.MeshShape", [pythonList(extents)]);
}

/** Placement along a mesh axis: `ttnn.PlacementShard(dim)` or `ttnn.PlacementReplicate()`. */
function placement(kind: string | undefined, dim: string | undefined): PythonText {
  return kind === "shard" ? pythonCall("ttnn.PlacementShard", [dim ?? ""]) : "ttnn.PlacementReplicate()";
}

/** Shards or replicates a host tensor over the chips of the mesh. */
const distribute: CallWriter = (site) => {
  const config = meshConfig(site, "mapper_config");
  const placements = [...config.matchAll(/<\s*(shard|replicate)\s*,\s*(-?\d+)/g)];
  const mapper = pythonCall("ttnn.MeshMapperConfig", [
    pythonList(placements.map(([, kind, dim]) => placement(kind, dim))),
  ], { mesh_shape_override: meshShape(config) });
  return pythonCall("ttnn.distribute_tensor", [
    site.operand(0),
    pythonCall("ttnn.create_mesh_mapper", ["device", mapper]),
  ]);
};

/** Joins the shards of the chips in a host tensor. */
const aggregate: CallWriter = (site) => {
  const config = meshConfig(site, "composer_config");
  const composer = pythonCall("ttnn.MeshComposerConfig", [pythonList(integersIn(config, "dims") ?? [])], {
    mesh_shape_override: meshShape(config),
  });
  return pythonCall("ttnn.aggregate_tensor", [
    site.operand(0),
    pythonCall("ttnn.create_mesh_composer", ["device", composer]),
  ]);
};

function semaphoreOf({ semaphores: [semaphore] }: CallSite): PythonText {
  if (semaphore === undefined) throw new Unsayable("it lacks its semaphore");
  return semaphore;
}

/** RMS norm of rows sharded over the chips of an axis. */
const distributedRmsNorm: CallWriter = (site) => {
  const [input = "", weight, residual, stats] = site.groups();
  const config = site.config();
  const { cluster_axis: axis, ...links } = exchange(site);
  return pythonCall("ttnn.fused_rms_minimal", [
    input,
    programName(site.constants, config) ?? "ttnn.LayerNormDefaultProgramConfig()",
    axis ?? 0,
    "device",
    semaphoreOf(site),
  ], {
    ...links,
    compute_kernel_config: computeName(site.constants, config),
    residual_input_tensor: residual,
    epsilon: pythonFloat(site.number("epsilon")),
    weight,
    stats,
  });
};

/** Coordinate of a chip. @throws {Unsayable} unless it has one integer per mesh axis */
function chipAt(site: CallSite, key: string): PythonText {
  const place = site.integers(key);
  if (place.length !== site.mesh.length) {
    throw new Unsayable(`${key} names a chip by ${place.length} of ${site.mesh.length} coordinates`);
  }
  return pythonCall("ttnn.MeshCoordinate", place);
}

/** Collectives, and calls between chips and host. */
export const COLLECTIVE_CALLS: CallWriters = {
  all_gather: (site) =>
    pythonCall("ttnn.all_gather", [site.operand(0)], {
      dim: site.integer("all_gather_dim"),
      ...exchange(site),
    }),
  reduce_scatter: (site) => {
    requireSum(site);
    return pythonCall("ttnn.reduce_scatter", [site.operand(0)], {
      dim: site.integer("scatter_dim"),
      ...exchange(site),
    });
  },
  all_reduce: (site) => {
    requireSum(site);
    return pythonCall("ttnn.all_reduce", [site.operand(0)], exchange(site));
  },
  distributed_rms_norm: distributedRmsNorm,
  point_to_point: (site) =>
    pythonCall("ttnn.point_to_point", [
      site.operand(0),
      chipAt(site, "sender_coord"),
      chipAt(site, "receiver_coord"),
    ], { output_tensor: site.optional(1) }),
  reset_global_semaphore: (site) =>
    pythonCall("ttnn.reset_global_semaphore_value", [semaphoreOf(site), site.integerOr("value", 0)]),
  distribute_tensor: distribute,
  aggregate_tensor: aggregate,
  mesh_partition: call("ttnn.mesh_partition 0 dim:int =cluster_axis:int? memory"),
};
