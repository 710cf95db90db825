// SPDX-License-Identifier: Apache-2.0

/** Random programs of exchanges between the chips of a mesh: what is written lints, and means what went in. */

import fc from "fast-check";
import { volume } from "../lib/layout/extents.ts";
import { checkProgram, settingsOf } from "./testing/check_program.ts";

/** Most elements of a tensor. */
const MOST_ELEMENTS = 4096;

const MESHES: readonly (readonly [number, number])[] = [[1, 2], [1, 4], [2, 4], [4, 2]];

/** A step on one of the values so far, along a dimension and an axis of the mesh. */
interface Step {
  readonly kind: keyof typeof STEPS;
  readonly of: number;
  readonly dim: number;
  readonly axis: number;
}

/** An op on a tensor: its properties and the shape of its result; `undefined` where it does not fit. */
type Made = readonly [op: string, properties: string, shape: readonly number[]] | undefined;

const STEPS: Readonly<
  Record<string, (shape: readonly number[], dim: number, axis: number, chips: number) => Made>
> = {
  gather: (shape, dim, axis, chips) => [
    "all_gather",
    `all_gather_dim = ${dim} : si32, cluster_axis = ${axis} : ui32`,
    grown(shape, dim, chips),
  ],
  reduce: (shape, _, axis) => ["all_reduce", `cluster_axis = ${axis} : ui32, ${SUM}`, shape],
  scatter: (shape, dim, axis, chips) =>
    (shape[dim] ?? 1) % chips === 0
      ? [
        "reduce_scatter",
        `cluster_axis = ${axis} : ui32, ${SUM}, scatter_dim = ${dim} : si32`,
        grown(shape, dim, 1 / chips),
      ]
      : undefined,
  part: (shape, dim, axis, chips) =>
    (shape[dim] ?? 1) % chips === 0
      ? ["mesh_partition", `cluster_axis = ${axis} : ui32, dim = ${dim} : si32`, grown(shape, dim, 1 / chips)]
      : undefined,
  transposed: ([rows = 1, columns = 1]) => ["transpose", "dim0 = 0 : si32, dim1 = 1 : si32", [columns, rows]],
  flat: (shape) => ["reshape", `shape = [1 : i32, ${volume(shape)} : i32]`, [1, volume(shape)]],
  function: (shape, dim) => [dim === 0 ? "tanh" : "sigmoid", "", shape],
};

const SUM = "reduce_type = #ttcore.reduce_type<sum>";

function grown(shape: readonly number[], dim: number, factor: number): readonly number[] {
  return shape.with(dim, (shape[dim] ?? 1) * factor);
}

function programOf(
  mesh: readonly [number, number],
  shape: readonly number[],
  steps: readonly Step[],
): string {
  const type = (extents: readonly number[]): string => `tensor<${[...extents, "bf16"].join("x")}>`;
  const values: { readonly name: string; readonly shape: readonly number[] }[] = [{ name: "%x", shape }];
  const lines: string[] = [];
  for (const { kind, of, dim, axis } of steps) {
    const from = values[values.length - 1 - of % Math.min(values.length, 2)];
    const made = from === undefined ? undefined : STEPS[kind]?.(from.shape, dim, axis, mesh[axis] ?? 1);
    if (made === undefined || from === undefined || volume(made[2]) > MOST_ELEMENTS) continue;
    const [op, properties, result] = made;
    const name = `%${lines.length}`;
    const braces = properties === "" ? "" : ` <{${properties}}>`;
    lines.push(`${name} = "ttir.${op}"(${from.name})${braces} : (${type(from.shape)}) -> ${type(result)}`);
    values.push({ name, shape: result });
  }
  const returned = values.slice(-2).map((value, index) => {
    lines.push(`%r${index} = "ttir.relu"(${value.name}) : (${type(value.shape)}) -> ${type(value.shape)}`);
    return { name: `%r${index}`, type: type(value.shape) };
  });
  const types = returned.map((value) => value.type).join(", ");
  return `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = ${mesh.join("x")}>]>} {\n` +
    `  func.func @main(%x: ${type(shape)}) -> (${types}) {\n    ${lines.join("\n    ")}\n` +
    `    return ${returned.map(({ name }) => name).join(", ")} : ${types}\n  }\n}\n`;
}

Deno.test("exchanges between chips are written as they were meant", () => {
  const extent = fc.constantFrom(4, 8, 32, 33, 40);
  fc.assert(
    fc.property(
      fc.constantFrom(...MESHES),
      fc.tuple(extent, extent),
      fc.array(
        fc.record({
          kind: fc.constantFrom(...Object.keys(STEPS)),
          of: fc.nat(1),
          dim: fc.nat(1),
          axis: fc.nat(1),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      fc.nat(),
      (mesh, shape, steps, number) => checkProgram(programOf(mesh, shape, steps), number, settingsOf(number)),
    ),
    { numRuns: 40, seed: 20261130 },
  );
});
