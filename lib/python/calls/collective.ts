// SPDX-License-Identifier: Apache-2.0
import { enumWord } from "../../dialect/attribute_values.ts";
import type { CallSite } from "../call_site.ts";
import { type Keywords, pythonCall } from "../python_text.ts";
import { Unsayable } from "../unsayable.ts";
import type { CallWriters } from "../writers.ts";

/** What all collectives share: the axis, and how its chips are linked. */
function exchange(site: CallSite): Keywords {
  const topology = enumWord(site.attribute("topology"));
  if (topology !== undefined && topology !== "linear" && topology !== "ring") {
    throw new Unsayable(`the topology ${topology}`);
  }
  return {
    cluster_axis: site.integerOr("cluster_axis", undefined),
    memory_config: site.memory,
    num_links: site.integerOr("num_links", undefined),
    topology: topology === undefined ? undefined : `ttnn.Topology.${topology === "ring" ? "Ring" : "Linear"}`,
  };
}

/** ttnn's collectives add up, and do nothing else. */
function requireSum(site: CallSite): void {
  const type = enumWord(site.attribute("reduce_type")) ?? "sum";
  if (type !== "sum") throw new Unsayable(`a reduction by ${type}`);
}

/** Exchanges between the chips of a mesh. */
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
  mesh_partition: (site) =>
    pythonCall("ttnn.mesh_partition", [site.operand(0), site.integer("dim")], {
      cluster_axis: site.integerOr("cluster_axis", undefined),
      memory_config: site.memory,
    }),
};
