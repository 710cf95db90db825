// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { DataType } from "../layout/data_type.ts";
import { layoutKey } from "../layout/layout_table.ts";
import { makeLayout, shardRows } from "../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { conversionChain, conversionOp } from "./conversion_chain.ts";

const workerGrid = { rows: 8, columns: 8 };
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

Deno.test("conversionChain() ends at the target and every op changes only what it may", () => {
  fc.assert(fc.property(anyLayout, anyLayout, (from, to) => {
    const chain = conversionChain(tensor, from, to, workerGrid);
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
          assertEquals(memoryOf(current), memoryOf(next));
          // Within shards only the pages change, and no row leaves its core.
          if (isSharded(next)) {
            assertEquals([next.memoryLayout, samePages], ["height_sharded", false]);
            assertEquals([current.dataType, shardRows(current)], [next.dataType, shardRows(next)]);
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
    workerGrid,
  );
  assertEquals(chain.map((step) => step.op), ["ttnn.to_memory_config"]);
});

Deno.test("pages change within height shards that hold the same rows, else in interleaved memory", () => {
  const opsBetween = (rows: number, grid: readonly number[], columns = 64): readonly string[] => {
    const of = (tile?: null) =>
      makeLayout({
        shape: [rows, columns],
        dataType: "bf16",
        ...(tile === undefined ? {} : { tile }),
        bufferType: "l1",
        memoryLayout: grid[1] === 1 ? "height_sharded" : "block_sharded",
        grid,
      }, workerGrid);
    const type = { shape: [rows, columns], dataType: "bf16" } as const;
    return conversionChain(type, of(), of(null), workerGrid).map(({ op }) => op);
  };
  const aside = ["ttnn.to_memory_config", "ttnn.to_layout", "ttnn.to_memory_config"];
  assertEquals(opsBetween(256, [8, 1]), ["ttnn.to_layout"]);
  // Two tiles per core, 60 rows per core.
  assertEquals(opsBetween(240, [4, 1]), aside);
  assertEquals(opsBetween(256, [2, 2]), aside);
});

Deno.test("conversionOp() is the op of a move that takes one, and a reshard where it takes several", () => {
  const between = (from: TtnnLayout, to: TtnnLayout): string => conversionOp(tensor, from, to, workerGrid);
  const dram = layout("dram", true, "bf16");
  assertEquals(between(dram, layout("dram", false, "bf16")), "ttnn.to_layout");
  assertEquals(between(dram, layout("dram", true, "f32")), "ttnn.typecast");
  assertEquals(between(layout("host", true, "bf16"), dram), "ttnn.to_device");
  assertEquals(between(layout("host", true, "bf16"), layout("l1", true, "bf16")), "ttnn.to_memory_config");
  assertEquals(between(dram, dram), "ttnn.to_memory_config");
});
