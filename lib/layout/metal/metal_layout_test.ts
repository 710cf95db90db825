// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { corpusFiles, corpusTest } from "../../../testing/corpus.ts";
import { evaluateAffineMap, formatAffineMap } from "../affine/affine_map.ts";
import { parseAffineMap } from "../affine/affine_parser.ts";
import { LayoutError, type LayoutRule } from "../layout_error.ts";
import { makeLayout } from "../make_layout.ts";
import { metalToTtnn, ttnnToMetal } from "./metal_conversion.ts";
import { metalCoordinates } from "./metal_coordinates.ts";
import {
  type CollapseInterval,
  makeMetalLayout,
  type MetalLayout,
  type MetalLayoutRequest,
  metalPhysicalShape,
} from "./metal_layout.ts";
import { metalLayoutsEqual } from "../testing/metal_layouts_equal.ts";
import { formatMetalLayout, parseLogicalMetalLayout, parseMetalLayout } from "./metal_layout_text.ts";
import { metalFootprint, paddedElements, paddedRegions } from "./metal_padding.ts";
import { SUPPORTED_TILES } from "../tile_shape.ts";
import { nodePlace } from "../ttnn/nodes.ts";
import { delinearize, linearize, ttnnCoordinates } from "../ttnn/ttnn_coordinates.ts";
import { virtualGridMap } from "./virtual_grid.ts";

const WORMHOLE = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };

interface MetalCase {
  readonly shape: number[];
  readonly layout: MetalLayout;
}

/** Tensors of rank 1 to 6 with random collapse, strides, tiles and grids. */
const arbitraryMetal: fc.Arbitrary<MetalCase> = fc.integer({ min: 1, max: 6 }).chain((rank) => {
  const extents = fc.array(fc.integer({ min: 1, max: rank > 3 ? 4 : 12 }), {
    minLength: rank,
    maxLength: rank,
  });
  const cuts = fc.tuple(fc.integer({ min: 0, max: rank }), fc.integer({ min: 0, max: rank }));
  return fc.record({
    shape: extents,
    cuts,
    aligned: fc.array(fc.constantFrom(1, 1, 2, 5), { minLength: rank, maxLength: rank }),
    tile: fc.constantFrom(undefined, undefined, ...SUPPORTED_TILES),
    grid: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: rank, maxLength: rank }),
  });
}).map(({ shape, cuts, aligned, tile, grid }): MetalCase => {
  const interval: CollapseInterval = [Math.min(...cuts), Math.max(...cuts)];
  const results = shape.length - Math.max(0, interval[1] - interval[0] - 1);
  const request: MetalLayoutRequest = {
    shape,
    dataType: "bf16",
    grid: grid.slice(0, results),
    collapseIntervals: [interval],
    dimAlignments: aligned,
    tile: results < 2 ? undefined : tile,
    oobValue: "zero",
  };
  return { shape, layout: makeMetalLayout(request) };
});

/** The document's maps that use one dim in several results. */
const SHARED_DIMS: readonly MetalCase[] = [
  {
    shape: [3, 5, 4],
    layout: makeMetalLayout({
      shape: [3, 5, 4],
      dataType: "f32",
      grid: [2, 2, 2],
      linear: parseAffineMap("(d0, d1, d2) -> (d0 * 5 + d1, d1, d2)"),
    }),
  },
  {
    shape: [2, 3, 4, 5],
    layout: makeMetalLayout({
      shape: [2, 3, 4, 5],
      dataType: "f32",
      grid: [3, 2, 1, 2],
      linear: parseAffineMap("(d0, d1, d2, d3) -> (d0 * 14 + d1 * 4 + d2, d1, d2 * 2, d3)"),
    }),
  },
];

