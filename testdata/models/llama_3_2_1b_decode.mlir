#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 105824, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, dram_unreserved_end = 1073136448, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x2048xbf16, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32xsi32, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 128 + d2, d3), <1x1>, memref<1024x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<32x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x256x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<256x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<32x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <32x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,3)>]>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 256 + d1 * 32 + d2, d3), <1x1>, memref<256x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 256 + d1 * 32 + d2, d3), <1x1>, memref<256x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<1024x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<1024x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 128 + d2, d3), <1x1>, memref<4096x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2048 + d1 * 64 + d2, d3), <1x1>, memref<2048x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout25 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<1024x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout26 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x256x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @Llama32OneBDecode {
  ttcore.device_module {
    builtin.module @Llama32OneBDecode attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = , chipIds = [0]>
      func.func private @forward_const_eval_0(%arg0: tensor<2048x2048xbf16, #ttnn_layout>, %arg1: tensor<2048x512xbf16, #ttnn_layout1>, %arg2: tensor<2048x512xbf16, #ttnn_layout1>) -> tensor<2048x3072xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<2048x2048xbf16, #ttnn_layout>, tensor<2048x512xbf16, #ttnn_layout1>, tensor<2048x512xbf16, #ttnn_layout1>) -> tensor<2048x3072xbf16, #ttnn_layout2>
        return %0 : tensor<2048x3072xbf16, #ttnn_layout2>
      }
      func.func @forward(%arg0: tensor<2048x2048xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.q_proj.weight"}, %arg1: tensor<2048x512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.k_proj.weight"}, %arg2: tensor<2048x512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.v_proj.weight"}, %arg3: tensor<32x2048xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "hidden_states"}, %arg4: tensor<32xsi32, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "cache_position"}, %arg5: tensor<32x8x128x64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.kv_cache, ttir.name = "past_key"}, %arg6: tensor<32x8x128x64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.kv_cache, ttir.name = "past_value"}, %arg7: tensor<1x1x1x32xf32, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<constant>, ttir.name = "rotary_emb.angles"}, %arg8: tensor<32x1x1x128xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<constant>, ttir.name = "attention_mask"}, %arg9: tensor<2048xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "input_layernorm.weight"}, %arg10: tensor<2048x2048xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.o_proj.weight"}, %arg11: tensor<2048xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "post_attention_layernorm.weight"}, %arg12: tensor<2048x8192xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "mlp.gate_proj.weight"}, %arg13: tensor<2048x8192xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "mlp.up_proj.weight"}, %arg14: tensor<8192x2048xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "mlp.down_proj.weight"}) -> (tensor<32x8x128x64xbf16, #ttnn_layout5>, tensor<32x8x128x64xbf16, #ttnn_layout5>, tensor<32x2048xbf16, #ttnn_layout11>) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@forward_const_eval_0, [%arg0, %arg1, %arg2]) : (tensor<2048x2048xbf16, #ttnn_layout>, tensor<2048x512xbf16, #ttnn_layout1>, tensor<2048x512xbf16, #ttnn_layout1>) -> tensor<2048x3072xbf16, #ttnn_layout2>
        "ttnn.deallocate"(%arg2) <{force = false}> : (tensor<2048x512xbf16, #ttnn_layout1>) -> ()
        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<2048x512xbf16, #ttnn_layout1>) -> ()
        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<2048x2048xbf16, #ttnn_layout>) -> ()
        %1 = "ttnn.to_layout"(%arg3) : (tensor<32x2048xbf16, #ttnn_layout3>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%arg3) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout3>) -> ()
        %2 = "ttnn.concat"(%arg7, %arg7) <{dim = 3 : si32}> : (tensor<1x1x1x32xf32, #ttnn_layout6>, tensor<1x1x1x32xf32, #ttnn_layout6>) -> tensor<1x1x1x64xf32, #ttnn_layout12>
        "ttnn.deallocate"(%arg7) <{force = false}> : (tensor<1x1x1x32xf32, #ttnn_layout6>) -> ()
        %3 = "ttnn.cos"(%2) : (tensor<1x1x1x64xf32, #ttnn_layout12>) -> tensor<1x1x1x64xf32, #ttnn_layout12>
        %4 = "ttnn.typecast"(%3) : (tensor<1x1x1x64xf32, #ttnn_layout12>) -> tensor<1x1x1x64xbf16, #ttnn_layout13>
        "ttnn.deallocate"(%3) <{force = false}> : (tensor<1x1x1x64xf32, #ttnn_layout12>) -> ()
        %5 = "ttnn.sin"(%2) : (tensor<1x1x1x64xf32, #ttnn_layout12>) -> tensor<1x1x1x64xf32, #ttnn_layout12>
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<1x1x1x64xf32, #ttnn_layout12>) -> ()
        %6 = "ttnn.typecast"(%5) : (tensor<1x1x1x64xf32, #ttnn_layout12>) -> tensor<1x1x1x64xbf16, #ttnn_layout13>
        "ttnn.deallocate"(%5) <{force = false}> : (tensor<1x1x1x64xf32, #ttnn_layout12>) -> ()
        %7 = "ttnn.rms_norm"(%1, %arg9) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<2048xbf16, #ttnn_layout8>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%arg9) <{force = false}> : (tensor<2048xbf16, #ttnn_layout8>) -> ()
        %8 = "ttnn.matmul"(%7, %0) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<2048x3072xbf16, #ttnn_layout2>) -> tensor<32x3072xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%7) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%0) <{force = false}> : (tensor<2048x3072xbf16, #ttnn_layout2>) -> ()
        %9 = "ttnn.slice_static"(%8) <{begins = [0 : i32, 2560 : i32], ends = [32 : i32, 3072 : i32], step = [1 : i32, 1 : i32]}> : (tensor<32x3072xbf16, #ttnn_layout14>) -> tensor<32x512xbf16, #ttnn_layout15>
        %10 = "ttnn.reshape"(%9) <{shape = [1 : i32, 32 : i32, 8 : i32, 64 : i32]}> : (tensor<32x512xbf16, #ttnn_layout15>) -> tensor<1x32x8x64xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%9) <{force = false}> : (tensor<32x512xbf16, #ttnn_layout15>) -> ()
        %11 = "ttnn.to_memory_config"(%10) : (tensor<1x32x8x64xbf16, #ttnn_layout16>) -> tensor<1x32x8x64xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%10) <{force = false}> : (tensor<1x32x8x64xbf16, #ttnn_layout16>) -> ()
        "ttnn.paged_update_cache"(%arg6, %11, %arg4) <{share_cache = false}> : (tensor<32x8x128x64xbf16, #ttnn_layout5>, tensor<1x32x8x64xbf16, #ttnn_layout17>, tensor<32xsi32, #ttnn_layout4>) -> ()
        "ttnn.deallocate"(%11) <{force = false}> : (tensor<1x32x8x64xbf16, #ttnn_layout17>) -> ()
        %12 = "ttnn.slice_static"(%8) <{begins = [0 : i32, 2048 : i32], ends = [32 : i32, 2560 : i32], step = [1 : i32, 1 : i32]}> : (tensor<32x3072xbf16, #ttnn_layout14>) -> tensor<32x512xbf16, #ttnn_layout15>
        %13 = "ttnn.reshape"(%12) <{shape = [32 : i32, 8 : i32, 1 : i32, 64 : i32]}> : (tensor<32x512xbf16, #ttnn_layout15>) -> tensor<32x8x1x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%12) <{force = false}> : (tensor<32x512xbf16, #ttnn_layout15>) -> ()
        %14 = "ttnn.slice_static"(%13) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [32 : i32, 8 : i32, 1 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> tensor<32x8x1x32xbf16, #ttnn_layout19>
        %15 = "ttnn.slice_static"(%13) <{begins = [0 : i32, 0 : i32, 0 : i32, 32 : i32], ends = [32 : i32, 8 : i32, 1 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> tensor<32x8x1x32xbf16, #ttnn_layout19>
        %16 = "ttnn.neg"(%15) : (tensor<32x8x1x32xbf16, #ttnn_layout19>) -> tensor<32x8x1x32xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%15) <{force = false}> : (tensor<32x8x1x32xbf16, #ttnn_layout19>) -> ()
        %17 = "ttnn.concat"(%16, %14) <{dim = 3 : si32}> : (tensor<32x8x1x32xbf16, #ttnn_layout19>, tensor<32x8x1x32xbf16, #ttnn_layout19>) -> tensor<32x8x1x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%16) <{force = false}> : (tensor<32x8x1x32xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%14) <{force = false}> : (tensor<32x8x1x32xbf16, #ttnn_layout19>) -> ()
        %18 = "ttnn.multiply"(%13, %4) : (tensor<32x8x1x64xbf16, #ttnn_layout18>, tensor<1x1x1x64xbf16, #ttnn_layout13>) -> tensor<32x8x1x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%13) <{force = false}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> ()
        %19 = "ttnn.multiply"(%17, %6) : (tensor<32x8x1x64xbf16, #ttnn_layout18>, tensor<1x1x1x64xbf16, #ttnn_layout13>) -> tensor<32x8x1x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%17) <{force = false}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> ()
        %20 = "ttnn.add"(%18, %19) : (tensor<32x8x1x64xbf16, #ttnn_layout18>, tensor<32x8x1x64xbf16, #ttnn_layout18>) -> tensor<32x8x1x64xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%19) <{force = false}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%18) <{force = false}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> ()
        %21 = "ttnn.reshape"(%20) <{shape = [1 : i32, 32 : i32, 8 : i32, 64 : i32]}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> tensor<1x32x8x64xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%20) <{force = false}> : (tensor<32x8x1x64xbf16, #ttnn_layout18>) -> ()
        %22 = "ttnn.to_memory_config"(%21) : (tensor<1x32x8x64xbf16, #ttnn_layout16>) -> tensor<1x32x8x64xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%21) <{force = false}> : (tensor<1x32x8x64xbf16, #ttnn_layout16>) -> ()
        "ttnn.paged_update_cache"(%arg5, %22, %arg4) <{share_cache = false}> : (tensor<32x8x128x64xbf16, #ttnn_layout5>, tensor<1x32x8x64xbf16, #ttnn_layout17>, tensor<32xsi32, #ttnn_layout4>) -> ()
        "ttnn.deallocate"(%22) <{force = false}> : (tensor<1x32x8x64xbf16, #ttnn_layout17>) -> ()
        "ttnn.deallocate"(%arg4) <{force = false}> : (tensor<32xsi32, #ttnn_layout4>) -> ()
        %23 = "ttnn.slice_static"(%8) <{begins = [0 : i32, 0 : i32], ends = [32 : i32, 2048 : i32], step = [1 : i32, 1 : i32]}> : (tensor<32x3072xbf16, #ttnn_layout14>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%8) <{force = false}> : (tensor<32x3072xbf16, #ttnn_layout14>) -> ()
        %24 = "ttnn.reshape"(%23) <{shape = [32 : i32, 32 : i32, 1 : i32, 64 : i32]}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> tensor<32x32x1x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%23) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        %25 = "ttnn.slice_static"(%24) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [32 : i32, 32 : i32, 1 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> tensor<32x32x1x32xbf16, #ttnn_layout21>
        %26 = "ttnn.slice_static"(%24) <{begins = [0 : i32, 0 : i32, 0 : i32, 32 : i32], ends = [32 : i32, 32 : i32, 1 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> tensor<32x32x1x32xbf16, #ttnn_layout21>
        %27 = "ttnn.neg"(%26) : (tensor<32x32x1x32xbf16, #ttnn_layout21>) -> tensor<32x32x1x32xbf16, #ttnn_layout21>
        "ttnn.deallocate"(%26) <{force = false}> : (tensor<32x32x1x32xbf16, #ttnn_layout21>) -> ()
        %28 = "ttnn.concat"(%27, %25) <{dim = 3 : si32}> : (tensor<32x32x1x32xbf16, #ttnn_layout21>, tensor<32x32x1x32xbf16, #ttnn_layout21>) -> tensor<32x32x1x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%27) <{force = false}> : (tensor<32x32x1x32xbf16, #ttnn_layout21>) -> ()
        "ttnn.deallocate"(%25) <{force = false}> : (tensor<32x32x1x32xbf16, #ttnn_layout21>) -> ()
        %29 = "ttnn.multiply"(%24, %4) : (tensor<32x32x1x64xbf16, #ttnn_layout20>, tensor<1x1x1x64xbf16, #ttnn_layout13>) -> tensor<32x32x1x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%24) <{force = false}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> ()
        "ttnn.deallocate"(%4) <{force = false}> : (tensor<1x1x1x64xbf16, #ttnn_layout13>) -> ()
        %30 = "ttnn.multiply"(%28, %6) : (tensor<32x32x1x64xbf16, #ttnn_layout20>, tensor<1x1x1x64xbf16, #ttnn_layout13>) -> tensor<32x32x1x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%28) <{force = false}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> ()
        "ttnn.deallocate"(%6) <{force = false}> : (tensor<1x1x1x64xbf16, #ttnn_layout13>) -> ()
        %31 = "ttnn.add"(%29, %30) : (tensor<32x32x1x64xbf16, #ttnn_layout20>, tensor<32x32x1x64xbf16, #ttnn_layout20>) -> tensor<32x32x1x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%30) <{force = false}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> ()
        "ttnn.deallocate"(%29) <{force = false}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> ()
        %32 = "ttnn.repeat_interleave"(%arg5) <{dim = 1 : si32, repeats = 4 : ui32}> : (tensor<32x8x128x64xbf16, #ttnn_layout5>) -> tensor<32x32x128x64xbf16, #ttnn_layout22>
        %33 = "ttnn.transpose"(%32) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<32x32x128x64xbf16, #ttnn_layout22>) -> tensor<32x32x64x128xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%32) <{force = false}> : (tensor<32x32x128x64xbf16, #ttnn_layout22>) -> ()
        %34 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %35 = "ttnn.full"(%34) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout24>
        %36 = "ttnn.matmul"(%31, %33) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>, tensor<32x32x64x128xbf16, #ttnn_layout23>) -> tensor<32x32x1x128xbf16, #ttnn_layout25>
        "ttnn.deallocate"(%33) <{force = false}> : (tensor<32x32x64x128xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%31) <{force = false}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> ()
        %37 = "ttnn.multiply"(%36, %35) : (tensor<32x32x1x128xbf16, #ttnn_layout25>, tensor<1x1x1x1xbf16, #ttnn_layout24>) -> tensor<32x32x1x128xbf16, #ttnn_layout25>
        "ttnn.deallocate"(%36) <{force = false}> : (tensor<32x32x1x128xbf16, #ttnn_layout25>) -> ()
        "ttnn.deallocate"(%35) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout24>) -> ()
        %38 = "ttnn.add"(%37, %arg8) : (tensor<32x32x1x128xbf16, #ttnn_layout25>, tensor<32x1x1x128xbf16, #ttnn_layout7>) -> tensor<32x32x1x128xbf16, #ttnn_layout25>
        "ttnn.deallocate"(%37) <{force = false}> : (tensor<32x32x1x128xbf16, #ttnn_layout25>) -> ()
        "ttnn.deallocate"(%arg8) <{force = false}> : (tensor<32x1x1x128xbf16, #ttnn_layout7>) -> ()
        %39 = "ttnn.softmax"(%38) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<32x32x1x128xbf16, #ttnn_layout25>) -> tensor<32x32x1x128xbf16, #ttnn_layout25>
        "ttnn.deallocate"(%38) <{force = false}> : (tensor<32x32x1x128xbf16, #ttnn_layout25>) -> ()
        %40 = "ttnn.repeat_interleave"(%arg6) <{dim = 1 : si32, repeats = 4 : ui32}> : (tensor<32x8x128x64xbf16, #ttnn_layout5>) -> tensor<32x32x128x64xbf16, #ttnn_layout22>
        %41 = "ttnn.matmul"(%39, %40) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<32x32x1x128xbf16, #ttnn_layout25>, tensor<32x32x128x64xbf16, #ttnn_layout22>) -> tensor<32x32x1x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%40) <{force = false}> : (tensor<32x32x128x64xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%39) <{force = false}> : (tensor<32x32x1x128xbf16, #ttnn_layout25>) -> ()
        %42 = "ttnn.reshape"(%41) <{shape = [32 : i32, 2048 : i32]}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%41) <{force = false}> : (tensor<32x32x1x64xbf16, #ttnn_layout20>) -> ()
        %43 = "ttnn.matmul"(%42, %arg10) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<2048x2048xbf16, #ttnn_layout>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%42) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg10) <{force = false}> : (tensor<2048x2048xbf16, #ttnn_layout>) -> ()
        %44 = "ttnn.add"(%43, %1) : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<32x2048xbf16, #ttnn_layout11>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%43) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        %45 = "ttnn.rms_norm"(%44, %arg11) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<2048xbf16, #ttnn_layout8>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%arg11) <{force = false}> : (tensor<2048xbf16, #ttnn_layout8>) -> ()
        %46 = "ttnn.matmul"(%45, %arg12) <{activation = "silu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<2048x8192xbf16, #ttnn_layout9>) -> tensor<32x8192xbf16, #ttnn_layout26>
        "ttnn.deallocate"(%arg12) <{force = false}> : (tensor<2048x8192xbf16, #ttnn_layout9>) -> ()
        %47 = "ttnn.matmul"(%45, %arg13) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<2048x8192xbf16, #ttnn_layout9>) -> tensor<32x8192xbf16, #ttnn_layout26>
        "ttnn.deallocate"(%45) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg13) <{force = false}> : (tensor<2048x8192xbf16, #ttnn_layout9>) -> ()
        %48 = "ttnn.multiply"(%46, %47) : (tensor<32x8192xbf16, #ttnn_layout26>, tensor<32x8192xbf16, #ttnn_layout26>) -> tensor<32x8192xbf16, #ttnn_layout26>
        "ttnn.deallocate"(%47) <{force = false}> : (tensor<32x8192xbf16, #ttnn_layout26>) -> ()
        "ttnn.deallocate"(%46) <{force = false}> : (tensor<32x8192xbf16, #ttnn_layout26>) -> ()
        %49 = "ttnn.matmul"(%48, %arg14) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<32x8192xbf16, #ttnn_layout26>, tensor<8192x2048xbf16, #ttnn_layout10>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%48) <{force = false}> : (tensor<32x8192xbf16, #ttnn_layout26>) -> ()
        "ttnn.deallocate"(%arg14) <{force = false}> : (tensor<8192x2048xbf16, #ttnn_layout10>) -> ()
        %50 = "ttnn.add"(%49, %44) : (tensor<32x2048xbf16, #ttnn_layout11>, tensor<32x2048xbf16, #ttnn_layout11>) -> tensor<32x2048xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%49) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%44) <{force = false}> : (tensor<32x2048xbf16, #ttnn_layout11>) -> ()
        return %arg5, %arg6, %50 : tensor<32x8x128x64xbf16, #ttnn_layout5>, tensor<32x8x128x64xbf16, #ttnn_layout5>, tensor<32x2048xbf16, #ttnn_layout11>
      }
    }
  }
}
