// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { Mesh } from "../../device/mesh.ts";
import type { Attribute, AttributeMap } from "../../ir/attribute.ts";
import { collectiveAxis } from "./collective.ts";

const MESH: Mesh = [
  { chips: 2, links: 4, topology: "linear" },
  { chips: 4, links: 2, topology: "ring" },
];

function along(axis: number, links?: number, topology?: string) {
  const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: "ui32" });
  const attributes: AttributeMap = new Map<string, Attribute>([
    ["cluster_axis", integer(axis)],
    ...(links === undefined ? [] : [["num_links", integer(links)] as const]),
    ...(topology === undefined ? [] : [
      [
        "topology",
        { kind: "dialect", dialect: "ttcore", mnemonic: "topology", body: topology } as const,
      ] as const,
    ]),
  ]);
  return collectiveAxis({ attributes }, MESH);
}

Deno.test("a collective uses the links of its axis, or fewer if it states so, never more", () => {
  assertEquals([along(0), along(0, 1), along(0, 9)].map((axis) => axis?.links), [4, 1, 4]);
});

Deno.test("a collective runs as a line if it states so; a ring needs a ring", () => {
  assertEquals([along(1), along(1, 1, "linear"), along(1, 1, "ring")].map((axis) => axis?.topology), [
    "ring",
    "linear",
    "ring",
  ]);
  assertEquals(along(0, 1, "ring")?.topology, "linear");
});

Deno.test("no axis if the graph does not state it", () => {
  assertEquals(collectiveAxis({ attributes: new Map() }, MESH), undefined);
});
