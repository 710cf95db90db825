#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2048 + d1, d2), <1x1>, memref<2048x256xbf16, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2048 + d1, d2), <1x1>, memref<64x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x64xsi32, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 + d1, d2), <1x1>, memref<1x2048xsi32, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<64x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<64x8x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x8x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x2048xbf16, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32xui32, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x64x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
module @jit_retrieval attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_retrieval attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0() -> tensor<1xbf16, #ttnn_layout> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 0xFF800000 : f32, shape = #ttnn.shape<1>}> : (!ttnn.device) -> tensor<1xbf16, #ttnn_layout>
        return %1 : tensor<1xbf16, #ttnn_layout>
      }
      func.func private @main_const_eval_1() -> tensor<1x1xsi32, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 2048 : i32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xsi32, #ttnn_layout1>
        return %1 : tensor<1x1xsi32, #ttnn_layout1>
      }
      func.func private @main_const_eval_2(%arg0: tensor<256xbf16, #ttnn_layout2>) -> tensor<1x256xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 256 : i32]}> : (tensor<256xbf16, #ttnn_layout2>) -> tensor<1x256xbf16, #ttnn_layout3>
        return %0 : tensor<1x256xbf16, #ttnn_layout3>
      }
      func.func private @main_const_eval_3(%arg0: tensor<2048x256xbf16, #ttnn_layout4>) -> tensor<1x2048x256xbf16, #ttnn_layout5> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 2048 : i32, 256 : i32]}> : (tensor<2048x256xbf16, #ttnn_layout4>) -> tensor<1x2048x256xbf16, #ttnn_layout6>
        %1 = "ttnn.to_tensor_spec"(%0) : (tensor<1x2048x256xbf16, #ttnn_layout6>) -> tensor<1x2048x256xbf16, #ttnn_layout5>
        return %1 : tensor<1x2048x256xbf16, #ttnn_layout5>
      }
      func.func private @main_const_eval_4(%arg0: tensor<256xbf16, #ttnn_layout2>) -> tensor<1x256xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 256 : i32]}> : (tensor<256xbf16, #ttnn_layout2>) -> tensor<1x256xbf16, #ttnn_layout3>
        return %0 : tensor<1x256xbf16, #ttnn_layout3>
      }
      func.func private @main_const_eval_5() -> tensor<1x1xbf16, #ttnn_layout7> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 1.00135803E-5 : f32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xbf16, #ttnn_layout7>
        return %1 : tensor<1x1xbf16, #ttnn_layout7>
      }
      func.func private @main_const_eval_6() -> tensor<1x1xsi32, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.zeros"(%0) <{shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xsi32, #ttnn_layout1>
        return %1 : tensor<1x1xsi32, #ttnn_layout1>
      }
      func.func public @main(%arg0: tensor<256xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<256xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "norm_b"}, %arg1: tensor<256xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<256xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "norm_w"}, %arg2: tensor<2048x256xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<2048x256xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "table"}, %arg3: tensor<256xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<256xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "up_b"}, %arg4: tensor<256x256xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<256x256xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "up_w"}, %arg5: tensor<32x64xsi32, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32x64xi32>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<32xsi32, #ttnn_layout10> {jax.result_info = "result[0]", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xi32>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}, tensor<32x2048xbf16, #ttnn_layout11> {jax.result_info = "result[1]", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32x2048xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, []) : () -> tensor<1xbf16, #ttnn_layout>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg0]) : (tensor<256xbf16, #ttnn_layout2>) -> tensor<1x256xbf16, #ttnn_layout3>
        %2 = ttcore.load_cached(@main_const_eval_6, []) : () -> tensor<1x1xsi32, #ttnn_layout1>
        %3 = ttcore.load_cached(@main_const_eval_4, [%arg1]) : (tensor<256xbf16, #ttnn_layout2>) -> tensor<1x256xbf16, #ttnn_layout3>
        %4 = ttcore.load_cached(@main_const_eval_5, []) : () -> tensor<1x1xbf16, #ttnn_layout7>
        %5 = ttcore.load_cached(@main_const_eval_1, []) : () -> tensor<1x1xsi32, #ttnn_layout1>
        %6 = ttcore.load_cached(@main_const_eval_3, [%arg2]) : (tensor<2048x256xbf16, #ttnn_layout4>) -> tensor<1x2048x256xbf16, #ttnn_layout5>
        %7 = "ttnn.to_tensor_spec"(%arg5) : (tensor<32x64xsi32, #ttnn_layout9>) -> tensor<32x64xsi32, #ttnn_layout12>
        %8 = "ttnn.gt"(%2, %7) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1xsi32, #ttnn_layout1>, tensor<32x64xsi32, #ttnn_layout12>) -> tensor<32x64xbf16, #ttnn_layout13>
        %9 = "ttnn.add"(%7, %5) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<32x64xsi32, #ttnn_layout12>, tensor<1x1xsi32, #ttnn_layout1>) -> tensor<32x64xsi32, #ttnn_layout12>
        %10 = "ttnn.where"(%8, %9, %7) : (tensor<32x64xbf16, #ttnn_layout13>, tensor<32x64xsi32, #ttnn_layout12>, tensor<32x64xsi32, #ttnn_layout12>) -> tensor<32x64xsi32, #ttnn_layout12>
        %11 = "ttnn.to_tensor_spec"(%10) : (tensor<32x64xsi32, #ttnn_layout12>) -> tensor<32x64xsi32, #ttnn_layout9>
        %12 = "ttnn.reshape"(%11) <{shape = [1 : i32, 1 : i32, 2048 : i32]}> : (tensor<32x64xsi32, #ttnn_layout9>) -> tensor<1x1x2048xsi32, #ttnn_layout14>
        %13 = "ttnn.rows_gather"(%6, %12) <{column = false, fill_out_of_bounds = false, sizes = array<i64: 2048>, windows = array<i64: 1>}> : (tensor<1x2048x256xbf16, #ttnn_layout5>, tensor<1x1x2048xsi32, #ttnn_layout14>) -> tensor<1x2048x256xbf16, #ttnn_layout5>
        %14 = "ttnn.to_tensor_spec"(%13) : (tensor<1x2048x256xbf16, #ttnn_layout5>) -> tensor<1x2048x256xbf16, #ttnn_layout6>
        %15 = "ttnn.reshape"(%14) <{shape = [32 : i32, 64 : i32, 256 : i32]}> : (tensor<1x2048x256xbf16, #ttnn_layout6>) -> tensor<32x64x256xbf16, #ttnn_layout15>
        %16 = "ttnn.typecast"(%15) : (tensor<32x64x256xbf16, #ttnn_layout15>) -> tensor<32x64x256xf32, #ttnn_layout16>
        %17 = "ttnn.mean"(%16) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<32x64x256xf32, #ttnn_layout16>) -> tensor<32x256xf32, #ttnn_layout17>
        %18 = "ttnn.typecast"(%17) : (tensor<32x256xf32, #ttnn_layout17>) -> tensor<32x256xbf16, #ttnn_layout3>
        %19 = "ttnn.linear"(%18, %arg4, %arg3) <{transpose_a = false, transpose_b = false}> : (tensor<32x256xbf16, #ttnn_layout3>, tensor<256x256xbf16, #ttnn_layout8>, tensor<256xbf16, #ttnn_layout2>) -> tensor<32x256xbf16, #ttnn_layout3>
        %20 = "ttnn.typecast"(%19) : (tensor<32x256xbf16, #ttnn_layout3>) -> tensor<32x256xf32, #ttnn_layout17>
        %21 = "ttnn.mean"(%20) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<32x256xf32, #ttnn_layout17>) -> tensor<32x1xf32, #ttnn_layout18>
        %22 = "ttnn.typecast"(%21) : (tensor<32x1xf32, #ttnn_layout18>) -> tensor<32x1xbf16, #ttnn_layout7>
        %23 = "ttnn.subtract"(%19, %22) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<32x256xbf16, #ttnn_layout3>, tensor<32x1xbf16, #ttnn_layout7>) -> tensor<32x256xbf16, #ttnn_layout3>
        %24 = "ttnn.multiply"(%23, %23) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<32x256xbf16, #ttnn_layout3>, tensor<32x256xbf16, #ttnn_layout3>) -> tensor<32x256xbf16, #ttnn_layout3>
        %25 = "ttnn.typecast"(%24) : (tensor<32x256xbf16, #ttnn_layout3>) -> tensor<32x256xf32, #ttnn_layout17>
        %26 = "ttnn.mean"(%25) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<32x256xf32, #ttnn_layout17>) -> tensor<32x1xf32, #ttnn_layout18>
        %27 = "ttnn.typecast"(%26) : (tensor<32x1xf32, #ttnn_layout18>) -> tensor<32x1xbf16, #ttnn_layout7>
        %28 = "ttnn.add"(%27, %4) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<32x1xbf16, #ttnn_layout7>, tensor<1x1xbf16, #ttnn_layout7>) -> tensor<32x1xbf16, #ttnn_layout7>
        %29 = "ttnn.multiply"(%23, %28) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<32x256xbf16, #ttnn_layout3>, tensor<32x1xbf16, #ttnn_layout7>) -> tensor<32x256xbf16, #ttnn_layout3>
        %30 = "ttnn.multiply"(%29, %3) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<32x256xbf16, #ttnn_layout3>, tensor<1x256xbf16, #ttnn_layout3>) -> tensor<32x256xbf16, #ttnn_layout3>
        %31 = "ttnn.add"(%30, %1) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<32x256xbf16, #ttnn_layout3>, tensor<1x256xbf16, #ttnn_layout3>) -> tensor<32x256xbf16, #ttnn_layout3>
        %32 = "ttnn.matmul"(%31, %arg2) <{transpose_a = false, transpose_b = true}> : (tensor<32x256xbf16, #ttnn_layout3>, tensor<2048x256xbf16, #ttnn_layout4>) -> tensor<32x2048xbf16, #ttnn_layout11>
        %33 = "ttnn.to_tensor_spec"(%32) : (tensor<32x2048xbf16, #ttnn_layout11>) -> tensor<32x2048xbf16, #ttnn_layout19>
        %34 = "ttnn.argmax"(%33) <{dim = 1 : si32, keep_dim = false}> : (tensor<32x2048xbf16, #ttnn_layout19>) -> tensor<32xui32, #ttnn_layout20>
        %35 = "ttnn.to_tensor_spec"(%34) : (tensor<32xui32, #ttnn_layout20>) -> tensor<32xsi32, #ttnn_layout10>
        %36 = "ttnn.max"(%32) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> tensor<32xbf16, #ttnn_layout>
        %37 = "ttnn.maximum"(%0, %36) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1xbf16, #ttnn_layout>, tensor<32xbf16, #ttnn_layout>) -> tensor<32xbf16, #ttnn_layout>
        %38 = "ttnn.reshape"(%37) <{shape = [32 : i32, 1 : i32]}> : (tensor<32xbf16, #ttnn_layout>) -> tensor<32x1xbf16, #ttnn_layout7>
        %39 = "ttnn.subtract"(%32, %38) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<32x1xbf16, #ttnn_layout7>) -> tensor<32x2048xbf16, #ttnn_layout11>
        %40 = "ttnn.exp"(%39) : (tensor<32x2048xbf16, #ttnn_layout11>) -> tensor<32x2048xbf16, #ttnn_layout11>
        %41 = "ttnn.typecast"(%40) : (tensor<32x2048xbf16, #ttnn_layout11>) -> tensor<32x2048xf32, #ttnn_layout21>
        %42 = "ttnn.sum"(%41) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<32x2048xf32, #ttnn_layout21>) -> tensor<32x1xf32, #ttnn_layout18>
        %43 = "ttnn.typecast"(%42) : (tensor<32x1xf32, #ttnn_layout18>) -> tensor<32x1xbf16, #ttnn_layout7>
        %44 = "ttnn.subtract"(%39, %43) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = log>]}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<32x1xbf16, #ttnn_layout7>) -> tensor<32x2048xbf16, #ttnn_layout11>
        return %35, %44 : tensor<32xsi32, #ttnn_layout10>, tensor<32x2048xbf16, #ttnn_layout11>
      }
    }
  }
}

