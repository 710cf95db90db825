// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { parseMesh } from "./mesh_file.ts";

const AXIS = { chips: 4, links: 2, topology: "ring", source: "our rack", kind: "stated" } as const;

Deno.test("parseMesh() reads the axes of a machine, and none where a file has none", () => {
  assertEquals(parseMesh("rack.json", { mesh: [AXIS, { ...AXIS, chips: 2, topology: "linear" }] }), [
    AXIS,
    { ...AXIS, chips: 2, topology: "linear" },
  ]);
  assertEquals(parseMesh("rack.json", {}), undefined);
});

Deno.test("parseMesh() names the invalid field and its axis", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ["4x2", '"mesh" must be a list of axes'],
    [[], '"mesh" must be a list of axes'],
    [[AXIS, 8], '"mesh[1]" must be {"chips", "links", "topology", "source", "kind"}'],
    [[{ ...AXIS, chips: 0 }], '"mesh[0].chips" must be a positive integer'],
    [[{ ...AXIS, links: 1.5 }], '"mesh[0].links" must be a positive integer'],
    [[{ ...AXIS, topology: "torus" }], 'must be "linear" or "ring", not "torus"'],
    [[{ ...AXIS, source: "" }], '"mesh[0].source" must say where the links are from'],
    [[{ ...AXIS, kind: "heard" }], '"mesh[0].kind" must say how the links are known'],
  ];
  for (const [mesh, message] of cases) {
    assertThrows(() => parseMesh("rack.json", { mesh }), DiagnosticError, message);
  }
});
