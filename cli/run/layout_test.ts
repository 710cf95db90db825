// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { layout } from "../commands/layout.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

async function runLayout(...args: string[]): Promise<{ code: number; host: MemoryHost }> {
  const host = createMemoryHost({ columns: 200 });
  return { code: await runCommandLine(["layout", ...args], host, "1.2.3", [layout]), host };
}

Deno.test("layout prints attribute, shard, bytes, padding, drawing and one element", async () => {
  const { code, host } = await runLayout("tensor<2x3x64x128xf32>", "--grid", "2x4", "--at", "1,1,6,100");
  assertEquals(code, EXIT.ok);
  assertEquals(
    host.out(),
    [
      "tensor     tensor<2x3x64x128xf32>",
      "layout     #ttcore.metal_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), undef, <2x4>, " +
      "memref<192x32xf32, #ttcore.memory_space<l1>>>",
      "collapsed  384x128 elements",
      "shard      192x32 elements",
      "cores      (d0, d1) -> (0, d0, d1)",
      "bytes      24.0 KiB on each of 8, 192.0 KiB in all, 192.0 KiB without padding: 0.0 % wasted",
      "padding    rows none; columns none",
      "",
      "rows \\ columns             0-31   32-63  64-95  96-127",
      "0-191  [0,0,0]…[0,2,63]    (0,0)  (1,0)  (2,0)  (3,0)",
      "192-383  [1,0,0]…[1,2,63]  (0,1)  (1,1)  (2,1)  (3,1)",
      "",
      "element    [1, 1, 6, 100]",
      "collapsed  (262, 100)",
      "shard      [1, 3]",
      "core       (3,1)",
      "offset     (70, 4) in the shard",
      "byte       8976 from the start of the shard",
      "",
    ].join("\n"),
  );
});

Deno.test("layout sums up a reshard", async () => {
  const { code, host } = await runLayout(
    "tensor<4096x4096xbf16>",
    "--sharding",
    "block",
    "--grid",
    "8x8",
    "--reshard-to",
    "l1/height/64x1",
  );
  assertEquals(code, EXIT.ok);
  assertStringIncludes(
    host.out(),
    [
      "reshard     l1/block_sharded/8x8 to l1/height_sharded/64x1",
      "class       reshard",
      "moved       28.00 MiB of 32.00 MiB in 448 transfers; 16,384 pages in all",
    ].join("\n"),
  );
});

Deno.test("layout reads layouts that are written in the type", async () => {
  const metal = "tensor<53x63xf32, #ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, " +
    "memref<1x1x!ttcore.tile<32 x 32, bfp_bf8>, #ttcore.memory_space<l1>>>>";
  const first = await runLayout(metal);
  assertEquals(first.code, EXIT.ok, first.host.err());
  assertStringIncludes(first.host.out(), "padding    rows 14, last 15; columns 0, last 1");
  const logical = await runLayout(
    "tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 32x32, dim_alignments = 64x64, " +
      "collapsed_intervals = dense<[[0, 1]]> : tensor<1x2xi64>, neginf, l1,, index_map = map(4)>>",
    "--at",
    "31,5",
  );
  assertEquals(logical.code, EXIT.ok, logical.host.err());
  assertStringIncludes(logical.host.err(), "remark: the index map of 4 results is not part of the text");
  assertStringIncludes(logical.host.out(), "collapsed  64x64 elements");
  assertStringIncludes(
    logical.host.out(),
    "layout     #ttcore.metal_layout<logical_shape = 32x32, dim_alignments",
  );
  assertStringIncludes(logical.host.out(), "byte       7956 from the start of the shard");
  const ttnn = "tensor<64x64xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, " +
    "memref<1x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <height_sharded>, " +
    "core_ranges = <[#ttnn.core_range<(1,1), (2,1)>]>>>";
  const second = await runLayout(ttnn, "--at", "40,3");
  assertEquals(second.code, EXIT.ok, second.host.err());
  assertStringIncludes(second.host.out(), "node     core (2,1)");
});

Deno.test("layout writes JSON and SVG", async () => {
  const { code, host } = await runLayout(
    "53x63xbf16",
    "--grid",
    "3x2",
    "--tile",
    "32x32",
    "--json",
    "--svg",
    "a.svg",
  );
  assertEquals(code, EXIT.ok);
  const answer: unknown = JSON.parse(host.out());
  assertEquals(
    Object.entries(answer ?? {}).filter(([name]) =>
      ["schema", "shardShape", "bytesPerNode", "nodes"].includes(name)
    ),
    [["schema", "tilewright.layout/1"], ["shardShape", [18, 32]], ["nodes", 6], ["bytesPerNode", 2048]],
  );
  assertStringIncludes(host.files.get("a.svg") ?? "", "<svg");
});

