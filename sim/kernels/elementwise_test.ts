// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import type { ProgramTensor } from "../../lib/programs/program_tensor.ts";
import { attributesOf } from "../audit/op_question.ts";
import type { Device } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { pricedTensor } from "../testing/priced.ts";
import { sharedCycles, sharedTime } from "./page_streams.ts";
import { loneChip, priceOp } from "./price_program.ts";

const P150 = getDevice("p150");

function cycles(
  name: string,
  operands: readonly ProgramTensor[],
  attributes: Parameters<typeof attributesOf>[0] = {},
  device: Device = P150,
): number {
  const [first] = operands;
  const op = {
    name,
    attributes: attributesOf(attributes),
    inputs: operands,
    outputs: [first],
    config: undefined,
  };
  const launched = launchPrograms(definitionOf(name).costClass, op, loneChip(device));
  assert(launched.status === "known");
  return priceOp(launched, device).cycles;
}

Deno.test("the vector unit multiplies numbers with exponents of their own, the matrix engine block floats", () => {
  // Published:ops-2, dashboards of August 2026: mul of one tile takes 850 cycles more than sub on both chips.
  for (const device of [P150, getDevice("n150")]) {
    const longer = (dataType: "bf16" | "bfp_bf8") => {
      const tile = () => pricedTensor(device, [32, 32], { dataType });
      return cycles("ttnn.multiply", [tile(), tile()], {}, device) -
        cycles("ttnn.subtract", [tile(), tile()], {}, device);
    };
    assert(Math.abs(longer("bf16") - 850) < 150, `${longer("bf16")} cycles`);
    assertEquals(longer("bfp_bf8"), 0);
  }
});

Deno.test("logical ops turn each operand into zeros and ones before", () => {
  // Published:ops-2, dashboards: some 1,050 cycles more than a difference.
  const tile = () => pricedTensor(P150, [32, 32]);
  const longer = cycles("ttnn.logical_xor", [tile(), tile()]) - cycles("ttnn.subtract", [tile(), tile()]);
  assertEquals(Math.round(longer), Math.round(2 * (P150.tensix.eltwiseTile + P150.sfpu.simple)));
});

Deno.test("a number as second operand is filled into a tile once, also on shards", () => {
  const sharded = { bufferType: "l1", memoryLayout: "height_sharded", grid: [32, 1] } as const;
  const fill = 512 * P150.stream.padWord;
  for (const [shape, place] of [[[1, 1, 32, 2048], {}], [[1, 32, 32, 128], sharded]] as const) {
    const tensor = pricedTensor(P150, shape, place);
    const longer = cycles("ttnn.add", [tensor], { scalar: 3 }) - cycles("ttnn.add", [tensor]);
    assert(longer > 0 && longer <= fill + 1e-6, `${longer} cycles of ${fill}`);
  }
  // Twice the rows of the same core: filled once.
  const rows = (tiles: number) => pricedTensor(P150, [32 * tiles, 32]);
  const scalar = (tiles: number) => cycles("ttnn.add", [rows(tiles)], { scalar: 3 });
  const plain = (tiles: number) => cycles("ttnn.add", [rows(tiles)]);
  assert(scalar(2048) - plain(2048) < fill);
});

Deno.test("a fused activation of a binary op takes the time of the separate op", () => {
  const sharded = { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 16] } as const;
  const tensor = () => pricedTensor(P150, [1, 1, 32, 4096], sharded);
  const longer = cycles("ttnn.multiply", [tensor(), tensor()], { activation: "sigmoid" }) -
    cycles("ttnn.multiply", [tensor(), tensor()]);
  assertEquals(Math.round(longer), Math.round(8 * P150.sfpu.quotient));
});

Deno.test("the packer applies a relu that is the only function of a binary op, unless parts of tiles repeat", () => {
  // tt-metal:binary-ng, `PACK_RELU`.
  const tile = (rows = 32) => pricedTensor(P150, [rows, 32]);
  const longer = (operands: readonly ProgramTensor[], attributes: Parameters<typeof attributesOf>[0]) =>
    cycles("ttnn.add", operands, attributes) - cycles("ttnn.add", operands);
  assertEquals(longer([tile(), tile()], { activation: "relu" }), 0);
  assert(longer([tile(), tile(1)], { activation: "relu" }) > 0);
  assert(longer([tile(), tile()], { activation: "relu6" }) > 0);
});

Deno.test("cores with one page each wait for others once: a late reader writes late", () => {
  // Published:ops-2, traced decode: 88 tiles of bf16 to f32 in 3,216 and 3,370 cycles.
  const [from, to] = [pricedTensor(P150, [32, 2816]), pricedTensor(P150, [32, 2816], { dataType: "f32" })];
  const op = {
    name: "ttnn.typecast",
    attributes: new Map(),
    inputs: [from],
    outputs: [to],
    config: undefined,
  };
  const launched = launchPrograms("typecast", op, loneChip(P150));
  assert(launched.status === "known");
  const { cycles: all } = priceOp(launched, P150);
  const own = cycles("ttnn.typecast", [pricedTensor(P150, [32, 32])]);
  const [program] = launched.programs;
  assert(program !== undefined);
  const floors = [
    sharedCycles(sharedTime(P150, program.reads, [])),
    sharedCycles(sharedTime(P150, [], program.writes)),
  ];
  assert(all > own && all < own + Math.max(...floors), `${all} cycles, one core ${own}, memory ${floors}`);
});
