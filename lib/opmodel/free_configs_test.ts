// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { layoutOf, signatureOf, tensorOf } from "../../testing/op_queries.ts";
import type { Attribute } from "../ir/attribute.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { createOpModel } from "./create_op_model.ts";

const ROOM = 1_000_000;
const RELU: Readonly<Record<string, Attribute>> = { activation: { kind: "string", value: "relu" } };

function asWritten() {
  return createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable(), asWritten: true });
}

/** A product in these places: the config that it runs with, and the accepted ones of its lists. */
function productIn(places: readonly [string, string], [m, k, n]: readonly [number, number, number]) {
  const model = asWritten();
  const [a, b, result] = [tensorOf([m, k]), tensorOf([k, n]), tensorOf([m, n])];
  const op = signatureOf("ttnn.matmul", [a, b], [result], RELU);
  const inputs = [layoutOf(model, a, places[0]), layoutOf(model, b, "dram")];
  const made = layoutOf(model, result, places[1]);
  const answer = model.queryOpConstraints(op, inputs, made, undefined);
  if (answer.status !== "valid" || answer.outputLayouts[0] !== made) return undefined;
  const lists = model.freeConfigs?.(op, inputs, made, answer.config, ROOM) ?? [];
  const accepted = lists.map((list) =>
    list.flatMap((config) => {
      const other = model.queryOpConstraints(op, inputs, made, config);
      return other.status === "valid" && other.outputLayouts[0] === made ? [{ config, other }] : [];
    })
  );
  return { answer, accepted };
}

const flops = ({ programs }: { readonly programs: readonly { readonly flops?: number }[] }): number =>
  programs.reduce((sum, program) => sum + (program.flops ?? 0), 0);

Deno.test("free configs of a matmul keep its values and numerics", () => {
  const extent = fc.constantFrom(32, 64, 96, 256, 384, 1024);
  const place = fc.constantFrom("dram", "l1", "hs 8x1", "ws 1x8", "bs 4x4", "bs 8x8");
  let compared = 0;
  fc.assert(
    fc.property(fc.tuple(place, place), fc.tuple(extent, extent, extent), (places, shape) => {
      const product = productIn(places, shape);
      if (product === undefined) return;
      const { answer, accepted } = product;
      for (const { config, other } of accepted.flat()) {
        assertEquals(config.computeConfig, answer.config?.computeConfig);
        // What is not fused runs behind the product.
        if (answer.programs.length === other.programs.length) assertEquals(flops(other), flops(answer));
        compared++;
      }
    }),
    { numRuns: 400 },
  );
  assert(compared > 300, `${compared} configs`);
});

Deno.test("a matmul in DRAM may be divided differently, one with given shards may not", () => {
  const [divisions = [], ...others] = productIn(["dram", "dram"], [1024, 1024, 1024])?.accepted ?? [];
  assert(others.every((list) => list.length > 0));
  const kinds = divisions.map(({ config }) => config.kind === "matmul" && config.programConfig?.kind);
  assertEquals(new Set(kinds).size, 2);
  const [none, ...left] = productIn(["bs 8x8", "bs 8x8"], [1024, 1024, 1024])?.accepted ?? [];
  assertEquals(none, []);
  assert(left.some((list) => list.length > 0));
});

function convolution(name: string): readonly (readonly OpSpecificAttributes[])[] {
  const model = asWritten();
  const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: "i32" });
  const pair = (...values: number[]): Attribute => ({ kind: "denseArray", elementType: "i32", values });
  const [input, weight, result] = [[1, 1, 1024, 64], [64, 64, 3, 3], [1, 1, 1024, 64]].map((shape) =>
    tensorOf(shape)
  );
  assert(input !== undefined && weight !== undefined && result !== undefined);
  const op = signatureOf(name, [input, weight], [result], {
    batch_size: integer(1),
    in_channels: integer(64),
    out_channels: integer(64),
    input_height: integer(32),
    input_width: integer(32),
    kernel_size: pair(3, 3),
    stride: pair(1, 1),
    padding: pair(1, 1),
    dilation: pair(1, 1),
    groups: integer(1),
  });
  const inputs = [layoutOf(model, input, "l1"), layoutOf(model, weight, "dram")];
  const made = layoutOf(model, result, "hs 32x1");
  return model.freeConfigs?.(op, inputs, made, undefined, ROOM) ?? [];
}

Deno.test("a convolution doubles both of its buffers or none, a transposed one keeps its config", () => {
  const [blocks = []] = convolution("ttnn.conv2d");
  const buffers = blocks.map((config) => {
    const { enableActDoubleBuffer, enableWeightsDoubleBuffer } = config.kind === "conv2d"
      ? config.conv2dConfig ?? {}
      : {};
    assertEquals(enableActDoubleBuffer, enableWeightsDoubleBuffer);
    return enableActDoubleBuffer;
  });
  assertEquals(new Set(buffers), new Set([true, undefined]));
  assertEquals(convolution("ttnn.conv_transpose2d"), []);
});
