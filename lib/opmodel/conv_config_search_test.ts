// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { conv2dConfigs } from "./conv2d_config_search.ts";
import { conv3dConfig } from "./conv3d_blocking.ts";

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

Deno.test("conv3dConfig() looks the blocking up, keeps the op's own on a miss and lets overrides win", () => {
  // test/ttmlir/Dialect/TTNN/optimizer/conv3d/conv3d_heuristic.mlir and conv3d_config_override.mlir in tt-mlir.
  assertEquals(conv3dConfig(192, 384, [3, 3, 3], { weightsDtype: "bf16" }, {}), {
    weightsDtype: "bf16",
    tOutBlock: 1,
    wOutBlock: 4,
    hOutBlock: 8,
    cOutBlock: 128,
    cInBlock: 64,
  });
  const own = { tOutBlock: 1, wOutBlock: 1, hOutBlock: 1, cOutBlock: 32, cInBlock: 32 };
  assertEquals(conv3dConfig(7, 7, [3, 3, 3], own, {}), own);
  assertEquals(conv3dConfig(192, 384, [3, 3, 3], {}, { wOutBlock: 2 }).wOutBlock, 2);
});