/** Numbers the elements, puts them where the layout says and compares every physical element of every shard. */
function checkEveryPlace({ shape, layout }: MetalCase): void {
  const shards = layout.grid.reduce((product, extent) => product * extent, 1);
  const coordinates = metalCoordinates(shape, layout, { workerGrid: { rows: shards, columns: 1 } });
  const { shardShape } = coordinates;
  const shardVolume = shardShape.reduce((product, extent) => product * extent, 1);
  const memory = Array.from({ length: shards }, () => new Map<number, number>());
  const volume = shape.reduce((product, extent) => product * extent, 1);
  for (let element = 0; element < volume; element++) {
    const place = coordinates.locate(delinearize(element, shape));
    const shard = memory[linearize(place.grid, layout.grid)];
    assert(shard !== undefined);
    const offset = linearize(place.offset, shardShape);
    assert(!shard.has(offset), "two elements in one place");
    shard.set(offset, element);
  }
  for (const [number, shard] of memory.entries()) {
    const grid = delinearize(number, layout.grid);
    const padding = new Set<number>();
    for (const { start, end } of paddedRegions(shape, layout, grid)) {
      const extents = start.map((from, dim) => (end[dim] ?? 0) - from);
      const boxVolume = extents.reduce((product, extent) => product * extent, 1);
      assert(boxVolume > 0, "empty region");
      for (let inBox = 0; inBox < boxVolume; inBox++) {
        const offset = delinearize(inBox, extents).map((value, dim) => value + (start[dim] ?? 0));
        const place = linearize(offset, shardShape);
        assert(!padding.has(place), "regions overlap");
        padding.add(place);
      }
    }
    assertEquals(padding.size, paddedElements(shape, layout, grid));
    assertEquals(padding.size + shard.size, shardVolume);
    for (let place = 0; place < shardVolume; place++) {
      const content = coordinates.contentAt({ grid, offset: delinearize(place, shardShape) });
      const element = shard.get(place);
      if (element === undefined) {
        assertEquals(content, { kind: "padding", value: layout.oobValue });
        assert(padding.has(place));
      } else {
        assertEquals(content, { kind: "element", index: delinearize(element, shape) });
      }
    }
  }
}

Deno.test("MetalLayout places every element once and knows every padded element, ranks 1 to 6", () => {
  fc.assert(
    fc.property(arbitraryMetal, (metal) => {
      const { shards, shardBytes } = metalFootprint(metal.shape, metal.layout);
      if (shards * shardBytes / 2 > 60_000) return;
      checkEveryPlace(metal);
    }),
    { numRuns: 100, seed: 17 },
  );
});

Deno.test("MetalLayout places every element once when a dim is in several results", () => {
  for (const metal of SHARED_DIMS) checkEveryPlace(metal);
});

Deno.test("paddedRegions() does not enumerate elements", () => {
  const shape = [64, 4096, 100_000];
  const layout = makeMetalLayout({ shape, dataType: "bf16", grid: [8, 8], tile: { height: 32, width: 32 } });
  assertEquals([...paddedRegions(shape, layout, [7, 7])], [
    { start: [0, 12_500], end: [32_768, 12_512] },
  ]);
  const bumped = makeMetalLayout({ shape, dataType: "bf16", grid: [1, 1], dimAlignments: [1, 5000, 1] });
  assertEquals([...paddedRegions(shape, bumped, [0, 0])].length, 63);
});

Deno.test("parseMetalLayout() reads what formatMetalLayout() prints", () => {
  fc.assert(
    fc.property(
      arbitraryMetal,
      fc.constantFrom("undef" as const, "one" as const, "inf" as const, "neginf" as const),
      fc.constantFrom("system" as const, "mmio" as const, "dram" as const, "l1" as const),
      ({ layout }, oobValue, memorySpace) => {
        const varied: MetalLayout = { ...layout, oobValue, memref: { ...layout.memref, memorySpace } };
        assert(metalLayoutsEqual(parseMetalLayout(formatMetalLayout(varied)), varied));
        assert(!metalLayoutsEqual(varied, layout));
      },
    ),
    { numRuns: 100, seed: 19 },
  );
});

