#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 256 + d1 * 256 + d2, d3), <1x1>, memref<8x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x8x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x8x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x8x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<256x512xbf16, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x16x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<256x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<64x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<16x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout25 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<64x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout26 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 256 + d2, d3), <1x1>, memref<64x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout27 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout28 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 256 + d2, d3), <1x1>, memref<64x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout29 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 256 + d2, d3), <1x1>, memref<64x8x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout30 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 256 + d2, d3), <1x1>, memref<64x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout31 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 256 + d2, d3), <1x1>, memref<64x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout33 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @jit_causal attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_causal attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0() -> tensor<1x1x1xbf16, #ttnn_layout> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 0xFF800000 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> tensor<1x1x1xbf16, #ttnn_layout>
        return %1 : tensor<1x1x1xbf16, #ttnn_layout>
      }
      func.func private @main_const_eval_1() -> tensor<1x1x1x1xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout1>
        return %1 : tensor<1x1x1x1xbf16, #ttnn_layout1>
      }
      func.func private @main_const_eval_2(%arg0: tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout3>
      }
      func.func private @main_const_eval_3() -> tensor<1x1x256x256xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.zeros"(%0) <{shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xbf16, #ttnn_layout5>
        %2 = "ttnn.zeros"(%0) <{shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xsi32, #ttnn_layout6>
        %3 = "ttnn.ones"(%0) <{shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xbf16, #ttnn_layout5>
        %4 = "ttnn.arange"(%0) <{end = 256 : si64, start = 0 : si64, step = 1 : si64}> : (!ttnn.device) -> tensor<256xsi32, #ttnn_layout7>
        %5 = "ttnn.reshape"(%4) <{shape = [256 : i32, 1 : i32]}> : (tensor<256xsi32, #ttnn_layout7>) -> tensor<256x1xsi32, #ttnn_layout8>
        %6 = "ttnn.add"(%5, %2) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<256x1xsi32, #ttnn_layout8>, tensor<1x1xsi32, #ttnn_layout6>) -> tensor<256x1xsi32, #ttnn_layout8>
        %7 = "ttnn.repeat"(%6) <{repeat_dims = #ttnn.shape<1x256>}> : (tensor<256x1xsi32, #ttnn_layout8>) -> tensor<256x256xsi32, #ttnn_layout9>
        %8 = "ttnn.reshape"(%4) <{shape = [1 : i32, 256 : i32]}> : (tensor<256xsi32, #ttnn_layout7>) -> tensor<1x256xsi32, #ttnn_layout10>
        %9 = "ttnn.ge"(%7, %8) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<256x256xsi32, #ttnn_layout9>, tensor<1x256xsi32, #ttnn_layout10>) -> tensor<256x256xbf16, #ttnn_layout11>
        %10 = "ttnn.where"(%9, %3, %1) : (tensor<256x256xbf16, #ttnn_layout11>, tensor<1x1xbf16, #ttnn_layout5>, tensor<1x1xbf16, #ttnn_layout5>) -> tensor<256x256xbf16, #ttnn_layout11>
        %11 = "ttnn.reshape"(%10) <{shape = [1 : i32, 1 : i32, 256 : i32, 256 : i32]}> : (tensor<256x256xbf16, #ttnn_layout11>) -> tensor<1x1x256x256xbf16, #ttnn_layout4>
        return %11 : tensor<1x1x256x256xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_4(%arg0: tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout3>
      }
      func.func private @main_const_eval_5(%arg0: tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout3>
      }
      func.func private @main_const_eval_6() -> tensor<1x1x1x1xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 0xCE6E0000 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout1>
        return %1 : tensor<1x1x1x1xbf16, #ttnn_layout1>
      }
      func.func private @main_const_eval_7() -> tensor<1x1x1xbf16, #ttnn_layout> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 1.00135803E-5 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> tensor<1x1x1xbf16, #ttnn_layout>
        return %1 : tensor<1x1x1xbf16, #ttnn_layout>
      }
      func.func private @main_const_eval_8(%arg0: tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 512 : i32]}> : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        return %0 : tensor<1x1x512xbf16, #ttnn_layout3>
      }
      func.func public @main(%arg0: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_k_b"}, %arg1: tensor<512x512xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_k_w"}, %arg2: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_o_b"}, %arg3: tensor<512x512xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_o_w"}, %arg4: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_q_b"}, %arg5: tensor<512x512xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_q_w"}, %arg6: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_v_b"}, %arg7: tensor<512x512xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_v_w"}, %arg8: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "down_b"}, %arg9: tensor<2048x512xbf16, #ttnn_layout13> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<2048x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "down_w"}, %arg10: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n1_b"}, %arg11: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n1_w"}, %arg12: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n2_b"}, %arg13: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n2_w"}, %arg14: tensor<2048xbf16, #ttnn_layout14> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<2048xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "up_b"}, %arg15: tensor<512x2048xbf16, #ttnn_layout15> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x2048xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "up_w"}, %arg16: tensor<1x256x512xbf16, #ttnn_layout16> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x256x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<1x256x512xbf16, #ttnn_layout17> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x256x512xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, []) : () -> tensor<1x1x1xbf16, #ttnn_layout>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg10]) : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        %2 = ttcore.load_cached(@main_const_eval_6, []) : () -> tensor<1x1x1x1xbf16, #ttnn_layout1>
        %3 = ttcore.load_cached(@main_const_eval_4, [%arg12]) : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        %4 = ttcore.load_cached(@main_const_eval_8, [%arg13]) : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        %5 = ttcore.load_cached(@main_const_eval_5, [%arg11]) : (tensor<512xbf16, #ttnn_layout2>) -> tensor<1x1x512xbf16, #ttnn_layout3>
        %6 = ttcore.load_cached(@main_const_eval_1, []) : () -> tensor<1x1x1x1xbf16, #ttnn_layout1>
        %7 = ttcore.load_cached(@main_const_eval_3, []) : () -> tensor<1x1x256x256xbf16, #ttnn_layout4>
        %8 = ttcore.load_cached(@main_const_eval_7, []) : () -> tensor<1x1x1xbf16, #ttnn_layout>
        %9 = "ttnn.to_tensor_spec"(%arg16) : (tensor<1x256x512xbf16, #ttnn_layout16>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %10 = "ttnn.typecast"(%9) : (tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xf32, #ttnn_layout18>
        %11 = "ttnn.mean"(%10) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<1x256x512xf32, #ttnn_layout18>) -> tensor<1x256x1xf32, #ttnn_layout19>
        %12 = "ttnn.typecast"(%11) : (tensor<1x256x1xf32, #ttnn_layout19>) -> tensor<1x256x1xbf16, #ttnn_layout20>
        %13 = "ttnn.subtract"(%9, %12) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x1xbf16, #ttnn_layout20>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %14 = "ttnn.multiply"(%13, %13) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %15 = "ttnn.typecast"(%14) : (tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xf32, #ttnn_layout18>
        %16 = "ttnn.mean"(%15) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<1x256x512xf32, #ttnn_layout18>) -> tensor<1x256x1xf32, #ttnn_layout19>
        %17 = "ttnn.typecast"(%16) : (tensor<1x256x1xf32, #ttnn_layout19>) -> tensor<1x256x1xbf16, #ttnn_layout20>
        %18 = "ttnn.add"(%17, %8) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x1xbf16, #ttnn_layout20>, tensor<1x1x1xbf16, #ttnn_layout>) -> tensor<1x256x1xbf16, #ttnn_layout20>
        %19 = "ttnn.multiply"(%13, %18) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x1xbf16, #ttnn_layout20>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %20 = "ttnn.multiply"(%19, %5) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x1x512xbf16, #ttnn_layout3>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %21 = "ttnn.add"(%20, %1) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x1x512xbf16, #ttnn_layout3>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %22 = "ttnn.reshape"(%21) <{shape = [256 : i32, 512 : i32]}> : (tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<256x512xbf16, #ttnn_layout21>
        %23 = "ttnn.linear"(%22, %arg5, %arg4) <{transpose_a = false, transpose_b = false}> : (tensor<256x512xbf16, #ttnn_layout21>, tensor<512x512xbf16, #ttnn_layout12>, tensor<512xbf16, #ttnn_layout2>) -> tensor<256x512xbf16, #ttnn_layout21>
        %24 = "ttnn.linear"(%22, %arg1, %arg0) <{transpose_a = false, transpose_b = false}> : (tensor<256x512xbf16, #ttnn_layout21>, tensor<512x512xbf16, #ttnn_layout12>, tensor<512xbf16, #ttnn_layout2>) -> tensor<256x512xbf16, #ttnn_layout21>
        %25 = "ttnn.linear"(%22, %arg7, %arg6) <{transpose_a = false, transpose_b = false}> : (tensor<256x512xbf16, #ttnn_layout21>, tensor<512x512xbf16, #ttnn_layout12>, tensor<512xbf16, #ttnn_layout2>) -> tensor<256x512xbf16, #ttnn_layout21>
        %26 = "ttnn.reshape"(%23) <{shape = [256 : i32, 8 : i32, 64 : i32]}> : (tensor<256x512xbf16, #ttnn_layout21>) -> tensor<256x8x64xbf16, #ttnn_layout22>
        %27 = "ttnn.permute"(%26) <{permutation = array<i64: 1, 0, 2>}> : (tensor<256x8x64xbf16, #ttnn_layout22>) -> tensor<8x256x64xbf16, #ttnn_layout23>
        %28 = "ttnn.reshape"(%24) <{shape = [256 : i32, 8 : i32, 64 : i32]}> : (tensor<256x512xbf16, #ttnn_layout21>) -> tensor<256x8x64xbf16, #ttnn_layout22>
        %29 = "ttnn.permute"(%28) <{permutation = array<i64: 1, 2, 0>}> : (tensor<256x8x64xbf16, #ttnn_layout22>) -> tensor<8x64x256xbf16, #ttnn_layout24>
        %30 = "ttnn.matmul"(%27, %29) <{transpose_a = false, transpose_b = false}> : (tensor<8x256x64xbf16, #ttnn_layout23>, tensor<8x64x256xbf16, #ttnn_layout24>) -> tensor<8x256x256xbf16, #ttnn_layout25>
        %31 = "ttnn.reshape"(%30) <{shape = [1 : i32, 8 : i32, 256 : i32, 256 : i32]}> : (tensor<8x256x256xbf16, #ttnn_layout25>) -> tensor<1x8x256x256xbf16, #ttnn_layout26>
        %32 = "ttnn.multiply"(%31, %6) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x8x256x256xbf16, #ttnn_layout26>, tensor<1x1x1x1xbf16, #ttnn_layout1>) -> tensor<1x8x256x256xbf16, #ttnn_layout26>
        %33 = "ttnn.where"(%7, %32, %2) : (tensor<1x1x256x256xbf16, #ttnn_layout4>, tensor<1x8x256x256xbf16, #ttnn_layout26>, tensor<1x1x1x1xbf16, #ttnn_layout1>) -> tensor<1x8x256x256xbf16, #ttnn_layout26>
        %34 = "ttnn.max"(%33) <{dim_arg = [3 : i32], keep_dim = false}> : (tensor<1x8x256x256xbf16, #ttnn_layout26>) -> tensor<1x8x256xbf16, #ttnn_layout27>
        %35 = "ttnn.maximum"(%0, %34) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1x1xbf16, #ttnn_layout>, tensor<1x8x256xbf16, #ttnn_layout27>) -> tensor<1x8x256xbf16, #ttnn_layout27>
        %36 = "ttnn.reshape"(%35) <{shape = [1 : i32, 8 : i32, 256 : i32, 1 : i32]}> : (tensor<1x8x256xbf16, #ttnn_layout27>) -> tensor<1x8x256x1xbf16, #ttnn_layout28>
        %37 = "ttnn.subtract"(%33, %36) <{activations = [#ttnn.unary_with_param<op_type = exp>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x8x256x256xbf16, #ttnn_layout26>, tensor<1x8x256x1xbf16, #ttnn_layout28>) -> tensor<1x8x256x256xbf16, #ttnn_layout26>
        %38 = "ttnn.typecast"(%37) : (tensor<1x8x256x256xbf16, #ttnn_layout26>) -> tensor<1x8x256x256xf32, #ttnn_layout29>
        %39 = "ttnn.sum"(%38) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<1x8x256x256xf32, #ttnn_layout29>) -> tensor<1x8x256x1xf32, #ttnn_layout30>
        %40 = "ttnn.typecast"(%39) : (tensor<1x8x256x1xf32, #ttnn_layout30>) -> tensor<1x8x256x1xbf16, #ttnn_layout28>
        %41 = "ttnn.divide"(%37, %40) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x8x256x256xbf16, #ttnn_layout26>, tensor<1x8x256x1xbf16, #ttnn_layout28>) -> tensor<1x8x256x256xbf16, #ttnn_layout26>
        %42 = "ttnn.reshape"(%41) <{shape = [8 : i32, 256 : i32, 256 : i32]}> : (tensor<1x8x256x256xbf16, #ttnn_layout26>) -> tensor<8x256x256xbf16, #ttnn_layout25>
        %43 = "ttnn.reshape"(%25) <{shape = [256 : i32, 8 : i32, 64 : i32]}> : (tensor<256x512xbf16, #ttnn_layout21>) -> tensor<256x8x64xbf16, #ttnn_layout22>
        %44 = "ttnn.permute"(%43) <{permutation = array<i64: 1, 0, 2>}> : (tensor<256x8x64xbf16, #ttnn_layout22>) -> tensor<8x256x64xbf16, #ttnn_layout23>
        %45 = "ttnn.matmul"(%42, %44) <{transpose_a = false, transpose_b = false}> : (tensor<8x256x256xbf16, #ttnn_layout25>, tensor<8x256x64xbf16, #ttnn_layout23>) -> tensor<8x256x64xbf16, #ttnn_layout23>
        %46 = "ttnn.reshape"(%45) <{shape = [1 : i32, 8 : i32, 256 : i32, 64 : i32]}> : (tensor<8x256x64xbf16, #ttnn_layout23>) -> tensor<1x8x256x64xbf16, #ttnn_layout31>
        %47 = "ttnn.concatenate_heads"(%46) : (tensor<1x8x256x64xbf16, #ttnn_layout31>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %48 = "ttnn.reshape"(%47) <{shape = [256 : i32, 512 : i32]}> : (tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<256x512xbf16, #ttnn_layout21>
        %49 = "ttnn.linear"(%48, %arg3, %arg2) <{transpose_a = false, transpose_b = false}> : (tensor<256x512xbf16, #ttnn_layout21>, tensor<512x512xbf16, #ttnn_layout12>, tensor<512xbf16, #ttnn_layout2>) -> tensor<256x512xbf16, #ttnn_layout21>
        %50 = "ttnn.reshape"(%49) <{shape = [1 : i32, 256 : i32, 512 : i32]}> : (tensor<256x512xbf16, #ttnn_layout21>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %51 = "ttnn.add"(%9, %50) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %52 = "ttnn.typecast"(%51) : (tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xf32, #ttnn_layout18>
        %53 = "ttnn.mean"(%52) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<1x256x512xf32, #ttnn_layout18>) -> tensor<1x256x1xf32, #ttnn_layout19>
        %54 = "ttnn.typecast"(%53) : (tensor<1x256x1xf32, #ttnn_layout19>) -> tensor<1x256x1xbf16, #ttnn_layout20>
        %55 = "ttnn.subtract"(%51, %54) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x1xbf16, #ttnn_layout20>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %56 = "ttnn.multiply"(%55, %55) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %57 = "ttnn.typecast"(%56) : (tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xf32, #ttnn_layout18>
        %58 = "ttnn.mean"(%57) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<1x256x512xf32, #ttnn_layout18>) -> tensor<1x256x1xf32, #ttnn_layout19>
        %59 = "ttnn.typecast"(%58) : (tensor<1x256x1xf32, #ttnn_layout19>) -> tensor<1x256x1xbf16, #ttnn_layout20>
        %60 = "ttnn.add"(%59, %8) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x1xbf16, #ttnn_layout20>, tensor<1x1x1xbf16, #ttnn_layout>) -> tensor<1x256x1xbf16, #ttnn_layout20>
        %61 = "ttnn.multiply"(%55, %60) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x1xbf16, #ttnn_layout20>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %62 = "ttnn.multiply"(%61, %4) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x1x512xbf16, #ttnn_layout3>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %63 = "ttnn.add"(%62, %3) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x1x512xbf16, #ttnn_layout3>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %64 = "ttnn.reshape"(%63) <{shape = [256 : i32, 512 : i32]}> : (tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<256x512xbf16, #ttnn_layout21>
        %65 = "ttnn.linear"(%64, %arg15, %arg14) <{transpose_a = false, transpose_b = false}> : (tensor<256x512xbf16, #ttnn_layout21>, tensor<512x2048xbf16, #ttnn_layout15>, tensor<2048xbf16, #ttnn_layout14>) -> tensor<256x2048xbf16, #ttnn_layout32>
        %66 = "ttnn.reshape"(%65) <{shape = [1 : i32, 256 : i32, 2048 : i32]}> : (tensor<256x2048xbf16, #ttnn_layout32>) -> tensor<1x256x2048xbf16, #ttnn_layout33>
        %67 = "ttnn.relu"(%66) : (tensor<1x256x2048xbf16, #ttnn_layout33>) -> tensor<1x256x2048xbf16, #ttnn_layout33>
        %68 = "ttnn.reshape"(%67) <{shape = [256 : i32, 2048 : i32]}> : (tensor<1x256x2048xbf16, #ttnn_layout33>) -> tensor<256x2048xbf16, #ttnn_layout32>
        %69 = "ttnn.linear"(%68, %arg9, %arg8) <{transpose_a = false, transpose_b = false}> : (tensor<256x2048xbf16, #ttnn_layout32>, tensor<2048x512xbf16, #ttnn_layout13>, tensor<512xbf16, #ttnn_layout2>) -> tensor<256x512xbf16, #ttnn_layout21>
        %70 = "ttnn.reshape"(%69) <{shape = [1 : i32, 256 : i32, 512 : i32]}> : (tensor<256x512xbf16, #ttnn_layout21>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        %71 = "ttnn.add"(%51, %70) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x256x512xbf16, #ttnn_layout17>, tensor<1x256x512xbf16, #ttnn_layout17>) -> tensor<1x256x512xbf16, #ttnn_layout17>
        return %71 : tensor<1x256x512xbf16, #ttnn_layout17>
      }
    }
  }
}

