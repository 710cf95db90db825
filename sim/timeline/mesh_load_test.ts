// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { axisPosition, type Mesh, type Topology } from "../../lib/device/mesh.ts";
import { collectivePrograms } from "../../lib/programs/ccl/collective.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import { programTensor } from "../../lib/programs/program_tensor.ts";
import { getDevice } from "../devices/device_registry.ts";
import { loneChip } from "../kernels/price_program.ts";
import { axisLoads, chipClasses } from "./mesh_load.ts";
import fc from "fast-check";
import { unary } from "../../lib/programs/op_launch.ts";

const meshes: fc.Arbitrary<Mesh> = fc.array(
  fc.record({
    chips: fc.integer({ min: 1, max: 6 }),
    links: fc.integer({ min: 1, max: 4 }),
    topology: fc.constantFrom<Topology>("linear", "ring"),
  }),
  { minLength: 1, maxLength: 2 },
);

function launched(name: string, axis: number, mesh: Mesh): readonly DeviceProgram[] {
  const shape = [1, 1, 64, 32 * 720];
  const chips = mesh[axis]?.chips ?? 1;
  const [input, output] = name === "all_gather"
    ? [shape, shape.with(3, 32 * 720 * chips)]
    : name === "reduce_scatter"
    ? [shape, shape.with(3, 32 * 720 / chips)]
    : [shape, shape];
  const programs = unary(collectivePrograms)({
    name: `ttnn.${name}`,
    attributes: new Map([
      ["cluster_axis", { kind: "integer", value: BigInt(axis), type: "ui32" }],
      ["scatter_dim", { kind: "integer", value: 3n, type: "si32" }],
      ["all_gather_dim", { kind: "integer", value: 3n, type: "si32" }],
    ]),
    inputs: [programTensor({ shape: input, dataType: "bf16" }, undefined)],
    outputs: [programTensor({ shape: output, dataType: "bf16" }, undefined)],
    config: undefined,
  }, { ...loneChip(getDevice("n300")), mesh });
  return programs.status === "unknown" ? [] : programs.programs;
}

Deno.test("sent bytes equal received bytes, and those of the edges of all rows", () => {
  const names = fc.constantFrom("all_gather", "reduce_scatter", "all_reduce");
  fc.assert(
    fc.property(meshes, fc.array(fc.tuple(names, fc.nat({ max: 1 })), { maxLength: 4 }), (mesh, ops) => {
      const programs = ops.flatMap(([name, axis]) => launched(name, axis % mesh.length, mesh));
      const loads = axisLoads(programs, mesh);
      const classes = chipClasses(loads, mesh);
      const sum = (of: (entry: (typeof classes)[number]) => number) =>
        classes.reduce((total, entry) => total + entry.chips.length * of(entry), 0);
      const all = mesh.reduce((product, { chips }) => product * chips, 1);
      const carried = loads.reduce(
        (total, { chips, edges }) =>
          total + all / chips * edges.reduce((row, { forward, backward }) => row + forward + backward, 0),
        0,
      );
      assertEquals(
        sum(() => 1),
        all,
      );
      assertAlmostEquals(sum(({ sentBytes }) => sentBytes), carried, 1e-6 * (1 + carried));
      assertAlmostEquals(sum(({ receivedBytes }) => receivedBytes), carried, 1e-6 * (1 + carried));
    }),
  );
});

Deno.test("on a ring all chips are alike; on a line those at equal distance from the ends", () => {
  const ring: Mesh = [{ chips: 4, links: 1, topology: "ring" }];
  const line: Mesh = [{ chips: 4, links: 1, topology: "linear" }];
  const chipsOf = (mesh: Mesh) =>
    chipClasses(axisLoads(launched("all_reduce", 0, mesh), mesh), mesh).map(({ chips }) => chips);
  assertEquals(chipsOf(ring), [[0, 1, 2, 3]]);
  assertEquals(chipsOf(line), [[0, 3], [1, 2]]);
});

Deno.test("transfers between two chips cross one axis after the other", () => {
  const mesh: Mesh = [2, 4].map((chips) => ({ chips, links: 1, topology: "linear" }) as const);
  const tensor = programTensor({ shape: [32, 32], dataType: "bf16" }, undefined);
  const coordinates = (values: readonly number[]) =>
    ({ kind: "denseArray", elementType: "i64", values }) as const;
  const programs = unary(collectivePrograms)({
    name: "ttnn.point_to_point",
    attributes: new Map([["sender_coord", coordinates([1, 0])], ["receiver_coord", coordinates([0, 2])]]),
    inputs: [tensor],
    outputs: [tensor],
    config: undefined,
  }, { ...loneChip(getDevice("t3000")), mesh });
  assert(programs.status === "known");
  const carried = axisLoads(programs.programs, mesh).map(({ edges }) =>
    edges.map(({ forward, backward }) => [forward, backward])
  );
  assertEquals(carried, [[[0, 2048]], [[2048, 0], [2048, 0], [0, 0]]]);
  const ring: Mesh = [{ chips: 2, links: 1, topology: "linear" }, { chips: 4, links: 1, topology: "ring" }];
  const shorter = unary(collectivePrograms)({
    name: "ttnn.point_to_point",
    attributes: new Map([["sender_coord", coordinates([0, 0])], ["receiver_coord", coordinates([0, 3])]]),
    inputs: [tensor],
    outputs: [tensor],
    config: undefined,
  }, { ...loneChip(getDevice("t3000")), mesh: ring });
  assert(shorter.status === "known");
  const [load] = axisLoads(shorter.programs, ring);
  assertEquals(load?.edges.map(({ backward }) => backward), [0, 0, 0, 2048]);
});

Deno.test("a collective that asks for a line loads no edge that closes its row", () => {
  const ring: Mesh = [{ chips: 4, links: 1, topology: "ring" }];
  const [program] = launched("all_gather", 0, ring);
  assert(program?.kind === "collective");
  const [load] = axisLoads([{ ...program, topology: "linear" }], ring);
  assertEquals(load?.edges.map(({ forward }) => forward > 0), [true, true, true, false]);
});

Deno.test("chips are numbered along the last axis first", () => {
  const mesh: Mesh = [2, 4].map((chips) => ({ chips, links: 1, topology: "linear" }) as const);
  assertEquals([0, 3, 4, 7].map((chip) => [0, 1].map((axis) => axisPosition(chip, axis, mesh))), [
    [0, 0],
    [0, 3],
    [1, 0],
    [1, 3],
  ]);
});