Deno.test("makeMetalLayout() names the rule that bad input breaks", () => {
  const base: MetalLayoutRequest = { shape: [4, 6, 8], dataType: "f32", grid: [2, 2] };
  const rules: [Partial<MetalLayoutRequest>, LayoutRule][] = [
    [{ shape: [4, 0, 8] }, "shape/positive-dimensions"],
    [{ shape: [4, -6, 8] }, "shape/positive-dimensions"],
    [{ grid: [2, 0] }, "grid/positive-dimensions"],
    [{ grid: [2, 2, 2] }, "grid/rank"],
    [{ collapseIntervals: [[0, 4]] }, "collapse/interval"],
    [{ collapseIntervals: [[2, 1]] }, "collapse/interval"],
    [{ collapseIntervals: [[0, 2], [1, 3]] }, "collapse/interval"],
    [{ collapseIntervals: [[-4, 2]] }, "collapse/interval"],
    [{ collapseIntervals: [[0, 0.5]] }, "collapse/interval"],
    [{ dimAlignments: [1, 32] }, "shape/rank"],
    [{ dimAlignments: [1, 0, 1] }, "shape/rank"],
    [{ linear: parseAffineMap("(d0, d1) -> (d0, d1)") }, "linear/rank"],
    [{ linear: parseAffineMap("(d0, d1, d2) -> (d0 * 5 + d1, d2)") }, "linear/overlap"],
    [{ linear: parseAffineMap("(d0, d1, d2) -> (d0, d2)") }, "linear/overlap"],
    [{ linear: parseAffineMap("(d0, d1, d2) -> (d0 * d1, d2)") }, "linear/strided-sum"],
    [{ linear: parseAffineMap("(d0, d1, d2) -> (d0 floordiv 2, d2)") }, "linear/strided-sum"],
    [{ linear: parseAffineMap("(d0, d1, d2) -> (d0 * 6 - d1, d2)") }, "linear/strided-sum"],
    [{ tile: { height: 8, width: 8 } }, "tile/supported-shape"],
    [{ collapseIntervals: [[0, 3]], grid: [2], tile: { height: 32, width: 32 } }, "tile/supported-shape"],
    [{ dataType: "bfp_bf8" }, "tile/block-float-needs-tiles"],
  ];
  for (const [change, rule] of rules) {
    const error = assertThrows(() => makeMetalLayout({ ...base, ...change }), LayoutError);
    assertEquals(error.rule, rule, error.message);
  }
});

Deno.test("metalCoordinates() refuses layouts and places that do not belong to the tensor", () => {
  const layout = makeMetalLayout({ shape: [4, 6], dataType: "f32", grid: [2, 2] });
  const refusal = (run: () => unknown) => assertThrows(run, LayoutError).rule;
  assertEquals(refusal(() => metalCoordinates([4, 7], layout, WORMHOLE)), "memref/shape");
  const coordinates = metalCoordinates([4, 6], layout, WORMHOLE);
  assertEquals(refusal(() => coordinates.locate([4, 0])), "index/out-of-bounds");
  assertEquals(refusal(() => coordinates.locate([0])), "shape/rank");
  assertEquals(refusal(() => coordinates.contentAt({ grid: [2, 0], offset: [0, 0] })), "index/out-of-bounds");
  assertEquals(refusal(() => coordinates.contentAt({ grid: [0, 0], offset: [2, 0] })), "index/out-of-bounds");
});

Deno.test("makeMetalLayout() of a scalar is one element on a grid without dimensions", () => {
  const layout = makeMetalLayout({ shape: [], dataType: "f32", grid: [] });
  assert(metalLayoutsEqual(parseMetalLayout(formatMetalLayout(layout)), layout));
  assertEquals(metalFootprint([], layout).allocatedBytes, 4);
  assertEquals(metalCoordinates([], layout, WORMHOLE).contentAt({ grid: [], offset: [] }), {
    kind: "element",
    index: [],
  });
});

Deno.test("parseMetalLayout() refuses broken text", () => {
  for (
    const text of [
      "#ttnn.ttnn_layout<(d0) -> (0, d0)>",
      "#ttcore.metal_layout<(d0, d1) -> (d0, d1), nan, <1x1>, memref<4x4xf32, #ttcore.memory_space<l1>>>",
      "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<4x4xf32, #ttcore.memory_space<l2>>>",
      "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<4x4xf99, #ttcore.memory_space<l1>>>",
      "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <1x>, memref<4x4xf32, #ttcore.memory_space<l1>>>",
    ]
  ) assertEquals(assertThrows(() => parseMetalLayout(text), LayoutError).rule, "metal/syntax");
});

