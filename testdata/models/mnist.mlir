#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 105824, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, dram_unreserved_end = 1073136448, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<128x784xbf16, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<25x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x25x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @MnistMlp {
  ttcore.device_module {
    builtin.module @MnistMlp attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = , chipIds = [0]>
      func.func @forward(%arg0: tensor<128x784xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "pixels"}, %arg1: tensor<784x512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "linear_relu_stack.0.weight"}, %arg2: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "linear_relu_stack.0.bias"}, %arg3: tensor<512x512xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "linear_relu_stack.2.weight"}, %arg4: tensor<512xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "linear_relu_stack.2.bias"}, %arg5: tensor<512x10xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "linear_relu_stack.4.weight"}, %arg6: tensor<10xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "linear_relu_stack.4.bias"}) -> tensor<128x10xbf16, #ttnn_layout6> attributes {tt.function_type = "forward_device"} {
        %0 = "ttnn.to_layout"(%arg0) : (tensor<128x784xbf16, #ttnn_layout>) -> tensor<128x784xbf16, #ttnn_layout7>
        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<128x784xbf16, #ttnn_layout>) -> ()
        %1 = "ttnn.linear"(%0, %arg1, %arg2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<128x784xbf16, #ttnn_layout7>, tensor<784x512xbf16, #ttnn_layout1>, tensor<512xbf16, #ttnn_layout2>) -> tensor<128x512xbf16, #ttnn_layout8>
        "ttnn.deallocate"(%0) <{force = false}> : (tensor<128x784xbf16, #ttnn_layout7>) -> ()
        "ttnn.deallocate"(%arg2) <{force = false}> : (tensor<512xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<784x512xbf16, #ttnn_layout1>) -> ()
        %2 = "ttnn.relu"(%1) : (tensor<128x512xbf16, #ttnn_layout8>) -> tensor<128x512xbf16, #ttnn_layout8>
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<128x512xbf16, #ttnn_layout8>) -> ()
        %3 = "ttnn.linear"(%2, %arg3, %arg4) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<128x512xbf16, #ttnn_layout8>, tensor<512x512xbf16, #ttnn_layout3>, tensor<512xbf16, #ttnn_layout2>) -> tensor<128x512xbf16, #ttnn_layout8>
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<128x512xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg4) <{force = false}> : (tensor<512xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg3) <{force = false}> : (tensor<512x512xbf16, #ttnn_layout3>) -> ()
        %4 = "ttnn.relu"(%3) : (tensor<128x512xbf16, #ttnn_layout8>) -> tensor<128x512xbf16, #ttnn_layout8>
        "ttnn.deallocate"(%3) <{force = false}> : (tensor<128x512xbf16, #ttnn_layout8>) -> ()
        %5 = "ttnn.linear"(%4, %arg5, %arg6) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<128x512xbf16, #ttnn_layout8>, tensor<512x10xbf16, #ttnn_layout4>, tensor<10xbf16, #ttnn_layout5>) -> tensor<128x10xbf16, #ttnn_layout6>
        "ttnn.deallocate"(%4) <{force = false}> : (tensor<128x512xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg6) <{force = false}> : (tensor<10xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg5) <{force = false}> : (tensor<512x10xbf16, #ttnn_layout4>) -> ()
        %6 = "ttnn.softmax"(%5) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<128x10xbf16, #ttnn_layout6>) -> tensor<128x10xbf16, #ttnn_layout6>
        "ttnn.deallocate"(%5) <{force = false}> : (tensor<128x10xbf16, #ttnn_layout6>) -> ()
        return %6 : tensor<128x10xbf16, #ttnn_layout6>
      }
    }
  }
}
