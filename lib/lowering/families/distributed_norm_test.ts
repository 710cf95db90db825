// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("distributed_rms_norm of one row of tiles is sharded over the cores", () => {
  const text = ttirFunction("(%a: tensor<32x1x2048xbf16>, %w: tensor<2048xbf16>) -> tensor<32x1x2048xbf16>", [
    '%0 = "ttir.distributed_rms_norm"(%a, %w) <{cluster_axis = 0 : ui32, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<32x1x2048xbf16>, tensor<2048xbf16>) -> tensor<32x1x2048xbf16>',
    "return %0 : tensor<32x1x2048xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.create_global_semaphore"(%0) <{core_range_set = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>, initial_value = 0 : ui32}> : (!ttnn.device) -> !ttnn.global_semaphore',
    '%2 = "ttnn.empty"(%0) <{shape = #ttnn.shape<1x1x32x32>}> : (!ttnn.device) -> tensor<1x1x32x32xf32, l1 width_sharded 1x1>',
    '%3 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 32 : i32, 2048 : i32]}> : (tensor<32x1x2048xbf16>) -> tensor<1x1x32x2048xbf16>',
    '%4 = "ttnn.to_memory_config"(%3) : (tensor<1x1x32x2048xbf16>) -> tensor<1x1x32x2048xbf16, l1 width_sharded 1x64>',
    '%5 = "ttnn.reshape"(%arg1) <{shape = [64 : i32, 32 : i32]}> : (tensor<2048xbf16>) -> tensor<64x32xbf16>',
    '%6 = "ttnn.to_layout"(%5) : (tensor<64x32xbf16>) -> tensor<64x32xbf16, rm>',
    '%7 = "ttnn.distributed_rms_norm"(%4, %6, %2, %1, %0) <{cluster_axis = 0 : ui32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 1, 1, 1>, program_config = #ttnn.layernorm_sharded_multicore_program_config<compute_with_storage_grid_size = <8, 8>, subblock_w = 1, block_h = 1, block_w = 1, inplace = false>}> : (tensor<1x1x32x2048xbf16, l1 width_sharded 1x64>, tensor<64x32xbf16, rm>, tensor<1x1x32x32xf32, l1 width_sharded 1x1>, !ttnn.global_semaphore, !ttnn.device) -> tensor<1x1x32x2048xbf16, l1 width_sharded 1x64>',
    '%8 = "ttnn.to_memory_config"(%7) : (tensor<1x1x32x2048xbf16, l1 width_sharded 1x64>) -> tensor<1x1x32x2048xbf16>',
    '%9 = "ttnn.reshape"(%8) <{shape = [32 : i32, 1 : i32, 2048 : i32]}> : (tensor<1x1x32x2048xbf16>) -> tensor<32x1x2048xbf16>',
    "return %9 : tensor<32x1x2048xbf16>",
  ]);
});

Deno.test("distributed_rms_norm of other shapes gathers its statistics", () => {
  const text = ttirFunction("(%a: tensor<2x64x96xbf16>, %w: tensor<96xbf16>) -> tensor<2x64x96xbf16>", [
    '%0 = "ttir.distributed_rms_norm"(%a, %w) <{cluster_axis = 0 : ui32, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<2x64x96xbf16>, tensor<96xbf16>) -> tensor<2x64x96xbf16>',
    "return %0 : tensor<2x64x96xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 128 : i32, 96 : i32]}> : (tensor<2x64x96xbf16>) -> tensor<1x1x128x96xbf16>',
    '%1 = "ttnn.rms_norm_pre_all_gather"(%0) <{compute_config = HIFI4}> : (tensor<1x1x128x96xbf16>) -> tensor<1x1x128x32xbf16>',
    '%2 = "ttnn.all_gather"(%1) <{all_gather_dim = 3 : si32, cluster_axis = 0 : ui32}> : (tensor<1x1x128x32xbf16>) -> tensor<1x1x128x32xbf16>',
    '%3 = "ttnn.slice_static"(%2) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 128 : i32, 1 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x128x32xbf16>) -> tensor<1x1x128x1xbf16>',
    '%4 = "ttnn.mean"(%3) <{compute_config = HIFI4, dim_arg = [3 : i32], keep_dim = true}> : (tensor<1x1x128x1xbf16>) -> tensor<1x1x128x1xbf16>',
    '%6 = "ttnn.full"(%5) <{fill_value = 0.010416667 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16>',
    '%7 = "ttnn.multiply"(%4, %6) : (tensor<1x1x128x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1x128x1xbf16>',
    '%8 = "ttnn.full"(%5) <{fill_value = 9.99999974E-6 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16>',
    '%9 = "ttnn.add"(%7, %8) : (tensor<1x1x128x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1x128x1xbf16>',
    '%10 = "ttnn.rsqrt"(%9) : (tensor<1x1x128x1xbf16>) -> tensor<1x1x128x1xbf16>',
    '%11 = "ttnn.multiply"(%0, %10) : (tensor<1x1x128x96xbf16>, tensor<1x1x128x1xbf16>) -> tensor<1x1x128x96xbf16>',
    '%12 = "ttnn.reshape"(%arg1) <{shape = [1 : i32, 1 : i32, 1 : i32, 96 : i32]}> : (tensor<96xbf16>) -> tensor<1x1x1x96xbf16>',
    '%13 = "ttnn.multiply"(%11, %12) : (tensor<1x1x128x96xbf16>, tensor<1x1x1x96xbf16>) -> tensor<1x1x128x96xbf16>',
    '%14 = "ttnn.reshape"(%13) <{shape = [2 : i32, 64 : i32, 96 : i32]}> : (tensor<1x1x128x96xbf16>) -> tensor<2x64x96xbf16>',
    "return %14 : tensor<2x64x96xbf16>",
  ]);
});

Deno.test("distributed_layer_norm adds the residual and gathers its statistics", () => {
  const text = ttirFunction(
    "(%a: tensor<1x1x32x128xbf16>, %b: tensor<128xbf16>) -> tensor<1x1x32x128xbf16>",
    [
      '%0 = "ttir.distributed_layer_norm"(%a, %b, %a) <{cluster_axis = 1 : ui32, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (tensor<1x1x32x128xbf16>, tensor<128xbf16>, tensor<1x1x32x128xbf16>) -> tensor<1x1x32x128xbf16>',
      "return %0 : tensor<1x1x32x128xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.add"(%arg0, %arg0) : (tensor<1x1x32x128xbf16>, tensor<1x1x32x128xbf16>) -> tensor<1x1x32x128xbf16>',
    '%1 = "ttnn.layer_norm_pre_all_gather"(%0) <{compute_config = HIFI4, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x1x32x128xbf16>) -> tensor<1x1x32x64xbf16>',
    '%2 = "ttnn.all_gather"(%1) <{all_gather_dim = 3 : si32, cluster_axis = 1 : ui32}> : (tensor<1x1x32x64xbf16>) -> tensor<1x1x32x64xbf16>',
    '%3 = "ttnn.layer_norm_post_all_gather"(%0, %2, %arg1) <{compute_config = HIFI4, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (tensor<1x1x32x128xbf16>, tensor<1x1x32x64xbf16>, tensor<128xbf16>) -> tensor<1x1x32x128xbf16>',
    "return %3 : tensor<1x1x32x128xbf16>",
  ]);
});
