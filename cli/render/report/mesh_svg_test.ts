// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { chipClasses } from "../../../sim/timeline/mesh_load.ts";
import { meshSection } from "./mesh_svg.ts";

Deno.test("one chip has no mesh to draw", () => {
  assertEquals(meshSection(undefined), "");
});

Deno.test("every chip and every edge of a mesh is drawn, edges with a width by load", () => {
  const mesh = [
    { chips: 2, links: 1, topology: "linear" },
    { chips: 4, links: 2, topology: "ring" },
  ] as const;
  const edges = [0, 1, 2, 3].map((index) => ({ forward: 1024 * (index + 1), backward: 1024 * (index + 1) }));
  const loads = [{ axis: 1, chips: 4, links: 2, topology: "ring", edges }] as const;
  const spread = [{
    function: "main",
    place: "argument 1",
    whole: [64, 512],
    shape: [32, 128],
    isPresharded: true,
    span: { start: 0, end: 0 },
  }];
  const html = meshSection({ mesh, loads, classes: chipClasses(loads, mesh), spread });
  assertStringIncludes(html, "<td>argument 1</td><td>64x512</td><td>32x128</td><td>2x4</td>");
  assertEquals(html.match(/<rect/g)?.length, 8);
  // Two rings of four edges, and four edges between them that carry nothing.
  assertEquals(html.match(/<path/g)?.length, 12);
  assertEquals(html.match(/stroke="var\(--line\)"/g)?.length, 4);
  assertStringIncludes(html, "<title>chips 7 and 4: 4.0 KiB ahead, 4.0 KiB back over 2 links</title>");
  const widths = [0, 1, 2].map((chip) =>
    Number(new RegExp(`stroke-width="([\\d.]+)"><title>chips ${chip} and ${chip + 1}:`).exec(html)?.[1])
  );
  assertEquals(widths, widths.toSorted((a, b) => a - b));
  assertStringIncludes(
    html,
    "4 chips on a ring, 2 links between neighbours; the busiest carries 2.0 KiB one way",
  );
  assertStringIncludes(html, "chips 0, 2, 4, 6: 5.0 KiB sent, 5.0 KiB received");
});
