// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import { layoutKey, LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { layoutMisfit } from "../opmodel/layout_checks.ts";
import { conversionChain, conversionOp } from "./conversion_chain.ts";
import fc from "fast-check";

const workerGrid = { rows: 8, columns: 8 };
const chip = { workerGrid, l1Alignment: 16 };
const tensor = { shape: [256, 128], dataType: "bf16" } as const;

type Memory = "host" | "dram" | "l1" | "height" | "width" | "block";

function layout(memory: Memory, tiled: boolean, dataType: DataType): TtnnLayout {
  const base = { ...tensor, dataType, ...(tiled ? {} : { tile: null }) };
  switch (memory) {
    case "host":
      return makeLayout({ ...base, bufferType: "system_memory", memoryLayout: undefined }, workerGrid);
    case "dram":
    case "l1":
      return makeLayout({ ...base, bufferType: memory, memoryLayout: "interleaved" }, workerGrid);
    case "height":
      return makeLayout(
        { ...base, bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
        workerGrid,
      );
    case "width":
      return makeLayout(
        { ...base, bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 4] },
        workerGrid,
      );
    case "block":
      return makeLayout(
        { ...base, bufferType: "l1", memoryLayout: "block_sharded", grid: [4, 4] },
        workerGrid,
      );
  }
}

const anyLayout = fc.record({
  memory: fc.constantFrom<Memory>("host", "dram", "l1", "height", "width", "block"),
  tiled: fc.boolean(),
  dataType: fc.constantFrom<DataType>("bf16", "f32"),
}).map(({ memory, tiled, dataType }) => layout(memory, tiled, dataType));

const onHost = (candidate: TtnnLayout): boolean => candidate.bufferType === "system_memory";
const memoryOf = (candidate: TtnnLayout): string =>
  [candidate.bufferType, candidate.memoryLayout, candidate.gridShape, JSON.stringify(candidate.coreRanges)]
    .join("/");

Deno.test("conversionChain() ends at the target, and every op changes only its own properties", () => {
  fc.assert(fc.property(anyLayout, anyLayout, (from, to) => {
    const chain = conversionChain(tensor, from, to, chip);
    assertEquals(layoutKey(chain.at(-1)?.layout ?? from), layoutKey(to));
    let current = from;
    for (const { op, layout: next } of chain) {
      const samePages = (current.tile === undefined) === (next.tile === undefined);
      switch (op) {
        case "ttnn.to_memory_config":
          assertEquals([samePages, current.dataType], [true, next.dataType]);
          assertEquals([onHost(current), onHost(next)], [false, false]);
          break;
        case "ttnn.to_layout":
          assertEquals([memoryOf(current), samePages], [memoryOf(next), false]);
          if (isSharded(next)) {
            // Within shards only the pages change, and no element leaves its core.
            const [before, after] = [current, next].map((
              { dataType, shardShape: [height = 0], tile },
            ) => [dataType, height * (tile?.height ?? 1)]);
            assertEquals(before, after);
          } else if (next.tile === undefined && !onHost(next)) {
            assertEquals(current.dataType, next.dataType);
          }
          break;
        case "ttnn.typecast":
          assertEquals([memoryOf(current), samePages], [memoryOf(next), true]);
          break;
        case "ttnn.to_device":
          assertEquals([onHost(current), onHost(next), samePages, current.dataType], [
            true,
            false,
            true,
            next.dataType,
          ]);
          break;
        case "ttnn.from_device":
          assertEquals([onHost(current), onHost(next), samePages, current.dataType], [
            false,
            true,
            true,
            next.dataType,
          ]);
          break;
      }
      assertEquals(layoutKey(current) === layoutKey(next), false);
      current = next;
    }
  }));
});

Deno.test("conversionChain() moves memory with one op", () => {
  const chain = conversionChain(
    tensor,
    layout("height", true, "bf16"),
    layout("block", true, "bf16"),
    chip,
  );
  assertEquals(chain.map((step) => step.op), ["ttnn.to_memory_config"]);
});

Deno.test("pages change within shards of whole tiles without padding, else in interleaved memory", () => {
  const opsBetween = (shape: readonly number[], grid: readonly number[]): readonly string[] => {
    const memoryLayout = grid[1] === 1 ? "height_sharded" : grid[0] === 1 ? "width_sharded" : "block_sharded";
    const of = (tile?: null) =>
      makeLayout({
        shape,
        dataType: "bf16",
        ...(tile === undefined ? {} : { tile }),
        bufferType: "l1",
        memoryLayout,
        grid,
      }, workerGrid);
    return conversionChain({ shape, dataType: "bf16" }, of(), of(null), chip).map(({ op }) => op);
  };
  const aside = ["ttnn.to_memory_config", "ttnn.to_layout", "ttnn.to_memory_config"];
  assertEquals(opsBetween([256, 64], [8, 1]), ["ttnn.to_layout"]);
  assertEquals(opsBetween([256, 64], [2, 2]), ["ttnn.to_layout"]);
  assertEquals(opsBetween([256, 64], [1, 2]), ["ttnn.to_layout"]);
  // Two tiles per core, 60 rows per core.
  assertEquals(opsBetween([240, 64], [4, 1]), aside);
  // Rows of one and a half tiles.
  assertEquals(opsBetween([256, 48], [8, 1]), aside);
});

