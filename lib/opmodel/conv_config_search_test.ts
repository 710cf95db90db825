// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { testChipWithGrid } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import type { Conv2dConfig } from "../op_config/op_config.ts";
import { conv3dConfigs } from "./conv3d_blocking.ts";
import { createOpModel } from "./create_op_model.ts";
import type { OpModel } from "./op_model.ts";
import { conv2dConfigs } from "./output_hints.ts";
import fc from "fast-check";

Deno.test("conv2dConfigs() turns the last open field fastest", () => {
  // Cases of test/unittests/Optimizer/TestConv2dConfigGenerator.cpp in tt-mlir.
  const space = [
    {
      name: "deallocateActivation",
      values: [{ deallocateActivation: true }, { deallocateActivation: false }],
    },
    { name: "actBlockHOverride", values: [{ actBlockHOverride: 0 }, { actBlockHOverride: 64 }] },
  ] as const;
  assertEquals(
    conv2dConfigs({ weightsDtype: "bf16" }, space).map((config) => [
      config.deallocateActivation,
      config.actBlockHOverride,
      config.weightsDtype,
    ]),
    [[true, 0, "bf16"], [true, 64, "bf16"], [false, 0, "bf16"], [false, 64, "bf16"]],
  );
});

Deno.test("conv2dConfigs() does not search what the base fixes", () => {
  assertEquals(conv2dConfigs({}).map((config) => config.actBlockHOverride), [0, 64, 32]);
  assertEquals(conv2dConfigs({}).every((config) => config.deallocateActivation === true), true);
  assertEquals(conv2dConfigs({ actBlockHOverride: 128, deallocateActivation: false }), [
    { actBlockHOverride: 128, deallocateActivation: false },
  ]);
  assertEquals(conv2dConfigs({ reshardIfNotOptimal: true }), []);
  assertEquals(conv2dConfigs({ reshardIfNotOptimal: true, shardLayout: "block_sharded" }).length, 3);
});

Deno.test("conv3dConfigs() looks the blocking up, keeps the channels of prepared weights and lets overrides win", () => {
  // test/ttmlir/Dialect/TTNN/optimizer/conv3d/conv3d_heuristic.mlir and conv3d_config_override.mlir in tt-mlir.
  const known = { inChannels: 192, outChannels: 384, kernel: [3, 3, 3], output: [4, 16, 16] };
  const blocks = { tOutBlock: 1, wOutBlock: 4, hOutBlock: 8, cOutBlock: 128 };
  assertEquals(conv3dConfigs(known, { weightsDtype: "bf16" }, {}), [
    { weightsDtype: "bf16", ...blocks, cInBlock: 64 },
  ]);
  assertEquals(conv3dConfigs(known, { cInBlock: 32 }, {}), [{ ...blocks, cInBlock: 32 }]);
  assertEquals(conv3dConfigs(known, {}, { wOutBlock: 2 }).map(({ wOutBlock }) => wOutBlock), [2]);
});

Deno.test("conv3dConfigs() fills a tile with pixels where no table knows the shape; the op's own comes last", () => {
  const own = { tOutBlock: 1, wOutBlock: 1, hOutBlock: 1, cOutBlock: 32, cInBlock: 32 };
  const extent = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(fc.tuple(extent, extent, extent), fc.integer({ min: 1, max: 12 }), (output, tiles) => {
      const shape = { inChannels: 64, outChannels: 32 * tiles, kernel: [3, 3, 3], output };
      const configs = conv3dConfigs(shape, own, {});
      assertEquals(configs.at(-1), own);
      assert(configs.length > 1);
      for (
        const { tOutBlock = 0, hOutBlock = 0, wOutBlock = 0, cOutBlock = 0, cInBlock } of configs.slice(0, -1)
      ) {
        const pixels = tOutBlock * hOutBlock * wOutBlock;
        const [frames, height, width] = output;
        assert(
          pixels === 32 || (tOutBlock >= frames && hOutBlock >= height && wOutBlock >= Math.min(8, width)),
        );
        assertEquals([32 * tiles % cOutBlock, cInBlock], [0, 32]);
      }
    }),
  );
});

