// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { axisOf, type Mesh, type MeshAxis, placeMesh } from "./mesh.ts";

const axis = (chips: number, links = 2, topology: MeshAxis["topology"] = "linear"): MeshAxis => ({
  chips,
  links,
  topology,
});

Deno.test("axisOf() takes the axis that the op names, or the only one with chips", () => {
  const mesh: Mesh = [axis(2), axis(4)];
  assertEquals([0, 1].map((index) => axisOf(mesh, index)?.chips), [2, 4]);
  assertEquals(axisOf([axis(1), axis(8)], undefined)?.chips, 8);
  assertEquals(axisOf([axis(1), axis(8)], 0)?.chips, 1);
});

Deno.test("axisOf() does not guess where the graph says nothing", () => {
  assertEquals(axisOf([], undefined), undefined);
  assertEquals(axisOf([], 1), undefined);
  assertEquals(axisOf([axis(2), axis(4)], undefined), undefined);
  assertEquals(axisOf([axis(2), axis(4)], 2), undefined);
  assertEquals(axisOf([axis(1), axis(1)], undefined), undefined);
});

Deno.test("a mesh lies on the axes of the machine, straight or exchanged, with their links", () => {
  const machine: Mesh = [axis(2, 1), axis(4, 3, "ring")];
  assertEquals(placeMesh([2, 4], machine), machine);
  assertEquals(placeMesh([4, 2], machine), machine.toReversed());
  // Half of a ring is a line.
  assertEquals(placeMesh([1, 2], machine), [axis(1, 1), axis(2, 3)]);
  assertEquals(placeMesh([4], machine), [axis(4, 3, "ring")]);
  assertEquals(placeMesh([1, 1, 4], machine), [axis(1, 1), axis(1, 1), axis(4, 3, "ring")]);
});

Deno.test("one line goes through a whole grid and closes where the grid allows a tour", () => {
  assertEquals(placeMesh([1, 8], [axis(2, 1), axis(4, 3)]), [axis(1, 1), axis(8, 1, "ring")]);
  assertEquals(placeMesh([6], [axis(2), axis(4)]), [axis(6)]);
  assertEquals(placeMesh([9], [axis(3), axis(3)]), [axis(9)]);
});

Deno.test("a machine holds no more chips than it has, and no other shape", () => {
  assertEquals(placeMesh([1, 8], [axis(1), axis(2)]), undefined);
  assertEquals(placeMesh([3, 2], [axis(2), axis(4)]), placeMesh([2, 3], [axis(2), axis(4)])?.toReversed());
  assertEquals(placeMesh([3, 3], [axis(2), axis(8)]), undefined);
  assertEquals(placeMesh([2], []), undefined);
  assertEquals(placeMesh([1, 1], [])?.map(({ chips }) => chips), [1, 1]);
});