Deno.test("virtualGridMap() sends every core of a grid to a core of its own", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom({ rows: 8, columns: 8 }, { rows: 10, columns: 11 }, { rows: 3, columns: 5 }),
      fc.boolean(),
      (grid, workerGrid, several) => {
        const devices = several ? grid[0] ?? 1 : 1;
        const volume = grid.reduce((product, extent) => product * extent, 1);
        let map;
        try {
          map = virtualGridMap(grid, { workerGrid, devices });
        } catch (error) {
          assert(error instanceof LayoutError && error.rule === "grid/virtual-to-physical");
          // What fits as it is, is never refused.
          const inner = several ? grid.slice(1) : grid;
          assert(
            inner.slice(0, -1).reduce((p, e) => p * e, 1) > workerGrid.rows ||
              (inner.at(-1) ?? 1) > workerGrid.columns,
          );
          return;
        }
        const seen = new Set<string>();
        for (let core = 0; core < volume; core++) {
          const [device = -1, y = -1, x = -1] = evaluateAffineMap(map, delinearize(core, grid));
          assert(
            device >= 0 && device < devices && y >= 0 && y < workerGrid.rows && x >= 0 &&
              x < workerGrid.columns,
          );
          seen.add(`${device}/${y}/${x}`);
        }
        assertEquals(seen.size, volume);
      },
    ),
    { numRuns: 300, seed: 23 },
  );
});

Deno.test("virtualGridMap() refuses grids that do not divide a virtual-to-physical map", () => {
  const refuse = (grid: number[], devices = 1) =>
    assertThrows(() => virtualGridMap(grid, { ...WORMHOLE, devices }), LayoutError);
  for (const error of [refuse([3, 12]), refuse([1, 65]), refuse([9, 8]), refuse([3, 2, 2], 2)]) {
    assertEquals(error.rule, "grid/virtual-to-physical");
  }
  assertEquals(
    formatAffineMap(virtualGridMap([4, 16], WORMHOLE)),
    "(d0, d1) -> (0, (d0 * 16 + d1) floordiv 8, (d0 * 16 + d1) mod 8)",
  );
});

corpusTest("virtualGridMap() gives the maps that the dumps print inside their grids", () => {
  let maps = 0;
  for (const file of corpusFiles("dumps/ttnn")) {
    const text = Deno.readTextFileSync(file);
    const worker = /workerGrid = #(?:ttcore|tt)\.grid<(\d+)x(\d+)/.exec(text);
    const workerGrid = { rows: Number(worker?.[1] ?? 8), columns: Number(worker?.[2] ?? 8) };
    const printed = text.matchAll(
      /#ttnn_layout.*, <(\d+)x(\d+), (?:virt_to_physical_map = )?(\(d0, d1\) -> \([^<>]*?\))[,>]/g,
    );
    for (const [, rows, columns, map] of printed) {
      // A width-sharded tensor on one core prints a walk, a block on one core does not; a grid cannot tell them apart.
      if (rows === "1" && columns === "1") continue;
      assertEquals(formatAffineMap(virtualGridMap([Number(rows), Number(columns)], { workerGrid })), map);
      maps++;
    }
  }
  assert(maps > 10, `only ${maps} maps`);
});

