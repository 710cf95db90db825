// SPDX-License-Identifier: Apache-2.0

/** What holds for exchanges along every axis of every bundled machine. */

import { assert, assertAlmostEquals } from "@std/assert";
import { type Mesh, type MeshAxis, meshChips, placeMesh } from "../../lib/device/mesh.ts";
import type { Attribute } from "../../lib/ir/attribute.ts";
import { collectivePrograms } from "../../lib/programs/ccl/collective.ts";
import { closes, edgeLoads } from "../../lib/programs/ccl/exchange.ts";
import type { CollectiveProgram } from "../../lib/programs/program.ts";
import { programTensor } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { DEVICE_NAMES, getDevice } from "../devices/device_registry.ts";
import { axisLoads, chipClasses } from "../timeline/mesh_load.ts";
import { collectiveCost } from "./collective.ts";
import { loneChip } from "./price_program.ts";
import fc from "fast-check";
import { unary } from "../../lib/programs/op_launch.ts";

const MACHINES = DEVICE_NAMES.map(getDevice).filter(({ mesh }) => mesh.length > 0);

/** The machine's own mesh, and the same chips as one line or ring. */
function meshesOf({ mesh }: Device): readonly Mesh[] {
  const line = placeMesh([1, meshChips(mesh.map(({ chips }) => chips))], mesh);
  return line === undefined ? [mesh] : [mesh, line];
}

const NAMES = ["all_gather", "reduce_scatter", "all_reduce", "all_reduce_async", "all_to_all"] as const;

const CASES = fc.record({
  device: fc.constantFrom(...MACHINES),
  which: fc.nat({ max: 1 }),
  axis: fc.nat({ max: 1 }),
  name: fc.constantFrom(...NAMES),
  rows: fc.integer({ min: 1, max: 32 }),
  columns: fc.integer({ min: 1, max: 16 }),
});

type Case = typeof CASES extends fc.Arbitrary<infer T> ? T : never;

function placed({ device, which, axis }: Case) {
  const meshes = meshesOf(device);
  const mesh = meshes[which % meshes.length] ?? [];
  const index = axis % mesh.length;
  const along = mesh[index];
  assert(along !== undefined);
  return { mesh, index, along };
}

/** Each chip holds `rows` x `columns` tiles before, or after where it gathers. */
function exchangesOf(
  { device, name, rows, columns }: Case,
  mesh: Mesh,
  index: number,
): readonly CollectiveProgram[] {
  const chips = mesh[index]?.chips ?? 1;
  const tensor = (width: number) =>
    programTensor({ shape: [1, 1, 32 * rows, 32 * width], dataType: "bf16" }, undefined);
  const last: Attribute = { kind: "integer", value: 3n, type: "si32" };
  const axis: Attribute = { kind: "integer", value: BigInt(index), type: "ui32" };
  const launched = unary(collectivePrograms)({
    name: `ttnn.${name}`,
    attributes: new Map([["cluster_axis", axis], ["scatter_dim", last], ["all_gather_dim", last]]),
    inputs: [tensor(columns * (name === "all_gather" ? 1 : chips))],
    outputs: [tensor(columns * (name === "reduce_scatter" ? 1 : chips))],
    config: undefined,
  }, { ...loneChip(device), mesh });
  assert(launched.status === "known");
  return launched.programs.filter((program) => program.kind === "collective");
}

/** Bytes that must cross from the chips below `cut` to those above at least, whatever the algorithm, and back. */
function leastAcross({ exchange, bytes, chips }: CollectiveProgram, cut: number): readonly [number, number] {
  const part = bytes / chips;
  const [below, above] = [cut, chips - cut];
  switch (exchange) {
    case "all_gather":
      return [below * part, above * part];
    case "reduce_scatter":
      return [above * part, below * part];
    case "all_to_all":
      return [below * above * part, below * above * part];
    case "permute":
      return [0, 0];
  }
}

Deno.test("every bundled machine has a mesh of at least two chips", () => {
  for (const { mesh, name } of MACHINES) assert(meshChips(mesh.map(({ chips }) => chips)) >= 2, name);
  assert(MACHINES.length >= 11);
});

Deno.test("no exchange is faster than its bytes cross the narrowest cut, on any machine", () => {
  fc.assert(fc.property(CASES, (one) => {
    const { mesh, index, along } = placed(one);
    const { device } = one;
    for (const program of exchangesOf(one, mesh, index)) {
      const microseconds = collectiveCost(program, device).cycles / device.clock.aiclk;
      // A cut of a ring severs two edges.
      const edges = closes(along) ? 2 : 1;
      const perMicrosecond = along.links * edges * device.ethernet.linkBandwidth * 1000;
      for (let cut = 1; cut < along.chips; cut++) {
        const most = Math.max(...leastAcross(program, cut));
        assert(
          microseconds >= most / perMicrosecond * (1 - 1e-9),
          `${device.name} ${program.exchange} ${cut}`,
        );
      }
    }
  }));
});

Deno.test("edges carry the bytes that must cross every cut, without loss or gain, on any machine", () => {
  fc.assert(fc.property(CASES, (one) => {
    const { mesh, index, along } = placed(one);
    const programs = exchangesOf(one, mesh, index);
    for (const program of programs) {
      const loads = edgeLoads(program.exchange, program.bytes, along);
      const close = closes(along) ? loads.at(-1) ?? { forward: 0, backward: 0 } : { forward: 0, backward: 0 };
      for (let cut = 1; cut < along.chips; cut++) {
        const edge = loads[cut - 1] ?? { forward: 0, backward: 0 };
        const [up, down] = leastAcross(program, cut);
        assert(edge.forward + close.backward >= up * (1 - 1e-9));
        assert(edge.backward + close.forward >= down * (1 - 1e-9));
      }
    }
    const classes = chipClasses(axisLoads(programs, mesh), mesh);
    const sum = (of: "sentBytes" | "receivedBytes") =>
      classes.reduce((total, entry) => total + entry.chips.length * entry[of], 0);
    assertAlmostEquals(sum("sentBytes"), sum("receivedBytes"), 1e-6 * (1 + sum("sentBytes")));
  }));
});

Deno.test("the busiest link of the cost is that of the picture, on any machine", () => {
  fc.assert(fc.property(CASES, (one) => {
    const { mesh, index, along } = placed(one);
    for (const program of exchangesOf(one, mesh, index)) {
      const loads = edgeLoads(program.exchange, program.bytes, along);
      const busiest = Math.max(0, ...loads.flatMap(({ forward, backward }) => [forward, backward]));
      assertAlmostEquals(program.linkBytes * along.links, busiest, 1e-6 * (1 + busiest));
    }
  }));
});

Deno.test("more links are never slower on any machine, nor is a line slower than without its ring", () => {
  fc.assert(fc.property(CASES, fc.integer({ min: 1, max: 4 }), (one, more) => {
    const { mesh, index, along } = placed(one);
    const time = (axis: MeshAxis) =>
      exchangesOf(one, mesh.with(index, axis), index)
        .reduce((total, program) => total + collectiveCost(program, one.device).cycles, 0);
    const now = time(along);
    assert(time({ ...along, links: along.links + more }) <= now * (1 + 1e-9));
    assert(time({ ...along, topology: "linear" }) >= now * (1 - 1e-9));
  }));
});
