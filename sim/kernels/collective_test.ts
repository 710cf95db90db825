// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals } from "@std/assert";
import type { MeshAxis, Topology } from "../../lib/device/mesh.ts";
import type { Attribute } from "../../lib/ir/attribute.ts";
import { collectivePrograms } from "../../lib/programs/ccl/collective.ts";
import { type OpLaunch, unary } from "../../lib/programs/op_launch.ts";
import { programTensor, rowMajorTensor } from "../../lib/programs/program_tensor.ts";
import { getDevice } from "../devices/device_registry.ts";
import { packetNanoseconds } from "./collective.ts";
import { loneChip, priceOp } from "./price_program.ts";
import fc from "fast-check";

const DEVICES = ["n300", "t3000", "wormhole-galaxy", "p150-13x10", "p150x4", "p300", "blackhole-galaxy"];

const OPS = ["all_gather", "reduce_scatter", "all_reduce", "all_to_all_dispatch", "point_to_point"];

interface Case {
  readonly op: string;
  readonly device: string;
  readonly axis: MeshAxis;
  readonly rows: number;
  readonly columns: number;
  readonly tiled: boolean;
}

const cases: fc.Arbitrary<Case> = fc.record({
  op: fc.constantFrom(...OPS),
  device: fc.constantFrom(...DEVICES),
  axis: fc.record({
    chips: fc.integer({ min: 2, max: 16 }),
    links: fc.integer({ min: 1, max: 4 }),
    topology: fc.constantFrom<Topology>("linear", "ring"),
  }),
  rows: fc.integer({ min: 1, max: 40 }),
  columns: fc.integer({ min: 1, max: 40 }),
  tiled: fc.boolean(),
});

/** Tiles of `rows` x `columns` that each chip holds before, and what it holds after. */
function launchOf({ op, axis, rows, columns, tiled }: Case): OpLaunch {
  const tensor = (shape: readonly number[]) =>
    tiled ? programTensor({ shape, dataType: "bf16" }, undefined) : rowMajorTensor(shape, "bf16", "dram");
  const gathers = op === "all_gather";
  const scatters = op === "reduce_scatter";
  const height = 32 * rows;
  const width = 32 * columns;
  return {
    name: `ttnn.${op}`,
    attributes: new Map<string, Attribute>([
      ["cluster_axis", { kind: "integer", value: 0n, type: "ui32" }],
      ["scatter_dim", { kind: "integer", value: 3n, type: "si32" }],
      ["all_gather_dim", { kind: "integer", value: 3n, type: "si32" }],
      ["sender_coord", { kind: "denseArray", elementType: "i64", values: [0] }],
      ["receiver_coord", { kind: "denseArray", elementType: "i64", values: [1] }],
    ]),
    inputs: [tensor([1, 1, height, width * (scatters ? axis.chips : 1)])],
    outputs: [tensor([1, 1, height, width * (gathers ? axis.chips : 1)])],
    config: undefined,
  };
}

function microseconds(one: Case, others: readonly MeshAxis[] = []): number {
  const device = getDevice(one.device);
  const launched = unary(collectivePrograms)(launchOf(one), {
    ...loneChip(device),
    mesh: [one.axis, ...others],
  });
  assert(launched.status !== "unknown", one.op);
  return priceOp(launched, device).cycles / device.clock.aiclk;
}

Deno.test("more links, a ring instead of a line, and chips along the other axis never make a collective slower", () => {
  fc.assert(fc.property(cases, (one) => {
    const time = microseconds(one);
    const { axis } = one;
    assert(microseconds({ ...one, axis: { ...axis, links: axis.links + 1 } }) <= time * (1 + 1e-9));
    assert(microseconds({ ...one, axis: { ...axis, topology: "ring" } }) <= time * (1 + 1e-9));
    const other = { chips: 8, links: 1, topology: "linear" } as const;
    assertAlmostEquals(microseconds(one, [other]), time, 1e-9);
  }));
});

Deno.test("no collective is faster than its bytes cross the links of the chip that receives most", () => {
  fc.assert(fc.property(cases, (one) => {
    const { axis, op, device } = one;
    if (op === "all_to_all_dispatch") return;
    const { linkBandwidth } = getDevice(device).ethernet;
    const [input, output] = [launchOf(one).inputs[0]?.bytes ?? 0, launchOf(one).outputs[0]?.bytes ?? 0];
    const most = Math.max(input, output);
    const received = op === "point_to_point" ? most : most * (axis.chips - 1) / axis.chips;
    // A chip on a ring has two neighbours, one at the end of a line one.
    const neighbours = axis.topology === "ring" && axis.chips > 2 && op !== "point_to_point" ? 2 : 1;
    const links = op === "point_to_point" ? 1 : axis.links;
    assert(microseconds(one) >= received / (neighbours * links * linkBandwidth * 1000) * (1 - 1e-9));
  }));
});

Deno.test("small pages make small packets, which are slower by the byte", () => {
  for (const device of DEVICES.map((name) => getDevice(name))) {
    const perByte = [16, 64, 256, 1024, 2048, 4096].map((bytes) =>
      packetNanoseconds(bytes, device.ethernet.linePacket, device) / bytes
    );
    perByte.forEach((time, index) => assert(index === 0 || time < (perByte[index - 1] ?? 0)));
    const axis = { chips: 4, links: 1, topology: "linear" } as const;
    const rows = { op: "all_gather", device: device.name, axis, rows: 32, columns: 1, tiled: false };
    assert(microseconds(rows) > 2 * microseconds({ ...rows, tiled: true }), device.name);
  }
});