Deno.test("metalToTtnn() and ttnnToMetal() are inverse and keep every element on its core and in its place", () => {
  const grids = [[1, 4], [5, 1], [3, 2], [1, 1], [6, 7]] as const;
  let converted = 0;
  for (const shape of [[2, 3, 40, 200], [6, 64], [192, 256], [5, 7]]) {
    for (const grid of grids) {
      for (const tile of [undefined, { height: 32, width: 32 }]) {
        const metal = makeMetalLayout({
          shape,
          dataType: "bf16",
          grid,
          tile,
          dimAlignments: shape.map((_, dim) => tile !== undefined && dim === shape.length - 2 ? 32 : 1),
        });
        let ttnn;
        try {
          ttnn = metalToTtnn(shape, metal, WORMHOLE);
        } catch (error) {
          assert(error instanceof LayoutError && error.rule === "conversion/unsupported");
          assert(tile !== undefined, "scalar shards are the same in both");
          continue;
        }
        converted++;
        const back = ttnnToMetal(shape, ttnn, WORMHOLE);
        assertEquals(formatMetalLayout(back), formatMetalLayout(metal));
        const there = metalCoordinates(shape, metal, WORMHOLE);
        const here = ttnnCoordinates(shape, ttnn, WORMHOLE);
        const volume = shape.reduce((product, extent) => product * extent, 1);
        for (let element = 0; element < volume; element += 7) {
          const index = delinearize(element, shape);
          const one = there.locate(index);
          const other = here.locate(index);
          const place = nodePlace(WORMHOLE, other.node);
          assertEquals(place.kind === "core" ? place.core : undefined, one.core);
          assertEquals(other.byteOffset, one.byteOffset);
        }
      }
    }
  }
  assert(converted > 20, `only ${converted} conversions`);
});

Deno.test("metalToTtnn() of DRAM and host layouts", () => {
  const shape = [64, 128];
  const base: MetalLayoutRequest = { shape, dataType: "f32", grid: [1, 1], memorySpace: "dram" };
  assertEquals(metalToTtnn(shape, makeMetalLayout(base), WORMHOLE).memoryLayout, "interleaved");
  assertEquals(
    metalToTtnn(shape, makeMetalLayout({ ...base, grid: [1, 8] }), WORMHOLE).memoryLayout,
    "width_sharded",
  );
  const host = metalToTtnn(shape, makeMetalLayout({ ...base, memorySpace: "system" }), WORMHOLE);
  assertEquals([host.bufferType, host.memoryLayout], ["system_memory", undefined]);
  assertEquals(ttnnToMetal(shape, host, WORMHOLE).memref.memorySpace, "system");
});

Deno.test("metalToTtnn() compares the images of index maps, not their text", () => {
  const convert = (shape: number[], map: string) =>
    metalToTtnn(
      shape,
      makeMetalLayout({ shape, dataType: "f32", grid: [1, 1], linear: parseAffineMap(map) }),
      WORMHOLE,
    );
  assertEquals(convert([1, 64, 32], "(b, h, w) -> (h + b * 999, w)").shardShape, [64, 32]);
  assertEquals(convert([2, 64, 32], "(b, h, w) -> (h + b * 64, w)").shardShape, [128, 32]);
  assertThrows(() => convert([2, 64, 32], "(b, h, w) -> (h + b * 65, w)"), LayoutError, "TTNN's rows");
  assertThrows(() => convert([2, 64, 32], "(b, h, w) -> (h + b * 64 + 1, w)"), LayoutError, "TTNN's rows");
  assertThrows(() => convert([2, 64, 64], "(b, h, w) -> (b * 64 + w, h)"), LayoutError, "TTNN's rows");
});

Deno.test("metalToTtnn() refuses layouts that TTNN cannot express", () => {
  const refuse = (request: MetalLayoutRequest) =>
    assertThrows(() => metalToTtnn(request.shape, makeMetalLayout(request), WORMHOLE), LayoutError);
  const base: MetalLayoutRequest = { shape: [2, 3, 40, 64], dataType: "bf16", grid: [1, 1] };
  // Rows of a batch packed into the tiles of the batch before.
  assertEquals(refuse({ ...base, tile: { height: 32, width: 32 } }).rule, "conversion/unsupported");
  assertEquals(
    refuse({ ...base, collapseIntervals: [[1, -1]], grid: [2, 1, 1] }).rule,
    "conversion/unsupported",
  );
  // 25 rows per core, padded to 32: TTNN would put 32 rows on the first core and 18 on the second.
  const partial: MetalLayoutRequest = {
    ...base,
    shape: [50, 64],
    tile: { height: 32, width: 32 },
    grid: [2, 1],
  };
  assertEquals(refuse(partial).rule, "conversion/unsupported");
  assertEquals(refuse({ ...base, memorySpace: "mmio" }).rule, "conversion/unsupported");
  assertEquals(refuse({ ...base, memorySpace: "system", grid: [2, 1] }).rule, "conversion/unsupported");
  assertEquals(
    refuse({ ...base, memorySpace: "dram", grid: [2, 2] }).rule,
    "memory-layout/dram-block-sharded",
  );
});

