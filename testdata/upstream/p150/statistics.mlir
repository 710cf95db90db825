#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<() -> (0, 0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<512x1024xbf16, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<() -> (0, 0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x16x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
module @jit_statistics attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_statistics attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0() -> tensor<1xf32, #ttnn_layout> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 5.120000e+02 : f32, shape = #ttnn.shape<1>}> : (!ttnn.device) -> tensor<1xf32, #ttnn_layout>
        return %1 : tensor<1xf32, #ttnn_layout>
      }
      func.func private @main_const_eval_1(%arg0: tensor<1024xbf16, #ttnn_layout1>) -> tensor<1x1024xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1024 : i32]}> : (tensor<1024xbf16, #ttnn_layout1>) -> tensor<1x1024xbf16, #ttnn_layout2>
        return %0 : tensor<1x1024xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_2() -> tensor<bf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 0xFF800000 : f32, shape = #ttnn.shape<>}> : (!ttnn.device) -> tensor<bf16, #ttnn_layout3>
        return %1 : tensor<bf16, #ttnn_layout3>
      }
      func.func public @main(%arg0: tensor<1024xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = ""}, %arg1: tensor<512x1024xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<512xbf16, #ttnn_layout5> {jax.result_info = "result[0]", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}, tensor<1x1024xbf16, #ttnn_layout2> {jax.result_info = "result[1]", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}, tensor<f32, #ttnn_layout6> {jax.result_info = "result[2]", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<f32>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, []) : () -> tensor<1xf32, #ttnn_layout>
        %1 = ttcore.load_cached(@main_const_eval_2, []) : () -> tensor<bf16, #ttnn_layout3>
        %2 = ttcore.load_cached(@main_const_eval_1, [%arg0]) : (tensor<1024xbf16, #ttnn_layout1>) -> tensor<1x1024xbf16, #ttnn_layout2>
        %3 = "ttnn.to_tensor_spec"(%arg1) : (tensor<512x1024xbf16, #ttnn_layout4>) -> tensor<512x1024xbf16, #ttnn_layout7>
        %4 = "ttnn.multiply"(%3, %2) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<512x1024xbf16, #ttnn_layout7>, tensor<1x1024xbf16, #ttnn_layout2>) -> tensor<512x1024xbf16, #ttnn_layout7>
        %5 = "ttnn.max"(%4) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<512x1024xbf16, #ttnn_layout7>) -> tensor<512xbf16, #ttnn_layout5>
        %6 = "ttnn.typecast"(%4) : (tensor<512x1024xbf16, #ttnn_layout7>) -> tensor<512x1024xf32, #ttnn_layout8>
        %7 = "ttnn.sum"(%6) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<512x1024xf32, #ttnn_layout8>) -> tensor<1024xf32, #ttnn_layout9>
        %8 = "ttnn.reshape"(%7) <{shape = [1 : i32, 1024 : i32]}> : (tensor<1024xf32, #ttnn_layout9>) -> tensor<1x1024xf32, #ttnn_layout10>
        %9 = "ttnn.typecast"(%8) : (tensor<1x1024xf32, #ttnn_layout10>) -> tensor<1x1024xbf16, #ttnn_layout2>
        %10 = "ttnn.divide"(%7, %0) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1024xf32, #ttnn_layout9>, tensor<1xf32, #ttnn_layout>) -> tensor<1024xbf16, #ttnn_layout1>
        %11 = "ttnn.reshape"(%10) <{shape = [1 : i32, 1024 : i32]}> : (tensor<1024xbf16, #ttnn_layout1>) -> tensor<1x1024xbf16, #ttnn_layout2>
        %12 = "ttnn.subtract"(%4, %11) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<512x1024xbf16, #ttnn_layout7>, tensor<1x1024xbf16, #ttnn_layout2>) -> tensor<512x1024xbf16, #ttnn_layout7>
        %13 = "ttnn.multiply"(%12, %12) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<512x1024xbf16, #ttnn_layout7>, tensor<512x1024xbf16, #ttnn_layout7>) -> tensor<512x1024xbf16, #ttnn_layout7>
        %14 = "ttnn.typecast"(%13) : (tensor<512x1024xbf16, #ttnn_layout7>) -> tensor<512x1024xf32, #ttnn_layout8>
        %15 = "ttnn.mean"(%14) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<512x1024xf32, #ttnn_layout8>) -> tensor<1024xf32, #ttnn_layout9>
        %16 = "ttnn.typecast"(%15) : (tensor<1024xf32, #ttnn_layout9>) -> tensor<1024xbf16, #ttnn_layout1>
        %17 = "ttnn.sqrt"(%16) : (tensor<1024xbf16, #ttnn_layout1>) -> tensor<1024xbf16, #ttnn_layout1>
        %18 = "ttnn.max"(%5) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<512xbf16, #ttnn_layout5>) -> tensor<bf16, #ttnn_layout3>
        %19 = "ttnn.maximum"(%18, %1) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<bf16, #ttnn_layout3>, tensor<bf16, #ttnn_layout3>) -> tensor<bf16, #ttnn_layout3>
        %20 = "ttnn.reshape"(%19) <{shape = [1 : i32]}> : (tensor<bf16, #ttnn_layout3>) -> tensor<1xbf16, #ttnn_layout11>
        %21 = "ttnn.subtract"(%5, %20) <{activations = [#ttnn.unary_with_param<op_type = exp>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<512xbf16, #ttnn_layout5>, tensor<1xbf16, #ttnn_layout11>) -> tensor<512xbf16, #ttnn_layout5>
        %22 = "ttnn.typecast"(%21) : (tensor<512xbf16, #ttnn_layout5>) -> tensor<512xf32, #ttnn_layout12>
        %23 = "ttnn.sum"(%22) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<512xf32, #ttnn_layout12>) -> tensor<1xf32, #ttnn_layout>
        %24 = "ttnn.typecast"(%23) : (tensor<1xf32, #ttnn_layout>) -> tensor<1xbf16, #ttnn_layout11>
        %25 = "ttnn.divide"(%21, %24) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<512xbf16, #ttnn_layout5>, tensor<1xbf16, #ttnn_layout11>) -> tensor<512xbf16, #ttnn_layout5>
        %26 = "ttnn.reshape"(%17) <{shape = [1 : i32, 1024 : i32]}> : (tensor<1024xbf16, #ttnn_layout1>) -> tensor<1x1024xbf16, #ttnn_layout2>
        %27 = "ttnn.add"(%9, %26) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1024xbf16, #ttnn_layout2>, tensor<1x1024xbf16, #ttnn_layout2>) -> tensor<1x1024xbf16, #ttnn_layout2>
        %28 = "ttnn.sum"(%6) <{dim_arg = [0 : i32, 1 : i32], keep_dim = false}> : (tensor<512x1024xf32, #ttnn_layout8>) -> tensor<f32, #ttnn_layout6>
        return %25, %27, %28 : tensor<512xbf16, #ttnn_layout5>, tensor<1x1024xbf16, #ttnn_layout2>, tensor<f32, #ttnn_layout6>
      }
    }
  }
}

