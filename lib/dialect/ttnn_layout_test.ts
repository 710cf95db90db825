// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { parseModule, tensorTypeOf } from "../ir/mod.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { layoutKey } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { type LayoutGeneration, parseTtnnLayout, readTtnnLayout } from "./ttnn_layout.ts";
import { ttnnLayoutText } from "./ttnn_layout_text.ts";

const WORKER_GRID = { rows: 8, columns: 8 };
const SHAPE = [1, 1, 25088, 256];

Deno.test("a tensor interleaved in L1 lies on all worker cores, whether its text has a grid of one, of them or of another chip", () => {
  const read = (grid: string, memref: string) => {
    const layout = `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${grid}>, ` +
      `memref<${memref}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>`;
    const text = `%0 = "test.a"() : () -> tensor<4096x500xbf16, ${layout}>\n`;
    const module = parseModule(text, "interleaved.mlir");
    const value = module.operations[0]?.results[0];
    const type = value && tensorTypeOf(module, value);
    return value?.type && type && readTtnnLayout(module, value.type, type, WORKER_GRID);
  };
  const made = makeLayout({
    shape: [4096, 500],
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "interleaved",
  }, WORKER_GRID);
  assertEquals(read("1x1", "128x16"), made);
  assertEquals(read("8x8", "1x32"), made);
  assertEquals(read("10x13", "1x16"), made);
  assertEquals(read("8x8", "16x2"), made);
});

// Text of 2024 spells the memory layout without brackets.
for (const word of ["<interleaved>", "interleaved"]) {
  Deno.test(`${word} DRAM holds the whole tensor, whatever grid an old text left in its layout`, () => {
    const layout = "#ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <8x8, (d0, d1) -> (0, d0, d1)>, " +
      `memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, ${word}>`;
    const module = parseModule(`%0 = "test.a"() : () -> tensor<2x12x100xf32, ${layout}>\n`, "grid.mlir");
    const value = module.operations[0]?.results[0];
    const type = value && tensorTypeOf(module, value);
    assertEquals(
      value?.type && type && readTtnnLayout(module, value.type, type, WORKER_GRID),
      makeLayout(
        { shape: [2, 12, 100], dataType: "f32", bufferType: "dram", memoryLayout: "interleaved" },
        WORKER_GRID,
      ),
    );
  });
}

function heightSharded(generation: LayoutGeneration): string {
  const layout = makeLayout({
    shape: SHAPE,
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [61, 1],
  }, WORKER_GRID);
  return ttnnLayoutText(layout, SHAPE, {
    generation,
    workerGrid: WORKER_GRID,
    bufferType: (bufferType) => `#${bufferType}`,
  });
}

Deno.test("parseTtnnLayout() reads the layouts of 2024, unless TTNN had not decided them", () => {
  const map = "(d0, d1) -> (d0, d1)";
  const read = (body: string) => parseTtnnLayout(`#tt.layout<${body}>`)?.layout;
  const now = (body: string) => parseTtnnLayout(`#ttnn.ttnn_layout<${body}>`)?.layout;
  const tiles = (space: string) => `memref<2x4x!tt.tile<32x32, f32>, #tt.memory_space<${space}>>`;
  assertEquals(
    read(`${map}, undef, <1x1>, ${tiles("dram")}, interleaved`),
    now(`${map}, <1x1>, ${tiles("dram")}, <interleaved>`),
  );
  assertEquals(
    read(`${map}, undef, <2x2>, ${tiles("l1")}, block_sharded`),
    now(`${map}, <2x2>, ${tiles("l1")}, <block_sharded>`),
  );
  const host = "memref<64x128xf32, #tt.memory_space<system>>";
  assertEquals(read(`${map}, undef, <1x1>, ${host}`), now(`${map}, <1x1>, ${host}`));
  assertEquals(read(`${map}, undef, <8x8>, memref<8x16xf32, #tt.memory_space<l1>>`), undefined);
  assertEquals(read(`8192x128x1, undef, <1x1>, ${host}`), undefined);
});

Deno.test("ttnnLayoutText() spells a sharded layout in every generation", () => {
  const map = "(d0, d1, d2, d3) -> (d0 * 25088 + d1 * 25088 + d2, d3)";
  const memref = "memref<13x8x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>";
  const toPhysical = "(d0, d1) -> (0, d0 floordiv 8, d0 mod 8)";
  assertEquals(heightSharded("G2"), `#ttnn.ttnn_layout<${map}, <61x1, ${toPhysical}>, ${memref}>`);
  assertEquals(
    heightSharded("G3"),
    `#ttnn.ttnn_layout<${map}, <61x1, virt_to_physical_map = ${toPhysical}, ` +
      `physical_to_virt_map = (d0, d1, d2) -> (d1 * 8 + d2, 0)>, ${memref}>`,
  );
  assertEquals(
    heightSharded("G4"),
    `#ttnn.ttnn_layout<${map}, <61x1>, ${memref}, ` +
      `core_ranges = <[#ttnn.core_range<(0,0), (7,6)>, #ttnn.core_range<(0,7), (4,7)>]>>`,
  );
});

