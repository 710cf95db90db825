#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 105824, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1048640, dram_unreserved_end = 1073106880, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 64, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (4, 0), (1, 2), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 4), (4, 4), (3, 6)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (4, 0), (1, 2), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 4), (4, 4), (3, 6)]}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 96 + d1, d2), <1x1>, memref<9x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 80 + d1, d2), <1x1>, memref<30720x3xbf16, #system_memory>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 96 + d1, d2), <1x1>, memref<1152x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<36x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<147456x3xbf16, #system_memory>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<4608x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 1500 + d1, d2), <1x1>, memref<1500x80xbf16, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<12x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 1504 + d1, d2), <1x1>, memref<47x3x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1504 + d1 * 1504 + d2, d3), <1x1>, memref<47x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 1504 + d1, d2), <1x1>, memref<47x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 768 + d1 * 768 + d2, d3), <1x1>, memref<24x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 768 + d1, d2), <1x1>, memref<24x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 384 + d1 * 384 + d2, d3), <1x1>, memref<12x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @jit_sound attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @jit_sound attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc, ttnn.enable_dram_sharded_matmul = false, ttnn.l1_const_eval_usage = 1024 : ui64, ttnn.tensor_l1_usage_cap = 0.949999988 : f32} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = 1x1, chipIds = [0]>
      func.func private @main_const_eval_0(%arg0: tensor<3x80x384xbf16, #ttnn_layout>) -> tensor<384x80x3xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 2, 1, 0>}> : (tensor<3x80x384xbf16, #ttnn_layout>) -> tensor<384x80x3xbf16, #ttnn_layout2>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<384x80x3xbf16, #ttnn_layout2>) -> tensor<384x80x3xbf16, #ttnn_layout1>
        return %2 : tensor<384x80x3xbf16, #ttnn_layout1>
      }
      func.func private @main_const_eval_1(%arg0: tensor<3x384x384xbf16, #ttnn_layout3>) -> tensor<384x384x3xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 2, 1, 0>}> : (tensor<3x384x384xbf16, #ttnn_layout3>) -> tensor<384x384x3xbf16, #ttnn_layout5>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<384x384x3xbf16, #ttnn_layout5>) -> tensor<384x384x3xbf16, #ttnn_layout4>
        return %2 : tensor<384x384x3xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_2(%arg0: tensor<3x384x384xbf16, #ttnn_layout3>) -> tensor<384x384x3xbf16, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.permute"(%arg0) <{permutation = array<i64: 2, 1, 0>}> : (tensor<3x384x384xbf16, #ttnn_layout3>) -> tensor<384x384x3xbf16, #ttnn_layout5>
        %2 = "ttnn.to_tensor_spec"(%1) : (tensor<384x384x3xbf16, #ttnn_layout5>) -> tensor<384x384x3xbf16, #ttnn_layout4>
        return %2 : tensor<384x384x3xbf16, #ttnn_layout4>
      }
      func.func private @main_const_eval_3(%arg0: tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 384 : i32]}> : (tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7>
        return %1 : tensor<1x1x384xbf16, #ttnn_layout7>
      }
      func.func private @main_const_eval_4(%arg0: tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 384 : i32]}> : (tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7>
        return %1 : tensor<1x1x384xbf16, #ttnn_layout7>
      }
      func.func private @main_const_eval_5(%arg0: tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %1 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 384 : i32]}> : (tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7>
        return %1 : tensor<1x1x384xbf16, #ttnn_layout7>
      }
      func.func public @main(%arg0: tensor<384xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<384xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_0"}, %arg1: tensor<384xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<384xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_1"}, %arg2: tensor<384xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<384xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "b_2"}, %arg3: tensor<3x80x384xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x80x384xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "k_0"}, %arg4: tensor<3x384x384xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x384x384xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "k_1"}, %arg5: tensor<3x384x384xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<3x384x384xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "k_2"}, %arg6: tensor<1x1500x80xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x1500x80xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) -> (tensor<1x375x384xbf16, #ttnn_layout9> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x375x384xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, [%arg3]) : (tensor<3x80x384xbf16, #ttnn_layout>) -> tensor<384x80x3xbf16, #ttnn_layout1>
        %1 = ttcore.load_cached(@main_const_eval_2, [%arg5]) : (tensor<3x384x384xbf16, #ttnn_layout3>) -> tensor<384x384x3xbf16, #ttnn_layout4>
        %2 = ttcore.load_cached(@main_const_eval_4, [%arg0]) : (tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7>
        %3 = ttcore.load_cached(@main_const_eval_5, [%arg1]) : (tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7>
        %4 = ttcore.load_cached(@main_const_eval_1, [%arg4]) : (tensor<3x384x384xbf16, #ttnn_layout3>) -> tensor<384x384x3xbf16, #ttnn_layout4>
        %5 = ttcore.load_cached(@main_const_eval_3, [%arg2]) : (tensor<384xbf16, #ttnn_layout6>) -> tensor<1x1x384xbf16, #ttnn_layout7>
        %6 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %7 = "ttnn.to_tensor_spec"(%arg6) : (tensor<1x1500x80xbf16, #ttnn_layout8>) -> tensor<1x1500x80xbf16, #ttnn_layout10>
        %8 = "ttnn.conv1d"(%7, %0, %6) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = false>, dilation = 1 : i32, groups = 1 : i32, in_channels = 80 : i32, input_length = 1500 : i32, kernel_size = 3 : i32, out_channels = 384 : i32, padding = array<i32: 1, 1>, stride = 1 : i32}> : (tensor<1x1500x80xbf16, #ttnn_layout10>, tensor<384x80x3xbf16, #ttnn_layout1>, !ttnn.device) -> tensor<1x1x1500x384xbf16, #ttnn_layout11>
        %9 = "ttnn.reshape"(%8) <{shape = [1 : i32, 1500 : i32, 384 : i32]}> : (tensor<1x1x1500x384xbf16, #ttnn_layout11>) -> tensor<1x1500x384xbf16, #ttnn_layout12>
        %10 = "ttnn.add"(%9, %2) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x1500x384xbf16, #ttnn_layout12>, tensor<1x1x384xbf16, #ttnn_layout7>) -> tensor<1x1500x384xbf16, #ttnn_layout12>
        %11 = "ttnn.conv1d"(%10, %4, %6) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = false>, dilation = 1 : i32, groups = 1 : i32, in_channels = 384 : i32, input_length = 1500 : i32, kernel_size = 3 : i32, out_channels = 384 : i32, padding = array<i32: 1, 1>, stride = 2 : i32}> : (tensor<1x1500x384xbf16, #ttnn_layout12>, tensor<384x384x3xbf16, #ttnn_layout4>, !ttnn.device) -> tensor<1x1x750x384xbf16, #ttnn_layout13>
        %12 = "ttnn.reshape"(%11) <{shape = [1 : i32, 750 : i32, 384 : i32]}> : (tensor<1x1x750x384xbf16, #ttnn_layout13>) -> tensor<1x750x384xbf16, #ttnn_layout14>
        %13 = "ttnn.add"(%12, %3) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x750x384xbf16, #ttnn_layout14>, tensor<1x1x384xbf16, #ttnn_layout7>) -> tensor<1x750x384xbf16, #ttnn_layout14>
        %14 = "ttnn.conv1d"(%13, %1, %6) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = false>, dilation = 1 : i32, groups = 1 : i32, in_channels = 384 : i32, input_length = 750 : i32, kernel_size = 3 : i32, out_channels = 384 : i32, padding = array<i32: 1, 1>, stride = 2 : i32}> : (tensor<1x750x384xbf16, #ttnn_layout14>, tensor<384x384x3xbf16, #ttnn_layout4>, !ttnn.device) -> tensor<1x1x375x384xbf16, #ttnn_layout15>
        %15 = "ttnn.reshape"(%14) <{shape = [1 : i32, 375 : i32, 384 : i32]}> : (tensor<1x1x375x384xbf16, #ttnn_layout15>) -> tensor<1x375x384xbf16, #ttnn_layout9>
        %16 = "ttnn.add"(%15, %5) <{activations = [#ttnn.unary_with_param<op_type = relu>], input_tensor_a_activations = [], input_tensor_b_activations = []}> : (tensor<1x375x384xbf16, #ttnn_layout9>, tensor<1x1x384xbf16, #ttnn_layout7>) -> tensor<1x375x384xbf16, #ttnn_layout9>
        return %16 : tensor<1x375x384xbf16, #ttnn_layout9>
      }
    }
  }
}

