#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<1024x512xbf16, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<32x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<32x16x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<32x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<32x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 32 + d2, d3), <1x1>, memref<1024x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 64 + d2, d3), <1x1>, memref<256x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<16x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 64 + d2, d3), <1x1>, memref<256x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 64 + d2, d3), <1x1>, memref<256x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 64 + d2, d3), <1x1>, memref<256x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @jit_encoder_batch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_encoder_batch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0() -> tensor<1x1x1xbf16, #ttnn_layout> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 0xFF800000 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> tensor<1x1x1xbf16, #ttnn_layout>
        return %1 : tensor<1x1x1xbf16, #ttnn_layout>
      }
      func.func private @main_const_eval_1() -> tensor<1x1x1xbf16, #ttnn_layout> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 1.00135803E-5 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> tensor<1x1x1xbf16, #ttnn_layout>
        return %1 : tensor<1x1x1xbf16, #ttnn_layout>
      }
      func.func private @main_const_eval_2(%arg0: tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_3(%arg0: tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_4(%arg0: tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_5() -> tensor<1x1x1x1xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout3>
        return %1 : tensor<1x1x1x1xbf16, #ttnn_layout3>
      }
      func.func private @main_const_eval_6(%arg0: tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout2>
      }
      func.func public @main(%arg0: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_k_b"}, %arg1: tensor<512x512xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_k_w"}, %arg2: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_o_b"}, %arg3: tensor<512x512xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_o_w"}, %arg4: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_q_b"}, %arg5: tensor<512x512xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_q_w"}, %arg6: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_v_b"}, %arg7: tensor<512x512xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_v_w"}, %arg8: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "down_b"}, %arg9: tensor<1024x512xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "down_w"}, %arg10: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n1_b"}, %arg11: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n1_w"}, %arg12: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n2_b"}, %arg13: tensor<512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n2_w"}, %arg14: tensor<1024xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "up_b"}, %arg15: tensor<512x1024xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "up_w"}, %arg16: tensor<16x64x512xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<16x64x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<16x64x512xbf16, #ttnn_layout9> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<16x64x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, []) : () -> tensor<1x1x1xbf16, #ttnn_layout>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg12]) : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        %2 = ttcore.load_cached(@main_const_eval_6, [%arg11]) : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        %3 = ttcore.load_cached(@main_const_eval_4, [%arg13]) : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        %4 = ttcore.load_cached(@main_const_eval_5, []) : () -> tensor<1x1x1x1xbf16, #ttnn_layout3>
        %5 = ttcore.load_cached(@main_const_eval_1, []) : () -> tensor<1x1x1xbf16, #ttnn_layout>
        %6 = ttcore.load_cached(@main_const_eval_3, [%arg10]) : (tensor<512xbf16, #ttnn_layout1>) -> tensor<1x1x512xbf16, #ttnn_layout2>
        %7 = "ttnn.to_tensor_spec"(%arg16) : (tensor<16x64x512xbf16, #ttnn_layout8>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %8 = "ttnn.typecast"(%7) : (tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xf32, #ttnn_layout10>
        %9 = "ttnn.mean"(%8) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<16x64x512xf32, #ttnn_layout10>) -> tensor<16x64x1xf32, #ttnn_layout11>
        %10 = "ttnn.typecast"(%9) : (tensor<16x64x1xf32, #ttnn_layout11>) -> tensor<16x64x1xbf16, #ttnn_layout12>
        %11 = "ttnn.subtract"(%7, %10) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x1xbf16, #ttnn_layout12>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %12 = "ttnn.multiply"(%11, %11) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %13 = "ttnn.typecast"(%12) : (tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xf32, #ttnn_layout10>
        %14 = "ttnn.mean"(%13) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<16x64x512xf32, #ttnn_layout10>) -> tensor<16x64x1xf32, #ttnn_layout11>
        %15 = "ttnn.typecast"(%14) : (tensor<16x64x1xf32, #ttnn_layout11>) -> tensor<16x64x1xbf16, #ttnn_layout12>
        %16 = "ttnn.add"(%15, %5) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x1xbf16, #ttnn_layout12>, tensor<1x1x1xbf16, #ttnn_layout>) -> tensor<16x64x1xbf16, #ttnn_layout12>
        %17 = "ttnn.multiply"(%11, %16) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x1xbf16, #ttnn_layout12>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %18 = "ttnn.multiply"(%17, %2) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<1x1x512xbf16, #ttnn_layout2>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %19 = "ttnn.add"(%18, %6) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<1x1x512xbf16, #ttnn_layout2>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %20 = "ttnn.reshape"(%19) <{shape = [1024 : i32, 512 : i32]}> : (tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %21 = "ttnn.linear"(%20, %arg5, %arg4) <{transpose_a = false, transpose_b = false}> : (tensor<1024x512xbf16, #ttnn_layout5>, tensor<512x512xbf16, #ttnn_layout4>, tensor<512xbf16, #ttnn_layout1>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %22 = "ttnn.reshape"(%21) <{shape = [16 : i32, 64 : i32, 8 : i32, 64 : i32]}> : (tensor<1024x512xbf16, #ttnn_layout5>) -> tensor<16x64x8x64xbf16, #ttnn_layout13>
        %23 = "ttnn.permute"(%22) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<16x64x8x64xbf16, #ttnn_layout13>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %24 = "ttnn.linear"(%20, %arg1, %arg0) <{transpose_a = false, transpose_b = false}> : (tensor<1024x512xbf16, #ttnn_layout5>, tensor<512x512xbf16, #ttnn_layout4>, tensor<512xbf16, #ttnn_layout1>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %25 = "ttnn.reshape"(%24) <{shape = [16 : i32, 64 : i32, 8 : i32, 64 : i32]}> : (tensor<1024x512xbf16, #ttnn_layout5>) -> tensor<16x64x8x64xbf16, #ttnn_layout13>
        %26 = "ttnn.linear"(%20, %arg7, %arg6) <{transpose_a = false, transpose_b = false}> : (tensor<1024x512xbf16, #ttnn_layout5>, tensor<512x512xbf16, #ttnn_layout4>, tensor<512xbf16, #ttnn_layout1>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %27 = "ttnn.reshape"(%26) <{shape = [16 : i32, 64 : i32, 8 : i32, 64 : i32]}> : (tensor<1024x512xbf16, #ttnn_layout5>) -> tensor<16x64x8x64xbf16, #ttnn_layout13>
        %28 = "ttnn.permute"(%27) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<16x64x8x64xbf16, #ttnn_layout13>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %29 = "ttnn.permute"(%25) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<16x64x8x64xbf16, #ttnn_layout13>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %30 = "ttnn.matmul"(%23, %29) <{transpose_a = false, transpose_b = false}> : (tensor<16x8x64x64xbf16, #ttnn_layout14>, tensor<16x8x64x64xbf16, #ttnn_layout14>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %31 = "ttnn.multiply"(%30, %4) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x8x64x64xbf16, #ttnn_layout14>, tensor<1x1x1x1xbf16, #ttnn_layout3>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %32 = "ttnn.max"(%31) <{dim_arg = [3 : i32], keep_dim = false}> : (tensor<16x8x64x64xbf16, #ttnn_layout14>) -> tensor<16x8x64xbf16, #ttnn_layout15>
        %33 = "ttnn.maximum"(%0, %32) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1x1xbf16, #ttnn_layout>, tensor<16x8x64xbf16, #ttnn_layout15>) -> tensor<16x8x64xbf16, #ttnn_layout15>
        %34 = "ttnn.reshape"(%33) <{shape = [16 : i32, 8 : i32, 64 : i32, 1 : i32]}> : (tensor<16x8x64xbf16, #ttnn_layout15>) -> tensor<16x8x64x1xbf16, #ttnn_layout16>
        %35 = "ttnn.subtract"(%31, %34) <{activations = [#ttnn.unary_with_param<op_type = exp>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x8x64x64xbf16, #ttnn_layout14>, tensor<16x8x64x1xbf16, #ttnn_layout16>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %36 = "ttnn.typecast"(%35) : (tensor<16x8x64x64xbf16, #ttnn_layout14>) -> tensor<16x8x64x64xf32, #ttnn_layout17>
        %37 = "ttnn.sum"(%36) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<16x8x64x64xf32, #ttnn_layout17>) -> tensor<16x8x64x1xf32, #ttnn_layout18>
        %38 = "ttnn.typecast"(%37) : (tensor<16x8x64x1xf32, #ttnn_layout18>) -> tensor<16x8x64x1xbf16, #ttnn_layout16>
        %39 = "ttnn.divide"(%35, %38) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x8x64x64xbf16, #ttnn_layout14>, tensor<16x8x64x1xbf16, #ttnn_layout16>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %40 = "ttnn.matmul"(%39, %28) <{transpose_a = false, transpose_b = false}> : (tensor<16x8x64x64xbf16, #ttnn_layout14>, tensor<16x8x64x64xbf16, #ttnn_layout14>) -> tensor<16x8x64x64xbf16, #ttnn_layout14>
        %41 = "ttnn.concatenate_heads"(%40) : (tensor<16x8x64x64xbf16, #ttnn_layout14>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %42 = "ttnn.reshape"(%41) <{shape = [1024 : i32, 512 : i32]}> : (tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %43 = "ttnn.linear"(%42, %arg3, %arg2) <{transpose_a = false, transpose_b = false}> : (tensor<1024x512xbf16, #ttnn_layout5>, tensor<512x512xbf16, #ttnn_layout4>, tensor<512xbf16, #ttnn_layout1>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %44 = "ttnn.reshape"(%43) <{shape = [16 : i32, 64 : i32, 512 : i32]}> : (tensor<1024x512xbf16, #ttnn_layout5>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %45 = "ttnn.add"(%7, %44) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %46 = "ttnn.typecast"(%45) : (tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xf32, #ttnn_layout10>
        %47 = "ttnn.mean"(%46) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<16x64x512xf32, #ttnn_layout10>) -> tensor<16x64x1xf32, #ttnn_layout11>
        %48 = "ttnn.typecast"(%47) : (tensor<16x64x1xf32, #ttnn_layout11>) -> tensor<16x64x1xbf16, #ttnn_layout12>
        %49 = "ttnn.subtract"(%45, %48) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x1xbf16, #ttnn_layout12>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %50 = "ttnn.multiply"(%49, %49) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %51 = "ttnn.typecast"(%50) : (tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xf32, #ttnn_layout10>
        %52 = "ttnn.mean"(%51) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<16x64x512xf32, #ttnn_layout10>) -> tensor<16x64x1xf32, #ttnn_layout11>
        %53 = "ttnn.typecast"(%52) : (tensor<16x64x1xf32, #ttnn_layout11>) -> tensor<16x64x1xbf16, #ttnn_layout12>
        %54 = "ttnn.add"(%53, %5) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x1xbf16, #ttnn_layout12>, tensor<1x1x1xbf16, #ttnn_layout>) -> tensor<16x64x1xbf16, #ttnn_layout12>
        %55 = "ttnn.multiply"(%49, %54) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x1xbf16, #ttnn_layout12>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %56 = "ttnn.multiply"(%55, %3) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<1x1x512xbf16, #ttnn_layout2>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %57 = "ttnn.add"(%56, %1) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<1x1x512xbf16, #ttnn_layout2>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %58 = "ttnn.reshape"(%57) <{shape = [1024 : i32, 512 : i32]}> : (tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %59 = "ttnn.linear"(%58, %arg15, %arg14) <{transpose_a = false, transpose_b = false}> : (tensor<1024x512xbf16, #ttnn_layout5>, tensor<512x1024xbf16, #ttnn_layout7>, tensor<1024xbf16, #ttnn_layout6>) -> tensor<1024x1024xbf16, #ttnn_layout19>
        %60 = "ttnn.reshape"(%59) <{shape = [16 : i32, 64 : i32, 1024 : i32]}> : (tensor<1024x1024xbf16, #ttnn_layout19>) -> tensor<16x64x1024xbf16, #ttnn_layout20>
        %61 = "ttnn.relu"(%60) : (tensor<16x64x1024xbf16, #ttnn_layout20>) -> tensor<16x64x1024xbf16, #ttnn_layout20>
        %62 = "ttnn.reshape"(%61) <{shape = [1024 : i32, 1024 : i32]}> : (tensor<16x64x1024xbf16, #ttnn_layout20>) -> tensor<1024x1024xbf16, #ttnn_layout19>
        %63 = "ttnn.linear"(%62, %arg9, %arg8) <{transpose_a = false, transpose_b = false}> : (tensor<1024x1024xbf16, #ttnn_layout19>, tensor<1024x512xbf16, #ttnn_layout5>, tensor<512xbf16, #ttnn_layout1>) -> tensor<1024x512xbf16, #ttnn_layout5>
        %64 = "ttnn.reshape"(%63) <{shape = [16 : i32, 64 : i32, 512 : i32]}> : (tensor<1024x512xbf16, #ttnn_layout5>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        %65 = "ttnn.add"(%45, %64) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<16x64x512xbf16, #ttnn_layout9>, tensor<16x64x512xbf16, #ttnn_layout9>) -> tensor<16x64x512xbf16, #ttnn_layout9>
        return %65 : tensor<16x64x512xbf16, #ttnn_layout9>
      }
    }
  }
}

