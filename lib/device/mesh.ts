// SPDX-License-Identifier: Apache-2.0

/** Whether the last chip of an axis is linked to the first one: tt-metal's `Topology::Linear` or `Topology::Ring`. */
export type Topology = "linear" | "ring";

/** Chips in a row of a mesh, each linked to the next one. */
export interface MeshAxis {
  /** Chips along the axis. */
  readonly chips: number;
  /** Ethernet links between two neighbours, each of which carries data both ways. */
  readonly links: number;
  /** Whether and how the row is closed. */
  readonly topology: Topology;
}

/** Axes of a mesh of chips; `[]` for one chip without a mesh. */
export type Mesh = readonly MeshAxis[];

/** Shape of a mesh as `ttcore.meshes` spells it, for example `2x4`; `1` for one chip. */
export function meshText(shape: readonly number[]): string {
  return shape.length === 0 ? "1" : shape.join("x");
}

/** Chips of a mesh. */
export function meshChips(shape: readonly number[]): number {
  return shape.reduce((chips, extent) => chips * extent, 1);
}

/** Position of a chip along an axis; chips are numbered along the last axis first. */
export function axisPosition(chip: number, axis: number, mesh: Mesh): number {
  return Math.floor(chip / chipStride(axis, mesh)) % (mesh[axis]?.chips ?? 1);
}

/**
 * The chip to which a chip's links ahead along an axis lead; `undefined` at the end of a line. The two chips of a ring
 * of two are linked once.
 */
export function nextChip(chip: number, axis: number, mesh: Mesh): number | undefined {
  const { chips: extent, topology } = mesh[axis] ?? { chips: 1, topology: "linear" };
  const place = axisPosition(chip, axis, mesh);
  if (place < extent - 1) return chip + chipStride(axis, mesh);
  return topology === "ring" && extent > 2 ? chip - place * chipStride(axis, mesh) : undefined;
}

/** Difference of the numbers of two chips that are adjacent along an axis. */
function chipStride(axis: number, mesh: Mesh): number {
  return meshChips(mesh.slice(axis + 1).map(({ chips }) => chips));
}

/**
 * The axis along which a collective exchanges data: that of its `cluster_axis`. Without one the only axis with more
 * than one chip is meant; where there are several, or no mesh, the graph does not say: `undefined`.
 *
 * @example
 * ```ts
 * import { axisOf } from "@tilewright/tilewright/device";
 * import { assertEquals } from "@std/assert";
 *
 * const mesh = [2, 4].map((chips) => ({ chips, links: 2, topology: "linear" }) as const);
 * assertEquals(axisOf(mesh, 1)?.chips, 4);
 * assertEquals(axisOf(mesh, undefined), undefined);
 * ```
 */
export function axisOf(mesh: Mesh, clusterAxis: number | undefined): MeshAxis | undefined {
  const index = axisIndexOf(mesh, clusterAxis);
  return index === undefined ? undefined : mesh[index];
}

/** Index in the mesh of the axis that {@linkcode axisOf} returns; `undefined` if that is. */
export function axisIndexOf(mesh: Mesh, clusterAxis: number | undefined): number | undefined {
  if (clusterAxis !== undefined) return mesh[clusterAxis] === undefined ? undefined : clusterAxis;
  const [only, ...others] = mesh.map((_, index) => index).filter((index) => (mesh[index]?.chips ?? 1) > 1);
  return others.length > 0 ? undefined : only;
}

/**
 * A mesh that a program asks for, on the chips of a machine, as the fabric lays it out: axis by axis, with the axes
 * exchanged, or as one line through the whole mesh, which closes to a ring where the chips of a grid allow it
 * (tt-metal:mesh-graph-descriptors). A part of a machine's axis is a line even where the whole axis is a ring.
 *
 * @param shape chips along each axis that the program asks for
 * @param machine axes of the machine
 * @returns `undefined` when the machine cannot hold it
 */
export function placeMesh(shape: readonly number[], machine: Mesh): Mesh | undefined {
  const straight = onAxes(shape, machine);
  if (straight !== undefined) return straight;
  const exchanged = onAxes(shape, machine.toReversed());
  if (exchanged !== undefined) return exchanged;
  return shape.filter((extent) => extent > 1).length === 1 ? alongOneLine(shape, machine) : undefined;
}

function onAxes(shape: readonly number[], machine: Mesh): Mesh | undefined {
  // Leading axes of one chip say nothing.
  const lead = shape.length - machine.length;
  if (shape.slice(0, Math.max(0, lead)).some((extent) => extent > 1)) return undefined;
  const axes: MeshAxis[] = [];
  for (const [index, chips] of shape.entries()) {
    const axis = machine[index - lead];
    if (chips > (axis?.chips ?? 1)) return undefined;
    axes.push({ chips, links: axis?.links ?? 1, topology: chips === axis?.chips ? axis.topology : "linear" });
  }
  return axes;
}

function alongOneLine(shape: readonly number[], machine: Mesh): Mesh | undefined {
  const chips = meshChips(shape);
  const extents = machine.map((axis) => axis.chips);
  if (chips > meshChips(extents)) return undefined;
  // A grid has a closed tour over all of its chips when it has two rows at least and an even number of chips.
  const closes = chips === meshChips(extents) && chips % 2 === 0 && extents.every((extent) => extent > 1);
  const links = Math.min(...machine.map((axis) => axis.links));
  return shape.map((extent) => ({
    chips: extent,
    links,
    topology: extent === chips && closes ? "ring" : "linear",
  }));
}