Deno.test("parseTtnnLayout() reads back what ttnnLayoutText() prints, in every generation", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
    fc.constantFrom<LayoutGeneration>("G2", "G3", "G4"),
    fc.constantFrom("height_sharded", "width_sharded", "block_sharded", "interleaved"),
    fc.constantFrom("bf16", "f32", "u32", "bfp_bf8", "si32"),
    fc.boolean(),
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 8 }),
    (shape, generation, memoryLayout, dataType, rowMajor, rows, columns) => {
      const grid = memoryLayout === "height_sharded"
        ? [rows * columns, 1]
        : memoryLayout === "width_sharded"
        ? [1, rows * columns]
        : [rows, columns];
      const layout = makeLayout({
        shape,
        dataType,
        ...(rowMajor && dataType !== "bfp_bf8" ? { tile: null } : {}),
        bufferType: "l1",
        memoryLayout,
        grid,
      }, WORKER_GRID);
      const text = ttnnLayoutText(layout, shape, { generation, workerGrid: WORKER_GRID });
      const read = parseTtnnLayout(text);
      assertEquals(read === undefined ? undefined : layoutKey(read.layout), layoutKey(layout));
      if (memoryLayout !== "interleaved") assertEquals(read?.generation, generation);
    },
  ));
});

Deno.test("shards that fill the rows of a narrower chip keep them in every generation", () => {
  const shape = [32, 1600];
  const narrow = makeLayout({
    shape,
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "width_sharded",
    grid: [1, 50],
  }, WORKER_GRID);
  for (const generation of ["G2", "G3", "G4"] as const) {
    const text = ttnnLayoutText(narrow, shape, { generation, workerGrid: { rows: 10, columns: 13 } });
    const read = parseTtnnLayout(text);
    assertEquals(read === undefined ? undefined : layoutKey(read.layout), layoutKey(narrow));
    if (generation !== "G4") assert(text.includes("d1 floordiv 8"), text);
  }
});

Deno.test("ttnnLayoutText() refuses a placement that old generations cannot spell", () => {
  const layout = makeLayout({
    shape: [64, 64],
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [2, 1],
    coreRanges: [{ start: { x: 3, y: 3 }, end: { x: 4, y: 3 } }],
  }, WORKER_GRID);
  const style = { workerGrid: WORKER_GRID } as const;
  const error = assertThrows(
    () => ttnnLayoutText(layout, [64, 64], { ...style, generation: "G2" }),
    LayoutError,
  );
  assertEquals(error.rule, "grid/virtual-to-physical");
  assertEquals(
    parseTtnnLayout(ttnnLayoutText(layout, [64, 64], { ...style, generation: "G4" }))?.layout,
    layout,
  );
});

Deno.test("readTtnnLayout() follows aliases inside layouts and places G1 shards on the worker grid", () => {
  const module = parseModule(
    `#l1 = #ttnn.buffer_type<l1>
     #cores = #ttnn.core_range_set<[#ttnn.core_range<(0, 0), (1, 0)>]>
     #a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x1x!ttcore.tile<32x32, u32>, #l1>, <height_sharded>, core_ranges = #cores>
     #b = #tt.x<1>
     %0:3 = "a.b"() : () -> (
       tensor<64x32xui32, #a>,
       tensor<64x32xbf16, #b>,
       tensor<64x32xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x1x!tt.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, #ttnn.tensor_memory_layout<height_sharded>>>)`,
    "l.mlir",
  );
  const layouts = module.operations[0]?.results.map((value) => {
    const type = tensorTypeOf(module, value);
    if (type === undefined || value.type === undefined) throw new Error("no tensor");
    return readTtnnLayout(module, value.type, type, WORKER_GRID);
  });
  const coreRanges = [{ start: { x: 0, y: 0 }, end: { x: 1, y: 0 } }];
  assertEquals(layouts?.[0]?.dataType, "u32");
  assertEquals(layouts?.[0]?.coreRanges, coreRanges);
  assertEquals(layouts?.[1], undefined);
  assertEquals(layouts?.[2]?.coreRanges, coreRanges);
});

Deno.test("readTtnnLayout() names what is wrong with a malformed layout", () => {
  const dram = "#ttnn.buffer_type<dram>";
  for (
    const body of [
      `d0 plus 1, <1x1>, memref<1x1xbf16, ${dram}>, <interleaved>`,
      `(d0) -> (0, d0), <1xy>, memref<1x1xbf16, ${dram}>, <interleaved>`,
      "(d0) -> (0, d0), <1x1>, memref<1x1xbf16, #ttnn.buffer_type<moon>>, <interleaved>",
      `(d0) -> (0, d0), <1x1>, memref<1x?xbf16, ${dram}>, <interleaved>`,
      `(d0) -> (0, d0), <1x1>, memref<1x1xbf16, ${dram}>, <sideways>`,
      "(d0) -> (0, d0), <1x1>",
    ]
  ) {
    const text = `"a.b"() : () -> tensor<4x4xbf16, #ttnn.ttnn_layout<${body}>>`;
    const module = parseModule(text, "bad.mlir");
    const value = module.operations[0]?.results[0];
    const type = value === undefined ? undefined : tensorTypeOf(module, value);
    if (value?.type === undefined || type === undefined) throw new Error("no tensor");
    const span = value.type;
    const error = assertThrows(() => readTtnnLayout(module, span, type), DiagnosticError);
    assertEquals(error.diagnostics[0]?.code, "layout/syntax");
  }
});
