// SPDX-License-Identifier: Apache-2.0

/** Products fused with an exchange overlap with it, and are the product and the exchange that they fuse. */

import { assert, assertEquals } from "@std/assert";
import type { Attribute } from "../../lib/ir/attribute.ts";
import { collectivePrograms } from "../../lib/programs/ccl/collective.ts";
import type { CollectiveProgram } from "../../lib/programs/program.ts";
import { tiledTensor } from "../../lib/programs/program_tensor.ts";
import { getDevice } from "../devices/device_registry.ts";
import { collectiveCost } from "./collective.ts";
import { matmulCost } from "./matmul.ts";
import { loneChip } from "./price_program.ts";
import fc from "fast-check";
import { unary } from "../../lib/programs/op_launch.ts";

const CASES = fc.record({
  gathers: fc.boolean(),
  device: fc.constantFrom("n300", "t3000", "p150x4"),
  chips: fc.constantFrom(2, 4, 8),
  links: fc.integer({ min: 1, max: 4 }),
  ring: fc.boolean(),
  rows: fc.integer({ min: 1, max: 32 }),
  inner: fc.integer({ min: 1, max: 16 }),
  columns: fc.integer({ min: 1, max: 16 }),
});

type Case = typeof CASES extends fc.Arbitrary<infer T> ? T : never;

/** Extents in tiles of what a chip holds; the exchanged one is that of all chips. */
function fusedProgram(one: Case, memory: "dram" | "l1" = "dram"): CollectiveProgram {
  const { gathers, chips, rows, inner, columns } = one;
  const tensor = (height: number, width: number) => tiledTensor([32 * height, 32 * width], "bf16", memory);
  const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: "ui32" });
  const launched = unary(collectivePrograms)({
    name: gathers
      ? "ttnn.all_gather_minimal_matmul_async"
      : "ttnn.minimal_matmul_strided_reduce_scatter_async",
    attributes: new Map([["cluster_axis", integer(0)], ["dim", integer(1)]]),
    inputs: [
      tensor(rows, inner),
      gathers ? tensor(inner * chips, columns) : tensor(inner, columns * chips),
      undefined,
    ],
    outputs: [tensor(rows, columns)],
    config: undefined,
  }, {
    ...loneChip(getDevice(one.device)),
    mesh: [{ chips, links: one.links, topology: one.ring ? "ring" : "linear" }],
  });
  assert(launched.status === "known");
  const [program] = launched.programs;
  assert(program?.kind === "collective");
  return program;
}

Deno.test("a fused product takes no less than product or exchange, and less than both", () => {
  fc.assert(fc.property(CASES, (one) => {
    const device = getDevice(one.device);
    const program = fusedProgram(one);
    assert(program.product !== undefined);
    const exchange = collectiveCost({ ...program, product: undefined }, device).cycles;
    const product = matmulCost(program.product, device).cycles;
    const { cycles, flops } = collectiveCost(program, device);
    assert(cycles >= Math.max(exchange, product));
    assert(cycles < exchange + product);
    assertEquals(flops, program.product.flops);
  }));
});

Deno.test("a fused product is that of the whole inner extent or width, on all rows of cores but one", () => {
  fc.assert(fc.property(CASES, (one) => {
    const { product, bytes } = fusedProgram(one);
    const { rows, inner, columns, chips, gathers } = one;
    assertEquals(product?.problem.tilesK, gathers ? inner * chips : inner);
    assertEquals(product?.problem.tilesN, gathers ? columns : columns * chips);
    const { workerRows, workerColumns } = getDevice(one.device).grid;
    assert((product?.cores ?? 0) <= (workerRows - 1) * workerColumns);
    assertEquals(bytes, rows * 2048 * chips * (gathers ? inner : columns));
  }));
});

Deno.test("a fused product with few blocks of rows leaves more of the exchange behind", () => {
  // Published on four chips: 1,634 us in blocks of 4 tiles, 1,806 in blocks of 16, of 43 tiles of rows per core.
  const device = getDevice("n300");
  const program = fusedProgram({
    device: "n300",
    rows: 256,
    inner: 64,
    columns: 28,
    chips: 4,
    links: 4,
    ring: true,
    gathers: false,
  });
  const { product } = program;
  assert(product !== undefined);
  const inBlocks = (outBlockH: number) => {
    const blocks = { ...product.blocks, perCoreM: 43, outBlockH };
    return collectiveCost({ ...program, product: { ...product, blocks } }, device).cycles -
      Math.max(
        collectiveCost({ ...program, product: undefined }, device).cycles,
        matmulCost({ ...product, blocks }, device).cycles,
      );
  };
  assert(inBlocks(16) > 1.2 * inBlocks(4), `${inBlocks(16)} and ${inBlocks(4)} cycles left behind`);
});

Deno.test("what is gathered, or scattered, is in the memory of the activation", () => {
  fc.assert(fc.property(CASES, (one) => {
    for (const memory of ["dram", "l1"] as const) {
      const { reads, writes } = fusedProgram(one, memory);
      const [between] = one.gathers ? writes : reads;
      assertEquals(between?.tensor.placement, `${memory}_interleaved`);
    }
  }));
});
