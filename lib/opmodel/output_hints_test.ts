// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import { type LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "./create_op_model.ts";
import type { OpModel } from "./op_model.ts";

const type = tensorOf([256, 512]);

function setup(): { model: OpModel; legal: readonly LayoutId[] } {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const legal = ["dram", "l1", "bs 8x8", "hs 8x1", "ws 1x16", "ws 1x8"].map((text) =>
    layoutOf(model, type, text)
  );
  return { model, legal };
}

const NULL_HINT = { layout: undefined, config: undefined };

Deno.test("outputHints() offers NULL and falls back to sharded layouts when the op has no rule of its own", () => {
  const { model, legal } = setup();
  const { primary, fallback } = model.outputHints(signatureOf("ttnn.relu", [type], [type]), legal);
  assertEquals(primary, [NULL_HINT]);
  assertEquals(fallback.map(({ layout }) => layout), legal.slice(2));
});

Deno.test("outputHints() gives matmul DRAM, one hint per program config without a physical grid, then L1 interleaved", () => {
  const { model, legal } = setup();
  const weight = tensorOf([512, 512]);
  const { primary, fallback } = model.outputHints(signatureOf("ttnn.matmul", [type, weight], [type]), legal);
  const [dram, l1] = legal;
  assertEquals(fallback, [{ layout: l1, config: undefined }]);
  assertEquals(l1 === undefined ? undefined : model.layouts.get(l1).memoryLayout, "interleaved");
  assertEquals(primary[0], { layout: dram, config: undefined });
  const layouts = primary.slice(1).map(({ layout }) =>
    layout === undefined ? undefined : model.layouts.get(layout)
  );
  assertEquals(layouts.map((layout) => layout?.memoryLayout), [
    "height_sharded",
    "width_sharded",
    "width_sharded",
    "block_sharded",
  ]);
  assert(layouts.every((layout) => layout?.ignorePhysicalLayout === true));
  assert(
    primary.slice(1).every(({ config }) => config?.kind === "matmul" && config.programConfig !== undefined),
  );
});

Deno.test("every matmul hint that is legal comes out with the sharding it asked for", () => {
  const { model, legal } = setup();
  const weight = tensorOf([512, 512]);
  const matmul = signatureOf("ttnn.matmul", [type, weight], [type]);
  const inputs = [layoutOf(model, type, "dram"), layoutOf(model, weight, "dram")];
  for (const { layout, config } of model.outputHints(matmul, legal).primary) {
    assert(layout !== undefined);
    const answer = model.queryOpConstraints(matmul, inputs, layout, config);
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    const produced = answer.outputLayouts[0];
    assert(produced !== undefined);
    const actual = model.layouts.get(produced);
    assertEquals(actual.memoryLayout, model.layouts.get(layout).memoryLayout);
    assertEquals(actual.ignorePhysicalLayout, false);
  }
});

Deno.test("outputHints() leaves sharded layouts out where the backend cannot write them", () => {
  const { model, legal } = setup();
  const hintsOf = (name: string, result = type) =>
    model.outputHints(signatureOf(name, [type, type], [result]), legal).primary.map(({ layout }) => layout);
  assertEquals(hintsOf("ttnn.slice_static"), legal.slice(0, 2));
  assertEquals(hintsOf("ttnn.scaled_dot_product_attention"), [undefined]);
  assertEquals(hintsOf("ttnn.concat", tensorOf([512, 512])), [undefined, ...legal.slice(2)]);
  assertEquals(hintsOf("ttnn.concat", tensorOf([500, 512])), [undefined]);
  assertEquals(hintsOf("ttnn.mesh_partition"), [undefined, legal[0]]);
  const view = signatureOf("ttnn.reshape", [type], [tensorOf([1, 256, 512])]);
  assertEquals(model.outputHints(view, legal).primary, [NULL_HINT]);
});