Deno.test("the format changes in tiles, except where rows become tiles of another floating point format", () => {
  const between = (from: readonly [boolean, DataType], to: readonly [boolean, DataType]) =>
    conversionChain(tensor, layout("dram", ...from), layout("dram", ...to), chip).map(({ op }) => op);
  assertEquals(between([false, "f32"], [true, "bfp_bf8"]), ["ttnn.to_layout"]);
  assertEquals(between([true, "bfp_bf8"], [false, "bf16"]), ["ttnn.to_layout"]);
  // "dtype cannot be different from tensor dtype when converting to ROW_MAJOR" (ttnn 0.81.1).
  assertEquals(between([true, "f32"], [false, "bf16"]), ["ttnn.typecast", "ttnn.to_layout"]);
  assertEquals(between([false, "u32"], [true, "bf16"]), ["ttnn.to_layout", "ttnn.typecast"]);
});

const place = fc.record({
  memory: fc.constantFrom("dram", "l1", "height_sharded", "width_sharded", "block_sharded"),
  rows: fc.integer({ min: 1, max: 64 }),
  columns: fc.integer({ min: 1, max: 64 }),
  tiled: fc.boolean(),
  dataType: fc.constantFrom<DataType>("bf16", "f32", "bfp_bf8", "u32"),
});

const anyShape = fc.tuple(
  fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
  fc.oneof(fc.integer({ min: 1, max: 40 }).map((tiles) => 32 * tiles), fc.integer({ min: 1, max: 300 })),
  fc.oneof(fc.integer({ min: 1, max: 40 }).map((tiles) => 32 * tiles), fc.integer({ min: 1, max: 300 })),
).map(([leading, height, width]) => [...leading, height, width]);

/** A layout that the backend can make; `undefined` where it cannot. */
function layoutIn(
  shape: readonly number[],
  { memory, rows, columns, tiled, dataType }: Parameters<Parameters<typeof place["map"]>[0]>[0],
): TtnnLayout | undefined {
  const base = { shape, dataType, ...(tiled || isBlockFloat(dataType) ? {} : { tile: null }) };
  if (memory === "dram" || memory === "l1") {
    return makeLayout({ ...base, bufferType: memory, memoryLayout: "interleaved" }, workerGrid);
  }
  const grid = {
    height_sharded: [rows, 1],
    width_sharded: [1, columns],
    block_sharded: [1 + rows % 8, 1 + columns % 8],
  }[memory];
  const made = makeLayout({ ...base, bufferType: "l1", memoryLayout: memory, grid }, workerGrid);
  return layoutMisfit(shape, made, TEST_WORMHOLE) === undefined ? made : undefined;
}

Deno.test("the op model accepts every op of a conversion between any two layouts, with the chain's result layouts", () => {
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts });
  let asked = 0;
  fc.assert(
    fc.property(anyShape, place, place, (shape, first, second) => {
      const [from, to] = [layoutIn(shape, first), layoutIn(shape, second)];
      if (from === undefined || to === undefined) return;
      let current = from;
      for (
        const { op, layout: next } of conversionChain(
          { shape, dataType: from.dataType },
          from,
          to,
          chip,
        )
      ) {
        const question = {
          name: op,
          attributes: new Map(),
          operands: [{ shape, dataType: current.dataType }],
          operandSegmentSizes: undefined,
          results: [{ shape, dataType: next.dataType }],
        };
        const wanted = layouts.intern(next);
        const answer = opModel.queryOpConstraints(
          question,
          [layouts.intern(current)],
          wanted,
          undefined,
          Number.NEGATIVE_INFINITY,
        );
        assert(answer.status === "valid", `${op}: ${answer.status === "invalid" ? answer.message : ""}`);
        assertEquals(answer.outputLayouts, [wanted]);
        current = next;
        asked++;
      }
    }),
    { numRuns: 400 },
  );
  assert(asked > 300, `${asked} ops`);
});

Deno.test("conversionOp() is the op of a move that takes one, and a reshard where it takes several", () => {
  const between = (from: TtnnLayout, to: TtnnLayout): string => conversionOp(tensor, from, to, chip);
  const dram = layout("dram", true, "bf16");
  assertEquals(between(dram, layout("dram", false, "bf16")), "ttnn.to_layout");
  assertEquals(between(dram, layout("dram", true, "f32")), "ttnn.typecast");
  assertEquals(between(layout("host", true, "bf16"), dram), "ttnn.to_device");
  assertEquals(between(layout("host", true, "bf16"), layout("l1", true, "bf16")), "ttnn.to_memory_config");
  assertEquals(between(dram, dram), "ttnn.to_memory_config");
});