Deno.test("layout takes collapse, alignment, memory, orientation and interleaving", async () => {
  const cases: [string[], string][] = [
    [
      ["2x3x64x128xbf16", "--grid", "2x2x4", "--collapse", "1:-1", "--tile", "32x32", "--devices", "2"],
      "1:(3,1)",
    ],
    [
      ["2x3x4x5x6x7x8xf32", "--collapse=0:3", "--collapse=-3:-1"],
      "(d0 * 12 + d1 * 4 + d2, d3, d4 * 7 + d5, d6)",
    ],
    [
      ["2x8x32xf32", "--align", "1,32,1", "--grid", "1x2", "--tile", "32x32"],
      "memref<2x1x!ttcore.tile<32x32, f32>",
    ],
    [["8x8xf32", "--linear", "(i, j) -> (i * 10 + 1, j)", "--memory", "dram"], "collapsed  72x8 elements"],
    [["320x64xbf16", "--sharding", "interleaved"], "20 dealt out to 12 banks in turn, up to 2 each"],
    [["64x64xbf16", "--sharding", "interleaved"], "#ttnn.buffer_type<dram>>, <interleaved>"],
    [
      ["64x64xbf16", "--sharding", "interleaved", "--memory", "system", "--tile", "none"],
      "memref<64x64xbf16",
    ],
    [
      ["64x160xbf16", "--sharding", "block", "--grid", "2x5", "--orientation", "col_major"],
      "core_ranges = <[#ttnn.core_range<(0,0), (1,4)>]>",
    ],
    [["2x64x64xbf16", "--sharding", "nd", "--grid", "2x1x2"], "<2x1x2>"],
    [
      ["64x64xbf16", "--dtype", "bfp_bf8", "--sharding", "height", "--grid", "2x1"],
      "!ttcore.tile<32x32, bfp_bf8>",
    ],
  ];
  for (const [args, text] of cases) {
    const { code, host } = await runLayout(...args);
    assertEquals(code, EXIT.ok, host.err());
    assertStringIncludes(host.out(), text);
  }
});

Deno.test("layout remarks shards that are larger than L1", async () => {
  const { code, host } = await runLayout("8192x8192xbf16", "--sharding", "height", "--grid", "2x1");
  assertEquals(code, EXIT.ok);
  assertStringIncludes(host.err(), "remark: 64.00 MiB on a core are more than its");
});

Deno.test("layout accepts scalars", async () => {
  const { code, host } = await runLayout("tensor<f32>");
  assertEquals(code, EXIT.ok, host.err());
  assertStringIncludes(host.out(), "#ttcore.metal_layout<() -> (), undef, <>, memref<f32, ");
});

Deno.test("layout answers bad input with exit code 3 and the name of the rule", async () => {
  const cases: [string[], string][] = [
    [["tensor<2x0x4xf32>"], "[shape/positive-dimensions]"],
    [["tensor<2x-3x4xf32>"], "[shape/positive-dimensions]"],
    [["tensor<4x4xf32>", "--grid", "2x2x2"], "[grid/rank]"],
    [["tensor<4x4xf32>", "--grid", "0x2"], "[grid/positive-dimensions]"],
    [["tensor<400x400xf32>", "--grid", "3x12"], "[grid/virtual-to-physical]"],
    [["tensor<4x4xf32>", "--tile", "7x7"], "[tile/supported-shape]"],
    [["tensor<4x4xf32>", "--at", "4,0"], "[index/out-of-bounds]"],
    [["tensor<4x4xf32>", "--at", "-1,0"], "[index/out-of-bounds]"],
    [["tensor<4x4xf32>", "--at", "1"], "[shape/rank]"],
    [["tensor<4x4xf32>", "--collapse", "0:3"], "[collapse/interval]"],
    [["tensor<4x4xf32>", "--sharding", "block"], "[grid/required]"],
    [["tensor<4x4xf32>", "--sharding", "block", "--grid", "9x9"], "[grid/exceeds-worker-grid]"],
    [["tensor<4x4xf32>", "--sharding", "block", "--grid", "1x1", "--memory", "dram"], "dram-block-sharded]"],
    [
      ["tensor<2x8x32xbf16>", "--tile", "32x32", "--reshard-to", "dram/interleaved"],
      "[conversion/unsupported]",
    ],
    [["tensor<4x4xq7>"], "Cannot read the tensor"],
    [["tensor<4x4xf32"], "never closed"],
    [["tensor<?x4xf32>"], "Cannot read the tensor"],
    [["tensor<4x4xf32, #foo.bar>"], "neither a metal_layout nor a ttnn_layout"],
  ];
  for (const [args, message] of cases) {
    const { code, host } = await runLayout(...args);
    assertEquals(code, EXIT.badInput, `${args.join(" ")}: ${host.out()}${host.err()}`);
    assertStringIncludes(host.err(), message);
    assertEquals(host.out(), "");
  }
});

