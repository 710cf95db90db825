// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("mesh_shard distributes and aggregates host tensors", () => {
  const text = ttirFunction("(%a: tensor<64x128xf32>) -> tensor<64x128xf32>", [
    '%0 = "ttir.mesh_shard"(%a) <{shard_dims = array<i64: -1, 1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<64x128xf32>) -> tensor<64x64xf32>',
    '%1 = "ttir.all_reduce"(%0) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>',
    '%2 = "ttir.mesh_shard"(%1) <{shard_dims = array<i64: -1, 1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<64x64xf32>) -> tensor<64x128xf32>',
    "return %2 : tensor<64x128xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.distribute_tensor"(%arg0, %0) <{mapper_config = #ttnn.mesh_mapper_config<placements = [<replicate, -1 : i32>, <shard, 1 : i32>], mesh_shape_override = [1 : ui32, 2 : ui32]>}> : (tensor<64x128xf32, host>, !ttnn.device) -> tensor<64x64xf32, host>',
    '%2 = "ttnn.to_device"(%1, %0) : (tensor<64x64xf32, host>, !ttnn.device) -> tensor<64x64xf32, rm>',
    '%3 = "ttnn.to_layout"(%2) : (tensor<64x64xf32, rm>) -> tensor<64x64xf32>',
    '%4 = "ttnn.all_reduce"(%3) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>',
    '%5 = "ttnn.to_layout"(%4) : (tensor<64x64xf32>) -> tensor<64x64xf32, rm>',
    '%6 = "ttnn.from_device"(%5) : (tensor<64x64xf32, rm>) -> tensor<64x64xf32, host>',
    '%7 = "ttnn.aggregate_tensor"(%6, %0) <{composer_config = #ttnn.mesh_composer_config<dims = [0 : i32, 1 : i32], mesh_shape_override = [1 : ui32, 2 : ui32]>}> : (tensor<64x64xf32, host>, !ttnn.device) -> tensor<64x128xf32, host>',
    "return %7 : tensor<64x128xf32, host>",
  ]);
});

Deno.test("an exchange along an axis of one chip is its operand", () => {
  const text = ttirFunction("(%a: tensor<64x64xf32>) -> tensor<64x64xf32>", [
    '%0 = "ttir.all_gather"(%a) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (tensor<64x64xf32>) -> tensor<64x64xf32>',
    '%1 = "ttir.all_reduce"(%0) <{cluster_axis = 0 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>',
    '%2 = "ttir.abs"(%1) : (tensor<64x64xf32>) -> tensor<64x64xf32>',
    "return %2 : tensor<64x64xf32>",
  ]).replace("module {", 'module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {');
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.abs"(%arg0) : (tensor<64x64xf32>) -> tensor<64x64xf32>',
    "return %0 : tensor<64x64xf32>",
  ]);
});

Deno.test("programs of early 2025 that tell no axis of the mesh are named", () => {
  const refused = (line: string) => {
    const body = [line, "return %0 : tensor<64x64xf32>"];
    const text = ttirFunction("(%a: tensor<64x128xf32>) -> tensor<64x64xf32>", body);
    return assertThrows(() => loweredBody(text), DiagnosticError).message;
  };
  const advice = ", as in TTIR of early 2025; make the TTIR anew with a newer tt-mlir, or add it";
  assertEquals(
    refused(
      '%0 = "ttir.mesh_shard"(%a) <{shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = #tt.grid<1x2>, shard_type = #tt.shard_type<devices>}> : (tensor<64x128xf32>) -> tensor<64x64xf32>',
    ),
    "Cannot lower ttir.mesh_shard: it does not tell which dimension each axis of the mesh shards (shard_dims)" +
      advice,
  );
  assertEquals(
    refused('%0 = "ttir.all_gather"(%a) <{dim = 1 : si32}> : (tensor<64x32xf32>) -> tensor<64x64xf32>'),
    `Cannot lower ttir.all_gather: it does not tell the axis of the mesh (cluster_axis)${advice}`,
  );
});
