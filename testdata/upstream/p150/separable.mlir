#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<9x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 9 + d1 * 3 + d2, d3), <1x1>, memref<288x3xbf16, #system_memory>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<96x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 + d2, d3), <1x1>, memref<2048x1xbf16, #system_memory>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<2048x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 64 + d2, d3), <1x1>, memref<2x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 + d2, d3), <1x1>, memref<8192x1xbf16, #system_memory>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 32 + d2, d3), <1x1>, memref<8192x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3 + d1 * 3 + d2, d3), <1x1>, memref<96x3xbf16, #system_memory>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<32x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<9x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3 + d1 * 3 + d2, d3), <1x1>, memref<192x3xbf16, #system_memory>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<64x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 800 + d1 * 800 + d2, d3), <1x1>, memref<25x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 896 + d1 * 32 + d2, d3), <1x1>, memref<28x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 12544 + d1 * 112 + d2, d3), <1x1>, memref<12544x3xbf16, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout25 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 14336 + d1 * 128 + d2, d3), <1x1>, memref<448x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout26 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 12544 + d1 * 12544 + d2, d3), <1x1>, memref<392x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout27 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3136 + d1 * 3136 + d2, d3), <1x1>, memref<98x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout28 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3584 + d1 * 64 + d2, d3), <1x1>, memref<112x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout29 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3136 + d1 * 3136 + d2, d3), <1x1>, memref<98x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout30 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3584 + d1 * 64 + d2, d3), <1x1>, memref<112x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout31 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 800 + d1 * 800 + d2, d3), <1x1>, memref<25x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout32 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 896 + d1 * 32 + d2, d3), <1x1>, memref<28x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout33 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 800 + d1 * 800 + d2, d3), <1x1>, memref<25x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout34 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout35 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout36 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @jit_separable attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_separable attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0(%arg0: tensor<3x3x3x32xbf16, #ttnn_layout>) -> tensor<32x3x3x3xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x3x32xbf16, #ttnn_layout>) -> tensor<32x3x3x3xbf16, #ttnn_layout2>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<32x3x3x3xbf16, #ttnn_layout2>) -> tensor<32x3x3x3xbf16, #ttnn_layout1>
        return %2 : tensor<32x3x3x3xbf16, #ttnn_layout1>
      }
      func.func private @main_const_eval_1(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_2(%arg0: tensor<1x1x32x64xbf16, #ttnn_layout5>) -> tensor<64x32x1x1xbf16, #ttnn_layout6> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<1x1x32x64xbf16, #ttnn_layout5>) -> tensor<64x32x1x1xbf16, #ttnn_layout7>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<64x32x1x1xbf16, #ttnn_layout7>) -> tensor<64x32x1x1xbf16, #ttnn_layout6>
        return %2 : tensor<64x32x1x1xbf16, #ttnn_layout6>
      }
      func.func private @main_const_eval_3(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_4(%arg0: tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout5>
      }
      func.func private @main_const_eval_5(%arg0: tensor<1x1x64x128xbf16, #ttnn_layout9>) -> tensor<128x64x1x1xbf16, #ttnn_layout10> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<1x1x64x128xbf16, #ttnn_layout9>) -> tensor<128x64x1x1xbf16, #ttnn_layout11>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<128x64x1x1xbf16, #ttnn_layout11>) -> tensor<128x64x1x1xbf16, #ttnn_layout10>
        return %2 : tensor<128x64x1x1xbf16, #ttnn_layout10>
      }
      func.func private @main_const_eval_6(%arg0: tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout5>
      }
      func.func private @main_const_eval_7(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_8(%arg0: tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x32xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_9(%arg0: tensor<3x3x1x32xbf16, #ttnn_layout>) -> tensor<32x1x3x3xbf16, #ttnn_layout12> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x1x32xbf16, #ttnn_layout>) -> tensor<32x1x3x3xbf16, #ttnn_layout13>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<32x1x3x3xbf16, #ttnn_layout13>) -> tensor<32x1x3x3xbf16, #ttnn_layout12>
        return %2 : tensor<32x1x3x3xbf16, #ttnn_layout12>
      }
      func.func private @main_const_eval_10(%arg0: tensor<3x3x1x64xbf16, #ttnn_layout14>) -> tensor<64x1x3x3xbf16, #ttnn_layout15> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x1x64xbf16, #ttnn_layout14>) -> tensor<64x1x3x3xbf16, #ttnn_layout16>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<64x1x3x3xbf16, #ttnn_layout16>) -> tensor<64x1x3x3xbf16, #ttnn_layout15>
        return %2 : tensor<64x1x3x3xbf16, #ttnn_layout15>
      }
      func.func private @main_const_eval_11(%arg0: tensor<128xbf16, #ttnn_layout17>) -> tensor<1x1x784x128xbf16, #ttnn_layout18> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout17>) -> tensor<1x1x1x128xbf16, #ttnn_layout19>
        %2 = "ttnn.repeat"(%1) <{repeat_dims = #ttnn.shape<1x28x28x1>}> : (tensor<1x1x1x128xbf16, #ttnn_layout19>) -> tensor<1x28x28x128xbf16, #ttnn_layout20>
        %3 = "ttnn.reshape"(%2) <{shape = [1 : i32, 1 : i32, 784 : i32, 128 : i32]}> : (tensor<1x28x28x128xbf16, #ttnn_layout20>) -> tensor<1x1x784x128xbf16, #ttnn_layout18>
        return %3 : tensor<1x1x784x128xbf16, #ttnn_layout18>
      }
      func.func private @main_const_eval_12(%arg0: tensor<128xbf16, #ttnn_layout17>) -> tensor<1x1x784x128xbf16, #ttnn_layout18> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout17>) -> tensor<1x1x1x128xbf16, #ttnn_layout19>
        %2 = "ttnn.repeat"(%1) <{repeat_dims = #ttnn.shape<1x28x28x1>}> : (tensor<1x1x1x128xbf16, #ttnn_layout19>) -> tensor<1x28x28x128xbf16, #ttnn_layout20>
        %3 = "ttnn.reshape"(%2) <{shape = [1 : i32, 1 : i32, 784 : i32, 128 : i32]}> : (tensor<1x28x28x128xbf16, #ttnn_layout20>) -> tensor<1x1x784x128xbf16, #ttnn_layout18>
        return %3 : tensor<1x1x784x128xbf16, #ttnn_layout18>
      }
      func.func private @main_const_eval_13(%arg0: tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout5>
      }
      func.func private @main_const_eval_14(%arg0: tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout5>
      }
      func.func public @main(%arg0: tensor<3x3x1x32xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x1x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_0_d_k"}, %arg1: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_0_d_s"}, %arg2: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_0_d_t"}, %arg3: tensor<1x1x32x64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x32x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_0_p_k"}, %arg4: tensor<64xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_0_p_s"}, %arg5: tensor<64xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_0_p_t"}, %arg6: tensor<3x3x1x64xbf16, #ttnn_layout14> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x1x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_1_d_k"}, %arg7: tensor<64xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_1_d_s"}, %arg8: tensor<64xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_1_d_t"}, %arg9: tensor<1x1x64x128xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x64x128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_1_p_k"}, %arg10: tensor<128xbf16, #ttnn_layout17> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_1_p_s"}, %arg11: tensor<128xbf16, #ttnn_layout17> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "layers_1_p_t"}, %arg12: tensor<1000xbf16, #ttnn_layout21> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1000xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "out_b"}, %arg13: tensor<128x1000xbf16, #ttnn_layout22> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128x1000xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "out_w"}, %arg14: tensor<3x3x3x32xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x3x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "stem_k"}, %arg15: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "stem_s"}, %arg16: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "stem_t"}, %arg17: tensor<1x112x112x3xbf16, #ttnn_layout23> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x112x112x3xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<1x1000xbf16, #ttnn_layout24> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1000xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, [%arg14]) : (tensor<3x3x3x32xbf16, #ttnn_layout>) -> tensor<32x3x3x3xbf16, #ttnn_layout1>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg3]) : (tensor<1x1x32x64xbf16, #ttnn_layout5>) -> tensor<64x32x1x1xbf16, #ttnn_layout6>
        %2 = ttcore.load_cached(@main_const_eval_6, [%arg5]) : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        %3 = ttcore.load_cached(@main_const_eval_4, [%arg8]) : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        %4 = ttcore.load_cached(@main_const_eval_11, [%arg10]) : (tensor<128xbf16, #ttnn_layout17>) -> tensor<1x1x784x128xbf16, #ttnn_layout18>
        %5 = ttcore.load_cached(@main_const_eval_12, [%arg11]) : (tensor<128xbf16, #ttnn_layout17>) -> tensor<1x1x784x128xbf16, #ttnn_layout18>
        %6 = ttcore.load_cached(@main_const_eval_8, [%arg15]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %7 = ttcore.load_cached(@main_const_eval_5, [%arg9]) : (tensor<1x1x64x128xbf16, #ttnn_layout9>) -> tensor<128x64x1x1xbf16, #ttnn_layout10>
        %8 = ttcore.load_cached(@main_const_eval_1, [%arg16]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %9 = ttcore.load_cached(@main_const_eval_3, [%arg1]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %10 = ttcore.load_cached(@main_const_eval_9, [%arg0]) : (tensor<3x3x1x32xbf16, #ttnn_layout>) -> tensor<32x1x3x3xbf16, #ttnn_layout12>
        %11 = ttcore.load_cached(@main_const_eval_13, [%arg4]) : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        %12 = ttcore.load_cached(@main_const_eval_14, [%arg7]) : (tensor<64xbf16, #ttnn_layout8>) -> tensor<1x1x1x64xbf16, #ttnn_layout5>
        %13 = ttcore.load_cached(@main_const_eval_7, [%arg2]) : (tensor<32xbf16, #ttnn_layout3>) -> tensor<1x1x1x32xbf16, #ttnn_layout4>
        %14 = ttcore.load_cached(@main_const_eval_10, [%arg6]) : (tensor<3x3x1x64xbf16, #ttnn_layout14>) -> tensor<64x1x3x3xbf16, #ttnn_layout15>
        %15 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %16 = "ttnn.to_tensor_spec"(%arg17) : (tensor<1x112x112x3xbf16, #ttnn_layout23>) -> tensor<1x112x112x3xbf16, #ttnn_layout25>
        %17 = "ttnn.reshape"(%16) <{shape = [1 : i32, 1 : i32, 12544 : i32, 3 : i32]}> : (tensor<1x112x112x3xbf16, #ttnn_layout25>) -> tensor<1x1x12544x3xbf16, #ttnn_layout26>
        %18 = "ttnn.conv2d"(%17, %0, %15) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 3 : i32, input_height = 112 : i32, input_width = 112 : i32, kernel_size = array<i32: 3, 3>, out_channels = 32 : i32, padding = array<i32: 0, 1, 0, 1>, stride = array<i32: 2, 2>}> : (tensor<1x1x12544x3xbf16, #ttnn_layout26>, tensor<32x3x3x3xbf16, #ttnn_layout1>, !ttnn.device) -> tensor<1x1x3136x32xbf16, #ttnn_layout27>
        %19 = "ttnn.reshape"(%18) <{shape = [1 : i32, 56 : i32, 56 : i32, 32 : i32]}> : (tensor<1x1x3136x32xbf16, #ttnn_layout27>) -> tensor<1x56x56x32xbf16, #ttnn_layout28>
        %20 = "ttnn.multiply"(%19, %6) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x56x56x32xbf16, #ttnn_layout28>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x56x56x32xbf16, #ttnn_layout28>
        %21 = "ttnn.add"(%20, %8) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x56x56x32xbf16, #ttnn_layout28>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x56x56x32xbf16, #ttnn_layout28>
        %22 = "ttnn.reshape"(%21) <{shape = [1 : i32, 1 : i32, 3136 : i32, 32 : i32]}> : (tensor<1x56x56x32xbf16, #ttnn_layout28>) -> tensor<1x1x3136x32xbf16, #ttnn_layout27>
        %23 = "ttnn.relu"(%22) : (tensor<1x1x3136x32xbf16, #ttnn_layout27>) -> tensor<1x1x3136x32xbf16, #ttnn_layout27>
        %24 = "ttnn.conv2d"(%23, %10, %15) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 32 : i32, in_channels = 32 : i32, input_height = 56 : i32, input_width = 56 : i32, kernel_size = array<i32: 3, 3>, out_channels = 32 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x3136x32xbf16, #ttnn_layout27>, tensor<32x1x3x3xbf16, #ttnn_layout12>, !ttnn.device) -> tensor<1x1x3136x32xbf16, #ttnn_layout27>
        %25 = "ttnn.reshape"(%24) <{shape = [1 : i32, 56 : i32, 56 : i32, 32 : i32]}> : (tensor<1x1x3136x32xbf16, #ttnn_layout27>) -> tensor<1x56x56x32xbf16, #ttnn_layout28>
        %26 = "ttnn.multiply"(%25, %9) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x56x56x32xbf16, #ttnn_layout28>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x56x56x32xbf16, #ttnn_layout28>
        %27 = "ttnn.add"(%26, %13) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x56x56x32xbf16, #ttnn_layout28>, tensor<1x1x1x32xbf16, #ttnn_layout4>) -> tensor<1x56x56x32xbf16, #ttnn_layout28>
        %28 = "ttnn.reshape"(%27) <{shape = [1 : i32, 1 : i32, 3136 : i32, 32 : i32]}> : (tensor<1x56x56x32xbf16, #ttnn_layout28>) -> tensor<1x1x3136x32xbf16, #ttnn_layout27>
        %29 = "ttnn.relu"(%28) : (tensor<1x1x3136x32xbf16, #ttnn_layout27>) -> tensor<1x1x3136x32xbf16, #ttnn_layout27>
        %30 = "ttnn.conv2d"(%29, %1, %15) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 32 : i32, input_height = 56 : i32, input_width = 56 : i32, kernel_size = array<i32: 1, 1>, out_channels = 64 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>}> : (tensor<1x1x3136x32xbf16, #ttnn_layout27>, tensor<64x32x1x1xbf16, #ttnn_layout6>, !ttnn.device) -> tensor<1x1x3136x64xbf16, #ttnn_layout29>
        %31 = "ttnn.reshape"(%30) <{shape = [1 : i32, 56 : i32, 56 : i32, 64 : i32]}> : (tensor<1x1x3136x64xbf16, #ttnn_layout29>) -> tensor<1x56x56x64xbf16, #ttnn_layout30>
        %32 = "ttnn.multiply"(%31, %11) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x56x56x64xbf16, #ttnn_layout30>, tensor<1x1x1x64xbf16, #ttnn_layout5>) -> tensor<1x56x56x64xbf16, #ttnn_layout30>
        %33 = "ttnn.add"(%32, %2) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x56x56x64xbf16, #ttnn_layout30>, tensor<1x1x1x64xbf16, #ttnn_layout5>) -> tensor<1x56x56x64xbf16, #ttnn_layout30>
        %34 = "ttnn.reshape"(%33) <{shape = [1 : i32, 1 : i32, 3136 : i32, 64 : i32]}> : (tensor<1x56x56x64xbf16, #ttnn_layout30>) -> tensor<1x1x3136x64xbf16, #ttnn_layout29>
        %35 = "ttnn.relu"(%34) : (tensor<1x1x3136x64xbf16, #ttnn_layout29>) -> tensor<1x1x3136x64xbf16, #ttnn_layout29>
        %36 = "ttnn.conv2d"(%35, %14, %15) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 64 : i32, in_channels = 64 : i32, input_height = 56 : i32, input_width = 56 : i32, kernel_size = array<i32: 3, 3>, out_channels = 64 : i32, padding = array<i32: 0, 1, 0, 1>, stride = array<i32: 2, 2>}> : (tensor<1x1x3136x64xbf16, #ttnn_layout29>, tensor<64x1x3x3xbf16, #ttnn_layout15>, !ttnn.device) -> tensor<1x1x784x64xbf16, #ttnn_layout31>
        %37 = "ttnn.reshape"(%36) <{shape = [1 : i32, 28 : i32, 28 : i32, 64 : i32]}> : (tensor<1x1x784x64xbf16, #ttnn_layout31>) -> tensor<1x28x28x64xbf16, #ttnn_layout32>
        %38 = "ttnn.multiply"(%37, %12) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x28x28x64xbf16, #ttnn_layout32>, tensor<1x1x1x64xbf16, #ttnn_layout5>) -> tensor<1x28x28x64xbf16, #ttnn_layout32>
        %39 = "ttnn.add"(%38, %3) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x28x28x64xbf16, #ttnn_layout32>, tensor<1x1x1x64xbf16, #ttnn_layout5>) -> tensor<1x28x28x64xbf16, #ttnn_layout32>
        %40 = "ttnn.reshape"(%39) <{shape = [1 : i32, 1 : i32, 784 : i32, 64 : i32]}> : (tensor<1x28x28x64xbf16, #ttnn_layout32>) -> tensor<1x1x784x64xbf16, #ttnn_layout31>
        %41 = "ttnn.relu"(%40) : (tensor<1x1x784x64xbf16, #ttnn_layout31>) -> tensor<1x1x784x64xbf16, #ttnn_layout31>
        %42 = "ttnn.conv2d"(%41, %7, %15) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 64 : i32, input_height = 28 : i32, input_width = 28 : i32, kernel_size = array<i32: 1, 1>, out_channels = 128 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>}> : (tensor<1x1x784x64xbf16, #ttnn_layout31>, tensor<128x64x1x1xbf16, #ttnn_layout10>, !ttnn.device) -> tensor<1x1x784x128xbf16, #ttnn_layout18>
        %43 = "ttnn.multiply"(%42, %4) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1x784x128xbf16, #ttnn_layout18>, tensor<1x1x784x128xbf16, #ttnn_layout18>) -> tensor<1x1x784x128xbf16, #ttnn_layout18>
        %44 = "ttnn.add"(%43, %5) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1x784x128xbf16, #ttnn_layout18>, tensor<1x1x784x128xbf16, #ttnn_layout18>) -> tensor<1x1x784x128xbf16, #ttnn_layout18>
        %45 = "ttnn.typecast"(%44) : (tensor<1x1x784x128xbf16, #ttnn_layout18>) -> tensor<1x1x784x128xf32, #ttnn_layout33>
        %46 = "ttnn.mean"(%45) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<1x1x784x128xf32, #ttnn_layout33>) -> tensor<1x1x1x128xf32, #ttnn_layout34>
        %47 = "ttnn.reshape"(%46) <{shape = [1 : i32, 128 : i32]}> : (tensor<1x1x1x128xf32, #ttnn_layout34>) -> tensor<1x128xf32, #ttnn_layout35>
        %48 = "ttnn.typecast"(%47) : (tensor<1x128xf32, #ttnn_layout35>) -> tensor<1x128xbf16, #ttnn_layout36>
        %49 = "ttnn.linear"(%48, %arg13, %arg12) <{transpose_a = false, transpose_b = false}> : (tensor<1x128xbf16, #ttnn_layout36>, tensor<128x1000xbf16, #ttnn_layout22>, tensor<1000xbf16, #ttnn_layout21>) -> tensor<1x1000xbf16, #ttnn_layout24>
        return %49 : tensor<1x1000xbf16, #ttnn_layout24>
      }
    }
  }
}

