// SPDX-License-Identifier: Apache-2.0
import { axisOf, type Mesh, type MeshAxis } from "../device/mesh.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import type { OpLaunch } from "./op_launch.ts";

/**
 * The axis that a collective exchanges data along, with as many links as its `num_links` and with the `topology` that
 * it asks for; `undefined` if the mesh does not specify the axis. No op gets more links than exist, and a ring
 * requested along a line runs as a line (tt-metal:usable-topology).
 */
export function collectiveAxis(op: Pick<OpLaunch, "attributes">, mesh: Mesh): MeshAxis | undefined {
  const axis = axisOf(mesh, readInteger(op.attributes, "cluster_axis"));
  return axis === undefined ? undefined : withLinksOf(op, axis);
}

/** An axis as an op uses it. */
export function withLinksOf({ attributes }: Pick<OpLaunch, "attributes">, axis: MeshAxis): MeshAxis {
  const asked = readInteger(attributes, "num_links") ?? axis.links;
  const topology = attributes.get("topology");
  const line = topology?.kind === "dialect" && topology.body.trim() === "linear";
  return {
    chips: axis.chips,
    links: Math.max(1, Math.min(asked, axis.links)),
    topology: line ? "linear" : axis.topology,
  };
}
