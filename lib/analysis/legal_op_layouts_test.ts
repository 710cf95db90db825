// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { present } from "../../testing/present.ts";
import { testChipWithGrid } from "../../testing/chips.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { dramInterleavedTiled } from "../../testing/graph_builder.ts";
import { describeLayout } from "../layout/describe.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { gridVolume, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { parseOutputLayoutOverrides } from "../overrides/output_layout_override.ts";
import { l1Shards, legalOpLayouts } from "./legal_op_layouts.ts";
import { LegalTensorLayoutAnalysis } from "./legal_tensor_layouts.ts";
import { pickOpConfig } from "./op_config.ts";

interface Query {
  readonly tensor?: TensorShape;
  readonly rows?: number;
  readonly columns?: number;
  readonly maxLegalLayouts?: number;
  readonly rowMajorEnabled?: boolean;
  readonly movable?: boolean;
  readonly override?: string;
  /** Whether the result is row-major. */
  readonly inRows?: boolean;
}

function layoutsFor(query: Query): { layouts: TtnnLayout[]; table: LayoutTable } {
  const { rows = 8, columns = 8, rowMajorEnabled = false, maxLegalLayouts = 64 } = query;
  const tensor = query.tensor ?? { shape: [512, 1024], dataType: "bf16" };
  const table = new LayoutTable();
  const chip = testChipWithGrid(rows, columns);
  const override = query.override === undefined
    ? undefined
    : parseOutputLayoutOverrides(`op=${query.override}`).get("op");
  const analysis = new LegalTensorLayoutAnalysis(chip, table, {
    rowMajorEnabled: rowMajorEnabled || override?.pageLayout === "row_major",
  });
  const ids = legalOpLayouts(
    {
      name: "op",
      tensor,
      current: query.inRows === true
        ? { ...dramInterleavedTiled(tensor), tile: undefined }
        : dramInterleavedTiled(tensor),
      movable: query.movable ?? true,
      override,
    },
    analysis,
    table,
    chip.workerGrid,
    { maxLegalLayouts, rowMajorEnabled },
  );
  return { layouts: ids.map((id) => table.get(id)), table };
}

/** The layout of an op outside chains. */
function picked(override: string): string {
  const { layouts, table } = layoutsFor({ override });
  const configs = layouts.map((layout) => ({ outputLayout: table.intern(layout), attributes: undefined }));
  const layout = table.get(present(pickOpConfig(configs, true, table)?.outputLayout));
  return `${describeLayout(layout)} ${layout.gridShape.join("x")} ${layout.dataType}`;
}

Deno.test("legalOpLayouts() keeps to the limits that upstream tests, and always offers something", () => {
  // test/unittests/Optimizer/TestLegalLayoutAnalysis.cpp in tt-mlir.
  for (const shape of [[256, 512, 32], [128, 256, 64], [512, 1024, 128]]) {
    for (const side of [4, 8, 6, 16, 2]) {
      for (const rowMajorEnabled of [false, true]) {
        for (const maxLegalLayouts of [0, 1, 8, 16, 32, 64, 128, 2 ** 31 - 1]) {
          const { layouts } = layoutsFor({
            tensor: { shape, dataType: "f32" },
            rows: side,
            columns: side,
            rowMajorEnabled,
            maxLegalLayouts,
          });
          assert(layouts.length > 0);
          if (!rowMajorEnabled) assert(layouts.every((layout) => layout.tile !== undefined));
          assert(layouts.filter(isSharded).length <= maxLegalLayouts);
        }
      }
    }
  }
});

Deno.test("legalOpLayouts() lists interleaved layouts first and halves the limit when row-major is allowed", () => {
  const { layouts } = layoutsFor({ rowMajorEnabled: true, maxLegalLayouts: 9 });
  assertEquals(layouts.slice(0, 3).map(describeLayout), [
    "dram/interleaved/row_major",
    "dram/interleaved",
    "l1/interleaved",
  ]);
  const sharded = layouts.filter(isSharded);
  assertEquals(sharded.filter((layout) => layout.tile === undefined).length, 4);
  assertEquals(sharded.filter((layout) => layout.tile !== undefined).length, 4);
  const volumes = sharded.map(gridVolume);
  assertEquals(volumes, volumes.toSorted((a, b) => b - a));
});