Deno.test("ttnnToMetal() refuses layouts that metal_layout cannot express", () => {
  const shape = [64, 64];
  const make = (request: Partial<Parameters<typeof makeLayout>[0]>) =>
    makeLayout(
      { shape, dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [2, 2], ...request },
      WORMHOLE.workerGrid,
    );
  const block = make({});
  for (
    const layout of [
      make({ memoryLayout: "interleaved" }),
      make({ memoryLayout: "nd_sharded" }),
      make({ shardOrientation: "col_major" }),
      { ...block, ignorePhysicalLayout: true },
      { ...block, shardShape: [2, 2] },
      { ...block, coreRanges: [{ start: { x: 1, y: 1 }, end: { x: 2, y: 2 } }] },
      { ...block, bufferType: "l1_small" as const },
    ]
  ) {
    assertEquals(
      assertThrows(() => ttnnToMetal(shape, layout, WORMHOLE), LayoutError).rule,
      "conversion/unsupported",
    );
  }
  // 64 padded rows are two tiles, one per core; a grid of elements would give 25 rows to each.
  const uneven = makeLayout(
    { shape: [50, 64], dataType: "bf16", bufferType: "l1", memoryLayout: "height_sharded", grid: [2, 1] },
    WORMHOLE.workerGrid,
  );
  assertEquals(
    assertThrows(() => ttnnToMetal([50, 64], uneven, WORMHOLE), LayoutError).rule,
    "conversion/unsupported",
  );
});

Deno.test("metalFootprint() bytes add up over the padding of all shards", () => {
  fc.assert(
    fc.property(arbitraryMetal, ({ shape, layout }) => {
      const footprint = metalFootprint(shape, layout);
      let padding = 0;
      for (let shard = 0; shard < footprint.shards; shard++) {
        padding += paddedElements(shape, layout, delinearize(shard, layout.grid));
      }
      const elements = shape.reduce((product, extent) => product * extent, 1);
      assertEquals(footprint.allocatedBytes, (padding + elements) * 2);
      assertEquals(footprint.logicalBytes, elements * 2);
      assert(metalPhysicalShape(shape, layout).length === layout.grid.length);
    }),
    { numRuns: 150, seed: 29 },
  );
});

const LOGICAL = (shape: string, alignments: string, intervals: string, rest: string) =>
  `#ttcore.metal_layout<logical_shape = ${shape}, dim_alignments = ${alignments}, ` +
  `collapsed_intervals = ${intervals}, ${rest}>`;
const ROWS_AND_COLUMNS = "dense<[[0, 2], [2, 3]]> : tensor<2x2xi64>";

Deno.test("parseLogicalMetalLayout() divides as in the compiler's comments", () => {
  // Both examples stand above MetalLayoutAttr::computeAlignments: unsharded shape, device shape.
  const cases = [
    { logical: "4x43x7", alignments: "1x32x32", device: [8, 1, 1, 1], physical: [256, 32] },
    { logical: "9x43x7", alignments: "256x32x32", device: [8, 1, 3, 1], physical: [768, 32] },
  ];
  for (const { logical, alignments, device, physical } of cases) {
    const text = LOGICAL(logical, alignments, ROWS_AND_COLUMNS, "undef, l1, sharded");
    const tensor = { shape: device, dataType: "f32" as const, tile: { height: 32, width: 32 } };
    const { shape, layout } = parseLogicalMetalLayout(text, tensor);
    assertEquals(shape, logical.split("x").map(Number));
    assertEquals(metalPhysicalShape(shape, layout), physical);
    const places = metalCoordinates(shape, layout, { workerGrid: { rows: 8, columns: 8 } });
    for (const index of [[0, 0, 0], [1, 33, 6], [shape[0] === 4 ? 3 : 8, 42, 5]]) {
      const place = places.locate(index);
      assertEquals(place.physical, [(index[0] ?? 0) * 64 + (index[1] ?? 0), index[2] ?? 0]);
      assertEquals(places.contentAt(place), { kind: "element", index });
    }
  }
});

