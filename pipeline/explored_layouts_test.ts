// SPDX-License-Identifier: Apache-2.0

/** Whether what is explored is enough: no sharding that is left out would make a plan much cheaper. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isDecided } from "../lib/graph/function_role.ts";
import { LayoutSpace } from "../lib/optimal/exploration/layout_space.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { OpEvaluator } from "../lib/search/op_evaluator.ts";
import { opRoles } from "../lib/search/op_roles.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { loadModule } from "./load_module.ts";
import { lowerBoundOf } from "./lower_bound.ts";
import { decidePlan, optimizeModule } from "./optimize.ts";

/** Every grid of every sharding type, beside as many results as there are. */
const ALL_GRIDS = { ...DEFAULT_POLICY_OPTIONS, maxReshardCandidatesPerType: 1000, maxLegalLayouts: 4096 };

/** More combinations of layouts than ops of two operands on the largest chip have. */
const ALL_COMBINATIONS = { combinations: 100_000, work: 50_000_000 };

type Shape = readonly number[];

const typeOf = (shape: Shape): string => `tensor<${[...shape, "bf16"].join("x")}>`;

/** An op between two elementwise ones, which make and read any layout. */
function between(
  name: string,
  inputs: readonly Shape[],
  parameters: readonly Shape[],
  result: Shape,
  properties = "",
): string {
  const all = [...inputs, ...parameters];
  const declared = all.map((shape, index) =>
    `%a${index}: ${typeOf(shape)} {ttcore.argument_type = #ttcore.argument_type<${
      index < inputs.length ? "input" : "parameter"
    }>}`
  );
  const before = inputs.map((shape, index) =>
    `%x${index} = "ttir.neg"(%a${index}) : (${typeOf(shape)}) -> ${typeOf(shape)}`
  );
  const operands = all.map((_, index) => index < inputs.length ? `%x${index}` : `%a${index}`);
  return `func.func @main(${declared.join(", ")}) -> ${typeOf(result)} {
    ${before.join("\n    ")}
    %r = "ttir.${name}"(${operands.join(", ")})${properties === "" ? "" : ` <{${properties}}>`} : (${
    all.map(typeOf).join(", ")
  }) -> ${typeOf(result)}
    %n = "ttir.neg"(%r) : (${typeOf(result)}) -> ${typeOf(result)}
    return %n : ${typeOf(result)}
  }`;
}

const product = (rows: number, inner: number, columns: number): string =>
  between("matmul", [[rows, inner]], [[inner, columns]], [rows, columns]);

const norm = (rows: number, columns: number): string =>
  between(
    "rms_norm",
    [[1, rows, columns]],
    [[columns]],
    [1, rows, columns],
    `normalized_shape = array<i64: ${columns}>, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 0>`,
  );

function convolution(
  size: number,
  channels: number,
  filters: number,
  kernel: number,
  stride: number,
): string {
  const padding = stride === 1 ? (kernel - 1) / 2 : 0;
  const out = Math.floor((size + 2 * padding - kernel) / stride) + 1;
  return between(
    "conv2d",
    [[1, size, size, channels]],
    [[filters, channels, kernel, kernel]],
    [1, out, out, filters],
    "batch_dim = 0 : i64, height_dim = 1 : i64, width_dim = 2 : i64, channel_dim = 3 : i64, " +
      `dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: ${padding}, ${padding}>, ` +
      `stride = array<i32: ${stride}, ${stride}>`,
  );
}

const join = (rows: number, first: number, second: number): string =>
  between("concat", [[rows, first], [rows, second]], [], [rows, first + second], "dim = 1 : si32");

