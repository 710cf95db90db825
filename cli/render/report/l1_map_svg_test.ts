// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { l1MapSvg } from "./l1_map_svg.ts";

Deno.test("l1MapSvg() hangs addresses from the top: tensors above, and clashes as high as what meets", () => {
  const svg = l1MapSvg({
    base: 1000,
    top: 2000,
    budgetLine: 1050,
    steps: 2,
    firstWork: 0,
    rectangles: [{
      kind: "tensor",
      from: 0,
      to: 1,
      address: 1800,
      bytes: 150,
      label: "%0",
      madeBy: "ttnn.relu",
    }],
    clashes: [{ step: 1, start: 1100, end: 1400, shortBytes: 300, kind: "circular_buffer_clash" }],
  }, "L1");
  const boxes = [
    ...svg.matchAll(/<rect class="(\w+)[^"]*" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/g),
  ]
    .map(([, kind, ...numbers]) => [kind, ...numbers.map(Number)]);
  assertEquals(boxes, [
    ["tensor", 0, 50, 2, 150],
    ["clash", 1, 600, 1, 300],
    ["cursor", 0, 0, 1, 1000],
  ]);
});
