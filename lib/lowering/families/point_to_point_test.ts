// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

function onMesh(mesh: string, text: string): string {
  return text.replace(
    "module {",
    `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = ${mesh}>]>} {`,
  );
}

const X = "tensor<4x32xbf16>";

function allToAll(mesh: string, groups: string, count: number): string {
  const body = groups.split("], [").length;
  return onMesh(
    mesh,
    ttirFunction(`(%a: ${X}) -> ${X}`, [
      `%0 = "ttir.all_to_all"(%a) <{concat_dim = 0 : si32, replica_groups = dense<${groups}> : tensor<${body}x${count}xi64>, split_count = ${count} : si32, split_dim = 0 : si32}> : (${X}) -> ${X}`,
      `return %0 : ${X}`,
    ]),
  );
}

function permute(mesh: string, pairs: string, count: number): string {
  return onMesh(
    mesh,
    ttirFunction(`(%a: ${X}) -> ${X}`, [
      `%0 = "ttir.collective_permute"(%a) <{source_target_pairs = dense<${pairs}> : tensor<${count}x2xi64>}> : (${X}) -> ${X}`,
      `return %0 : ${X}`,
    ]),
  );
}

function broadcast(mesh: string, groups: string, count: number, width: number): string {
  return onMesh(
    mesh,
    ttirFunction(`(%a: ${X}) -> ${X}`, [
      `%0 = "ttir.collective_broadcast"(%a) <{replica_groups = dense<${groups}> : tensor<${count}x${width}xi64>}> : (${X}) -> ${X}`,
      `return %0 : ${X}`,
    ]),
  );
}

/** Runs a lowered body on every chip of a mesh: row `r` of chip `c` starts as `c.r`. */
function run(text: string, mesh: readonly number[]): readonly string[][] {
  const chips = mesh.reduce((product, extent) => product * extent, 1);
  const values = new Map<string, string[][]>();
  const of = (name: string): string[][] => {
    const found = values.get(name);
    if (found === undefined) throw new RangeError(name);
    return found;
  };
  values.set(
    "arg0",
    Array.from({ length: chips }, (_, chip) => [0, 1, 2, 3].map((row) => `${chip}.${row}`)),
  );
  const chipAt = (line: string, name: string): number => {
    const at = (new RegExp(`${name} = array<i64: ([\\d, ]+)>`).exec(line)?.[1] ?? "").split(", ").map(Number);
    return at.reduce((index, coordinate, axis) => index * (mesh[axis] ?? 1) + coordinate, 0);
  };
  for (const line of loweredBody(text)) {
    const [, result = "", op = "", operands = ""] = /^%(\d+) = "ttnn\.(\w+)"\(([^)]*)\)/.exec(line) ?? [];
    const inputs = operands.split(", ").map((operand) => operand.slice(1));
    const [first = ""] = inputs;
    if (op === "") return of(/^return %(\w+)/.exec(line)?.[1] ?? "");
    const rows = (name: string): number => Number(new RegExp(`${name} = \\[(\\d+)`).exec(line)?.[1]);
    if (op === "to_layout" || op === "assign") values.set(result, of(first).map((own) => [...own]));
    else if (op === "clamp_scalar") values.set(result, of(first).map((own) => own.map(() => "0")));
    else if (op === "slice_static") {
      values.set(result, of(first).map((own) => own.slice(rows("begins"), rows("ends"))));
    } else if (op === "concat") {
      values.set(result, of(first).map((_, chip) => inputs.flatMap((input) => of(input)[chip] ?? [])));
    } else if (op === "point_to_point") {
      const into = of(inputs[1] ?? "").map((own) => [...own]);
      into[chipAt(line, "receiver_coord")] = [...of(first)[chipAt(line, "sender_coord")] ?? []];
      values.set(result, into);
    } else throw new RangeError(line);
  }
  throw new RangeError("no return");
}

Deno.test("all_to_all gives every chip of a group the slices that the others have for it", () => {
  assertEquals(run(allToAll("1x4", "[[0, 1], [2, 3]]", 2), [1, 4]), [
    ["0.0", "0.1", "1.0", "1.1"],
    ["0.2", "0.3", "1.2", "1.3"],
    ["2.0", "2.1", "3.0", "3.1"],
    ["2.2", "2.3", "3.2", "3.3"],
  ]);
  assertEquals(
    run(allToAll("2x2", "[[0, 1, 2, 3]]", 4), [2, 2]),
    [0, 1, 2, 3].map((chip) => [0, 1, 2, 3].map((sender) => `${sender}.${chip}`)),
  );
});

Deno.test("collective_permute moves tensors along its pairs; chips that nobody sends to have zeros", () => {
  const whole = (chip: number) => [0, 1, 2, 3].map((row) => `${chip}.${row}`);
  assertEquals(run(permute("1x4", "[[0, 1], [1, 2], [2, 3], [3, 0]]", 4), [1, 4]), [3, 0, 1, 2].map(whole));
  assertEquals(run(permute("2x2", "[[3, 0]]", 1), [2, 2]), [
    whole(3),
    ...[1, 2, 3].map(() => ["0", "0", "0", "0"]),
  ]);
  assertEquals(run(permute("1x2", "[[0, 0], [1, 1]]", 2), [1, 2]), [whole(0), whole(1)]);
});

Deno.test("collective_broadcast gives every chip of a group what its first one has", () => {
  const whole = (chip: number) => [0, 1, 2, 3].map((row) => `${chip}.${row}`);
  assertEquals(run(broadcast("2x2", "[[0, 1], [3, 2]]", 2, 2), [2, 2]), [0, 0, 3, 3].map(whole));
  assertEquals(run(broadcast("1x4", "[[2, 0, 1, 3]]", 1, 4), [1, 4]), [2, 2, 2, 2].map(whole));
});

Deno.test("exchanges are written as upstream writes them", () => {
  assertEquals(loweredBody(permute("1x2", "[[0, 1]]", 1)).slice(-5), [
    '%0 = "ttnn.assign"(%arg0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    '%1 = "ttnn.point_to_point"(%arg0, %0) <{receiver_coord = array<i64: 0, 1>, sender_coord = array<i64: 0, 0>}> : (tensor<4x32xbf16>, tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    '%2 = "ttnn.clamp_scalar"(%arg0) <{max = 0.000000e+00 : f32, min = 0.000000e+00 : f32}> : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    '%3 = "ttnn.point_to_point"(%2, %1) <{receiver_coord = array<i64: 0, 0>, sender_coord = array<i64: 0, 1>}> : (tensor<4x32xbf16>, tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    "return %3 : tensor<4x32xbf16>",
  ]);
});

Deno.test("an exchange without a mesh says how to give its shape", () => {
  assertThrows(
    () => loweredBody(permute("1x2", "[[0, 1]]", 1).replace(/ attributes \{ttcore.meshes.*?\]>\}/, "")),
    DiagnosticError,
    "it names chip 1, but no mesh is known; give its shape with --mesh-shape",
  );
});

Deno.test("an exchange with chips that the mesh lacks, or groups of another size, is an error", () => {
  assertThrows(() => run(permute("1x2", "[[0, 2]]", 1), [1, 2]), DiagnosticError, "the mesh has no chip 2");
  assertThrows(
    () => run(allToAll("1x4", "[[0, 1], [2, 3]]", 2).replace("split_count = 2", "split_count = 4"), [1, 4]),
    DiagnosticError,
    "must have 4 chips",
  );
});