Deno.test("layout answers words that make no sense with exit code 2", async () => {
  const tensor = "tensor<4x4xf32>";
  for (
    const args of [
      [],
      [tensor, "--grid", "2by2"],
      [tensor, "--tile", "32"],
      [tensor, "--collapse", "0-1"],
      [tensor, "--at", "a,b"],
      [tensor, "--dtype", "f99"],
      [tensor, "--reshard-to", "l2"],
      [tensor, "--orientation", "col_major"],
      [tensor, "--sharding", "height", "--collapse", "0:1"],
      [tensor, "--sharding", "interleaved", "--grid", "2x2"],
      [tensor, "--sharding", "interleaved", "--memory", "mmio"],
      [tensor, "--linear", "(i, j) -> (i, j)", "--collapse", "0:1"],
    ]
  ) {
    const { code, host } = await runLayout(...args);
    assertEquals(code, EXIT.usage, `${args.join(" ")}: ${host.out()}${host.err()}`);
  }
});

Deno.test("layout takes the tensor-layout document's maps of more results than two, one dim in several of them", async () => {
  const three = await runLayout(
    "tensor<8x96x32xf32>",
    "--linear",
    "(d0, d1, d2) -> (d0 * 96 + d1, d1, d2)",
    "--grid",
    "2x1x2",
    "--at",
    "5,3,20",
  );
  assertEquals(three.code, EXIT.ok);
  assertStringIncludes(three.host.out(), "memref<384x96x16xf32, #ttcore.memory_space<l1>>>");
  // 4 of 8 batches, 96 rows, 16 of 32 columns.
  assertStringIncludes(three.host.out(), `elements   ${(4 * 96 * 16).toLocaleString("en")} in a shard`);
  assertStringIncludes(three.host.out(), "collapsed  (483, 3, 20)\nshard      [1, 0, 1]");
  const seven = await runLayout(
    "tensor<5x3x2x2x7x32x32xf32>",
    "--linear",
    "(d0, d1, d2, d3, d4, d5, d6) -> (d0 * 2688 + d1 * 896 + d2 * 448 + d3 * 224 + d4 * 32 + d5, d4, d5, d6)",
    "--grid",
    "3x2x2x2",
  );
  assertEquals(seven.code, EXIT.ok);
  assertStringIncludes(seven.host.out(), "memref<4480x4x16x16xf32, #ttcore.memory_space<l1>>>");
  assertStringIncludes(seven.host.out(), "15,360 to 20,480 in a shard");
  const drawn = await runLayout(
    "tensor<3x4xf32>",
    "--linear",
    "(d0, d1) -> (d0, d0, d1)",
    "--grid",
    "1x1x1",
    "--svg",
    "x",
  );
  assertEquals(drawn.code, EXIT.usage);
});

Deno.test("layout prints stride and shard shape in TTNN's terms", async () => {
  const tiled = await runLayout("tensor<2x3x60x100xbf16>", "--sharding", "height", "--grid", "6x1");
  assertStringIncludes(
    tiled.host.out(),
    "stride (24576, 8192, 128, 1), shard_shape (64, 128), physical_shard_shape (64, 128), tile_shape (32, 32), " +
      "grid_shape (6, 1)",
  );
  const rows = await runLayout(
    "tensor<2x3x60x100xbf16>",
    "--sharding",
    "height",
    "--grid",
    "8x1",
    "--tile",
    "none",
  );
  assertStringIncludes(
    rows.host.out(),
    "stride (18000, 6000, 100, 1), shard_shape (45, 100), physical_shard_shape (45, 100), tile_shape none, " +
      "grid_shape (8, 1)",
  );
});

Deno.test("layout --html writes a page with every tile of the tensor, metal or TTNN", async () => {
  const metal = await runLayout("tensor<2x3x64x128xf32>", "--grid", "2x4", "--html", "page.html");
  assertEquals(metal.code, EXIT.ok);
  assertStringIncludes(metal.host.files.get("page.html") ?? "", '"nodes":["(0,0)","(1,0)","(2,0)","(3,0)",');
  const ttnn = await runLayout(
    "tensor<64x96xbf16>",
    "--sharding",
    "height",
    "--grid",
    "2x1",
    "--html",
    "page.html",
  );
  assertEquals((ttnn.host.files.get("page.html") ?? "").split('"byte":').length - 1, 6);
});