Deno.test("legalOpLayouts() leaves ops that may not change with the layout that they have", () => {
  assertEquals(layoutsFor({ movable: false }).layouts.map(describeLayout), ["dram/interleaved"]);
});

Deno.test("overridden ops get what upstream's output_layout_override.mlir expects", () => {
  // The seventh row of that file expects row-major to be ignored; the full override is taken as it is written here.
  assertEquals(picked("1x1"), "dram/interleaved 1x1 bf16");
  assertEquals(picked("l1"), "l1/interleaved 8x8 bf16");
  assertEquals(picked("block_sharded:1x1"), "l1/block_sharded/1x1 1x1 bf16");
  assertEquals(picked("bf16"), "dram/interleaved 1x1 bf16");
  assertEquals(picked("l1:interleaved"), "l1/interleaved 8x8 bf16");
  assertEquals(picked("width_sharded:tile").split("/").slice(0, 2), ["l1", "width_sharded"]);
  assertEquals(picked("1x1:dram:interleaved:row_major:bf16"), "dram/interleaved/row_major 1x1 bf16");
  assertEquals(picked("4x4:l1:interleaved:tile:f32"), "l1/interleaved 4x4 f32");
});

Deno.test("a partial row_major override works although row-major is not enabled", () => {
  const { layouts } = layoutsFor({ override: "row_major" });
  assert(layouts.length > 0 && layouts.every((layout) => layout.tile === undefined));
});

Deno.test("an override that means rows may have them in interleaved L1; nobody else is offered that", () => {
  assertEquals(picked("l1:interleaved:row_major"), "l1/interleaved/row_major 8x8 bf16");
  const { layouts } = layoutsFor({ rowMajorEnabled: true });
  assert(layouts.every((layout) => describeLayout(layout) !== "l1/interleaved/row_major"));
});

Deno.test("an override that says nothing of pages keeps those of the result", () => {
  for (const inRows of [false, true]) {
    const { layouts } = layoutsFor({ override: "block_sharded", inRows, rowMajorEnabled: true });
    assert(layouts.length > 0 && layouts.every(({ tile }) => (tile === undefined) === inRows));
  }
});

Deno.test("impossible overrides explain themselves", () => {
  const message = (override: string, query: Query = {}): string =>
    assertThrows(() => layoutsFor({ ...query, override }), DiagnosticError).message;
  assertEquals(
    message("7x9"),
    "Cannot override the output layout of op with 7x9: none of its 66 legal layouts is like that",
  );
  assertEquals(
    message("9x9:l1:block_sharded:tile"),
    "Cannot override the output layout of op with 9x9:l1:block_sharded:tile: the worker grid is 8x8",
  );
  assertEquals(
    message("2x2:l1:height_sharded:tile"),
    "Cannot override the output layout of op with 2x2:l1:height_sharded:tile: a height_sharded grid is Nx1",
  );
  assertEquals(
    message("l1:block_sharded", { maxLegalLayouts: 0 }),
    "Cannot override the output layout of op with l1:block_sharded: none of its 2 legal layouts is like that",
  );
  assert(message("1x1:l1:nd_sharded:tile").endsWith("needs a shard shape, which overrides cannot give"));
});

Deno.test("legalOpLayouts() lets a full override have as many shards in a line as there are cores, no more", () => {
  const shards = (grid: string, kind: string) =>
    layoutsFor({ override: `${grid}:l1:${kind}:tile`, tensor: { shape: [4096, 4096], dataType: "bf16" } })
      .layouts.length;
  assertEquals([shards("64x1", "height_sharded"), shards("1x64", "width_sharded")], [1, 1]);
  assertThrows(() => shards("65x1", "height_sharded"), DiagnosticError, "the worker grid is 8x8");
  assertThrows(() => shards("1x65", "width_sharded"), DiagnosticError, "the worker grid is 8x8");
});

Deno.test("l1Shards() counts shards in L1 only", () => {
  const tensor: TensorShape = { shape: [512, 1024], dataType: "bf16" };
  const [sharded] = layoutsFor({ override: "8x8:l1:block_sharded:tile", tensor }).layouts;
  assert(sharded !== undefined);
  assertEquals(l1Shards(sharded), 64);
  assertEquals(l1Shards({ ...sharded, bufferType: "dram" }), undefined);
});
