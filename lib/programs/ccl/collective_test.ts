// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { LayoutRequest } from "../../layout/make_layout.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { launchPrograms } from "../launch.ts";
import { emptyRoom, FULL_RUN, MEASURED_PROGRAM_RULES } from "../op_launch.ts";
import type { DeviceProgram } from "../program.ts";
import { CHIP, ROWS, tensor } from "../testing/launching.ts";

type Operands = readonly ReturnType<typeof tensor>[];

/** Programs of an op on a mesh of two chips. */
function onTwoChips(name: string, inputs: Operands, outputs: Operands): readonly DeviceProgram[] {
  const launched = launchPrograms(definitionOf(name).costClass, {
    name,
    attributes: new Map(),
    inputs,
    outputs,
    config: undefined,
  }, {
    chip: CHIP,
    room: () => emptyRoom(CHIP),
    mesh: [{ chips: 2, links: 1, topology: "linear" }],
    programRules: MEASURED_PROGRAM_RULES,
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

Deno.test("a sum over chips scatters along the last dimension that they divide: tiles of tiles, elements of rows", () => {
  assertEquals(exchanges(allReduce([1, 1, 32, 64], {})), ["reduce_scatter", "all_gather"]);
  assertEquals(exchanges(allReduce([1, 1, 5, 48], ROWS)), ["reduce_scatter", "all_gather"]);
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
    return onTwoChips("ttnn.all_gather", [part], [whole])[0]?.circularBuffers.map(({ bytes }) => bytes);
  };
  assertEquals(held(64, {}), [9 * 2 * 2048]);
  assertEquals(held(64, { dataType: "f32" }), [9 * 4096]);
  assertEquals(held(64, { dataType: "bfp_bf8" }), [9 * 4 * 1088]);
  assertEquals(held(64, { dataType: "bfp_bf4" }), [9 * 7 * 576]);
  assertEquals([held(64, ROWS), held(100, ROWS), held(2048, ROWS)], [[13_056], [12_768], [12_288]]);
  assertEquals(held(8192, ROWS), [49_152]);
});
