// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { integerAttribute } from "../../../testing/op_queries.ts";
import type { AttributeMap } from "../../ir/attribute.ts";
import type { LayoutRequest } from "../../layout/make_layout.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { launchPrograms } from "../launch.ts";
import { emptyRoom, FULL_RUN } from "../op_launch.ts";
import type { DeviceProgram } from "../program.ts";
import { CHIP, ROWS, tensor } from "../testing/launching.ts";

type Operands = readonly ReturnType<typeof tensor>[];

/** Programs of an op on a mesh of two chips. */
function onTwoChips(
  name: string,
  inputs: Operands,
  outputs: Operands,
  attributes: AttributeMap = new Map(),
): readonly DeviceProgram[] {
  const launched = launchPrograms(definitionOf(name).costClass, {
    name,
    attributes,
    inputs,
    outputs,
    config: undefined,
  }, {
    chip: CHIP,
    room: () => emptyRoom(CHIP),
    mesh: [{ chips: 2, links: 1, topology: "linear" }],
    assumed: FULL_RUN,
  });
  assert(launched.status === "known");
  return launched.programs;
}

/** Programs of a sum over two chips. */
function allReduce(
  shape: readonly number[],
  pages: typeof ROWS | Record<string, never>,
): readonly DeviceProgram[] {
  const whole = tensor(shape, pages);
  return onTwoChips("ttnn.all_reduce", [whole], [whole]);
}

const exchanges = (programs: readonly DeviceProgram[]) =>
  programs.flatMap((program) => program.kind === "collective" ? [program.exchange] : [program.kind]);

Deno.test("a sum over chips scatters along the last dimension whose tiles they divide, rows are joined", () => {
  assertEquals(exchanges(allReduce([1, 1, 32, 64], {})), ["reduce_scatter", "all_gather"]);
  assertEquals(exchanges(allReduce([1, 1, 5, 64], ROWS)).slice(0, 2), ["all_gather", "stream"]);
});

Deno.test("a sum over chips that no dimension divides is gathered whole and added up by each chip", () => {
  const [gathered, ...sums] = exchanges(allReduce([1, 1, 32, 96], {}));
  assertEquals(gathered, "all_gather");
  assert(sums.length > 0 && !sums.includes("reduce_scatter"));
});

Deno.test("the mapping of chips and experts stands behind the scores that are sent along", () => {
  const [tokens, choices, mapping] = [[1, 1, 128, 64], [1, 1, 128, 4], [2, 32]].map((shape) =>
    tensor(shape, ROWS)
  );
  assert(tokens !== undefined && choices !== undefined && mapping !== undefined);
  const mappingBytes = (name: string, inputs: Operands) =>
    onTwoChips(name, inputs, [tokens, choices, choices]).flatMap((program) =>
      program.circularBuffers.filter((buffer) => buffer.name === "mapping").map(({ bytes }) => bytes)
    );
  // Two rows of 32 elements in two bytes.
  assertEquals(mappingBytes("ttnn.all_to_all_dispatch", [tokens, choices, mapping]), [128]);
  assertEquals(mappingBytes("ttnn.all_to_all_dispatch_metadata", [tokens, choices, choices, mapping]), [128]);
});

Deno.test("a worker that gathers holds packets of whole pages, of tiles several times as many", () => {
  // As ttnn 0.81.1 allocates on an n300.
  const held = (width: number, request: Partial<LayoutRequest>) => {
    const part = tensor([1, 1, 64, width], request);
    const whole = tensor([1, 1, 128, width], request);
    const along = new Map([["all_gather_dim", integerAttribute(2)]]);
    return onTwoChips("ttnn.all_gather", [part], [whole], along)[0]?.circularBuffers.map(({ bytes }) =>
      bytes
    );
  };
  assertEquals(held(64, {}), [9 * 2 * 2048]);
  assertEquals(held(64, { dataType: "f32" }), [9 * 4096]);
  assertEquals(held(64, { dataType: "bfp_bf8" }), [9 * 4 * 1088]);
  assertEquals(held(64, { dataType: "bfp_bf4" }), [9 * 7 * 576]);
  assertEquals([held(64, ROWS), held(100, ROWS), held(2048, ROWS)], [[13_056], [12_768], [12_288]]);
  assertEquals(held(8192, ROWS), [49_152]);
});

Deno.test("parts that do not fill tiles along the dimension, or rows end to end unaligned, are broadcast and joined", () => {
  // Buffers of each program as ttnn 0.81.1 allocates them on an n300.
  const joined = (shape: readonly number[], dim: number, request: Partial<LayoutRequest> = {}) => {
    const [part, whole] = [shape, shape.with(dim, 2 * (shape[dim] ?? 1))].map((each) =>
      tensor(each, request)
    );
    assert(part !== undefined && whole !== undefined);
    const along = new Map([["all_gather_dim", integerAttribute(dim)]]);
    return onTwoChips("ttnn.all_gather", [part], [whole], along).map(({ circularBuffers }) =>
      circularBuffers.reduce((sum, { bytes }) => sum + bytes, 0)
    );
  };
  assertEquals(joined([66, 1024], 0), [12_288, 131_072, 131_072, 4096, 131_072]);
  assertEquals(joined([66, 64], 0, { dataType: "f32" }), [12_288, 16_384, 16_384, 512, 16_384]);
  assertEquals(joined([66, 1024], 0, { dataType: "bfp_bf8" }), [
    ...[6272, 12_288, 131_072, 131_072, 4096, 131_072],
    6272,
  ]);
  assertEquals(joined([2, 1000], 1), [12_288, 780_288]);
  assertEquals(joined([64, 1001], 1, ROWS), [12_096, 12_288, 12_288, 256, 12_288]);
  assertEquals(joined([64, 8], 1, ROWS), [192, 12_288, 12_288, 256, 12_288]);
  // Other dimensions are gathered as they are.
  assertEquals(joined([3, 33, 128], 0).length, 1);
  assertEquals([joined([64, 1001], 0, ROWS), joined([64, 1008], 1, ROWS)], [[12_096], [12_096]]);
});
