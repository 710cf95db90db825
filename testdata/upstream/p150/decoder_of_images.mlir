#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<9x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 3 + d2, d3), <1x1>, memref<3072x3xbf16, #system_memory>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<1024x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 288 + d1 * 96 + d2, d3), <1x1>, memref<27x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 288 + d1 * 3 + d2, d3), <1x1>, memref<9216x3xbf16, #system_memory>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3072 + d1 * 32 + d2, d3), <1x1>, memref<3072x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<9x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 3 + d2, d3), <1x1>, memref<6144x3xbf16, #system_memory>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<2048x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 + d2, d3), <1x1>, memref<1024x1xbf16, #system_memory>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 64 + d2, d3), <1x1>, memref<4096x32xbf16, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 64 + d2, d3), <1x1>, memref<128x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 4096 + d2, d3), <1x1>, memref<128x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 1024 + d2, d3), <1x1>, memref<32x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 1024 + d2, d3), <1x1>, memref<32x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<32x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2, d3, d4) -> (d0 * 1024 + d1 * 32 + d2 * 32 + d3, d4), <1x1>, memref<32x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1, d2, d3, d4) -> (d0 * 2048 + d1 * 64 + d2 * 32 + d3, d4), <1x1>, memref<64x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2, d3, d4) -> (d0 * 65536 + d1 * 1024 + d2 * 32 + d3, d4), <1x1>, memref<2048x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 64 + d2, d3), <1x1>, memref<128x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 64 + d2, d3), <1x1>, memref<128x3x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout25 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 4096 + d2, d3), <1x1>, memref<128x3x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @jit_decoder_of_images attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_decoder_of_images attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0(%arg0: tensor<3x3x32x32xbf16, #ttnn_layout>) -> tensor<32x32x3x3xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x32x32xbf16, #ttnn_layout>) -> tensor<32x32x3x3xbf16, #ttnn_layout2>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<32x32x3x3xbf16, #ttnn_layout2>) -> tensor<32x32x3x3xbf16, #ttnn_layout1>
        return %2 : tensor<32x32x3x3xbf16, #ttnn_layout1>
      }
      func.func private @main_const_eval_1(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_2(%arg0: tensor<3x3x96x32xbf16, #ttnn_layout5>) -> tensor<32x96x3x3xbf16, #ttnn_layout6> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x96x32xbf16, #ttnn_layout5>) -> tensor<32x96x3x3xbf16, #ttnn_layout7>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<32x96x3x3xbf16, #ttnn_layout7>) -> tensor<32x96x3x3xbf16, #ttnn_layout6>
        return %2 : tensor<32x96x3x3xbf16, #ttnn_layout6>
      }
      func.func private @main_const_eval_3(%arg0: tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout9>
      }
      func.func private @main_const_eval_4(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_5(%arg0: tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout9>
      }
      func.func private @main_const_eval_6(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_7(%arg0: tensor<3x3x32x64xbf16, #ttnn_layout10>) -> tensor<64x32x3x3xbf16, #ttnn_layout11> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x32x64xbf16, #ttnn_layout10>) -> tensor<64x32x3x3xbf16, #ttnn_layout12>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<64x32x3x3xbf16, #ttnn_layout12>) -> tensor<64x32x3x3xbf16, #ttnn_layout11>
        return %2 : tensor<64x32x3x3xbf16, #ttnn_layout11>
      }
      func.func private @main_const_eval_8(%arg0: tensor<1x1x32x32xbf16, #ttnn_layout4>) -> tensor<32x32x1x1xbf16, #ttnn_layout13> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<1x1x32x32xbf16, #ttnn_layout4>) -> tensor<32x32x1x1xbf16, #ttnn_layout2>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<32x32x1x1xbf16, #ttnn_layout2>) -> tensor<32x32x1x1xbf16, #ttnn_layout13>
        return %2 : tensor<32x32x1x1xbf16, #ttnn_layout13>
      }
      func.func private @main_const_eval_9(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func public @main(%arg0: tensor<3x3x32x32xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x32x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_k"}, %arg1: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_s"}, %arg2: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_t"}, %arg3: tensor<3x3x32x64xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x32x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_k"}, %arg4: tensor<64xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_s"}, %arg5: tensor<64xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_t"}, %arg6: tensor<3x3x96x32xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x96x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "c_k"}, %arg7: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "c_s"}, %arg8: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "c_t"}, %arg9: tensor<1x1x32x32xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x32x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "out"}, %arg10: tensor<1x64x64x32xbf16, #ttnn_layout14> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x64x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<1x64x64x32xbf16, #ttnn_layout15> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x64x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, [%arg0]) : (tensor<3x3x32x32xbf16, #ttnn_layout>) -> tensor<32x32x3x3xbf16, #ttnn_layout1>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg6]) : (tensor<3x3x96x32xbf16, #ttnn_layout5>) -> tensor<32x96x3x3xbf16, #ttnn_layout6>
        %2 = ttcore.load_cached(@main_const_eval_6, [%arg1]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %3 = ttcore.load_cached(@main_const_eval_4, [%arg8]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %4 = ttcore.load_cached(@main_const_eval_8, [%arg9]) : (tensor<1x1x32x32xbf16, #ttnn_layout4>) -> tensor<32x32x1x1xbf16, #ttnn_layout13>
        %5 = ttcore.load_cached(@main_const_eval_5, [%arg5]) : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout9>
        %6 = ttcore.load_cached(@main_const_eval_1, [%arg2]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %7 = ttcore.load_cached(@main_const_eval_3, [%arg4]) : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout9>
        %8 = ttcore.load_cached(@main_const_eval_9, [%arg7]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %9 = ttcore.load_cached(@main_const_eval_7, [%arg3]) : (tensor<3x3x32x64xbf16, #ttnn_layout10>) -> tensor<64x32x3x3xbf16, #ttnn_layout11>
        %10 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %11 = "ttnn.to_tensor_spec"(%arg10) : (tensor<1x64x64x32xbf16, #ttnn_layout14>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        %12 = "ttnn.reshape"(%11) <{shape = [1 : i32, 1 : i32, 4096 : i32, 32 : i32]}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>) -> tensor<1x1x4096x32xbf16, #ttnn_layout16>
        %13 = "ttnn.conv2d"(%12, %0, %10) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 32 : i32, input_height = 64 : i32, input_width = 64 : i32, kernel_size = array<i32: 3, 3>, out_channels = 32 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x4096x32xbf16, #ttnn_layout16>, tensor<32x32x3x3xbf16, #ttnn_layout1>, !ttnn.device) -> tensor<1x1x4096x32xbf16, #ttnn_layout16>
        %14 = "ttnn.reshape"(%13) <{shape = [1 : i32, 64 : i32, 64 : i32, 32 : i32]}> : (tensor<1x1x4096x32xbf16, #ttnn_layout16>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        %15 = "ttnn.multiply"(%14, %2) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        %16 = "ttnn.add"(%15, %6) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        %17 = "ttnn.reshape"(%16) <{shape = [1 : i32, 1 : i32, 4096 : i32, 32 : i32]}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>) -> tensor<1x1x4096x32xbf16, #ttnn_layout16>
        %18 = "ttnn.max_pool2d"(%17) <{batch_size = 1 : si32, ceil_mode = false, channels = 32 : si32, config_tensors_in_dram = true, dilation = array<i32: 1, 1>, input_height = 64 : si32, input_width = 64 : si32, kernel_size = array<i32: 3, 3>, padding = array<i32: 1, 1>, reallocate_halo_output = false, stride = array<i32: 2, 2>}> : (tensor<1x1x4096x32xbf16, #ttnn_layout16>) -> tensor<1x1x1024x32xbf16, #ttnn_layout17>
        %19 = "ttnn.conv2d"(%18, %9, %10) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 32 : i32, input_height = 32 : i32, input_width = 32 : i32, kernel_size = array<i32: 3, 3>, out_channels = 64 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x1024x32xbf16, #ttnn_layout17>, tensor<64x32x3x3xbf16, #ttnn_layout11>, !ttnn.device) -> tensor<1x1x1024x64xbf16, #ttnn_layout18>
        %20 = "ttnn.reshape"(%19) <{shape = [1 : i32, 32 : i32, 32 : i32, 64 : i32]}> : (tensor<1x1x1024x64xbf16, #ttnn_layout18>) -> tensor<1x32x32x64xbf16, #ttnn_layout19>
        %21 = "ttnn.multiply"(%20, %7) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x32x32x64xbf16, #ttnn_layout19>, tensor<1x1x1x64xbf16, #ttnn_layout9>) -> tensor<1x32x32x64xbf16, #ttnn_layout19>
        %22 = "ttnn.add"(%21, %5) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x32x32x64xbf16, #ttnn_layout19>, tensor<1x1x1x64xbf16, #ttnn_layout9>) -> tensor<1x32x32x64xbf16, #ttnn_layout19>
        %23 = "ttnn.reshape"(%22) <{shape = [1 : i32, 32 : i32, 1 : i32, 32 : i32, 64 : i32]}> : (tensor<1x32x32x64xbf16, #ttnn_layout19>) -> tensor<1x32x1x32x64xbf16, #ttnn_layout20>
        %24 = "ttnn.repeat"(%23) <{repeat_dims = #ttnn.shape<1x1x2x1x1>}> : (tensor<1x32x1x32x64xbf16, #ttnn_layout20>) -> tensor<1x32x2x32x64xbf16, #ttnn_layout21>
        %25 = "ttnn.reshape"(%24) <{shape = [1 : i32, 64 : i32, 32 : i32, 1 : i32, 64 : i32]}> : (tensor<1x32x2x32x64xbf16, #ttnn_layout21>) -> tensor<1x64x32x1x64xbf16, #ttnn_layout22>
        %26 = "ttnn.repeat"(%25) <{repeat_dims = #ttnn.shape<1x1x1x2x1>}> : (tensor<1x64x32x1x64xbf16, #ttnn_layout22>) -> tensor<1x64x32x2x64xbf16, #ttnn_layout22>
        %27 = "ttnn.reshape"(%26) <{shape = [1 : i32, 64 : i32, 64 : i32, 64 : i32]}> : (tensor<1x64x32x2x64xbf16, #ttnn_layout22>) -> tensor<1x64x64x64xbf16, #ttnn_layout23>
        %28 = "ttnn.concat"(%16, %27) <{dim = 3 : si32}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>, tensor<1x64x64x64xbf16, #ttnn_layout23>) -> tensor<1x64x64x96xbf16, #ttnn_layout24>
        %29 = "ttnn.reshape"(%28) <{shape = [1 : i32, 1 : i32, 4096 : i32, 96 : i32]}> : (tensor<1x64x64x96xbf16, #ttnn_layout24>) -> tensor<1x1x4096x96xbf16, #ttnn_layout25>
        %30 = "ttnn.conv2d"(%29, %1, %10) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 96 : i32, input_height = 64 : i32, input_width = 64 : i32, kernel_size = array<i32: 3, 3>, out_channels = 32 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x4096x96xbf16, #ttnn_layout25>, tensor<32x96x3x3xbf16, #ttnn_layout6>, !ttnn.device) -> tensor<1x1x4096x32xbf16, #ttnn_layout16>
        %31 = "ttnn.reshape"(%30) <{shape = [1 : i32, 64 : i32, 64 : i32, 32 : i32]}> : (tensor<1x1x4096x32xbf16, #ttnn_layout16>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        %32 = "ttnn.multiply"(%31, %8) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        %33 = "ttnn.add"(%32, %3) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        %34 = "ttnn.reshape"(%33) <{shape = [1 : i32, 1 : i32, 4096 : i32, 32 : i32]}> : (tensor<1x64x64x32xbf16, #ttnn_layout15>) -> tensor<1x1x4096x32xbf16, #ttnn_layout16>
        %35 = "ttnn.conv2d"(%34, %4, %10) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 32 : i32, input_height = 64 : i32, input_width = 64 : i32, kernel_size = array<i32: 1, 1>, out_channels = 32 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>}> : (tensor<1x1x4096x32xbf16, #ttnn_layout16>, tensor<32x32x1x1xbf16, #ttnn_layout13>, !ttnn.device) -> tensor<1x1x4096x32xbf16, #ttnn_layout16>
        %36 = "ttnn.reshape"(%35) <{shape = [1 : i32, 64 : i32, 64 : i32, 32 : i32]}> : (tensor<1x1x4096x32xbf16, #ttnn_layout16>) -> tensor<1x64x64x32xbf16, #ttnn_layout15>
        return %36 : tensor<1x64x64x32xbf16, #ttnn_layout15>
      }
    }
  }
}

