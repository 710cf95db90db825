// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { parseMachine } from "./mesh_file.ts";

const AXIS = { chips: 4, links: 2, topology: "ring", source: "our rack", kind: "stated" } as const;

Deno.test("parseMachine() reads the axes of a machine, and none where a file has none", () => {
  assertEquals(parseMachine("rack.json", { mesh: [AXIS, { ...AXIS, chips: 2, topology: "linear" }] }).mesh, [
    AXIS,
    { ...AXIS, chips: 2, topology: "linear" },
  ]);
  assertEquals(parseMachine("rack.json", {}), {});
});

Deno.test("parseMachine() names the invalid field and its axis", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ["4x2", "at mesh: must be a list of axes"],
    [[], "at mesh: must be a list of axes"],
    [[AXIS, 8], 'at mesh.1: must be {"chips", "links", "topology", "source", "kind"}'],
    [[{ ...AXIS, chips: 0 }], "at mesh.0.chips: must be a positive integer"],
    [[{ ...AXIS, links: 1.5 }], "at mesh.0.links: must be a positive integer"],
    [[{ ...AXIS, topology: "torus" }], 'at mesh.0.topology: must be "linear" or "ring"'],
    [[{ ...AXIS, source: "" }], "at mesh.0.source: must say where it is from"],
    [[{ ...AXIS, kind: "heard" }], "at mesh.0.kind: must be one of "],
  ];
  for (const [mesh, message] of cases) {
    assertThrows(() => parseMachine("rack.json", { mesh }), DiagnosticError, message);
  }
});
