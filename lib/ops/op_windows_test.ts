// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import type { Attribute, AttributeMap } from "../ir/attribute.ts";
import { knownOps } from "./op_book.ts";
import { paddingOf, windowOf, writtenPadding } from "./op_windows.ts";

function dense(values: readonly number[]): Attribute {
  return { kind: "denseArray", elementType: "i32", values };
}

function image(padding: readonly number[], pooling: boolean): AttributeMap {
  const integers = {
    batch_size: 1,
    input_height: 112,
    input_width: 112,
    ...(pooling ? { channels: 64 } : { in_channels: 64, out_channels: 64 }),
  };
  return new Map<string, Attribute>([
    ...Object.entries(integers).map(([name, value]) =>
      [name, { kind: "integer", value: BigInt(value), type: undefined }] as const
    ),
    ["kernel_size", dense([3, 3])],
    ["stride", dense([2, 2])],
    ["padding", dense(padding)],
  ]);
}

function extents(name: string, padding: readonly number[]): readonly (number | undefined)[] {
  const window = windowOf({ name, attributes: image(padding, name.includes("pool")) });
  return [window?.outputHeight, window?.outputWidth];
}

Deno.test("windowOf() takes padding of pools as top, left, bottom, right (tt-mlir:window-padding)", () => {
  for (const name of ["ttnn.max_pool2d", "ttnn.avg_pool2d", "ttnn.max_pool2d_with_indices"]) {
    assertEquals(extents(name, [0, 0, 1, 1]), [56, 56], name);
    assertEquals(extents(name, [0, 1, 0, 1]), [55, 56], name);
    assertEquals(extents(name, [1, 0, 1, 0]), [56, 55], name);
  }
});

Deno.test("windowOf() takes padding of convolutions as top, bottom, left, right (tt-mlir:window-padding)", () => {
  assertEquals(extents("ttnn.conv2d", [0, 1, 0, 1]), [56, 56]);
  assertEquals(extents("ttnn.conv2d", [0, 0, 1, 1]), [55, 56]);
});

Deno.test("writtenPadding() is read back as the same sides, for every op with a window", () => {
  const padding = { top: 1, left: 2, bottom: 3, right: 4 };
  for (const { name, window } of knownOps()) {
    if (window === undefined) continue;
    const isLine = name === "ttnn.conv1d";
    for (const given of [padding, { top: 1, left: 2, bottom: 1, right: 2 }]) {
      // Nothing is above or below a line.
      const sides = isLine ? { ...given, top: 0, bottom: 0 } : given;
      const values = writtenPadding(name, sides);
      assertEquals(paddingOf({ name, attributes: new Map([["padding", dense(values)]]) }), sides, name);
    }
  }
  assertEquals(writtenPadding("ttnn.max_pool2d", { top: 1, left: 2, bottom: 1, right: 2 }), [1, 2]);
  assertThrows(() => writtenPadding("ttnn.add", padding), RangeError, "ttnn.add");
});
