#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <blackhole>, grid = 10x11, coord_translation_offsets = 2x1, l1_size = 1572864, num_dram_channels = 8, dram_channel_size = 4278190080, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 64, noc_dram_address_align_bytes = 64, l1_unreserved_base = 177280, erisc_l1_unreserved_base = 88896, dram_unreserved_base = 1048704, dram_unreserved_end = 4275530880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x8, dram_bank_to_logical_worker_noc0 = [(9, 0), (0, 0), (7, 0), (3, 0), (9, 6), (1, 6), (6, 6), (4, 6)], dram_bank_to_logical_worker_noc1 = [(0, 0), (8, 0), (2, 0), (5, 0), (0, 6), (8, 6), (2, 6), (5, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<2x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 32 + d2, d3), <1x1>, memref<256x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 48 + d1 * 16 + d2, d3), <1x1>, memref<9216x16xbf16, #system_memory>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<576x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<6x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<6x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<6x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<7x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 50176 + d1 * 224 + d2, d3), <1x1>, memref<100352x3xbf16, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 50176 + d1 * 224 + d2, d3), <1x1>, memref<3136x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 100352 + d1 * 100352 + d2, d3), <1x1>, memref<3136x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 416 + d1 * 416 + d2, d3), <1x1>, memref<13x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<14x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<14x6x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<14x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<14x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<13x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout25 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 6304 + d1 * 32 + d2, d3), <1x1>, memref<394x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout26 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 672 + d1 * 224 + d2, d3), <1x1>, memref<42x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout27 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), <1x1>, memref<12x7x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout28 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 672 + d1 * 224 + d2, d3), <1x1>, memref<42x7x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout29 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<2x7x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout30 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 672 + d1 * 224 + d2, d3), <1x1>, memref<42x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout31 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 672 + d1 * 224 + d2, d3), <1x1>, memref<42x7x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout32 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 672 + d1 * 224 + d2, d3), <1x1>, memref<42x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout33 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<13x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout34 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x6x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @jit_patches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_patches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
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
      func.func private @main_const_eval_2(%arg0: tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        return %1 : tensor<1x1x192xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_3(%arg0: tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x1x192xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.repeat"(%arg0) <{repeat_dims = #ttnn.shape<2x1x1>}> : (tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x1x192xbf16, #ttnn_layout3>
        return %1 : tensor<2x1x192xbf16, #ttnn_layout3>
      }
      func.func private @main_const_eval_4(%arg0: tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        return %1 : tensor<1x1x192xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_5(%arg0: tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        return %1 : tensor<1x1x192xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_6() -> tensor<1x1x1x1xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.full"(%0) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout4>
        return %1 : tensor<1x1x1x1xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_7(%arg0: tensor<16x16x3x192xbf16, #ttnn_layout5>) -> tensor<192x3x16x16xbf16, #ttnn_layout6> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<16x16x3x192xbf16, #ttnn_layout5>) -> tensor<192x3x16x16xbf16, #ttnn_layout7>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<192x3x16x16xbf16, #ttnn_layout7>) -> tensor<192x3x16x16xbf16, #ttnn_layout6>
        return %2 : tensor<192x3x16x16xbf16, #ttnn_layout6>
      }
      func.func private @main_const_eval_8(%arg0: tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        return %1 : tensor<1x1x192xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_9(%arg0: tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        return %1 : tensor<1x1x192xbf16, #ttnn_layout2>
      }
      func.func private @main_const_eval_10(%arg0: tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        return %1 : tensor<1x1x192xbf16, #ttnn_layout2>
      }
      func.func public @main(%arg0: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_k_b"}, %arg1: tensor<192x192xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_k_w"}, %arg2: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_o_b"}, %arg3: tensor<192x192xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_o_w"}, %arg4: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_q_b"}, %arg5: tensor<192x192xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_q_w"}, %arg6: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_v_b"}, %arg7: tensor<192x192xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_a_v_w"}, %arg8: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_down_b"}, %arg9: tensor<768x192xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<768x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_down_w"}, %arg10: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_n1_b"}, %arg11: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_n1_w"}, %arg12: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_n2_b"}, %arg13: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_n2_w"}, %arg14: tensor<768xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<768xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_up_b"}, %arg15: tensor<192x768xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192x768xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "block_up_w"}, %arg16: tensor<1x1x192xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "first"}, %arg17: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "norm_b"}, %arg18: tensor<192xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "norm_w"}, %arg19: tensor<100xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<100xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "out_b"}, %arg20: tensor<192x100xbf16, #ttnn_layout13> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<192x100xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "out_w"}, %arg21: tensor<16x16x3x192xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<16x16x3x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "patch"}, %arg22: tensor<1x197x192xbf16, #ttnn_layout14> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x197x192xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "place"}, %arg23: tensor<2x224x224x3xbf16, #ttnn_layout15> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<2x224x224x3xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<2x100xbf16, #ttnn_layout16> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<2x100xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, []) : () -> tensor<1x1x1xbf16, #ttnn_layout>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg10]) : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        %2 = ttcore.load_cached(@main_const_eval_6, []) : () -> tensor<1x1x1x1xbf16, #ttnn_layout4>
        %3 = ttcore.load_cached(@main_const_eval_4, [%arg12]) : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        %4 = ttcore.load_cached(@main_const_eval_8, [%arg18]) : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        %5 = ttcore.load_cached(@main_const_eval_5, [%arg11]) : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        %6 = ttcore.load_cached(@main_const_eval_1, []) : () -> tensor<1x1x1xbf16, #ttnn_layout>
        %7 = ttcore.load_cached(@main_const_eval_3, [%arg16]) : (tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x1x192xbf16, #ttnn_layout3>
        %8 = ttcore.load_cached(@main_const_eval_9, [%arg13]) : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        %9 = ttcore.load_cached(@main_const_eval_7, [%arg21]) : (tensor<16x16x3x192xbf16, #ttnn_layout5>) -> tensor<192x3x16x16xbf16, #ttnn_layout6>
        %10 = ttcore.load_cached(@main_const_eval_10, [%arg17]) : (tensor<192xbf16, #ttnn_layout1>) -> tensor<1x1x192xbf16, #ttnn_layout2>
        %11 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %12 = "ttnn.to_tensor_spec"(%arg23) : (tensor<2x224x224x3xbf16, #ttnn_layout15>) -> tensor<2x224x224x3xbf16, #ttnn_layout17>
        %13 = "ttnn.reshape"(%12) <{shape = [1 : i32, 1 : i32, 100352 : i32, 3 : i32]}> : (tensor<2x224x224x3xbf16, #ttnn_layout17>) -> tensor<1x1x100352x3xbf16, #ttnn_layout18>
        %14 = "ttnn.conv2d"(%13, %9, %11) <{batch_size = 2 : i32, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 3 : i32, input_height = 224 : i32, input_width = 224 : i32, kernel_size = array<i32: 16, 16>, out_channels = 192 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 16, 16>}> : (tensor<1x1x100352x3xbf16, #ttnn_layout18>, tensor<192x3x16x16xbf16, #ttnn_layout6>, !ttnn.device) -> tensor<1x1x392x192xbf16, #ttnn_layout19>
        %15 = "ttnn.reshape"(%14) <{shape = [2 : i32, 196 : i32, 192 : i32]}> : (tensor<1x1x392x192xbf16, #ttnn_layout19>) -> tensor<2x196x192xbf16, #ttnn_layout20>
        %16 = "ttnn.concat"(%7, %15) <{dim = 1 : si32}> : (tensor<2x1x192xbf16, #ttnn_layout3>, tensor<2x196x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %17 = "ttnn.add"(%16, %arg22) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<1x197x192xbf16, #ttnn_layout14>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %18 = "ttnn.typecast"(%17) : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xf32, #ttnn_layout21>
        %19 = "ttnn.mean"(%18) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<2x197x192xf32, #ttnn_layout21>) -> tensor<2x197x1xf32, #ttnn_layout22>
        %20 = "ttnn.typecast"(%19) : (tensor<2x197x1xf32, #ttnn_layout22>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %21 = "ttnn.subtract"(%17, %20) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x1xbf16, #ttnn_layout23>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %22 = "ttnn.multiply"(%21, %21) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %23 = "ttnn.typecast"(%22) : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xf32, #ttnn_layout21>
        %24 = "ttnn.mean"(%23) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<2x197x192xf32, #ttnn_layout21>) -> tensor<2x197x1xf32, #ttnn_layout22>
        %25 = "ttnn.typecast"(%24) : (tensor<2x197x1xf32, #ttnn_layout22>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %26 = "ttnn.add"(%25, %6) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x1xbf16, #ttnn_layout23>, tensor<1x1x1xbf16, #ttnn_layout>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %27 = "ttnn.multiply"(%21, %26) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x1xbf16, #ttnn_layout23>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %28 = "ttnn.multiply"(%27, %5) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %29 = "ttnn.add"(%28, %1) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %30 = "ttnn.reshape"(%29) <{shape = [394 : i32, 192 : i32]}> : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<394x192xbf16, #ttnn_layout24>
        %31 = "ttnn.linear"(%30, %arg5, %arg4) <{transpose_a = false, transpose_b = false}> : (tensor<394x192xbf16, #ttnn_layout24>, tensor<192x192xbf16, #ttnn_layout8>, tensor<192xbf16, #ttnn_layout1>) -> tensor<394x192xbf16, #ttnn_layout24>
        %32 = "ttnn.reshape"(%31) <{shape = [2 : i32, 197 : i32, 3 : i32, 64 : i32]}> : (tensor<394x192xbf16, #ttnn_layout24>) -> tensor<2x197x3x64xbf16, #ttnn_layout25>
        %33 = "ttnn.permute"(%32) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x197x3x64xbf16, #ttnn_layout25>) -> tensor<2x3x197x64xbf16, #ttnn_layout26>
        %34 = "ttnn.linear"(%30, %arg1, %arg0) <{transpose_a = false, transpose_b = false}> : (tensor<394x192xbf16, #ttnn_layout24>, tensor<192x192xbf16, #ttnn_layout8>, tensor<192xbf16, #ttnn_layout1>) -> tensor<394x192xbf16, #ttnn_layout24>
        %35 = "ttnn.reshape"(%34) <{shape = [2 : i32, 197 : i32, 3 : i32, 64 : i32]}> : (tensor<394x192xbf16, #ttnn_layout24>) -> tensor<2x197x3x64xbf16, #ttnn_layout25>
        %36 = "ttnn.linear"(%30, %arg7, %arg6) <{transpose_a = false, transpose_b = false}> : (tensor<394x192xbf16, #ttnn_layout24>, tensor<192x192xbf16, #ttnn_layout8>, tensor<192xbf16, #ttnn_layout1>) -> tensor<394x192xbf16, #ttnn_layout24>
        %37 = "ttnn.reshape"(%36) <{shape = [2 : i32, 197 : i32, 3 : i32, 64 : i32]}> : (tensor<394x192xbf16, #ttnn_layout24>) -> tensor<2x197x3x64xbf16, #ttnn_layout25>
        %38 = "ttnn.permute"(%37) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x197x3x64xbf16, #ttnn_layout25>) -> tensor<2x3x197x64xbf16, #ttnn_layout26>
        %39 = "ttnn.permute"(%35) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<2x197x3x64xbf16, #ttnn_layout25>) -> tensor<2x3x64x197xbf16, #ttnn_layout27>
        %40 = "ttnn.matmul"(%33, %39) <{transpose_a = false, transpose_b = false}> : (tensor<2x3x197x64xbf16, #ttnn_layout26>, tensor<2x3x64x197xbf16, #ttnn_layout27>) -> tensor<2x3x197x197xbf16, #ttnn_layout28>
        %41 = "ttnn.multiply"(%40, %2) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x3x197x197xbf16, #ttnn_layout28>, tensor<1x1x1x1xbf16, #ttnn_layout4>) -> tensor<2x3x197x197xbf16, #ttnn_layout28>
        %42 = "ttnn.max"(%41) <{dim_arg = [3 : i32], keep_dim = false}> : (tensor<2x3x197x197xbf16, #ttnn_layout28>) -> tensor<2x3x197xbf16, #ttnn_layout29>
        %43 = "ttnn.maximum"(%0, %42) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1x1xbf16, #ttnn_layout>, tensor<2x3x197xbf16, #ttnn_layout29>) -> tensor<2x3x197xbf16, #ttnn_layout29>
        %44 = "ttnn.reshape"(%43) <{shape = [2 : i32, 3 : i32, 197 : i32, 1 : i32]}> : (tensor<2x3x197xbf16, #ttnn_layout29>) -> tensor<2x3x197x1xbf16, #ttnn_layout30>
        %45 = "ttnn.subtract"(%41, %44) <{activations = [#ttnn.unary_with_param<op_type = exp>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x3x197x197xbf16, #ttnn_layout28>, tensor<2x3x197x1xbf16, #ttnn_layout30>) -> tensor<2x3x197x197xbf16, #ttnn_layout28>
        %46 = "ttnn.typecast"(%45) : (tensor<2x3x197x197xbf16, #ttnn_layout28>) -> tensor<2x3x197x197xf32, #ttnn_layout31>
        %47 = "ttnn.sum"(%46) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<2x3x197x197xf32, #ttnn_layout31>) -> tensor<2x3x197x1xf32, #ttnn_layout32>
        %48 = "ttnn.typecast"(%47) : (tensor<2x3x197x1xf32, #ttnn_layout32>) -> tensor<2x3x197x1xbf16, #ttnn_layout30>
        %49 = "ttnn.divide"(%45, %48) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x3x197x197xbf16, #ttnn_layout28>, tensor<2x3x197x1xbf16, #ttnn_layout30>) -> tensor<2x3x197x197xbf16, #ttnn_layout28>
        %50 = "ttnn.matmul"(%49, %38) <{transpose_a = false, transpose_b = false}> : (tensor<2x3x197x197xbf16, #ttnn_layout28>, tensor<2x3x197x64xbf16, #ttnn_layout26>) -> tensor<2x3x197x64xbf16, #ttnn_layout26>
        %51 = "ttnn.concatenate_heads"(%50) : (tensor<2x3x197x64xbf16, #ttnn_layout26>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %52 = "ttnn.reshape"(%51) <{shape = [394 : i32, 192 : i32]}> : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<394x192xbf16, #ttnn_layout24>
        %53 = "ttnn.linear"(%52, %arg3, %arg2) <{transpose_a = false, transpose_b = false}> : (tensor<394x192xbf16, #ttnn_layout24>, tensor<192x192xbf16, #ttnn_layout8>, tensor<192xbf16, #ttnn_layout1>) -> tensor<394x192xbf16, #ttnn_layout24>
        %54 = "ttnn.reshape"(%53) <{shape = [2 : i32, 197 : i32, 192 : i32]}> : (tensor<394x192xbf16, #ttnn_layout24>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %55 = "ttnn.add"(%17, %54) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %56 = "ttnn.typecast"(%55) : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xf32, #ttnn_layout21>
        %57 = "ttnn.mean"(%56) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<2x197x192xf32, #ttnn_layout21>) -> tensor<2x197x1xf32, #ttnn_layout22>
        %58 = "ttnn.typecast"(%57) : (tensor<2x197x1xf32, #ttnn_layout22>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %59 = "ttnn.subtract"(%55, %58) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x1xbf16, #ttnn_layout23>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %60 = "ttnn.multiply"(%59, %59) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %61 = "ttnn.typecast"(%60) : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xf32, #ttnn_layout21>
        %62 = "ttnn.mean"(%61) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<2x197x192xf32, #ttnn_layout21>) -> tensor<2x197x1xf32, #ttnn_layout22>
        %63 = "ttnn.typecast"(%62) : (tensor<2x197x1xf32, #ttnn_layout22>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %64 = "ttnn.add"(%63, %6) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x1xbf16, #ttnn_layout23>, tensor<1x1x1xbf16, #ttnn_layout>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %65 = "ttnn.multiply"(%59, %64) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x1xbf16, #ttnn_layout23>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %66 = "ttnn.multiply"(%65, %8) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %67 = "ttnn.add"(%66, %3) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %68 = "ttnn.reshape"(%67) <{shape = [394 : i32, 192 : i32]}> : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<394x192xbf16, #ttnn_layout24>
        %69 = "ttnn.linear"(%68, %arg15, %arg14) <{transpose_a = false, transpose_b = false}> : (tensor<394x192xbf16, #ttnn_layout24>, tensor<192x768xbf16, #ttnn_layout11>, tensor<768xbf16, #ttnn_layout10>) -> tensor<394x768xbf16, #ttnn_layout33>
        %70 = "ttnn.relu"(%69) : (tensor<394x768xbf16, #ttnn_layout33>) -> tensor<394x768xbf16, #ttnn_layout33>
        %71 = "ttnn.linear"(%70, %arg9, %arg8) <{transpose_a = false, transpose_b = false}> : (tensor<394x768xbf16, #ttnn_layout33>, tensor<768x192xbf16, #ttnn_layout9>, tensor<192xbf16, #ttnn_layout1>) -> tensor<394x192xbf16, #ttnn_layout24>
        %72 = "ttnn.reshape"(%71) <{shape = [2 : i32, 197 : i32, 192 : i32]}> : (tensor<394x192xbf16, #ttnn_layout24>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %73 = "ttnn.add"(%55, %72) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %74 = "ttnn.typecast"(%73) : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xf32, #ttnn_layout21>
        %75 = "ttnn.mean"(%74) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<2x197x192xf32, #ttnn_layout21>) -> tensor<2x197x1xf32, #ttnn_layout22>
        %76 = "ttnn.typecast"(%75) : (tensor<2x197x1xf32, #ttnn_layout22>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %77 = "ttnn.subtract"(%73, %76) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x1xbf16, #ttnn_layout23>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %78 = "ttnn.multiply"(%77, %77) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %79 = "ttnn.typecast"(%78) : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x197x192xf32, #ttnn_layout21>
        %80 = "ttnn.mean"(%79) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<2x197x192xf32, #ttnn_layout21>) -> tensor<2x197x1xf32, #ttnn_layout22>
        %81 = "ttnn.typecast"(%80) : (tensor<2x197x1xf32, #ttnn_layout22>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %82 = "ttnn.add"(%81, %6) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x1xbf16, #ttnn_layout23>, tensor<1x1x1xbf16, #ttnn_layout>) -> tensor<2x197x1xbf16, #ttnn_layout23>
        %83 = "ttnn.multiply"(%77, %82) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = [#ttnn.unary_with_param<op_type = rsqrt>]}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<2x197x1xbf16, #ttnn_layout23>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %84 = "ttnn.multiply"(%83, %4) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %85 = "ttnn.add"(%84, %10) <{activations = [], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<2x197x192xbf16, #ttnn_layout20>, tensor<1x1x192xbf16, #ttnn_layout2>) -> tensor<2x197x192xbf16, #ttnn_layout20>
        %86 = "ttnn.slice_static"(%85) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 1 : i32, 192 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x197x192xbf16, #ttnn_layout20>) -> tensor<2x1x192xbf16, #ttnn_layout3>
        %87 = "ttnn.reshape"(%86) <{shape = [2 : i32, 192 : i32]}> : (tensor<2x1x192xbf16, #ttnn_layout3>) -> tensor<2x192xbf16, #ttnn_layout34>
        %88 = "ttnn.linear"(%87, %arg20, %arg19) <{transpose_a = false, transpose_b = false}> : (tensor<2x192xbf16, #ttnn_layout34>, tensor<192x100xbf16, #ttnn_layout13>, tensor<100xbf16, #ttnn_layout12>) -> tensor<2x100xbf16, #ttnn_layout16>
        return %88 : tensor<2x100xbf16, #ttnn_layout16>
      }
    }
  }
}

