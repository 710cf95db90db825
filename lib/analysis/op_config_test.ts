// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertNotEquals } from "@std/assert";
import { LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { attributesKey, type OpConfig, pickOpConfig } from "./op_config.ts";

const layouts = new LayoutTable();

function config(memory: "dram" | "l1", pages: { readonly tile?: null }): OpConfig {
  const request = { shape: [64, 64], dataType: "bf16", memoryLayout: "interleaved" } as const;
  const layout = makeLayout({ ...request, ...pages, bufferType: memory }, { rows: 8, columns: 8 });
  return { outputLayout: layouts.intern(layout), attributes: undefined };
}

Deno.test("pickOpConfig() takes the first config with the pages that the op has, else the first", () => {
  const [dramRows, dramTiles, l1Tiles] = [
    config("dram", { tile: null }),
    config("dram", {}),
    config("l1", {}),
  ];
  assertEquals(pickOpConfig([dramRows, dramTiles, l1Tiles], true, layouts), dramTiles);
  assertEquals(pickOpConfig([l1Tiles, dramTiles, dramRows], false, layouts), dramRows);
  assertEquals(pickOpConfig([l1Tiles, dramTiles], false, layouts), l1Tiles);
});

Deno.test("attributesKey() tells configs apart, and each from none", () => {
  const matmul = { kind: "matmul", computeConfig: { mathFidelity: "hifi2" } } as const;
  const keys = [undefined, matmul, { ...matmul, computeConfig: { mathFidelity: "lofi" } } as const].map(
    attributesKey,
  );
  assertEquals(new Set(keys).size, 3);
  assertEquals(attributesKey({ ...matmul }), attributesKey(matmul));
  assertNotEquals(attributesKey(matmul), "");
});
