#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 128 + d1, d2), <1x1>, memref<128x1024xbf16, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<128x64xbf16, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 128 + d1, d2), <1x1>, memref<4x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 32 + d2, d3), <1x1>, memref<128x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 128 + d2, d3), <1x1>, memref<64x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 128 + d1 * 128 + d2, d3), <1x1>, memref<4x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 128 + d2, d3), <1x1>, memref<16x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 128 + d2, d3), <1x1>, memref<64x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 128 + d2, d3), <1x1>, memref<64x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
module @jit_grouped_query attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_grouped_query attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0() -> tensor<1x1x1x1xf32, #ttnn_layout> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xf32, #ttnn_layout>
        return %1 : tensor<1x1x1x1xf32, #ttnn_layout>
      }
      func.func public @main(%arg0: tensor<1024x256xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024x256xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "k"}, %arg1: tensor<1024xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "n"}, %arg2: tensor<1024x1024xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024x1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "o"}, %arg3: tensor<1024x1024xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024x1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "q"}, %arg4: tensor<1024x256xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1024x256xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "v"}, %arg5: tensor<1x128x1024xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x128x1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}, %arg6: tensor<128x64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}, %arg7: tensor<128x64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<1x128x1024xbf16, #ttnn_layout6> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x128x1024xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, []) : () -> tensor<1x1x1x1xf32, #ttnn_layout>
        %1 = "ttnn.to_tensor_spec"(%arg5) : (tensor<1x128x1024xbf16, #ttnn_layout4>) -> tensor<1x128x1024xbf16, #ttnn_layout6>
        %2 = "ttnn.rms_norm"(%1, %arg1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<1x128x1024xbf16, #ttnn_layout6>, tensor<1024xbf16, #ttnn_layout2>) -> tensor<1x128x1024xbf16, #ttnn_layout6>
        %3 = "ttnn.reshape"(%2) <{shape = [128 : i32, 1024 : i32]}> : (tensor<1x128x1024xbf16, #ttnn_layout6>) -> tensor<128x1024xbf16, #ttnn_layout7>
        %4 = "ttnn.matmul"(%3, %arg3) <{transpose_a = false, transpose_b = false}> : (tensor<128x1024xbf16, #ttnn_layout7>, tensor<1024x1024xbf16, #ttnn_layout3>) -> tensor<128x1024xbf16, #ttnn_layout7>
        %5 = "ttnn.reshape"(%4) <{shape = [1 : i32, 128 : i32, 16 : i32, 64 : i32]}> : (tensor<128x1024xbf16, #ttnn_layout7>) -> tensor<1x128x16x64xbf16, #ttnn_layout8>
        %6 = "ttnn.permute"(%5) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x128x16x64xbf16, #ttnn_layout8>) -> tensor<1x16x128x64xbf16, #ttnn_layout9>
        %7 = "ttnn.to_tensor_spec"(%arg6) : (tensor<128x64xbf16, #ttnn_layout5>) -> tensor<128x64xbf16, #ttnn_layout10>
        %8 = "ttnn.reshape"(%7) <{shape = [1 : i32, 1 : i32, 128 : i32, 64 : i32]}> : (tensor<128x64xbf16, #ttnn_layout10>) -> tensor<1x1x128x64xbf16, #ttnn_layout11>
        %9 = "ttnn.to_tensor_spec"(%arg7) : (tensor<128x64xbf16, #ttnn_layout5>) -> tensor<128x64xbf16, #ttnn_layout10>
        %10 = "ttnn.reshape"(%9) <{shape = [1 : i32, 1 : i32, 128 : i32, 64 : i32]}> : (tensor<128x64xbf16, #ttnn_layout10>) -> tensor<1x1x128x64xbf16, #ttnn_layout11>
        %11 = "ttnn.rotary_embedding"(%6, %8, %10) : (tensor<1x16x128x64xbf16, #ttnn_layout9>, tensor<1x1x128x64xbf16, #ttnn_layout11>, tensor<1x1x128x64xbf16, #ttnn_layout11>) -> tensor<1x16x128x64xbf16, #ttnn_layout9>
        %12 = "ttnn.matmul"(%3, %arg0) <{transpose_a = false, transpose_b = false}> : (tensor<128x1024xbf16, #ttnn_layout7>, tensor<1024x256xbf16, #ttnn_layout1>) -> tensor<128x256xbf16, #ttnn_layout12>
        %13 = "ttnn.reshape"(%12) <{shape = [1 : i32, 128 : i32, 4 : i32, 64 : i32]}> : (tensor<128x256xbf16, #ttnn_layout12>) -> tensor<1x128x4x64xbf16, #ttnn_layout8>
        %14 = "ttnn.permute"(%13) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x128x4x64xbf16, #ttnn_layout8>) -> tensor<1x4x128x64xbf16, #ttnn_layout13>
        %15 = "ttnn.rotary_embedding"(%14, %8, %10) : (tensor<1x4x128x64xbf16, #ttnn_layout13>, tensor<1x1x128x64xbf16, #ttnn_layout11>, tensor<1x1x128x64xbf16, #ttnn_layout11>) -> tensor<1x4x128x64xbf16, #ttnn_layout13>
        %16 = "ttnn.repeat_interleave"(%15) <{dim = 1 : si32, repeats = 4 : ui32}> : (tensor<1x4x128x64xbf16, #ttnn_layout13>) -> tensor<1x16x128x64xbf16, #ttnn_layout9>
        %17 = "ttnn.matmul"(%3, %arg4) <{transpose_a = false, transpose_b = false}> : (tensor<128x1024xbf16, #ttnn_layout7>, tensor<1024x256xbf16, #ttnn_layout1>) -> tensor<128x256xbf16, #ttnn_layout12>
        %18 = "ttnn.reshape"(%17) <{shape = [1 : i32, 128 : i32, 4 : i32, 64 : i32]}> : (tensor<128x256xbf16, #ttnn_layout12>) -> tensor<1x128x4x64xbf16, #ttnn_layout8>
        %19 = "ttnn.permute"(%18) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x128x4x64xbf16, #ttnn_layout8>) -> tensor<1x4x128x64xbf16, #ttnn_layout13>
        %20 = "ttnn.repeat_interleave"(%19) <{dim = 1 : si32, repeats = 4 : ui32}> : (tensor<1x4x128x64xbf16, #ttnn_layout13>) -> tensor<1x16x128x64xbf16, #ttnn_layout9>
        %21 = "ttnn.matmul"(%11, %16) <{transpose_a = false, transpose_b = true}> : (tensor<1x16x128x64xbf16, #ttnn_layout9>, tensor<1x16x128x64xbf16, #ttnn_layout9>) -> tensor<1x16x128x128xbf16, #ttnn_layout14>
        %22 = "ttnn.typecast"(%21) : (tensor<1x16x128x128xbf16, #ttnn_layout14>) -> tensor<1x16x128x128xf32, #ttnn_layout15>
        %23 = "ttnn.multiply"(%22, %0) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x16x128x128xf32, #ttnn_layout15>, tensor<1x1x1x1xf32, #ttnn_layout>) -> tensor<1x16x128x128xf32, #ttnn_layout15>
        %24 = "ttnn.softmax"(%23) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true>, dimension = 3 : si32, numericStable = true}> : (tensor<1x16x128x128xf32, #ttnn_layout15>) -> tensor<1x16x128x128xf32, #ttnn_layout15>
        %25 = "ttnn.typecast"(%24) : (tensor<1x16x128x128xf32, #ttnn_layout15>) -> tensor<1x16x128x128xbf16, #ttnn_layout14>
        %26 = "ttnn.matmul"(%25, %20) <{transpose_a = false, transpose_b = false}> : (tensor<1x16x128x128xbf16, #ttnn_layout14>, tensor<1x16x128x64xbf16, #ttnn_layout9>) -> tensor<1x16x128x64xbf16, #ttnn_layout9>
        %27 = "ttnn.concatenate_heads"(%26) : (tensor<1x16x128x64xbf16, #ttnn_layout9>) -> tensor<1x128x1024xbf16, #ttnn_layout6>
        %28 = "ttnn.reshape"(%27) <{shape = [128 : i32, 1024 : i32]}> : (tensor<1x128x1024xbf16, #ttnn_layout6>) -> tensor<128x1024xbf16, #ttnn_layout7>
        %29 = "ttnn.matmul"(%28, %arg2) <{transpose_a = false, transpose_b = false}> : (tensor<128x1024xbf16, #ttnn_layout7>, tensor<1024x1024xbf16, #ttnn_layout3>) -> tensor<128x1024xbf16, #ttnn_layout7>
        %30 = "ttnn.add"(%29, %1) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<128x1024xbf16, #ttnn_layout7>, tensor<1x128x1024xbf16, #ttnn_layout6>) -> tensor<1x128x1024xbf16, #ttnn_layout6>
        return %30 : tensor<1x128x1024xbf16, #ttnn_layout6>
      }
    }
  }
}

