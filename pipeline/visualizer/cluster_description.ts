// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { type Mesh, meshChips, nextChip } from "../../lib/device/mesh.ts";

interface LinkEnd {
  readonly chip: number;
  readonly chan: number;
}

/** The chips of a machine and their links, as UMD's `cluster_descriptor.yaml` and ttnn-visualizer 0.108 have them. */
interface ClusterDescription {
  readonly arch: Readonly<Record<string, string>>;
  readonly chip_unique_ids: Readonly<Record<string, number>>;
  readonly ethernet_connections: readonly (readonly [LinkEnd, LinkEnd])[];
}

/** Positions of chips in the mesh: column and row by number, as `physical_chip_mesh_coordinate_mapping.yaml`. */
interface MeshDescription {
  readonly chips: Readonly<Record<string, readonly [number, number]>>;
}

/**
 * The description of a machine for the topology of ttnn-visualizer: all chips of the mesh, along its last axis first,
 * and the Ethernet links between neighbours. Channels of a chip are counted in the order of its links, because those
 * of a board are not among the facts about a machine; nor is which chip is on PCIe.
 *
 * @param axes of the machine, at most two; `[]` for one chip
 */
export function clusterDescription(
  axes: Mesh,
  { architecture }: Pick<ChipDescription, "architecture">,
): { readonly cluster: ClusterDescription; readonly mesh: MeshDescription } {
  const chips = [...Array(meshChips(axes.map((axis) => axis.chips))).keys()];
  const channels = new Map<number, number>();
  const end = (chip: number): LinkEnd => {
    const chan = channels.get(chip) ?? 0;
    channels.set(chip, chan + 1);
    return { chip, chan };
  };
  const connections = chips.flatMap((chip) =>
    axes.flatMap(({ links }, axis) => {
      const next = nextChip(chip, axis, axes);
      if (next === undefined) return [];
      return Array.from({ length: links }, (): readonly [LinkEnd, LinkEnd] => [end(chip), end(next)]);
    })
  );
  const columns = axes.at(-1)?.chips ?? 1;
  const byChip = <Value>(of: (chip: number) => Value) =>
    Object.fromEntries(chips.map((chip) => [String(chip), of(chip)]));
  return {
    cluster: {
      arch: byChip(() => architecture),
      chip_unique_ids: byChip((chip) => chip),
      ethernet_connections: connections,
    },
    mesh: { chips: byChip((chip) => [chip % columns, Math.floor(chip / columns)] as const) },
  };
}