/** µs of what `auto` decides, and a time that no plan over any sharding undercuts. */
function distance(text: string, device: string): { readonly planUs: number; readonly allUs: number } {
  const workbench = loadModule(text, { device, fileName: "case.mlir" });
  const plan = decidePlan(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  const planUs = simulateGraph(workbench.binding.graph, plan, workbench).inference.totalUs;
  const { microseconds } = lowerBoundOf(workbench, ALL_GRIDS, "hinted", ALL_COMBINATIONS);
  return { planUs, allUs: microseconds };
}

/** Ops that are quicker on some grid than on the four with most shards of each type, by 6 to 73 %. */
const CASES: readonly (readonly [string, string, string])[] = [
  ["a product that reads 28 blocks of a long sum", product(197, 14336, 128), "p150"],
  ["a product that reads 16 shards, not 32", product(256, 4096, 2048), "n150"],
  ["a norm on 52 cores of 128", norm(32, 24576), "p150"],
  ["a join of blocks", join(96, 128, 8192), "n150"],
  ["a convolution that reads whole channels", convolution(14, 256, 256, 3, 1), "n150"],
  ["the first convolution of patches", convolution(160, 3, 16, 14, 14), "n150"],
];

for (const [name, text, device] of CASES) {
  Deno.test(`auto finds the grid that no four with most shards of a type are: ${name}, ${device}`, () => {
    const { planUs, allUs } = distance(text, device);
    assert(planUs <= allUs * 1.01, `${planUs} µs, where ${allUs} µs may be possible`);
  });
}

Deno.test("no sharding that is left out makes a random product cheaper by more than half a percent", () => {
  const extent = (...tiles: number[]) => fc.constantFrom(...tiles.map((count) => 32 * count));
  fc.assert(
    fc.property(
      extent(1, 4, 8, 16),
      extent(8, 24, 64, 128, 256),
      extent(2, 10, 32, 64, 96),
      fc.constantFrom("n150", "p150"),
      (rows, inner, columns, device) => {
        const { planUs, allUs } = distance(product(rows, inner, columns), device);
        assert(planUs <= allUs * 1.005, `${planUs} µs, where ${allUs} µs may be possible`);
      },
    ),
    { numRuns: 12 },
  );
});

Deno.test("auto cuts rows into shards where that makes tiles of them more quickly", () => {
  const of = (memref: string): string =>
    `tensor<2048x768xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<${memref}, ` +
    "#ttnn.buffer_type<dram>>, <interleaved>>>";
  const [rows, tiles] = [of("2048x768xbf16"), of("64x24x!ttcore.tile<32x32, bf16>")];
  const text = `func.func @main(%x: ${rows}) -> ${tiles} {
  %0 = "ttnn.to_layout"(%x) : (${rows}) -> ${tiles}
  %1 = "ttnn.gelu"(%0) : (${tiles}) -> ${tiles}
  return %1 : ${tiles}
}`;
  const decided = (given: Partial<PolicyOptions>) =>
    optimizeModule(loadModule(text, { device: "n150" }), getPolicy("auto"), {
      ...DEFAULT_POLICY_OPTIONS,
      ...given,
    });
  const { timeline, text: written } = decided({});
  const { binding: { graph } } = loadModule(written, { device: "n150" });
  const read = graph.functions.flatMap(({ ops, values }) =>
    ops.flatMap(({ name, operands: [first] }) =>
      name === "ttnn.to_layout" && first !== undefined ? values[first]?.layout?.memoryLayout ?? [] : []
    )
  );
  assertEquals(read, ["height_sharded"]);
  const unsharded = decided({ maxReshardCandidatesPerType: 0 }).timeline.inference.totalUs;
  assert(timeline.inference.totalUs < 0.95 * unsharded, `${timeline.inference.totalUs} of ${unsharded} µs`);
});

/** Explored implementations of a module's ops, in words, that a program which declares them does not get. */
function undeclarable(text: string, device: string): readonly string[] {
  const { binding: { graph }, planning } = loadModule(text, { device, passes: "none" });
  const { opModel, cost } = planning();
  return graph.functions.filter(isDecided).flatMap((fn) => {
    const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
    const limits = { combinations: 600, planKind: "hinted", l1Bytes: opModel.chip.l1Size } as const;
    const space = new LayoutSpace(evaluator, opRoles(evaluator), limits);
    return fn.ops.flatMap(({ id, name }) => {
      const table = space.table(id);
      return [...table.rows, ...table.smaller].flatMap((row) => {
        const { inputs, outputs, config } = space.choiceOf(table, row, "explored");
        const { refusal } = evaluator.footprint(id, inputs, { outputs, config });
        return refusal === undefined ? [] : `${name} ${inputs} -> ${outputs}: ${refusal.rule}`;
      });
    });
  });
}

Deno.test("a program that declares an explored implementation gets it, also where ops have configs of their own", () => {
  for (const text of [product(32, 2048, 3072), convolution(14, 256, 256, 3, 1), join(96, 128, 8192)]) {
    const written = optimizeModule(
      loadModule(text, { device: "n150" }),
      getPolicy("greedy"),
      DEFAULT_POLICY_OPTIONS,
    ).text;
    for (const program of [text, written]) assertEquals(undeclarable(program, "n150"), []);
  }
});
