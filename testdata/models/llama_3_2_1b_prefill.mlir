#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 105824, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, dram_unreserved_end = 1073136448, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<512x2048xbf16, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <1x1>, memref<128x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 512 + d2, d3), <1x1>, memref<16x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x256x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<256x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 512 + d2, d3), <1x1>, memref<16x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 512 + d2, d3), <1x1>, memref<16x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 16384 + d1 * 32 + d2, d3), <1x1>, memref<512x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 16384 + d1 * 512 + d2, d3), <1x1>, memref<512x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 16384 + d1 * 512 + d2, d3), <1x1>, memref<512x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x16x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <1x1>, memref<128x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 512 + d1, d2), <1x1>, memref<16x64x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x256x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @Llama32OneBPrefill {
  ttcore.device_module {
    builtin.module @Llama32OneBPrefill attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = , chipIds = [0]>
      func.func private @forward_const_eval_0(%arg0: tensor<2048x2048xbf16, #ttnn_layout>, %arg1: tensor<2048x512xbf16, #ttnn_layout1>, %arg2: tensor<2048x512xbf16, #ttnn_layout1>) -> tensor<2048x3072xbf16, #ttnn_layout2> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<2048x2048xbf16, #ttnn_layout>, tensor<2048x512xbf16, #ttnn_layout1>, tensor<2048x512xbf16, #ttnn_layout1>) -> tensor<2048x3072xbf16, #ttnn_layout2>
        return %0 : tensor<2048x3072xbf16, #ttnn_layout2>
      }
      func.func @forward(%arg0: tensor<2048x2048xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.q_proj.weight"}, %arg1: tensor<2048x512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.k_proj.weight"}, %arg2: tensor<2048x512xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.v_proj.weight"}, %arg3: tensor<512x2048xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "hidden_states"}, %arg4: tensor<1x8x512x64xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.kv_cache, ttir.name = "past_key"}, %arg5: tensor<1x8x512x64xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.kv_cache, ttir.name = "past_value"}, %arg6: tensor<1x1x512x32xf32, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<constant>, ttir.name = "rotary_emb.angles"}, %arg7: tensor<2048xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "input_layernorm.weight"}, %arg8: tensor<2048x2048xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "self_attn.o_proj.weight"}, %arg9: tensor<2048xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "post_attention_layernorm.weight"}, %arg10: tensor<2048x8192xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "mlp.gate_proj.weight"}, %arg11: tensor<2048x8192xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "mlp.up_proj.weight"}, %arg12: tensor<8192x2048xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "mlp.down_proj.weight"}) -> (tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<512x2048xbf16, #ttnn_layout9>) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@forward_const_eval_0, [%arg0, %arg1, %arg2]) : (tensor<2048x2048xbf16, #ttnn_layout>, tensor<2048x512xbf16, #ttnn_layout1>, tensor<2048x512xbf16, #ttnn_layout1>) -> tensor<2048x3072xbf16, #ttnn_layout2>
        "ttnn.deallocate"(%arg2) <{force = false}> : (tensor<2048x512xbf16, #ttnn_layout1>) -> ()
        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<2048x512xbf16, #ttnn_layout1>) -> ()
        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<2048x2048xbf16, #ttnn_layout>) -> ()
        %1 = "ttnn.to_layout"(%arg3) : (tensor<512x2048xbf16, #ttnn_layout3>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%arg3) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout3>) -> ()
        %2 = "ttnn.concat"(%arg6, %arg6) <{dim = 3 : si32}> : (tensor<1x1x512x32xf32, #ttnn_layout5>, tensor<1x1x512x32xf32, #ttnn_layout5>) -> tensor<1x1x512x64xf32, #ttnn_layout10>
        "ttnn.deallocate"(%arg6) <{force = false}> : (tensor<1x1x512x32xf32, #ttnn_layout5>) -> ()
        %3 = "ttnn.cos"(%2) : (tensor<1x1x512x64xf32, #ttnn_layout10>) -> tensor<1x1x512x64xf32, #ttnn_layout10>
        %4 = "ttnn.typecast"(%3) : (tensor<1x1x512x64xf32, #ttnn_layout10>) -> tensor<1x1x512x64xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%3) <{force = false}> : (tensor<1x1x512x64xf32, #ttnn_layout10>) -> ()
        %5 = "ttnn.sin"(%2) : (tensor<1x1x512x64xf32, #ttnn_layout10>) -> tensor<1x1x512x64xf32, #ttnn_layout10>
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<1x1x512x64xf32, #ttnn_layout10>) -> ()
        %6 = "ttnn.typecast"(%5) : (tensor<1x1x512x64xf32, #ttnn_layout10>) -> tensor<1x1x512x64xbf16, #ttnn_layout11>
        "ttnn.deallocate"(%5) <{force = false}> : (tensor<1x1x512x64xf32, #ttnn_layout10>) -> ()
        %7 = "ttnn.rms_norm"(%1, %arg7) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<2048xbf16, #ttnn_layout6>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%arg7) <{force = false}> : (tensor<2048xbf16, #ttnn_layout6>) -> ()
        %8 = "ttnn.matmul"(%7, %0) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<2048x3072xbf16, #ttnn_layout2>) -> tensor<512x3072xbf16, #ttnn_layout12>
        "ttnn.deallocate"(%7) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        "ttnn.deallocate"(%0) <{force = false}> : (tensor<2048x3072xbf16, #ttnn_layout2>) -> ()
        %9 = "ttnn.slice_static"(%8) <{begins = [0 : i32, 0 : i32], ends = [512 : i32, 2048 : i32], step = [1 : i32, 1 : i32]}> : (tensor<512x3072xbf16, #ttnn_layout12>) -> tensor<512x2048xbf16, #ttnn_layout9>
        %10 = "ttnn.reshape"(%9) <{shape = [1 : i32, 512 : i32, 32 : i32, 64 : i32]}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> tensor<1x512x32x64xbf16, #ttnn_layout13>
        "ttnn.deallocate"(%9) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        %11 = "ttnn.permute"(%10) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x32x64xbf16, #ttnn_layout13>) -> tensor<1x32x512x64xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%10) <{force = false}> : (tensor<1x512x32x64xbf16, #ttnn_layout13>) -> ()
        %12 = "ttnn.slice_static"(%11) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 32 : i32, 512 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> tensor<1x32x512x32xbf16, #ttnn_layout15>
        %13 = "ttnn.slice_static"(%11) <{begins = [0 : i32, 0 : i32, 0 : i32, 32 : i32], ends = [1 : i32, 32 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> tensor<1x32x512x32xbf16, #ttnn_layout15>
        %14 = "ttnn.neg"(%13) : (tensor<1x32x512x32xbf16, #ttnn_layout15>) -> tensor<1x32x512x32xbf16, #ttnn_layout15>
        "ttnn.deallocate"(%13) <{force = false}> : (tensor<1x32x512x32xbf16, #ttnn_layout15>) -> ()
        %15 = "ttnn.concat"(%14, %12) <{dim = 3 : si32}> : (tensor<1x32x512x32xbf16, #ttnn_layout15>, tensor<1x32x512x32xbf16, #ttnn_layout15>) -> tensor<1x32x512x64xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%14) <{force = false}> : (tensor<1x32x512x32xbf16, #ttnn_layout15>) -> ()
        "ttnn.deallocate"(%12) <{force = false}> : (tensor<1x32x512x32xbf16, #ttnn_layout15>) -> ()
        %16 = "ttnn.multiply"(%11, %4) : (tensor<1x32x512x64xbf16, #ttnn_layout14>, tensor<1x1x512x64xbf16, #ttnn_layout11>) -> tensor<1x32x512x64xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%11) <{force = false}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> ()
        %17 = "ttnn.multiply"(%15, %6) : (tensor<1x32x512x64xbf16, #ttnn_layout14>, tensor<1x1x512x64xbf16, #ttnn_layout11>) -> tensor<1x32x512x64xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%15) <{force = false}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> ()
        %18 = "ttnn.add"(%16, %17) : (tensor<1x32x512x64xbf16, #ttnn_layout14>, tensor<1x32x512x64xbf16, #ttnn_layout14>) -> tensor<1x32x512x64xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%17) <{force = false}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> ()
        "ttnn.deallocate"(%16) <{force = false}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> ()
        %19 = "ttnn.slice_static"(%8) <{begins = [0 : i32, 2048 : i32], ends = [512 : i32, 2560 : i32], step = [1 : i32, 1 : i32]}> : (tensor<512x3072xbf16, #ttnn_layout12>) -> tensor<512x512xbf16, #ttnn_layout16>
        %20 = "ttnn.reshape"(%19) <{shape = [1 : i32, 512 : i32, 8 : i32, 64 : i32]}> : (tensor<512x512xbf16, #ttnn_layout16>) -> tensor<1x512x8x64xbf16, #ttnn_layout13>
        "ttnn.deallocate"(%19) <{force = false}> : (tensor<512x512xbf16, #ttnn_layout16>) -> ()
        %21 = "ttnn.permute"(%20) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x8x64xbf16, #ttnn_layout13>) -> tensor<1x8x512x64xbf16, #ttnn_layout4>
        "ttnn.deallocate"(%20) <{force = false}> : (tensor<1x512x8x64xbf16, #ttnn_layout13>) -> ()
        %22 = "ttnn.slice_static"(%21) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 512 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> tensor<1x8x512x32xbf16, #ttnn_layout17>
        %23 = "ttnn.slice_static"(%21) <{begins = [0 : i32, 0 : i32, 0 : i32, 32 : i32], ends = [1 : i32, 8 : i32, 512 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> tensor<1x8x512x32xbf16, #ttnn_layout17>
        %24 = "ttnn.neg"(%23) : (tensor<1x8x512x32xbf16, #ttnn_layout17>) -> tensor<1x8x512x32xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%23) <{force = false}> : (tensor<1x8x512x32xbf16, #ttnn_layout17>) -> ()
        %25 = "ttnn.concat"(%24, %22) <{dim = 3 : si32}> : (tensor<1x8x512x32xbf16, #ttnn_layout17>, tensor<1x8x512x32xbf16, #ttnn_layout17>) -> tensor<1x8x512x64xbf16, #ttnn_layout4>
        "ttnn.deallocate"(%24) <{force = false}> : (tensor<1x8x512x32xbf16, #ttnn_layout17>) -> ()
        "ttnn.deallocate"(%22) <{force = false}> : (tensor<1x8x512x32xbf16, #ttnn_layout17>) -> ()
        %26 = "ttnn.multiply"(%21, %4) : (tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x1x512x64xbf16, #ttnn_layout11>) -> tensor<1x8x512x64xbf16, #ttnn_layout4>
        "ttnn.deallocate"(%21) <{force = false}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        "ttnn.deallocate"(%4) <{force = false}> : (tensor<1x1x512x64xbf16, #ttnn_layout11>) -> ()
        %27 = "ttnn.multiply"(%25, %6) : (tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x1x512x64xbf16, #ttnn_layout11>) -> tensor<1x8x512x64xbf16, #ttnn_layout4>
        "ttnn.deallocate"(%25) <{force = false}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        "ttnn.deallocate"(%6) <{force = false}> : (tensor<1x1x512x64xbf16, #ttnn_layout11>) -> ()
        %28 = "ttnn.add"(%26, %27) : (tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x8x512x64xbf16, #ttnn_layout4>) -> tensor<1x8x512x64xbf16, #ttnn_layout4>
        "ttnn.deallocate"(%27) <{force = false}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        "ttnn.deallocate"(%26) <{force = false}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        %29 = "ttnn.slice_static"(%8) <{begins = [0 : i32, 2560 : i32], ends = [512 : i32, 3072 : i32], step = [1 : i32, 1 : i32]}> : (tensor<512x3072xbf16, #ttnn_layout12>) -> tensor<512x512xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%8) <{force = false}> : (tensor<512x3072xbf16, #ttnn_layout12>) -> ()
        %30 = "ttnn.reshape"(%29) <{shape = [1 : i32, 512 : i32, 8 : i32, 64 : i32]}> : (tensor<512x512xbf16, #ttnn_layout16>) -> tensor<1x512x8x64xbf16, #ttnn_layout13>
        "ttnn.deallocate"(%29) <{force = false}> : (tensor<512x512xbf16, #ttnn_layout16>) -> ()
        %31 = "ttnn.permute"(%30) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x512x8x64xbf16, #ttnn_layout13>) -> tensor<1x8x512x64xbf16, #ttnn_layout4>
        "ttnn.deallocate"(%30) <{force = false}> : (tensor<1x512x8x64xbf16, #ttnn_layout13>) -> ()
        "ttnn.fill_cache"(%arg4, %28) <{batch_offset = 0 : i32}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        "ttnn.fill_cache"(%arg5, %31) <{batch_offset = 0 : i32}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        %32 = "ttnn.scaled_dot_product_attention"(%18, %28, %31) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 1.250000e-01 : f32}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>, tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x8x512x64xbf16, #ttnn_layout4>) -> tensor<1x32x512x64xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%31) <{force = false}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        "ttnn.deallocate"(%28) <{force = false}> : (tensor<1x8x512x64xbf16, #ttnn_layout4>) -> ()
        "ttnn.deallocate"(%18) <{force = false}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> ()
        %33 = "ttnn.concatenate_heads"(%32) : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> tensor<1x512x2048xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%32) <{force = false}> : (tensor<1x32x512x64xbf16, #ttnn_layout14>) -> ()
        %34 = "ttnn.reshape"(%33) <{shape = [512 : i32, 2048 : i32]}> : (tensor<1x512x2048xbf16, #ttnn_layout18>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%33) <{force = false}> : (tensor<1x512x2048xbf16, #ttnn_layout18>) -> ()
        %35 = "ttnn.matmul"(%34, %arg8) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<2048x2048xbf16, #ttnn_layout>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%34) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        "ttnn.deallocate"(%arg8) <{force = false}> : (tensor<2048x2048xbf16, #ttnn_layout>) -> ()
        %36 = "ttnn.add"(%35, %1) : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<512x2048xbf16, #ttnn_layout9>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%35) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        %37 = "ttnn.rms_norm"(%36, %arg9) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>, epsilon = 9.99999974E-6 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<2048xbf16, #ttnn_layout6>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%arg9) <{force = false}> : (tensor<2048xbf16, #ttnn_layout6>) -> ()
        %38 = "ttnn.matmul"(%37, %arg10) <{activation = "silu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<2048x8192xbf16, #ttnn_layout7>) -> tensor<512x8192xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%arg10) <{force = false}> : (tensor<2048x8192xbf16, #ttnn_layout7>) -> ()
        %39 = "ttnn.matmul"(%37, %arg11) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<2048x8192xbf16, #ttnn_layout7>) -> tensor<512x8192xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%37) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        "ttnn.deallocate"(%arg11) <{force = false}> : (tensor<2048x8192xbf16, #ttnn_layout7>) -> ()
        %40 = "ttnn.multiply"(%38, %39) : (tensor<512x8192xbf16, #ttnn_layout19>, tensor<512x8192xbf16, #ttnn_layout19>) -> tensor<512x8192xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%39) <{force = false}> : (tensor<512x8192xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%38) <{force = false}> : (tensor<512x8192xbf16, #ttnn_layout19>) -> ()
        %41 = "ttnn.matmul"(%40, %arg12) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<512x8192xbf16, #ttnn_layout19>, tensor<8192x2048xbf16, #ttnn_layout8>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%40) <{force = false}> : (tensor<512x8192xbf16, #ttnn_layout19>) -> ()
        "ttnn.deallocate"(%arg12) <{force = false}> : (tensor<8192x2048xbf16, #ttnn_layout8>) -> ()
        %42 = "ttnn.add"(%41, %36) : (tensor<512x2048xbf16, #ttnn_layout9>, tensor<512x2048xbf16, #ttnn_layout9>) -> tensor<512x2048xbf16, #ttnn_layout9>
        "ttnn.deallocate"(%41) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        "ttnn.deallocate"(%36) <{force = false}> : (tensor<512x2048xbf16, #ttnn_layout9>) -> ()
        return %arg4, %arg5, %42 : tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<1x8x512x64xbf16, #ttnn_layout4>, tensor<512x2048xbf16, #ttnn_layout9>
      }
    }
  }
}
