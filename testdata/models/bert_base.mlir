#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 105824, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, dram_unreserved_end = 1073136448, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x72x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x72x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x384xui32, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<30522x768xbf16, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x768xbf16, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<12x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<8x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<96x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<96x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<96x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<96x72x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4608 + d1 * 384 + d2, d3), <1x1>, memref<1152x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 768 + d1 * 64 + d2, d3), <1x1>, memref<192x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4608 + d1 * 384 + d2, d3), <1x1>, memref<1152x12x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 384 + d1, d2), <1x1>, memref<96x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @BertBase {
  ttcore.device_module {
    builtin.module @BertBase attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = , chipIds = [0]>
      func.func private @forward_const_eval_0(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_1(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_2(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_3(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_4(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_5(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_6(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_7(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_8(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_9(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_10(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_11(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_12(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_13(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_14(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_15(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_16(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_17(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_18(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_19(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_20(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_21(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func private @forward_const_eval_22(%arg0: tensor<768x768xbf16, #ttnn_layout>, %arg1: tensor<768x768xbf16, #ttnn_layout>, %arg2: tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        return %0 : tensor<768x2304xbf16, #ttnn_layout1>
      }
      func.func private @forward_const_eval_23(%arg0: tensor<1x768xbf16, #ttnn_layout2>, %arg1: tensor<1x768xbf16, #ttnn_layout2>, %arg2: tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        return %0 : tensor<1x2304xbf16, #ttnn_layout3>
      }
      func.func @forward(%arg0: tensor<8x384xui32, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "input_ids"}, %arg1: tensor<30522x768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "embeddings.word_embeddings.weight"}, %arg2: tensor<8x384xui32, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "token_type_ids"}, %arg3: tensor<2x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "embeddings.token_type_embeddings.weight"}, %arg4: tensor<1x384x768xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "embeddings.position_embeddings"}, %arg5: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "embeddings.LayerNorm.weight"}, %arg6: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "embeddings.LayerNorm.bias"}, %arg7: tensor<8x1x1x384xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<constant>, ttir.name = "extended_attention_mask"}, %arg8: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.self.query.weight"}, %arg9: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.self.key.weight"}, %arg10: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.self.value.weight"}, %arg11: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.self.query.bias"}, %arg12: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.self.key.bias"}, %arg13: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.self.value.bias"}, %arg14: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.output.dense.weight"}, %arg15: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.output.dense.bias"}, %arg16: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.output.LayerNorm.weight"}, %arg17: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.attention.output.LayerNorm.bias"}, %arg18: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.intermediate.dense.weight"}, %arg19: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.intermediate.dense.bias"}, %arg20: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.output.dense.weight"}, %arg21: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.output.dense.bias"}, %arg22: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.output.LayerNorm.weight"}, %arg23: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.0.output.LayerNorm.bias"}, %arg24: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.self.query.weight"}, %arg25: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.self.key.weight"}, %arg26: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.self.value.weight"}, %arg27: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.self.query.bias"}, %arg28: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.self.key.bias"}, %arg29: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.self.value.bias"}, %arg30: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.output.dense.weight"}, %arg31: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.output.dense.bias"}, %arg32: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.output.LayerNorm.weight"}, %arg33: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.attention.output.LayerNorm.bias"}, %arg34: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.intermediate.dense.weight"}, %arg35: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.intermediate.dense.bias"}, %arg36: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.output.dense.weight"}, %arg37: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.output.dense.bias"}, %arg38: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.output.LayerNorm.weight"}, %arg39: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.1.output.LayerNorm.bias"}, %arg40: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.self.query.weight"}, %arg41: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.self.key.weight"}, %arg42: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.self.value.weight"}, %arg43: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.self.query.bias"}, %arg44: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.self.key.bias"}, %arg45: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.self.value.bias"}, %arg46: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.output.dense.weight"}, %arg47: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.output.dense.bias"}, %arg48: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.output.LayerNorm.weight"}, %arg49: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.attention.output.LayerNorm.bias"}, %arg50: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.intermediate.dense.weight"}, %arg51: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.intermediate.dense.bias"}, %arg52: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.output.dense.weight"}, %arg53: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.output.dense.bias"}, %arg54: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.output.LayerNorm.weight"}, %arg55: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.2.output.LayerNorm.bias"}, %arg56: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.self.query.weight"}, %arg57: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.self.key.weight"}, %arg58: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.self.value.weight"}, %arg59: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.self.query.bias"}, %arg60: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.self.key.bias"}, %arg61: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.self.value.bias"}, %arg62: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.output.dense.weight"}, %arg63: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.output.dense.bias"}, %arg64: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.output.LayerNorm.weight"}, %arg65: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.attention.output.LayerNorm.bias"}, %arg66: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.intermediate.dense.weight"}, %arg67: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.intermediate.dense.bias"}, %arg68: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.output.dense.weight"}, %arg69: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.output.dense.bias"}, %arg70: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.output.LayerNorm.weight"}, %arg71: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.3.output.LayerNorm.bias"}, %arg72: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.self.query.weight"}, %arg73: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.self.key.weight"}, %arg74: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.self.value.weight"}, %arg75: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.self.query.bias"}, %arg76: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.self.key.bias"}, %arg77: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.self.value.bias"}, %arg78: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.output.dense.weight"}, %arg79: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.output.dense.bias"}, %arg80: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.output.LayerNorm.weight"}, %arg81: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.attention.output.LayerNorm.bias"}, %arg82: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.intermediate.dense.weight"}, %arg83: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.intermediate.dense.bias"}, %arg84: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.output.dense.weight"}, %arg85: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.output.dense.bias"}, %arg86: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.output.LayerNorm.weight"}, %arg87: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.4.output.LayerNorm.bias"}, %arg88: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.self.query.weight"}, %arg89: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.self.key.weight"}, %arg90: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.self.value.weight"}, %arg91: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.self.query.bias"}, %arg92: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.self.key.bias"}, %arg93: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.self.value.bias"}, %arg94: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.output.dense.weight"}, %arg95: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.output.dense.bias"}, %arg96: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.output.LayerNorm.weight"}, %arg97: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.attention.output.LayerNorm.bias"}, %arg98: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.intermediate.dense.weight"}, %arg99: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.intermediate.dense.bias"}, %arg100: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.output.dense.weight"}, %arg101: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.output.dense.bias"}, %arg102: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.output.LayerNorm.weight"}, %arg103: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.5.output.LayerNorm.bias"}, %arg104: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.self.query.weight"}, %arg105: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.self.key.weight"}, %arg106: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.self.value.weight"}, %arg107: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.self.query.bias"}, %arg108: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.self.key.bias"}, %arg109: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.self.value.bias"}, %arg110: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.output.dense.weight"}, %arg111: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.output.dense.bias"}, %arg112: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.output.LayerNorm.weight"}, %arg113: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.attention.output.LayerNorm.bias"}, %arg114: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.intermediate.dense.weight"}, %arg115: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.intermediate.dense.bias"}, %arg116: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.output.dense.weight"}, %arg117: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.output.dense.bias"}, %arg118: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.output.LayerNorm.weight"}, %arg119: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.6.output.LayerNorm.bias"}, %arg120: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.self.query.weight"}, %arg121: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.self.key.weight"}, %arg122: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.self.value.weight"}, %arg123: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.self.query.bias"}, %arg124: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.self.key.bias"}, %arg125: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.self.value.bias"}, %arg126: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.output.dense.weight"}, %arg127: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.output.dense.bias"}, %arg128: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.output.LayerNorm.weight"}, %arg129: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.attention.output.LayerNorm.bias"}, %arg130: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.intermediate.dense.weight"}, %arg131: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.intermediate.dense.bias"}, %arg132: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.output.dense.weight"}, %arg133: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.output.dense.bias"}, %arg134: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.output.LayerNorm.weight"}, %arg135: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.7.output.LayerNorm.bias"}, %arg136: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.self.query.weight"}, %arg137: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.self.key.weight"}, %arg138: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.self.value.weight"}, %arg139: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.self.query.bias"}, %arg140: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.self.key.bias"}, %arg141: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.self.value.bias"}, %arg142: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.output.dense.weight"}, %arg143: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.output.dense.bias"}, %arg144: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.output.LayerNorm.weight"}, %arg145: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.attention.output.LayerNorm.bias"}, %arg146: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.intermediate.dense.weight"}, %arg147: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.intermediate.dense.bias"}, %arg148: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.output.dense.weight"}, %arg149: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.output.dense.bias"}, %arg150: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.output.LayerNorm.weight"}, %arg151: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.8.output.LayerNorm.bias"}, %arg152: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.self.query.weight"}, %arg153: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.self.key.weight"}, %arg154: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.self.value.weight"}, %arg155: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.self.query.bias"}, %arg156: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.self.key.bias"}, %arg157: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.self.value.bias"}, %arg158: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.output.dense.weight"}, %arg159: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.output.dense.bias"}, %arg160: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.output.LayerNorm.weight"}, %arg161: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.attention.output.LayerNorm.bias"}, %arg162: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.intermediate.dense.weight"}, %arg163: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.intermediate.dense.bias"}, %arg164: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.output.dense.weight"}, %arg165: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.output.dense.bias"}, %arg166: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.output.LayerNorm.weight"}, %arg167: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.9.output.LayerNorm.bias"}, %arg168: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.self.query.weight"}, %arg169: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.self.key.weight"}, %arg170: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.self.value.weight"}, %arg171: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.self.query.bias"}, %arg172: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.self.key.bias"}, %arg173: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.self.value.bias"}, %arg174: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.output.dense.weight"}, %arg175: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.output.dense.bias"}, %arg176: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.output.LayerNorm.weight"}, %arg177: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.attention.output.LayerNorm.bias"}, %arg178: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.intermediate.dense.weight"}, %arg179: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.intermediate.dense.bias"}, %arg180: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.output.dense.weight"}, %arg181: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.output.dense.bias"}, %arg182: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.output.LayerNorm.weight"}, %arg183: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.10.output.LayerNorm.bias"}, %arg184: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.self.query.weight"}, %arg185: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.self.key.weight"}, %arg186: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.self.value.weight"}, %arg187: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.self.query.bias"}, %arg188: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.self.key.bias"}, %arg189: tensor<1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.self.value.bias"}, %arg190: tensor<768x768xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.output.dense.weight"}, %arg191: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.output.dense.bias"}, %arg192: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.output.LayerNorm.weight"}, %arg193: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.attention.output.LayerNorm.bias"}, %arg194: tensor<768x3072xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.intermediate.dense.weight"}, %arg195: tensor<3072xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.intermediate.dense.bias"}, %arg196: tensor<3072x768xbf16, #ttnn_layout12> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.output.dense.weight"}, %arg197: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.output.dense.bias"}, %arg198: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.output.LayerNorm.weight"}, %arg199: tensor<768xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layer.11.output.LayerNorm.bias"}, %arg200: tensor<768x2xbf16, #ttnn_layout13> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "qa_outputs.weight"}, %arg201: tensor<2xbf16, #ttnn_layout14> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "qa_outputs.bias"}) -> tensor<8x384x2xbf16, #ttnn_layout15> attributes {tt.function_type = "forward_device"} {
        %0 = "ttnn.embedding"(%arg0, %arg1) : (tensor<8x384xui32, #ttnn_layout4>, tensor<30522x768xbf16, #ttnn_layout5>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<30522x768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<8x384xui32, #ttnn_layout4>) -> ()
        %1 = "ttnn.embedding"(%arg2, %arg3) : (tensor<8x384xui32, #ttnn_layout4>, tensor<2x768xbf16, #ttnn_layout6>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%arg3) <{force = false}> : (tensor<2x768xbf16, #ttnn_layout6>) -> ()
        "ttnn.deallocate"(%arg2) <{force = false}> : (tensor<8x384xui32, #ttnn_layout4>) -> ()
        %2 = "ttnn.add"(%0, %1) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%0) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %3 = "ttnn.add"(%2, %arg4) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<1x384x768xbf16, #ttnn_layout7>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg4) <{force = false}> : (tensor<1x384x768xbf16, #ttnn_layout7>) -> ()
        %4 = "ttnn.layer_norm"(%3, %arg5, %arg6) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%3) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg6) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg5) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %5 = ttcore.load_cached(@forward_const_eval_0, [%arg8, %arg9, %arg10]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg10) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg9) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg8) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %6 = ttcore.load_cached(@forward_const_eval_1, [%arg11, %arg12, %arg13]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg13) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg12) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg11) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %7 = "ttnn.linear"(%4, %5, %6) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%6) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%5) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %8:3 = "ttnn.split_query_key_value_and_split_heads"(%7) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%7) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %9 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %10 = "ttnn.full"(%9) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout20>
        %11 = "ttnn.matmul"(%8#0, %8#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%8#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%8#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %12 = "ttnn.multiply"(%11, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%11) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %13 = "ttnn.add"(%12, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%12) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %14 = "ttnn.softmax"(%13) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%13) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %15 = "ttnn.matmul"(%14, %8#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%14) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%8#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %16 = "ttnn.concatenate_heads"(%15) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%15) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %17 = "ttnn.linear"(%16, %arg14, %arg15) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%16) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg15) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg14) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %18 = "ttnn.add"(%17, %4) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%17) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%4) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %19 = "ttnn.layer_norm"(%18, %arg16, %arg17) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%18) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg17) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg16) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %20 = "ttnn.linear"(%19, %arg18, %arg19) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg19) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg18) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %21 = "ttnn.linear"(%20, %arg20, %arg21) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%20) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg21) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg20) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %22 = "ttnn.add"(%21, %19) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%21) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%19) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %23 = "ttnn.layer_norm"(%22, %arg22, %arg23) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%22) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg23) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg22) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %24 = ttcore.load_cached(@forward_const_eval_2, [%arg24, %arg25, %arg26]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg26) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg25) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg24) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %25 = ttcore.load_cached(@forward_const_eval_3, [%arg27, %arg28, %arg29]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg29) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg28) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg27) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %26 = "ttnn.linear"(%23, %24, %25) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%25) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%24) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %27:3 = "ttnn.split_query_key_value_and_split_heads"(%26) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%26) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %28 = "ttnn.matmul"(%27#0, %27#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%27#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%27#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %29 = "ttnn.multiply"(%28, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%28) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %30 = "ttnn.add"(%29, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%29) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %31 = "ttnn.softmax"(%30) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%30) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %32 = "ttnn.matmul"(%31, %27#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%31) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%27#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %33 = "ttnn.concatenate_heads"(%32) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%32) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %34 = "ttnn.linear"(%33, %arg30, %arg31) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%33) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg31) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg30) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %35 = "ttnn.add"(%34, %23) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%34) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%23) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %36 = "ttnn.layer_norm"(%35, %arg32, %arg33) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%35) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg33) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg32) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %37 = "ttnn.linear"(%36, %arg34, %arg35) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg35) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg34) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %38 = "ttnn.linear"(%37, %arg36, %arg37) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%37) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg37) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg36) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %39 = "ttnn.add"(%38, %36) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%38) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%36) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %40 = "ttnn.layer_norm"(%39, %arg38, %arg39) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%39) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg39) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg38) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %41 = ttcore.load_cached(@forward_const_eval_4, [%arg40, %arg41, %arg42]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg42) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg41) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg40) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %42 = ttcore.load_cached(@forward_const_eval_5, [%arg43, %arg44, %arg45]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg45) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg44) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg43) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %43 = "ttnn.linear"(%40, %41, %42) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%42) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%41) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %44:3 = "ttnn.split_query_key_value_and_split_heads"(%43) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%43) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %45 = "ttnn.matmul"(%44#0, %44#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%44#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%44#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %46 = "ttnn.multiply"(%45, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%45) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %47 = "ttnn.add"(%46, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%46) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %48 = "ttnn.softmax"(%47) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%47) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %49 = "ttnn.matmul"(%48, %44#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%48) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%44#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %50 = "ttnn.concatenate_heads"(%49) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%49) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %51 = "ttnn.linear"(%50, %arg46, %arg47) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%50) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg47) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg46) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %52 = "ttnn.add"(%51, %40) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%51) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%40) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %53 = "ttnn.layer_norm"(%52, %arg48, %arg49) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%52) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg49) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg48) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %54 = "ttnn.linear"(%53, %arg50, %arg51) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg51) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg50) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %55 = "ttnn.linear"(%54, %arg52, %arg53) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%54) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg53) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg52) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %56 = "ttnn.add"(%55, %53) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%55) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%53) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %57 = "ttnn.layer_norm"(%56, %arg54, %arg55) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%56) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg55) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg54) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %58 = ttcore.load_cached(@forward_const_eval_6, [%arg56, %arg57, %arg58]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg58) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg57) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg56) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %59 = ttcore.load_cached(@forward_const_eval_7, [%arg59, %arg60, %arg61]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg61) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg60) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg59) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %60 = "ttnn.linear"(%57, %58, %59) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%59) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%58) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %61:3 = "ttnn.split_query_key_value_and_split_heads"(%60) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%60) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %62 = "ttnn.matmul"(%61#0, %61#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%61#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%61#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %63 = "ttnn.multiply"(%62, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%62) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %64 = "ttnn.add"(%63, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%63) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %65 = "ttnn.softmax"(%64) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%64) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %66 = "ttnn.matmul"(%65, %61#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%65) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%61#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %67 = "ttnn.concatenate_heads"(%66) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%66) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %68 = "ttnn.linear"(%67, %arg62, %arg63) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%67) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg63) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg62) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %69 = "ttnn.add"(%68, %57) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%68) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%57) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %70 = "ttnn.layer_norm"(%69, %arg64, %arg65) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%69) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg65) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg64) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %71 = "ttnn.linear"(%70, %arg66, %arg67) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg67) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg66) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %72 = "ttnn.linear"(%71, %arg68, %arg69) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%71) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg69) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg68) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %73 = "ttnn.add"(%72, %70) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%72) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%70) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %74 = "ttnn.layer_norm"(%73, %arg70, %arg71) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%73) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg71) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg70) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %75 = ttcore.load_cached(@forward_const_eval_8, [%arg72, %arg73, %arg74]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg74) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg73) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg72) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %76 = ttcore.load_cached(@forward_const_eval_9, [%arg75, %arg76, %arg77]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg77) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg76) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg75) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %77 = "ttnn.linear"(%74, %75, %76) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%76) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%75) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %78:3 = "ttnn.split_query_key_value_and_split_heads"(%77) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%77) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %79 = "ttnn.matmul"(%78#0, %78#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%78#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%78#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %80 = "ttnn.multiply"(%79, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%79) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %81 = "ttnn.add"(%80, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%80) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %82 = "ttnn.softmax"(%81) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%81) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %83 = "ttnn.matmul"(%82, %78#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%82) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%78#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %84 = "ttnn.concatenate_heads"(%83) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%83) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %85 = "ttnn.linear"(%84, %arg78, %arg79) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%84) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg79) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg78) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %86 = "ttnn.add"(%85, %74) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%85) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%74) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %87 = "ttnn.layer_norm"(%86, %arg80, %arg81) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%86) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg81) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg80) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %88 = "ttnn.linear"(%87, %arg82, %arg83) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg83) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg82) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %89 = "ttnn.linear"(%88, %arg84, %arg85) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%88) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg85) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg84) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %90 = "ttnn.add"(%89, %87) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%89) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%87) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %91 = "ttnn.layer_norm"(%90, %arg86, %arg87) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%90) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg87) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg86) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %92 = ttcore.load_cached(@forward_const_eval_10, [%arg88, %arg89, %arg90]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg90) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg89) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg88) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %93 = ttcore.load_cached(@forward_const_eval_11, [%arg91, %arg92, %arg93]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg93) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg92) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg91) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %94 = "ttnn.linear"(%91, %92, %93) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%93) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%92) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %95:3 = "ttnn.split_query_key_value_and_split_heads"(%94) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%94) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %96 = "ttnn.matmul"(%95#0, %95#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%95#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%95#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %97 = "ttnn.multiply"(%96, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%96) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %98 = "ttnn.add"(%97, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%97) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %99 = "ttnn.softmax"(%98) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%98) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %100 = "ttnn.matmul"(%99, %95#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%99) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%95#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %101 = "ttnn.concatenate_heads"(%100) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%100) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %102 = "ttnn.linear"(%101, %arg94, %arg95) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%101) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg95) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg94) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %103 = "ttnn.add"(%102, %91) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%102) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%91) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %104 = "ttnn.layer_norm"(%103, %arg96, %arg97) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%103) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg97) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg96) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %105 = "ttnn.linear"(%104, %arg98, %arg99) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg99) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg98) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %106 = "ttnn.linear"(%105, %arg100, %arg101) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%105) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg101) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg100) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %107 = "ttnn.add"(%106, %104) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%106) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%104) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %108 = "ttnn.layer_norm"(%107, %arg102, %arg103) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%107) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg103) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg102) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %109 = ttcore.load_cached(@forward_const_eval_12, [%arg104, %arg105, %arg106]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg106) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg105) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg104) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %110 = ttcore.load_cached(@forward_const_eval_13, [%arg107, %arg108, %arg109]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg109) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg108) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg107) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %111 = "ttnn.linear"(%108, %109, %110) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%110) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%109) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %112:3 = "ttnn.split_query_key_value_and_split_heads"(%111) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%111) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %113 = "ttnn.matmul"(%112#0, %112#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%112#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%112#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %114 = "ttnn.multiply"(%113, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%113) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %115 = "ttnn.add"(%114, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%114) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %116 = "ttnn.softmax"(%115) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%115) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %117 = "ttnn.matmul"(%116, %112#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%116) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%112#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %118 = "ttnn.concatenate_heads"(%117) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%117) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %119 = "ttnn.linear"(%118, %arg110, %arg111) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%118) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg111) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg110) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %120 = "ttnn.add"(%119, %108) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%119) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%108) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %121 = "ttnn.layer_norm"(%120, %arg112, %arg113) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%120) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg113) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg112) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %122 = "ttnn.linear"(%121, %arg114, %arg115) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg115) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg114) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %123 = "ttnn.linear"(%122, %arg116, %arg117) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%122) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg117) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg116) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %124 = "ttnn.add"(%123, %121) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%123) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%121) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %125 = "ttnn.layer_norm"(%124, %arg118, %arg119) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%124) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg119) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg118) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %126 = ttcore.load_cached(@forward_const_eval_14, [%arg120, %arg121, %arg122]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg122) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg121) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg120) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %127 = ttcore.load_cached(@forward_const_eval_15, [%arg123, %arg124, %arg125]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg125) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg124) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg123) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %128 = "ttnn.linear"(%125, %126, %127) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%127) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%126) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %129:3 = "ttnn.split_query_key_value_and_split_heads"(%128) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%128) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %130 = "ttnn.matmul"(%129#0, %129#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%129#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%129#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %131 = "ttnn.multiply"(%130, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%130) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %132 = "ttnn.add"(%131, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%131) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %133 = "ttnn.softmax"(%132) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%132) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %134 = "ttnn.matmul"(%133, %129#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%133) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%129#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %135 = "ttnn.concatenate_heads"(%134) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%134) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %136 = "ttnn.linear"(%135, %arg126, %arg127) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%135) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg127) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg126) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %137 = "ttnn.add"(%136, %125) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%136) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%125) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %138 = "ttnn.layer_norm"(%137, %arg128, %arg129) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%137) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg129) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg128) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %139 = "ttnn.linear"(%138, %arg130, %arg131) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg131) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg130) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %140 = "ttnn.linear"(%139, %arg132, %arg133) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%139) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg133) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg132) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %141 = "ttnn.add"(%140, %138) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%140) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%138) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %142 = "ttnn.layer_norm"(%141, %arg134, %arg135) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%141) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg135) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg134) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %143 = ttcore.load_cached(@forward_const_eval_16, [%arg136, %arg137, %arg138]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg138) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg137) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg136) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %144 = ttcore.load_cached(@forward_const_eval_17, [%arg139, %arg140, %arg141]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg141) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg140) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg139) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %145 = "ttnn.linear"(%142, %143, %144) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%144) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%143) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %146:3 = "ttnn.split_query_key_value_and_split_heads"(%145) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%145) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %147 = "ttnn.matmul"(%146#0, %146#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%146#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%146#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %148 = "ttnn.multiply"(%147, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%147) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %149 = "ttnn.add"(%148, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%148) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %150 = "ttnn.softmax"(%149) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%149) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %151 = "ttnn.matmul"(%150, %146#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%150) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%146#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %152 = "ttnn.concatenate_heads"(%151) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%151) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %153 = "ttnn.linear"(%152, %arg142, %arg143) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%152) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg143) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg142) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %154 = "ttnn.add"(%153, %142) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%153) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%142) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %155 = "ttnn.layer_norm"(%154, %arg144, %arg145) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%154) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg145) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg144) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %156 = "ttnn.linear"(%155, %arg146, %arg147) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg147) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg146) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %157 = "ttnn.linear"(%156, %arg148, %arg149) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%156) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg149) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg148) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %158 = "ttnn.add"(%157, %155) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%157) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%155) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %159 = "ttnn.layer_norm"(%158, %arg150, %arg151) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%158) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg151) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg150) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %160 = ttcore.load_cached(@forward_const_eval_18, [%arg152, %arg153, %arg154]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg154) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg153) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg152) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %161 = ttcore.load_cached(@forward_const_eval_19, [%arg155, %arg156, %arg157]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg157) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg156) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg155) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %162 = "ttnn.linear"(%159, %160, %161) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%161) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%160) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %163:3 = "ttnn.split_query_key_value_and_split_heads"(%162) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%162) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %164 = "ttnn.matmul"(%163#0, %163#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%163#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%163#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %165 = "ttnn.multiply"(%164, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%164) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %166 = "ttnn.add"(%165, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%165) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %167 = "ttnn.softmax"(%166) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%166) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %168 = "ttnn.matmul"(%167, %163#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%167) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%163#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %169 = "ttnn.concatenate_heads"(%168) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%168) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %170 = "ttnn.linear"(%169, %arg158, %arg159) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%169) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg159) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg158) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %171 = "ttnn.add"(%170, %159) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%170) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%159) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %172 = "ttnn.layer_norm"(%171, %arg160, %arg161) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%171) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg161) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg160) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %173 = "ttnn.linear"(%172, %arg162, %arg163) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg163) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg162) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %174 = "ttnn.linear"(%173, %arg164, %arg165) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%173) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg165) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg164) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %175 = "ttnn.add"(%174, %172) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%174) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%172) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %176 = "ttnn.layer_norm"(%175, %arg166, %arg167) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%175) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg167) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg166) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %177 = ttcore.load_cached(@forward_const_eval_20, [%arg168, %arg169, %arg170]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg170) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg169) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg168) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %178 = ttcore.load_cached(@forward_const_eval_21, [%arg171, %arg172, %arg173]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg173) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg172) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg171) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %179 = "ttnn.linear"(%176, %177, %178) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%178) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%177) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %180:3 = "ttnn.split_query_key_value_and_split_heads"(%179) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%179) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %181 = "ttnn.matmul"(%180#0, %180#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%180#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%180#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %182 = "ttnn.multiply"(%181, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%181) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %183 = "ttnn.add"(%182, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%182) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %184 = "ttnn.softmax"(%183) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%183) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %185 = "ttnn.matmul"(%184, %180#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%184) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%180#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %186 = "ttnn.concatenate_heads"(%185) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%185) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %187 = "ttnn.linear"(%186, %arg174, %arg175) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%186) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg175) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg174) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %188 = "ttnn.add"(%187, %176) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%187) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%176) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %189 = "ttnn.layer_norm"(%188, %arg176, %arg177) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%188) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg177) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg176) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %190 = "ttnn.linear"(%189, %arg178, %arg179) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg179) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg178) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %191 = "ttnn.linear"(%190, %arg180, %arg181) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%190) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg181) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg180) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %192 = "ttnn.add"(%191, %189) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%191) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%189) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %193 = "ttnn.layer_norm"(%192, %arg182, %arg183) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%192) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg183) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg182) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %194 = ttcore.load_cached(@forward_const_eval_22, [%arg184, %arg185, %arg186]) : (tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>, tensor<768x768xbf16, #ttnn_layout>) -> tensor<768x2304xbf16, #ttnn_layout1>
        "ttnn.deallocate"(%arg186) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg185) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        "ttnn.deallocate"(%arg184) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %195 = ttcore.load_cached(@forward_const_eval_23, [%arg187, %arg188, %arg189]) : (tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>, tensor<1x768xbf16, #ttnn_layout2>) -> tensor<1x2304xbf16, #ttnn_layout3>
        "ttnn.deallocate"(%arg189) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg188) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg187) <{force = false}> : (tensor<1x768xbf16, #ttnn_layout2>) -> ()
        %196 = "ttnn.linear"(%193, %194, %195) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2304xbf16, #ttnn_layout1>, tensor<1x2304xbf16, #ttnn_layout3>) -> tensor<8x384x2304xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%195) <{force = false}> : (tensor<1x2304xbf16, #ttnn_layout3>) -> ()
        "ttnn.deallocate"(%194) <{force = false}> : (tensor<768x2304xbf16, #ttnn_layout1>) -> ()
        %197:3 = "ttnn.split_query_key_value_and_split_heads"(%196) <{num_heads = 12 : ui32, transpose_key = true}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>, tensor<8x12x384x64xbf16, #ttnn_layout18>)
        "ttnn.deallocate"(%196) <{force = false}> : (tensor<8x384x2304xbf16, #ttnn_layout17>) -> ()
        %198 = "ttnn.matmul"(%197#0, %197#1) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>, tensor<8x12x64x384xbf16, #ttnn_layout19>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%197#1) <{force = false}> : (tensor<8x12x64x384xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%197#0) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %199 = "ttnn.multiply"(%198, %10) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<1x1x1x1xbf16, #ttnn_layout20>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%198) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%10) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout20>) -> ()
        %200 = "ttnn.add"(%199, %arg7) : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x1x1x384xbf16, #ttnn_layout9>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%199) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%arg7) <{force = false}> : (tensor<8x1x1x384xbf16, #ttnn_layout9>) -> ()
        %201 = "ttnn.softmax"(%200) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> tensor<8x12x384x384xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%200) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        %202 = "ttnn.matmul"(%201, %197#2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>, tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x12x384x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%201) <{force = false}> : (tensor<8x12x384x384xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%197#2) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %203 = "ttnn.concatenate_heads"(%202) : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%202) <{force = false}> : (tensor<8x12x384x64xbf16, #ttnn_layout18>) -> ()
        %204 = "ttnn.linear"(%203, %arg190, %arg191) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x768xbf16, #ttnn_layout>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%203) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg191) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg190) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout>) -> ()
        %205 = "ttnn.add"(%204, %193) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%204) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%193) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %206 = "ttnn.layer_norm"(%205, %arg192, %arg193) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%205) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg193) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg192) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %207 = "ttnn.linear"(%206, %arg194, %arg195) <{activation = "gelu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x3072xbf16, #ttnn_layout10>, tensor<3072xbf16, #ttnn_layout11>) -> tensor<8x384x3072xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%arg195) <{force = false}> : (tensor<3072xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg194) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout10>) -> ()
        %208 = "ttnn.linear"(%207, %arg196, %arg197) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>, tensor<3072x768xbf16, #ttnn_layout12>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%207) <{force = false}> : (tensor<8x384x3072xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%arg197) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg196) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout12>) -> ()
        %209 = "ttnn.add"(%208, %206) : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<8x384x768xbf16, #ttnn_layout16>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%208) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%206) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        %210 = "ttnn.layer_norm"(%209, %arg198, %arg199) <{epsilon = 9.99999996E-13 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768xbf16, #ttnn_layout8>, tensor<768xbf16, #ttnn_layout8>) -> tensor<8x384x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%209) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg199) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg198) <{force = false}> : (tensor<768xbf16, #ttnn_layout8>) -> ()
        %211 = "ttnn.linear"(%210, %arg200, %arg201) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>, tensor<768x2xbf16, #ttnn_layout13>, tensor<2xbf16, #ttnn_layout14>) -> tensor<8x384x2xbf16, #ttnn_layout15>
        "ttnn.deallocate"(%210) <{force = false}> : (tensor<8x384x768xbf16, #ttnn_layout16>) -> ()
        "ttnn.deallocate"(%arg201) <{force = false}> : (tensor<2xbf16, #ttnn_layout14>) -> ()
        "ttnn.deallocate"(%arg200) <{force = false}> : (tensor<768x2xbf16, #ttnn_layout13>) -> ()
        return %211 : tensor<8x384x2xbf16, #ttnn_layout15>
      }
    }
  }
}