Deno.test("parseLogicalMetalLayout() infers fields that printers of late 2025 and 2026 omit", () => {
  const tensor = { shape: [1, 1, 64, 64], dataType: "f32" as const, tile: undefined };
  const none = "dense<[[0, 1]]> : tensor<1x2xi64>";
  const read = (rest: string, intervals = none) =>
    parseLogicalMetalLayout(LOGICAL("32x32", "64x64", intervals, rest), tensor);
  const whole = read("neginf, l1, sharded");
  assertEquals(whole.layout.oobValue, "neginf");
  assertEquals(whole.layout.memref.shape, [64, 64]);
  assertEquals(metalFootprint(whole.shape, whole.layout).wastedShare, 0.75);
  assertEquals(read("neginf, l1,, index_map = map(4)"), { ...whole, indexMapResults: 4 });
  assertEquals(read("neginf, l1, index_map = map(0)"), whole);
  assertEquals(read("neginf, l1", "dense<> : tensor<0x2xi64>"), whole);
  assertEquals(read("l1, sharded").layout.oobValue, "undef");
});

Deno.test("parseLogicalMetalLayout() refuses layouts that it cannot place", () => {
  const tensor = { shape: [1, 1, 64, 64], dataType: "f32" as const, tile: undefined };
  const none = "dense<> : tensor<0x2xi64>";
  const cases: [string, number[], string][] = [
    [LOGICAL("32x32", "64x64", none, "undef, l2"), tensor.shape, "metal/syntax"],
    [LOGICAL("32x32", "64x64", none, "undef, l1, sharded, sharded"), tensor.shape, "metal/syntax"],
    [LOGICAL("32x32", "64x64", none, "undef, l1, index_map = 4"), tensor.shape, "metal/syntax"],
    [LOGICAL("32x32", "64x64", "dense<[[0]]> : tensor<1x2xi64>", "undef, l1"), tensor.shape, "metal/syntax"],
    [LOGICAL("32x32", "64", none, "undef, l1"), tensor.shape, "shape/rank"],
    [LOGICAL("32x32", "0x64", none, "undef, l1"), tensor.shape, "shape/rank"],
    [
      LOGICAL("32x32", "64x64", "dense<[[0, 9]]> : tensor<1x2xi64>", "undef, l1"),
      tensor.shape,
      "collapse/interval",
    ],
    [LOGICAL("32x32", "64x64", none, "undef, dram, interleaved"), tensor.shape, "conversion/unsupported"],
    [LOGICAL("32x32", "64x64", none, "undef, l1"), [64, 64], "memref/shape"],
    [LOGICAL("32x32", "64x64", none, "undef, l1"), [1, 1, 32, 32], "memref/shape"],
    [LOGICAL("32x0", "64x64", none, "undef, l1"), tensor.shape, "shape/positive-dimensions"],
  ];
  for (const [text, shape, rule] of cases) {
    const error = assertThrows(
      () => parseLogicalMetalLayout(text, { ...tensor, shape }),
      LayoutError,
      undefined,
      text,
    );
    assertEquals(error.rule, rule, text);
  }
});

Deno.test("an aligned shape that does not hold the tensor is refused, and TTNN's own division is asked for", () => {
  const layout = makeMetalLayout({ shape: [64, 64], dataType: "bf16", grid: [1, 1] });
  for (const alignedShape of [[64, 63], [64]]) {
    assertThrows(
      () => metalPhysicalShape([64, 64], { ...layout, alignedShape }),
      LayoutError,
      "does not hold",
    );
  }
  const text = LOGICAL("32x32", "64x64", "dense<> : tensor<0x2xi64>", "undef, dram");
  const tile = { height: 32, width: 32 };
  const padded = parseLogicalMetalLayout(text, { shape: [1, 1, 2, 2], dataType: "bf16", tile });
  assertThrows(
    () => metalToTtnn(padded.shape, padded.layout, { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 }),
    LayoutError,
    "its shards are 2x2, TTNN's are 1x1",
  );
});