const CONVOLUTION = {
  batch_size: integerAttribute(1),
  input_height: integerAttribute(32),
  input_width: integerAttribute(32),
  in_channels: integerAttribute(64),
  out_channels: integerAttribute(64),
  kernel_size: integersAttribute([3, 3]),
  stride: integersAttribute([1, 1]),
  padding: integersAttribute([1, 1]),
  dilation: integersAttribute([1, 1]),
};

Deno.test("outputHints() leaves the shards of a convolution to the backend and keeps its result in L1 by a slice config", () => {
  const { model, legal } = setup();
  const conv = signatureOf("ttnn.conv2d", [type, tensorOf([64, 64, 3, 3])], [type], CONVOLUTION);
  const { primary } = model.outputHints(conv, legal);
  const configs = primary.map(({ config }) => config?.kind === "conv2d" ? config : undefined);
  const [dram, l1] = legal;
  // Of each kind of shards one hint, whatever grids are legal, and both interleaved memories.
  assertEquals(
    primary.slice(0, 5).map(({ layout }, index) => [layout, configs[index]?.conv2dConfig?.shardLayout]),
    [
      [undefined, "height_sharded"],
      [undefined, "block_sharded"],
      [undefined, "width_sharded"],
      [dram, undefined],
      [l1, undefined],
    ],
  );
  assertEquals(
    configs.slice(0, 5).map((config) => config?.sliceConfig?.sliceType),
    ["l1_full", "l1_full", "l1_full", undefined, "l1_full"],
  );
  assertEquals(
    configs.map((config) => config?.conv2dConfig?.actBlockHOverride).filter((_, index) => index % 5 === 0),
    [0, 64, 32],
  );
});

Deno.test("requested shards of a convolution are those of its kernel: no move follows it", () => {
  const image = tensorOf([1, 1, 1024, 64]);
  const conv = signatureOf("ttnn.conv2d", [image, tensorOf([64, 64, 3, 3])], [image], {
    ...CONVOLUTION,
  });
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const legal = ["dram", "l1", "hs 32x1", "bs 8x2", "ws 1x2"].map((text) => layoutOf(model, image, text));
  let compared = 0;
  for (const { layout, config } of model.outputHints(conv, legal).primary) {
    for (const operand of ["dram", "hs 32x1", "bs 8x2"]) {
      const inputs = [layoutOf(model, image, operand), layoutOf(model, tensorOf([64, 64, 3, 3]), "dram-rm")];
      const answer = model.queryOpConstraints(conv, inputs, layout, config);
      if (answer.status === "invalid" || layout !== undefined) continue;
      assertEquals(answer.programs.at(-1)?.kind, "convolution");
      compared++;
    }
  }
  assert(compared > 0);
});

Deno.test("acceptsInput() and exploresReshards() follow the rule table", () => {
  const { model, legal } = setup();
  const accepted = (name: string, operand: number) => {
    const op = signatureOf(name, [type, type, type], [type]);
    return legal.slice(0, 5).map((layout) => model.acceptsInput(op, operand, layout));
  };
  assertEquals(accepted("ttnn.matmul", 1), [true, true, false, false, false]);
  assertEquals(accepted("ttnn.matmul", 0), [true, true, true, true, true]);
  assertEquals(accepted("ttnn.rms_norm", 0), [true, true, true, false, true]);
  assertEquals(accepted("ttnn.scaled_dot_product_attention_decode", 0), [true, false, true, true, true]);
  assertEquals(accepted("ttnn.scaled_dot_product_attention_decode", 1), [true, false, false, false, false]);
  assertEquals(accepted("ttnn.rotary_embedding", 0), [true, true, false, true, false]);
  assertEquals(accepted("ttnn.reshape", 0), [true, true, true, true, false]);
  assertEquals(model.exploresReshards(signatureOf("ttnn.relu", [type], [type]), 0), true);
  assertEquals(
    model.exploresReshards(
      signatureOf("ttnn.permute", [type], [type], { permutation: integersAttribute([1, 0]) }),
      0,
    ),
    false,
  );
});
