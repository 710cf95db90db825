#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 224 + d1 * 32 + d2, d3), <1x1>, memref<49x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 21 + d1 * 7 + d2, d3), <1x1>, memref<1344x7xbf16, #system_memory>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<192x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), <1x1>, memref<18x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 3 + d2, d3), <1x1>, memref<12288x3xbf16, #system_memory>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 32 + d2, d3), <1x1>, memref<4096x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 64 + d2, d3), <1x1>, memref<2x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 + d2, d3), <1x1>, memref<8192x1xbf16, #system_memory>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 32 + d2, d3), <1x1>, memref<8192x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 384 + d1 * 128 + d2, d3), <1x1>, memref<36x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 384 + d1 * 3 + d2, d3), <1x1>, memref<49152x3xbf16, #system_memory>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 32 + d2, d3), <1x1>, memref<16384x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), <1x1>, memref<18x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 3 + d2, d3), <1x1>, memref<24576x3xbf16, #system_memory>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 12544 + d1 * 112 + d2, d3), <1x1>, memref<25088x3xbf16, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 448 + d1 * 32 + d2, d3), <1x1>, memref<28x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 14336 + d1 * 128 + d2, d3), <1x1>, memref<896x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 25088 + d1 * 25088 + d2, d3), <1x1>, memref<784x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 6272 + d1 * 6272 + d2, d3), <1x1>, memref<196x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3584 + d1 * 64 + d2, d3), <1x1>, memref<224x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1568 + d1 * 1568 + d2, d3), <1x1>, memref<49x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout25 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 896 + d1 * 32 + d2, d3), <1x1>, memref<56x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout26 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 416 + d1 * 416 + d2, d3), <1x1>, memref<13x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @jit_residual attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_residual attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<10x11, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x8>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 8, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 8) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0(%arg0: tensor<7x7x3x64xbf16, #ttnn_layout>) -> tensor<64x3x7x7xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<7x7x3x64xbf16, #ttnn_layout>) -> tensor<64x3x7x7xbf16, #ttnn_layout2>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<64x3x7x7xbf16, #ttnn_layout2>) -> tensor<64x3x7x7xbf16, #ttnn_layout1>
        return %2 : tensor<64x3x7x7xbf16, #ttnn_layout1>
      }
      func.func private @main_const_eval_1(%arg0: tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_2(%arg0: tensor<3x3x64x64xbf16, #ttnn_layout5>) -> tensor<64x64x3x3xbf16, #ttnn_layout6> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x64x64xbf16, #ttnn_layout5>) -> tensor<64x64x3x3xbf16, #ttnn_layout7>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<64x64x3x3xbf16, #ttnn_layout7>) -> tensor<64x64x3x3xbf16, #ttnn_layout6>
        return %2 : tensor<64x64x3x3xbf16, #ttnn_layout6>
      }
      func.func private @main_const_eval_3(%arg0: tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_4(%arg0: tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x128xbf16, #ttnn_layout9>
      }
      func.func private @main_const_eval_5(%arg0: tensor<1x1x64x128xbf16, #ttnn_layout10>) -> tensor<128x64x1x1xbf16, #ttnn_layout11> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<1x1x64x128xbf16, #ttnn_layout10>) -> tensor<128x64x1x1xbf16, #ttnn_layout12>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<128x64x1x1xbf16, #ttnn_layout12>) -> tensor<128x64x1x1xbf16, #ttnn_layout11>
        return %2 : tensor<128x64x1x1xbf16, #ttnn_layout11>
      }
      func.func private @main_const_eval_6(%arg0: tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_7(%arg0: tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_8(%arg0: tensor<3x3x128x128xbf16, #ttnn_layout13>) -> tensor<128x128x3x3xbf16, #ttnn_layout14> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x128x128xbf16, #ttnn_layout13>) -> tensor<128x128x3x3xbf16, #ttnn_layout15>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<128x128x3x3xbf16, #ttnn_layout15>) -> tensor<128x128x3x3xbf16, #ttnn_layout14>
        return %2 : tensor<128x128x3x3xbf16, #ttnn_layout14>
      }
      func.func private @main_const_eval_9(%arg0: tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_10(%arg0: tensor<3x3x64x64xbf16, #ttnn_layout5>) -> tensor<64x64x3x3xbf16, #ttnn_layout6> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x64x64xbf16, #ttnn_layout5>) -> tensor<64x64x3x3xbf16, #ttnn_layout7>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<64x64x3x3xbf16, #ttnn_layout7>) -> tensor<64x64x3x3xbf16, #ttnn_layout6>
        return %2 : tensor<64x64x3x3xbf16, #ttnn_layout6>
      }
      func.func private @main_const_eval_11(%arg0: tensor<3x3x64x128xbf16, #ttnn_layout16>) -> tensor<128x64x3x3xbf16, #ttnn_layout17> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<3x3x64x128xbf16, #ttnn_layout16>) -> tensor<128x64x3x3xbf16, #ttnn_layout12>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<128x64x3x3xbf16, #ttnn_layout12>) -> tensor<128x64x3x3xbf16, #ttnn_layout17>
        return %2 : tensor<128x64x3x3xbf16, #ttnn_layout17>
      }
      func.func private @main_const_eval_12(%arg0: tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x128xbf16, #ttnn_layout9>
      }
      func.func private @main_const_eval_13(%arg0: tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x128xbf16, #ttnn_layout9>
      }
      func.func private @main_const_eval_14(%arg0: tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x128xbf16, #ttnn_layout9>
      }
      func.func private @main_const_eval_15(%arg0: tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x128xbf16, #ttnn_layout9>
      }
      func.func private @main_const_eval_16(%arg0: tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x64xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_17(%arg0: tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        return %1 : tensor<1x1x1x128xbf16, #ttnn_layout9>
      }
      func.func public @main(%arg0: tensor<3x3x64x64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_k"}, %arg1: tensor<64xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_s"}, %arg2: tensor<64xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "a_t"}, %arg3: tensor<3x3x64x64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_k"}, %arg4: tensor<64xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_s"}, %arg5: tensor<64xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_t"}, %arg6: tensor<3x3x64x128xbf16, #ttnn_layout16> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x64x128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "c_k"}, %arg7: tensor<128xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "c_s"}, %arg8: tensor<128xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "c_t"}, %arg9: tensor<3x3x128x128xbf16, #ttnn_layout13> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x3x128x128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "d_k"}, %arg10: tensor<128xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "d_s"}, %arg11: tensor<128xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "d_t"}, %arg12: tensor<1x1x64x128xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x64x128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "skip_k"}, %arg13: tensor<128xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "skip_s"}, %arg14: tensor<128xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "skip_t"}, %arg15: tensor<7x7x3x64xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<7x7x3x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "stem_k"}, %arg16: tensor<64xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "stem_s"}, %arg17: tensor<64xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "stem_t"}, %arg18: tensor<2x112x112x3xbf16, #ttnn_layout18> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<2x112x112x3xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<2x14x14x128xbf16, #ttnn_layout19> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<2x14x14x128xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, [%arg15]) : (tensor<7x7x3x64xbf16, #ttnn_layout>) -> tensor<64x3x7x7xbf16, #ttnn_layout1>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg3]) : (tensor<3x3x64x64xbf16, #ttnn_layout5>) -> tensor<64x64x3x3xbf16, #ttnn_layout6>
        %2 = ttcore.load_cached(@main_const_eval_6, [%arg5]) : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        %3 = ttcore.load_cached(@main_const_eval_4, [%arg8]) : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        %4 = ttcore.load_cached(@main_const_eval_11, [%arg6]) : (tensor<3x3x64x128xbf16, #ttnn_layout16>) -> tensor<128x64x3x3xbf16, #ttnn_layout17>
        %5 = ttcore.load_cached(@main_const_eval_12, [%arg13]) : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        %6 = ttcore.load_cached(@main_const_eval_8, [%arg9]) : (tensor<3x3x128x128xbf16, #ttnn_layout13>) -> tensor<128x128x3x3xbf16, #ttnn_layout14>
        %7 = ttcore.load_cached(@main_const_eval_5, [%arg12]) : (tensor<1x1x64x128xbf16, #ttnn_layout10>) -> tensor<128x64x1x1xbf16, #ttnn_layout11>
        %8 = ttcore.load_cached(@main_const_eval_15, [%arg11]) : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        %9 = ttcore.load_cached(@main_const_eval_1, [%arg17]) : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        %10 = ttcore.load_cached(@main_const_eval_3, [%arg1]) : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        %11 = ttcore.load_cached(@main_const_eval_9, [%arg16]) : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        %12 = ttcore.load_cached(@main_const_eval_13, [%arg14]) : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        %13 = ttcore.load_cached(@main_const_eval_14, [%arg10]) : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        %14 = ttcore.load_cached(@main_const_eval_16, [%arg4]) : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        %15 = ttcore.load_cached(@main_const_eval_17, [%arg7]) : (tensor<128xbf16, #ttnn_layout8>) -> tensor<1x1x1x128xbf16, #ttnn_layout9>
        %16 = ttcore.load_cached(@main_const_eval_7, [%arg2]) : (tensor<64xbf16, #ttnn_layout3>) -> tensor<1x1x1x64xbf16, #ttnn_layout4>
        %17 = ttcore.load_cached(@main_const_eval_10, [%arg0]) : (tensor<3x3x64x64xbf16, #ttnn_layout5>) -> tensor<64x64x3x3xbf16, #ttnn_layout6>
        %18 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %19 = "ttnn.to_tensor_spec"(%arg18) : (tensor<2x112x112x3xbf16, #ttnn_layout18>) -> tensor<2x112x112x3xbf16, #ttnn_layout20>
        %20 = "ttnn.reshape"(%19) <{shape = [1 : i32, 1 : i32, 25088 : i32, 3 : i32]}> : (tensor<2x112x112x3xbf16, #ttnn_layout20>) -> tensor<1x1x25088x3xbf16, #ttnn_layout21>
        %21 = "ttnn.conv2d"(%20, %0, %18) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 3 : i32, input_height = 112 : i32, input_width = 112 : i32, kernel_size = array<i32: 7, 7>, out_channels = 64 : i32, padding = array<i32: 2, 3, 2, 3>, stride = array<i32: 2, 2>}> : (tensor<1x1x25088x3xbf16, #ttnn_layout21>, tensor<64x3x7x7xbf16, #ttnn_layout1>, !ttnn.device) -> tensor<1x1x6272x64xbf16, #ttnn_layout22>
        %22 = "ttnn.reshape"(%21) <{shape = [2 : i32, 56 : i32, 56 : i32, 64 : i32]}> : (tensor<1x1x6272x64xbf16, #ttnn_layout22>) -> tensor<2x56x56x64xbf16, #ttnn_layout23>
        %23 = "ttnn.multiply"(%22, %11) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x56x56x64xbf16, #ttnn_layout23>, tensor<1x1x1x64xbf16, #ttnn_layout4>) -> tensor<2x56x56x64xbf16, #ttnn_layout23>
        %24 = "ttnn.add"(%23, %9) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x56x56x64xbf16, #ttnn_layout23>, tensor<1x1x1x64xbf16, #ttnn_layout4>) -> tensor<2x56x56x64xbf16, #ttnn_layout23>
        %25 = "ttnn.reshape"(%24) <{shape = [1 : i32, 1 : i32, 6272 : i32, 64 : i32]}> : (tensor<2x56x56x64xbf16, #ttnn_layout23>) -> tensor<1x1x6272x64xbf16, #ttnn_layout22>
        %26 = "ttnn.relu"(%25) : (tensor<1x1x6272x64xbf16, #ttnn_layout22>) -> tensor<1x1x6272x64xbf16, #ttnn_layout22>
        %27 = "ttnn.max_pool2d"(%26) <{batch_size = 2 : si32, ceil_mode = false, channels = 64 : si32, config_tensors_in_dram = true, dilation = array<i32: 1, 1>, input_height = 56 : si32, input_width = 56 : si32, kernel_size = array<i32: 3, 3>, padding = array<i32: 1, 1>, reallocate_halo_output = false, stride = array<i32: 2, 2>}> : (tensor<1x1x6272x64xbf16, #ttnn_layout22>) -> tensor<1x1x1568x64xbf16, #ttnn_layout24>
        %28 = "ttnn.reshape"(%27) <{shape = [2 : i32, 28 : i32, 28 : i32, 64 : i32]}> : (tensor<1x1x1568x64xbf16, #ttnn_layout24>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %29 = "ttnn.conv2d"(%27, %17, %18) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 64 : i32, input_height = 28 : i32, input_width = 28 : i32, kernel_size = array<i32: 3, 3>, out_channels = 64 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x1568x64xbf16, #ttnn_layout24>, tensor<64x64x3x3xbf16, #ttnn_layout6>, !ttnn.device) -> tensor<1x1x1568x64xbf16, #ttnn_layout24>
        %30 = "ttnn.reshape"(%29) <{shape = [2 : i32, 28 : i32, 28 : i32, 64 : i32]}> : (tensor<1x1x1568x64xbf16, #ttnn_layout24>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %31 = "ttnn.multiply"(%30, %10) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x28x28x64xbf16, #ttnn_layout25>, tensor<1x1x1x64xbf16, #ttnn_layout4>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %32 = "ttnn.add"(%31, %16) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x28x28x64xbf16, #ttnn_layout25>, tensor<1x1x1x64xbf16, #ttnn_layout4>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %33 = "ttnn.reshape"(%32) <{shape = [1 : i32, 1 : i32, 1568 : i32, 64 : i32]}> : (tensor<2x28x28x64xbf16, #ttnn_layout25>) -> tensor<1x1x1568x64xbf16, #ttnn_layout24>
        %34 = "ttnn.relu"(%33) : (tensor<1x1x1568x64xbf16, #ttnn_layout24>) -> tensor<1x1x1568x64xbf16, #ttnn_layout24>
        %35 = "ttnn.conv2d"(%34, %1, %18) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 64 : i32, input_height = 28 : i32, input_width = 28 : i32, kernel_size = array<i32: 3, 3>, out_channels = 64 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x1568x64xbf16, #ttnn_layout24>, tensor<64x64x3x3xbf16, #ttnn_layout6>, !ttnn.device) -> tensor<1x1x1568x64xbf16, #ttnn_layout24>
        %36 = "ttnn.reshape"(%35) <{shape = [2 : i32, 28 : i32, 28 : i32, 64 : i32]}> : (tensor<1x1x1568x64xbf16, #ttnn_layout24>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %37 = "ttnn.multiply"(%36, %14) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x28x28x64xbf16, #ttnn_layout25>, tensor<1x1x1x64xbf16, #ttnn_layout4>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %38 = "ttnn.add"(%37, %2) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x28x28x64xbf16, #ttnn_layout25>, tensor<1x1x1x64xbf16, #ttnn_layout4>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %39 = "ttnn.add"(%28, %38) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x28x28x64xbf16, #ttnn_layout25>, tensor<2x28x28x64xbf16, #ttnn_layout25>) -> tensor<2x28x28x64xbf16, #ttnn_layout25>
        %40 = "ttnn.reshape"(%39) <{shape = [1 : i32, 1 : i32, 1568 : i32, 64 : i32]}> : (tensor<2x28x28x64xbf16, #ttnn_layout25>) -> tensor<1x1x1568x64xbf16, #ttnn_layout24>
        %41 = "ttnn.conv2d"(%40, %4, %18) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 64 : i32, input_height = 28 : i32, input_width = 28 : i32, kernel_size = array<i32: 3, 3>, out_channels = 128 : i32, padding = array<i32: 0, 1, 0, 1>, stride = array<i32: 2, 2>}> : (tensor<1x1x1568x64xbf16, #ttnn_layout24>, tensor<128x64x3x3xbf16, #ttnn_layout17>, !ttnn.device) -> tensor<1x1x392x128xbf16, #ttnn_layout26>
        %42 = "ttnn.reshape"(%41) <{shape = [2 : i32, 14 : i32, 14 : i32, 128 : i32]}> : (tensor<1x1x392x128xbf16, #ttnn_layout26>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %43 = "ttnn.multiply"(%42, %15) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>, tensor<1x1x1x128xbf16, #ttnn_layout9>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %44 = "ttnn.add"(%43, %3) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>, tensor<1x1x1x128xbf16, #ttnn_layout9>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %45 = "ttnn.conv2d"(%40, %7, %18) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 64 : i32, input_height = 28 : i32, input_width = 28 : i32, kernel_size = array<i32: 1, 1>, out_channels = 128 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 2, 2>}> : (tensor<1x1x1568x64xbf16, #ttnn_layout24>, tensor<128x64x1x1xbf16, #ttnn_layout11>, !ttnn.device) -> tensor<1x1x392x128xbf16, #ttnn_layout26>
        %46 = "ttnn.reshape"(%45) <{shape = [2 : i32, 14 : i32, 14 : i32, 128 : i32]}> : (tensor<1x1x392x128xbf16, #ttnn_layout26>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %47 = "ttnn.multiply"(%46, %5) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>, tensor<1x1x1x128xbf16, #ttnn_layout9>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %48 = "ttnn.add"(%47, %12) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>, tensor<1x1x1x128xbf16, #ttnn_layout9>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %49 = "ttnn.reshape"(%44) <{shape = [1 : i32, 1 : i32, 392 : i32, 128 : i32]}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>) -> tensor<1x1x392x128xbf16, #ttnn_layout26>
        %50 = "ttnn.relu"(%49) : (tensor<1x1x392x128xbf16, #ttnn_layout26>) -> tensor<1x1x392x128xbf16, #ttnn_layout26>
        %51 = "ttnn.conv2d"(%50, %6, %18) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 128 : i32, input_height = 14 : i32, input_width = 14 : i32, kernel_size = array<i32: 3, 3>, out_channels = 128 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x392x128xbf16, #ttnn_layout26>, tensor<128x128x3x3xbf16, #ttnn_layout14>, !ttnn.device) -> tensor<1x1x392x128xbf16, #ttnn_layout26>
        %52 = "ttnn.reshape"(%51) <{shape = [2 : i32, 14 : i32, 14 : i32, 128 : i32]}> : (tensor<1x1x392x128xbf16, #ttnn_layout26>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %53 = "ttnn.multiply"(%52, %13) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>, tensor<1x1x1x128xbf16, #ttnn_layout9>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %54 = "ttnn.add"(%53, %8) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>, tensor<1x1x1x128xbf16, #ttnn_layout9>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        %55 = "ttnn.add"(%48, %54) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x14x14x128xbf16, #ttnn_layout19>, tensor<2x14x14x128xbf16, #ttnn_layout19>) -> tensor<2x14x14x128xbf16, #ttnn_layout19>
        return %55 : tensor<2x14x14x128xbf16, #ttnn_layout19>
      }
    }
  }
}

