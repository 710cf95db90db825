// SPDX-License-Identifier: Apache-2.0
import { COLLECTIVE_AXIS } from "../ops/attributes/collective.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { axisOf, type Mesh, type MeshAxis } from "../device/mesh.ts";
import type { OpLaunch } from "./op_launch.ts";

/**
 * The axis that a collective exchanges data along, with as many links as its `num_links` and with the `topology` that
 * it asks for; `undefined` if the mesh does not specify the axis. No op gets more links than exist, and a ring
 * requested along a line runs as a line (tt-metal:usable-topology).
 */
export function collectiveAxis(op: Pick<OpLaunch, "attributes">, mesh: Mesh): MeshAxis | undefined {
  const axis = axisOf(mesh, readAttributes(op, COLLECTIVE_AXIS).cluster_axis);
  return axis === undefined ? undefined : withLinksOf(op, axis);
}

/** An axis as an op uses it. */
export function withLinksOf(op: Pick<OpLaunch, "attributes">, axis: MeshAxis): MeshAxis {
  const { num_links: asked = axis.links, topology } = readAttributes(op, COLLECTIVE_AXIS);
  return {
    chips: axis.chips,
    links: Math.max(1, Math.min(asked, axis.links)),
    topology: topology === "linear" ? "linear" : axis.topology,
  };
}
