#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 105824, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, dram_unreserved_end = 1073136448, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1536 + d1 * 512 + d2, d3), <1x1>, memref<1536x512xbf16, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 21 + d1 * 7 + d2, d3), <1x1>, memref<672x7xbf16, #system_memory>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 256 + d1 * 8 + d2, d3), <1x1>, memref<8192x8xbf16, #system_memory>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 3 + d1 * 3 + d2, d3), <1x1>, memref<384x3xbf16, #system_memory>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 128 + d2, d3), <1x1>, memref<128x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1536 + d1 * 512 + d2, d3), <1x1>, memref<48x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 262144 + d1 * 512 + d2, d3), <1x1>, memref<8192x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 262144 + d1 * 262144 + d2, d3), <1x1>, memref<8192x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 16384 + d1 * 16384 + d2, d3), <1x1>, memref<512x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 16384 + d1, d2), <1x1>, memref<512x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 256 + d1 * 256 + d2, d3), <1x1>, memref<8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 16384 + d1, d2), <1x1>, memref<512x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 16384 + d1, d2), <1x1>, memref<512x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 16384 + d1 * 16384 + d2, d3), <1x1>, memref<512x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 16384 + d1 * 128 + d2, d3), <1x1>, memref<512x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @SegformerBlock {
  ttcore.device_module {
    builtin.module @SegformerBlock attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = , chipIds = [0]>
      func.func @forward(%arg0: tensor<1x3x512x512xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "pixel_values"}, %arg1: tensor<32x3x7x7xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.conv2d_weight, ttir.name = "patch_embeddings.0.proj.weight"}, %arg2: tensor<1x1x1x32xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "patch_embeddings.0.proj.bias"}, %arg3: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "patch_embeddings.0.layer_norm.weight"}, %arg4: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "patch_embeddings.0.layer_norm.bias"}, %arg5: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.layer_norm_1.weight"}, %arg6: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.layer_norm_1.bias"}, %arg7: tensor<32x32xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.query.weight"}, %arg8: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.query.bias"}, %arg9: tensor<32x32x8x8xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.conv2d_weight, ttir.name = "block.0.0.attention.self.sr.weight"}, %arg10: tensor<1x1x1x32xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.sr.bias"}, %arg11: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.layer_norm.weight"}, %arg12: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.layer_norm.bias"}, %arg13: tensor<32x32xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.key.weight"}, %arg14: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.key.bias"}, %arg15: tensor<32x32xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.value.weight"}, %arg16: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.self.value.bias"}, %arg17: tensor<32x32xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.output.dense.weight"}, %arg18: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.attention.output.dense.bias"}, %arg19: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.layer_norm_2.weight"}, %arg20: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.layer_norm_2.bias"}, %arg21: tensor<32x128xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.mlp.dense1.weight"}, %arg22: tensor<128xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.mlp.dense1.bias"}, %arg23: tensor<128x1x3x3xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.conv2d_weight, ttir.name = "block.0.0.mlp.dwconv.weight"}, %arg24: tensor<1x1x1x128xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.mlp.dwconv.bias"}, %arg25: tensor<128x32xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.mlp.dense2.weight"}, %arg26: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "block.0.0.mlp.dense2.bias"}, %arg27: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "layer_norm.0.weight"}, %arg28: tensor<32xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "layer_norm.0.bias"}) -> tensor<1x32x128x128xbf16, #ttnn_layout11> attributes {tt.function_type = "forward_device"} {
        %0 = "ttnn.to_layout"(%arg0) : (tensor<1x3x512x512xbf16, #ttnn_layout>) -> tensor<1x3x512x512xbf16, #ttnn_layout12>
        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<1x3x512x512xbf16, #ttnn_layout>) -> ()
        %1 = "ttnn.permute"(%0) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x3x512x512xbf16, #ttnn_layout12>) -> tensor<1x512x512x3xbf16, #ttnn_layout13>
        "ttnn.deallocate"(%0) <{force = false}> : (tensor<1x3x512x512xbf16, #ttnn_layout12>) -> ()
        %2 = "ttnn.reshape"(%1) <{shape = [1 : i32, 1 : i32, 262144 : i32, 3 : i32]}> : (tensor<1x512x512x3xbf16, #ttnn_layout13>) -> tensor<1x1x262144x3xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<1x512x512x3xbf16, #ttnn_layout13>) -> ()
        %3 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %4 = "ttnn.conv2d"(%2, %arg1, %arg2, %3) <{batch_size = 1 : i32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 3 : i32, input_height = 512 : i32, input_width = 512 : i32, kernel_size = array<i32: 7, 7>, out_channels = 32 : i32, padding = array<i32: 3, 3, 3, 3>, stride = array<i32: 4, 4>}> : (tensor<1x1x262144x3xbf16, #ttnn_layout14>, tensor<32x3x7x7xbf16, #ttnn_layout1>, tensor<1x1x1x32xbf16, #ttnn_layout2>, !ttnn.device) -> tensor<1x1x16384x32xbf16, #ttnn_layout15>
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<1x1x262144x3xbf16, #ttnn_layout14>) -> ()
        "ttnn.deallocate"(%arg2) <{force = false}> : (tensor<1x1x1x32xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<32x3x7x7xbf16, #ttnn_layout1>) -> ()
        %5 = "ttnn.reshape"(%4) <{shape = [1 : i32, 16384 : i32, 32 : i32]}> : (tensor<1x1x16384x32xbf16, #ttnn_layout15>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%4) <{force = false}> : (tensor<1x1x16384x32xbf16, #ttnn_layout15>) -> ()
        %6 = "ttnn.layer_norm"(%5, %arg3, %arg4) <{epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<32xbf16, #ttnn_layout3>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%5) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg4) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg3) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        %7 = "ttnn.layer_norm"(%6, %arg5, %arg6) <{epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<32xbf16, #ttnn_layout3>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%arg6) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg5) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        %8 = "ttnn.linear"(%7, %arg7, %arg8) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<32x32xbf16, #ttnn_layout4>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%arg8) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg7) <{force = false}> : (tensor<32x32xbf16, #ttnn_layout4>) -> ()
        %9 = "ttnn.reshape"(%7) <{shape = [1 : i32, 1 : i32, 16384 : i32, 32 : i32]}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> tensor<1x1x16384x32xbf16, #ttnn_layout15>
        "ttnn.deallocate"(%7) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        %10 = "ttnn.conv2d"(%9, %arg9, %arg10, %3) <{batch_size = 1 : i32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 32 : i32, input_height = 128 : i32, input_width = 128 : i32, kernel_size = array<i32: 8, 8>, out_channels = 32 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 8, 8>}> : (tensor<1x1x16384x32xbf16, #ttnn_layout15>, tensor<32x32x8x8xbf16, #ttnn_layout5>, tensor<1x1x1x32xbf16, #ttnn_layout2>, !ttnn.device) -> tensor<1x1x256x32xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%9) <{force = false}> : (tensor<1x1x16384x32xbf16, #ttnn_layout15>) -> ()
        "ttnn.deallocate"(%arg10) <{force = false}> : (tensor<1x1x1x32xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg9) <{force = false}> : (tensor<32x32x8x8xbf16, #ttnn_layout5>) -> ()
        %11 = "ttnn.reshape"(%10) <{shape = [1 : i32, 256 : i32, 32 : i32]}> : (tensor<1x1x256x32xbf16, #ttnn_layout17>) -> tensor<1x256x32xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%10) <{force = false}> : (tensor<1x1x256x32xbf16, #ttnn_layout17>) -> ()
        %12 = "ttnn.layer_norm"(%11, %arg11, %arg12) <{epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x256x32xbf16, #ttnn_layout18>, tensor<32xbf16, #ttnn_layout3>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x256x32xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%11) <{force = false}> : (tensor<1x256x32xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg12) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg11) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        %13 = "ttnn.linear"(%12, %arg13, %arg14) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x256x32xbf16, #ttnn_layout18>, tensor<32x32xbf16, #ttnn_layout4>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x256x32xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg14) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg13) <{force = false}> : (tensor<32x32xbf16, #ttnn_layout4>) -> ()
        %14 = "ttnn.linear"(%12, %arg15, %arg16) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x256x32xbf16, #ttnn_layout18>, tensor<32x32xbf16, #ttnn_layout4>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x256x32xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%12) <{force = false}> : (tensor<1x256x32xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg16) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg15) <{force = false}> : (tensor<32x32xbf16, #ttnn_layout4>) -> ()
        %15 = "ttnn.full"(%3) <{fill_value = 0.176776692 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> tensor<1x1x1xbf16, #ttnn_layout19>
        %16 = "ttnn.transpose"(%13) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<1x256x32xbf16, #ttnn_layout18>) -> tensor<1x32x256xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%13) <{force = false}> : (tensor<1x256x32xbf16, #ttnn_layout18>) -> ()
        %17 = "ttnn.matmul"(%8, %16) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<1x32x256xbf16, #ttnn_layout20>) -> tensor<1x16384x256xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%16) <{force = false}> : (tensor<1x32x256xbf16, #ttnn_layout20>) -> ()
        "ttnn.deallocate"(%8) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        %18 = "ttnn.multiply"(%17, %15) : (tensor<1x16384x256xbf16, #ttnn_layout21>, tensor<1x1x1xbf16, #ttnn_layout19>) -> tensor<1x16384x256xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%17) <{force = false}> : (tensor<1x16384x256xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%15) <{force = false}> : (tensor<1x1x1xbf16, #ttnn_layout19>) -> ()
        %19 = "ttnn.softmax"(%18) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<1x16384x256xbf16, #ttnn_layout21>) -> tensor<1x16384x256xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%18) <{force = false}> : (tensor<1x16384x256xbf16, #ttnn_layout21>) -> ()
        %20 = "ttnn.matmul"(%19, %14) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x16384x256xbf16, #ttnn_layout21>, tensor<1x256x32xbf16, #ttnn_layout18>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%19) <{force = false}> : (tensor<1x16384x256xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%14) <{force = false}> : (tensor<1x256x32xbf16, #ttnn_layout18>) -> ()
        %21 = "ttnn.linear"(%20, %arg17, %arg18) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<32x32xbf16, #ttnn_layout4>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%20) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg18) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg17) <{force = false}> : (tensor<32x32xbf16, #ttnn_layout4>) -> ()
        %22 = "ttnn.add"(%21, %6) : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<1x16384x32xbf16, #ttnn_layout16>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%21) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%6) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        %23 = "ttnn.layer_norm"(%22, %arg19, %arg20) <{epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<32xbf16, #ttnn_layout3>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%arg20) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg19) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        %24 = "ttnn.linear"(%23, %arg21, %arg22) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<32x128xbf16, #ttnn_layout6>, tensor<128xbf16, #ttnn_layout7>) -> tensor<1x16384x128xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%23) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg22) <{force = false}> : (tensor<128xbf16, #ttnn_layout7>) -> ()
        "ttnn.deallocate"(%arg21) <{force = false}> : (tensor<32x128xbf16, #ttnn_layout6>) -> ()
        %25 = "ttnn.reshape"(%24) <{shape = [1 : i32, 1 : i32, 16384 : i32, 128 : i32]}> : (tensor<1x16384x128xbf16, #ttnn_layout22>) -> tensor<1x1x16384x128xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%24) <{force = false}> : (tensor<1x16384x128xbf16, #ttnn_layout22>) -> ()
        %26 = "ttnn.conv2d"(%25, %arg23, %arg24, %3) <{batch_size = 1 : i32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 128 : i32, in_channels = 128 : i32, input_height = 128 : i32, input_width = 128 : i32, kernel_size = array<i32: 3, 3>, out_channels = 128 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x1x16384x128xbf16, #ttnn_layout23>, tensor<128x1x3x3xbf16, #ttnn_layout8>, tensor<1x1x1x128xbf16, #ttnn_layout9>, !ttnn.device) -> tensor<1x1x16384x128xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%25) <{force = false}> : (tensor<1x1x16384x128xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%arg24) <{force = false}> : (tensor<1x1x1x128xbf16, #ttnn_layout9>) -> ()
        "ttnn.deallocate"(%arg23) <{force = false}> : (tensor<128x1x3x3xbf16, #ttnn_layout8>) -> ()
        %27 = "ttnn.gelu"(%26) : (tensor<1x1x16384x128xbf16, #ttnn_layout23>) -> tensor<1x1x16384x128xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%26) <{force = false}> : (tensor<1x1x16384x128xbf16, #ttnn_layout23>) -> ()
        %28 = "ttnn.reshape"(%27) <{shape = [1 : i32, 16384 : i32, 128 : i32]}> : (tensor<1x1x16384x128xbf16, #ttnn_layout23>) -> tensor<1x16384x128xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%27) <{force = false}> : (tensor<1x1x16384x128xbf16, #ttnn_layout23>) -> ()
        %29 = "ttnn.linear"(%28, %arg25, %arg26) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<1x16384x128xbf16, #ttnn_layout22>, tensor<128x32xbf16, #ttnn_layout10>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%28) <{force = false}> : (tensor<1x16384x128xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg26) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg25) <{force = false}> : (tensor<128x32xbf16, #ttnn_layout10>) -> ()
        %30 = "ttnn.add"(%29, %22) : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<1x16384x32xbf16, #ttnn_layout16>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%29) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%22) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        %31 = "ttnn.layer_norm"(%30, %arg27, %arg28) <{epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x16384x32xbf16, #ttnn_layout16>, tensor<32xbf16, #ttnn_layout3>, tensor<32xbf16, #ttnn_layout3>) -> tensor<1x16384x32xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%30) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg28) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%arg27) <{force = false}> : (tensor<32xbf16, #ttnn_layout3>) -> ()
        %32 = "ttnn.reshape"(%31) <{shape = [1 : i32, 128 : i32, 128 : i32, 32 : i32]}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> tensor<1x128x128x32xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%31) <{force = false}> : (tensor<1x16384x32xbf16, #ttnn_layout16>) -> ()
        %33 = "ttnn.permute"(%32) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x128x128x32xbf16, #ttnn_layout24>) -> tensor<1x32x128x128xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%32) <{force = false}> : (tensor<1x128x128x32xbf16, #ttnn_layout24>) -> ()
        return %33 : tensor<1x32x128x128xbf16, #ttnn_layout11>
      }
    }
  }
}