Deno.test("full_inner_dim takes all kernel rows of a block-sharded convolution in one step, in the backend's buffers", () => {
  // Asked of ttnn 0.81.1 (`ttnn:backend-0-81-1`): n150, batch 8, bf16 in and out, bfp8 weights, no bias.
  const recorded = [
    [14, 256, 1, false, false, [3264, 43008, 43008, 64]],
    [14, 256, 1, true, false, [9792, 129024, 129024, 64]],
    [14, 256, 1, true, true, [19584, 258048, 129024, 64]],
    [14, 512, 1, true, false, [39168, 258048, 258048, 64]],
    [28, 256, 2, true, false, [9792, 129024, 129024, 64]],
  ] as const;
  for (const [extent, channels, stride, fullInnerDim, isDouble, bytes] of recorded) {
    const model = createOpModel({ chip: testChipWithGrid(8, 8), layouts: new LayoutTable() });
    const made = 8 * (extent / stride) ** 2;
    const image = tensorOf([1, 1, 8 * extent ** 2, channels]);
    const weight = tensorOf([channels, channels, 3, 3]);
    const op = signatureOf("ttnn.conv2d", [image, weight], [tensorOf([1, 1, made, channels])], {
      batch_size: integerAttribute(8),
      input_height: integerAttribute(extent),
      input_width: integerAttribute(extent),
      in_channels: integerAttribute(channels),
      out_channels: integerAttribute(channels),
      kernel_size: integersAttribute([3, 3]),
      stride: integersAttribute([stride, stride]),
      padding: integersAttribute([1, 1]),
      dilation: integersAttribute([1, 1]),
    });
    const answer = model.queryOpConstraints(
      op,
      [layoutOf(model, image, "bs 8x8"), layoutOf(model, weight, "dram-rm")],
      undefined,
      {
        kind: "conv2d",
        conv2dConfig: {
          weightsDtype: "bfp_bf8",
          shardLayout: "block_sharded",
          fullInnerDim,
          enableActDoubleBuffer: isDouble,
          enableWeightsDoubleBuffer: isDouble,
        },
      },
    );
    assert(answer.status === "valid");
    const [kernel] = answer.programs.filter(({ kind }) => kind === "convolution");
    assertEquals(kernel?.circularBuffers.map(({ bytes }) => bytes), [...bytes]);
  }
});

Deno.test("an op model that was asked about many configs of a convolution answers as a fresh one", () => {
  const freshModel = (): OpModel =>
    createOpModel({ chip: testChipWithGrid(8, 8), layouts: new LayoutTable() });
  const convolution = (kernel: number) => {
    const attributes = {
      batch_size: integerAttribute(1),
      input_height: integerAttribute(64),
      input_width: integerAttribute(64),
      in_channels: integerAttribute(64),
      out_channels: integerAttribute(64),
      kernel_size: integersAttribute([kernel, kernel]),
      stride: integersAttribute([1, 1]),
      padding: integersAttribute([(kernel - 1) / 2, (kernel - 1) / 2]),
      dilation: integersAttribute([1, 1]),
    };
    const image = tensorOf([1, 1, 4096, 64]);
    return signatureOf("ttnn.conv2d", [image, tensorOf([64, 64, kernel, kernel])], [image], attributes);
  };
  const known = { 1: freshModel(), 3: freshModel() };
  const ops = { 1: convolution(1), 3: convolution(3) };
  const memories = fc.constantFrom("dram", "l1", "hs 16x1", "hs 64x1", "bs 8x2");
  const configs: fc.Arbitrary<Conv2dConfig> = fc.record({
    actBlockHOverride: fc.constantFrom(0, 32, 64, 96),
    deallocateActivation: fc.boolean(),
    enableActDoubleBuffer: fc.boolean(),
    actBlockWDiv: fc.constantFrom(1, 2),
  });
  let valid = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(1 as const, 3 as const),
      memories,
      memories,
      configs,
      (kernel, input, hint, own) => {
        const op = ops[kernel];
        const config = { kind: "conv2d", conv2dConfig: own } as const;
        const ask = (model: OpModel) => {
          const [image, weight] = op.operands;
          assert(image !== undefined && weight !== undefined);
          const layouts = [layoutOf(model, image, input), layoutOf(model, weight, "dram-rm")];
          const answer = model.queryOpConstraints(op, layouts, layoutOf(model, image, hint), config);
          if (answer.status === "invalid") return answer;
          valid++;
          return {
            ...answer,
            outputLayouts: answer.outputLayouts.map((id) => id === undefined ? id : model.layouts.get(id)),
          };
        };
        assertEquals(ask(known[kernel]), ask(freshModel()));
      },
    ),
    // How many answers are valid depends on what is drawn.
    { numRuns: 600, seed: 20261122 },
  );
  assert(valid > 200, `${valid} valid answers`);
});
