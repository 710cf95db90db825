#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 105824, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, dram_unreserved_end = 1073136448, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 672 + d1 * 224 + d2, d3), <1x1>, memref<5376x224xbf16, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 48 + d1 * 16 + d2, d3), <1x1>, memref<36864x16xbf16, #system_memory>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<7x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<96x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout10 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<24x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout11 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout13 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 672 + d1 * 224 + d2, d3), <1x1>, memref<168x7x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout14 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 50176 + d1 * 224 + d2, d3), <1x1>, memref<12544x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout15 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 401408 + d1 * 401408 + d2, d3), <1x1>, memref<12544x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1568 + d1 * 1568 + d2, d3), <1x1>, memref<49x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout17 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<8x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout18 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<56x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout19 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 6304 + d1 * 32 + d2, d3), <1x1>, memref<1576x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout20 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2688 + d1 * 224 + d2, d3), <1x1>, memref<672x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout21 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout22 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 768 + d1 * 64 + d2, d3), <1x1>, memref<192x7x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout23 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 2688 + d1 * 224 + d2, d3), <1x1>, memref<672x7x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout24 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 224 + d1, d2), <1x1>, memref<56x96x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout25 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @ViTB16 {
  ttcore.device_module {
    builtin.module @ViTB16 attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = , chipIds = [0]>
      func.func @forward(%arg0: tensor<8x3x224x224xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "pixel_values"}, %arg1: tensor<768x3x16x16xbf16, #ttnn_layout1> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.conv2d_weight, ttir.name = "conv_proj.weight"}, %arg2: tensor<1x1x1x768xbf16, #ttnn_layout2> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "conv_proj.bias"}, %arg3: tensor<1x1x768xbf16, #ttnn_layout3> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "class_token"}, %arg4: tensor<1x197x768xbf16, #ttnn_layout4> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.pos_embedding"}, %arg5: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.ln_1.weight"}, %arg6: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.ln_1.bias"}, %arg7: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.query.weight"}, %arg8: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.query.bias"}, %arg9: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.key.weight"}, %arg10: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.key.bias"}, %arg11: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.value.weight"}, %arg12: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.value.bias"}, %arg13: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.out_proj.weight"}, %arg14: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.self_attention.out_proj.bias"}, %arg15: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.ln_2.weight"}, %arg16: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.ln_2.bias"}, %arg17: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.mlp.0.weight"}, %arg18: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.mlp.0.bias"}, %arg19: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.mlp.3.weight"}, %arg20: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.0.mlp.3.bias"}, %arg21: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.ln_1.weight"}, %arg22: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.ln_1.bias"}, %arg23: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.query.weight"}, %arg24: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.query.bias"}, %arg25: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.key.weight"}, %arg26: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.key.bias"}, %arg27: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.value.weight"}, %arg28: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.value.bias"}, %arg29: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.out_proj.weight"}, %arg30: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.self_attention.out_proj.bias"}, %arg31: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.ln_2.weight"}, %arg32: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.ln_2.bias"}, %arg33: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.mlp.0.weight"}, %arg34: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.mlp.0.bias"}, %arg35: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.mlp.3.weight"}, %arg36: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.1.mlp.3.bias"}, %arg37: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.ln_1.weight"}, %arg38: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.ln_1.bias"}, %arg39: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.query.weight"}, %arg40: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.query.bias"}, %arg41: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.key.weight"}, %arg42: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.key.bias"}, %arg43: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.value.weight"}, %arg44: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.value.bias"}, %arg45: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.out_proj.weight"}, %arg46: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.self_attention.out_proj.bias"}, %arg47: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.ln_2.weight"}, %arg48: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.ln_2.bias"}, %arg49: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.mlp.0.weight"}, %arg50: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.mlp.0.bias"}, %arg51: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.mlp.3.weight"}, %arg52: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.2.mlp.3.bias"}, %arg53: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.ln_1.weight"}, %arg54: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.ln_1.bias"}, %arg55: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.query.weight"}, %arg56: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.query.bias"}, %arg57: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.key.weight"}, %arg58: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.key.bias"}, %arg59: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.value.weight"}, %arg60: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.value.bias"}, %arg61: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.out_proj.weight"}, %arg62: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.self_attention.out_proj.bias"}, %arg63: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.ln_2.weight"}, %arg64: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.ln_2.bias"}, %arg65: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.mlp.0.weight"}, %arg66: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.mlp.0.bias"}, %arg67: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.mlp.3.weight"}, %arg68: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.3.mlp.3.bias"}, %arg69: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.ln_1.weight"}, %arg70: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.ln_1.bias"}, %arg71: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.query.weight"}, %arg72: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.query.bias"}, %arg73: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.key.weight"}, %arg74: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.key.bias"}, %arg75: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.value.weight"}, %arg76: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.value.bias"}, %arg77: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.out_proj.weight"}, %arg78: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.self_attention.out_proj.bias"}, %arg79: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.ln_2.weight"}, %arg80: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.ln_2.bias"}, %arg81: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.mlp.0.weight"}, %arg82: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.mlp.0.bias"}, %arg83: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.mlp.3.weight"}, %arg84: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.4.mlp.3.bias"}, %arg85: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.ln_1.weight"}, %arg86: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.ln_1.bias"}, %arg87: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.query.weight"}, %arg88: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.query.bias"}, %arg89: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.key.weight"}, %arg90: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.key.bias"}, %arg91: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.value.weight"}, %arg92: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.value.bias"}, %arg93: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.out_proj.weight"}, %arg94: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.self_attention.out_proj.bias"}, %arg95: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.ln_2.weight"}, %arg96: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.ln_2.bias"}, %arg97: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.mlp.0.weight"}, %arg98: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.mlp.0.bias"}, %arg99: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.mlp.3.weight"}, %arg100: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.5.mlp.3.bias"}, %arg101: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.ln_1.weight"}, %arg102: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.ln_1.bias"}, %arg103: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.query.weight"}, %arg104: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.query.bias"}, %arg105: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.key.weight"}, %arg106: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.key.bias"}, %arg107: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.value.weight"}, %arg108: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.value.bias"}, %arg109: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.out_proj.weight"}, %arg110: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.self_attention.out_proj.bias"}, %arg111: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.ln_2.weight"}, %arg112: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.ln_2.bias"}, %arg113: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.mlp.0.weight"}, %arg114: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.mlp.0.bias"}, %arg115: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.mlp.3.weight"}, %arg116: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.6.mlp.3.bias"}, %arg117: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.ln_1.weight"}, %arg118: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.ln_1.bias"}, %arg119: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.query.weight"}, %arg120: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.query.bias"}, %arg121: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.key.weight"}, %arg122: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.key.bias"}, %arg123: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.value.weight"}, %arg124: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.value.bias"}, %arg125: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.out_proj.weight"}, %arg126: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.self_attention.out_proj.bias"}, %arg127: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.ln_2.weight"}, %arg128: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.ln_2.bias"}, %arg129: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.mlp.0.weight"}, %arg130: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.mlp.0.bias"}, %arg131: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.mlp.3.weight"}, %arg132: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.7.mlp.3.bias"}, %arg133: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.ln_1.weight"}, %arg134: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.ln_1.bias"}, %arg135: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.query.weight"}, %arg136: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.query.bias"}, %arg137: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.key.weight"}, %arg138: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.key.bias"}, %arg139: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.value.weight"}, %arg140: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.value.bias"}, %arg141: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.out_proj.weight"}, %arg142: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.self_attention.out_proj.bias"}, %arg143: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.ln_2.weight"}, %arg144: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.ln_2.bias"}, %arg145: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.mlp.0.weight"}, %arg146: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.mlp.0.bias"}, %arg147: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.mlp.3.weight"}, %arg148: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.8.mlp.3.bias"}, %arg149: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.ln_1.weight"}, %arg150: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.ln_1.bias"}, %arg151: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.query.weight"}, %arg152: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.query.bias"}, %arg153: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.key.weight"}, %arg154: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.key.bias"}, %arg155: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.value.weight"}, %arg156: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.value.bias"}, %arg157: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.out_proj.weight"}, %arg158: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.self_attention.out_proj.bias"}, %arg159: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.ln_2.weight"}, %arg160: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.ln_2.bias"}, %arg161: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.mlp.0.weight"}, %arg162: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.mlp.0.bias"}, %arg163: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.mlp.3.weight"}, %arg164: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.9.mlp.3.bias"}, %arg165: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.ln_1.weight"}, %arg166: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.ln_1.bias"}, %arg167: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.query.weight"}, %arg168: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.query.bias"}, %arg169: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.key.weight"}, %arg170: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.key.bias"}, %arg171: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.value.weight"}, %arg172: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.value.bias"}, %arg173: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.out_proj.weight"}, %arg174: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.self_attention.out_proj.bias"}, %arg175: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.ln_2.weight"}, %arg176: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.ln_2.bias"}, %arg177: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.mlp.0.weight"}, %arg178: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.mlp.0.bias"}, %arg179: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.mlp.3.weight"}, %arg180: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.10.mlp.3.bias"}, %arg181: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.ln_1.weight"}, %arg182: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.ln_1.bias"}, %arg183: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.query.weight"}, %arg184: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.query.bias"}, %arg185: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.key.weight"}, %arg186: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.key.bias"}, %arg187: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.value.weight"}, %arg188: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.value.bias"}, %arg189: tensor<768x768xbf16, #ttnn_layout6> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.out_proj.weight"}, %arg190: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.self_attention.out_proj.bias"}, %arg191: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.ln_2.weight"}, %arg192: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.ln_2.bias"}, %arg193: tensor<768x3072xbf16, #ttnn_layout7> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.mlp.0.weight"}, %arg194: tensor<3072xbf16, #ttnn_layout8> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.mlp.0.bias"}, %arg195: tensor<3072x768xbf16, #ttnn_layout9> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.mlp.3.weight"}, %arg196: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.layers.11.mlp.3.bias"}, %arg197: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.ln.weight"}, %arg198: tensor<768xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "encoder.ln.bias"}, %arg199: tensor<768x1000xbf16, #ttnn_layout10> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "heads.weight"}, %arg200: tensor<1000xbf16, #ttnn_layout11> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "heads.bias"}) -> tensor<8x1000xbf16, #ttnn_layout12> attributes {tt.function_type = "forward_device"} {
        %0 = "ttnn.to_layout"(%arg0) : (tensor<8x3x224x224xbf16, #ttnn_layout>) -> tensor<8x3x224x224xbf16, #ttnn_layout13>
        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<8x3x224x224xbf16, #ttnn_layout>) -> ()
        %1 = "ttnn.permute"(%0) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<8x3x224x224xbf16, #ttnn_layout13>) -> tensor<8x224x224x3xbf16, #ttnn_layout14>
        "ttnn.deallocate"(%0) <{force = false}> : (tensor<8x3x224x224xbf16, #ttnn_layout13>) -> ()
        %2 = "ttnn.reshape"(%1) <{shape = [1 : i32, 1 : i32, 401408 : i32, 3 : i32]}> : (tensor<8x224x224x3xbf16, #ttnn_layout14>) -> tensor<1x1x401408x3xbf16, #ttnn_layout15>
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<8x224x224x3xbf16, #ttnn_layout14>) -> ()
        %3 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
        %4 = "ttnn.conv2d"(%2, %arg1, %arg2, %3) <{batch_size = 8 : i32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, conv2d_config = #ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 3 : i32, input_height = 224 : i32, input_width = 224 : i32, kernel_size = array<i32: 16, 16>, out_channels = 768 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 16, 16>}> : (tensor<1x1x401408x3xbf16, #ttnn_layout15>, tensor<768x3x16x16xbf16, #ttnn_layout1>, tensor<1x1x1x768xbf16, #ttnn_layout2>, !ttnn.device) -> tensor<1x1x1568x768xbf16, #ttnn_layout16>
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<1x1x401408x3xbf16, #ttnn_layout15>) -> ()
        "ttnn.deallocate"(%arg2) <{force = false}> : (tensor<1x1x1x768xbf16, #ttnn_layout2>) -> ()
        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<768x3x16x16xbf16, #ttnn_layout1>) -> ()
        %5 = "ttnn.repeat"(%arg3) <{repeat_dims = #ttnn.shape<8x1x1>}> : (tensor<1x1x768xbf16, #ttnn_layout3>) -> tensor<8x1x768xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%arg3) <{force = false}> : (tensor<1x1x768xbf16, #ttnn_layout3>) -> ()
        %6 = "ttnn.reshape"(%4) <{shape = [8 : i32, 196 : i32, 768 : i32]}> : (tensor<1x1x1568x768xbf16, #ttnn_layout16>) -> tensor<8x196x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%4) <{force = false}> : (tensor<1x1x1568x768xbf16, #ttnn_layout16>) -> ()
        %7 = "ttnn.concat"(%5, %6) <{dim = 1 : si32}> : (tensor<8x1x768xbf16, #ttnn_layout17>, tensor<8x196x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%6) <{force = false}> : (tensor<8x196x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%5) <{force = false}> : (tensor<8x1x768xbf16, #ttnn_layout17>) -> ()
        %8 = "ttnn.add"(%7, %arg4) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<1x197x768xbf16, #ttnn_layout4>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%7) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg4) <{force = false}> : (tensor<1x197x768xbf16, #ttnn_layout4>) -> ()
        %9 = "ttnn.layer_norm"(%8, %arg5, %arg6) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg6) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg5) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %10 = "ttnn.linear"(%9, %arg7, %arg8) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg8) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg7) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %11 = "ttnn.reshape"(%10) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%10) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %12 = "ttnn.permute"(%11) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%11) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %13 = "ttnn.linear"(%9, %arg9, %arg10) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg10) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg9) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %14 = "ttnn.reshape"(%13) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%13) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %15 = "ttnn.permute"(%14) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%14) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %16 = "ttnn.linear"(%9, %arg11, %arg12) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%9) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg12) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg11) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %17 = "ttnn.reshape"(%16) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%16) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %18 = "ttnn.permute"(%17) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%17) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %19 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %20 = "ttnn.transpose"(%15) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%15) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %21 = "ttnn.matmul"(%12, %20) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%20) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%12) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %22 = "ttnn.multiply"(%21, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%21) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %23 = "ttnn.softmax"(%22) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%22) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %24 = "ttnn.matmul"(%23, %18) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%23) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%18) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %25 = "ttnn.permute"(%24) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%24) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %26 = "ttnn.reshape"(%25) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%25) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %27 = "ttnn.linear"(%26, %arg13, %arg14) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%26) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg14) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg13) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %28 = "ttnn.add"(%27, %8) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%27) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%8) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %29 = "ttnn.layer_norm"(%28, %arg15, %arg16) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg16) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg15) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %30 = "ttnn.linear"(%29, %arg17, %arg18) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%29) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg18) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg17) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %31 = "ttnn.gelu"(%30) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%30) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %32 = "ttnn.linear"(%31, %arg19, %arg20) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%31) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg20) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg19) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %33 = "ttnn.add"(%32, %28) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%32) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%28) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %34 = "ttnn.layer_norm"(%33, %arg21, %arg22) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg22) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg21) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %35 = "ttnn.linear"(%34, %arg23, %arg24) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg24) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg23) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %36 = "ttnn.reshape"(%35) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%35) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %37 = "ttnn.permute"(%36) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%36) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %38 = "ttnn.linear"(%34, %arg25, %arg26) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg26) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg25) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %39 = "ttnn.reshape"(%38) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%38) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %40 = "ttnn.permute"(%39) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%39) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %41 = "ttnn.linear"(%34, %arg27, %arg28) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%34) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg28) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg27) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %42 = "ttnn.reshape"(%41) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%41) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %43 = "ttnn.permute"(%42) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%42) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %44 = "ttnn.transpose"(%40) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%40) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %45 = "ttnn.matmul"(%37, %44) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%44) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%37) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %46 = "ttnn.multiply"(%45, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%45) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %47 = "ttnn.softmax"(%46) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%46) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %48 = "ttnn.matmul"(%47, %43) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%47) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%43) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %49 = "ttnn.permute"(%48) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%48) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %50 = "ttnn.reshape"(%49) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%49) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %51 = "ttnn.linear"(%50, %arg29, %arg30) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%50) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg30) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg29) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %52 = "ttnn.add"(%51, %33) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%51) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%33) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %53 = "ttnn.layer_norm"(%52, %arg31, %arg32) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg32) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg31) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %54 = "ttnn.linear"(%53, %arg33, %arg34) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%53) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg34) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg33) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %55 = "ttnn.gelu"(%54) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%54) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %56 = "ttnn.linear"(%55, %arg35, %arg36) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%55) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg36) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg35) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %57 = "ttnn.add"(%56, %52) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%56) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%52) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %58 = "ttnn.layer_norm"(%57, %arg37, %arg38) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg38) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg37) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %59 = "ttnn.linear"(%58, %arg39, %arg40) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg40) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg39) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %60 = "ttnn.reshape"(%59) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%59) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %61 = "ttnn.permute"(%60) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%60) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %62 = "ttnn.linear"(%58, %arg41, %arg42) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg42) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg41) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %63 = "ttnn.reshape"(%62) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%62) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %64 = "ttnn.permute"(%63) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%63) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %65 = "ttnn.linear"(%58, %arg43, %arg44) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%58) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg44) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg43) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %66 = "ttnn.reshape"(%65) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%65) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %67 = "ttnn.permute"(%66) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%66) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %68 = "ttnn.transpose"(%64) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%64) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %69 = "ttnn.matmul"(%61, %68) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%68) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%61) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %70 = "ttnn.multiply"(%69, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%69) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %71 = "ttnn.softmax"(%70) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%70) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %72 = "ttnn.matmul"(%71, %67) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%71) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%67) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %73 = "ttnn.permute"(%72) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%72) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %74 = "ttnn.reshape"(%73) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%73) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %75 = "ttnn.linear"(%74, %arg45, %arg46) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%74) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg46) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg45) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %76 = "ttnn.add"(%75, %57) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%75) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%57) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %77 = "ttnn.layer_norm"(%76, %arg47, %arg48) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg48) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg47) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %78 = "ttnn.linear"(%77, %arg49, %arg50) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%77) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg50) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg49) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %79 = "ttnn.gelu"(%78) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%78) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %80 = "ttnn.linear"(%79, %arg51, %arg52) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%79) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg52) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg51) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %81 = "ttnn.add"(%80, %76) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%80) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%76) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %82 = "ttnn.layer_norm"(%81, %arg53, %arg54) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg54) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg53) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %83 = "ttnn.linear"(%82, %arg55, %arg56) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg56) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg55) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %84 = "ttnn.reshape"(%83) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%83) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %85 = "ttnn.permute"(%84) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%84) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %86 = "ttnn.linear"(%82, %arg57, %arg58) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg58) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg57) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %87 = "ttnn.reshape"(%86) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%86) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %88 = "ttnn.permute"(%87) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%87) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %89 = "ttnn.linear"(%82, %arg59, %arg60) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%82) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg60) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg59) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %90 = "ttnn.reshape"(%89) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%89) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %91 = "ttnn.permute"(%90) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%90) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %92 = "ttnn.transpose"(%88) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%88) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %93 = "ttnn.matmul"(%85, %92) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%92) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%85) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %94 = "ttnn.multiply"(%93, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%93) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %95 = "ttnn.softmax"(%94) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%94) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %96 = "ttnn.matmul"(%95, %91) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%95) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%91) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %97 = "ttnn.permute"(%96) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%96) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %98 = "ttnn.reshape"(%97) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%97) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %99 = "ttnn.linear"(%98, %arg61, %arg62) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%98) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg62) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg61) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %100 = "ttnn.add"(%99, %81) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%99) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%81) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %101 = "ttnn.layer_norm"(%100, %arg63, %arg64) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg64) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg63) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %102 = "ttnn.linear"(%101, %arg65, %arg66) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%101) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg66) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg65) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %103 = "ttnn.gelu"(%102) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%102) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %104 = "ttnn.linear"(%103, %arg67, %arg68) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%103) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg68) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg67) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %105 = "ttnn.add"(%104, %100) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%104) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%100) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %106 = "ttnn.layer_norm"(%105, %arg69, %arg70) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg70) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg69) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %107 = "ttnn.linear"(%106, %arg71, %arg72) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg72) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg71) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %108 = "ttnn.reshape"(%107) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%107) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %109 = "ttnn.permute"(%108) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%108) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %110 = "ttnn.linear"(%106, %arg73, %arg74) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg74) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg73) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %111 = "ttnn.reshape"(%110) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%110) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %112 = "ttnn.permute"(%111) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%111) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %113 = "ttnn.linear"(%106, %arg75, %arg76) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%106) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg76) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg75) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %114 = "ttnn.reshape"(%113) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%113) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %115 = "ttnn.permute"(%114) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%114) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %116 = "ttnn.transpose"(%112) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%112) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %117 = "ttnn.matmul"(%109, %116) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%116) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%109) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %118 = "ttnn.multiply"(%117, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%117) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %119 = "ttnn.softmax"(%118) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%118) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %120 = "ttnn.matmul"(%119, %115) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%119) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%115) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %121 = "ttnn.permute"(%120) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%120) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %122 = "ttnn.reshape"(%121) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%121) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %123 = "ttnn.linear"(%122, %arg77, %arg78) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%122) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg78) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg77) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %124 = "ttnn.add"(%123, %105) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%123) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%105) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %125 = "ttnn.layer_norm"(%124, %arg79, %arg80) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg80) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg79) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %126 = "ttnn.linear"(%125, %arg81, %arg82) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%125) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg82) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg81) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %127 = "ttnn.gelu"(%126) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%126) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %128 = "ttnn.linear"(%127, %arg83, %arg84) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%127) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg84) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg83) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %129 = "ttnn.add"(%128, %124) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%128) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%124) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %130 = "ttnn.layer_norm"(%129, %arg85, %arg86) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg86) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg85) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %131 = "ttnn.linear"(%130, %arg87, %arg88) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg88) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg87) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %132 = "ttnn.reshape"(%131) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%131) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %133 = "ttnn.permute"(%132) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%132) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %134 = "ttnn.linear"(%130, %arg89, %arg90) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg90) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg89) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %135 = "ttnn.reshape"(%134) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%134) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %136 = "ttnn.permute"(%135) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%135) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %137 = "ttnn.linear"(%130, %arg91, %arg92) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%130) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg92) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg91) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %138 = "ttnn.reshape"(%137) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%137) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %139 = "ttnn.permute"(%138) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%138) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %140 = "ttnn.transpose"(%136) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%136) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %141 = "ttnn.matmul"(%133, %140) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%140) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%133) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %142 = "ttnn.multiply"(%141, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%141) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %143 = "ttnn.softmax"(%142) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%142) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %144 = "ttnn.matmul"(%143, %139) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%143) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%139) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %145 = "ttnn.permute"(%144) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%144) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %146 = "ttnn.reshape"(%145) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%145) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %147 = "ttnn.linear"(%146, %arg93, %arg94) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%146) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg94) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg93) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %148 = "ttnn.add"(%147, %129) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%147) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%129) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %149 = "ttnn.layer_norm"(%148, %arg95, %arg96) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg96) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg95) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %150 = "ttnn.linear"(%149, %arg97, %arg98) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%149) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg98) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg97) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %151 = "ttnn.gelu"(%150) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%150) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %152 = "ttnn.linear"(%151, %arg99, %arg100) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%151) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg100) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg99) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %153 = "ttnn.add"(%152, %148) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%152) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%148) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %154 = "ttnn.layer_norm"(%153, %arg101, %arg102) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg102) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg101) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %155 = "ttnn.linear"(%154, %arg103, %arg104) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg104) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg103) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %156 = "ttnn.reshape"(%155) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%155) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %157 = "ttnn.permute"(%156) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%156) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %158 = "ttnn.linear"(%154, %arg105, %arg106) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg106) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg105) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %159 = "ttnn.reshape"(%158) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%158) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %160 = "ttnn.permute"(%159) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%159) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %161 = "ttnn.linear"(%154, %arg107, %arg108) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%154) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg108) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg107) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %162 = "ttnn.reshape"(%161) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%161) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %163 = "ttnn.permute"(%162) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%162) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %164 = "ttnn.transpose"(%160) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%160) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %165 = "ttnn.matmul"(%157, %164) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%164) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%157) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %166 = "ttnn.multiply"(%165, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%165) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %167 = "ttnn.softmax"(%166) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%166) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %168 = "ttnn.matmul"(%167, %163) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%167) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%163) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %169 = "ttnn.permute"(%168) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%168) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %170 = "ttnn.reshape"(%169) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%169) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %171 = "ttnn.linear"(%170, %arg109, %arg110) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%170) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg110) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg109) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %172 = "ttnn.add"(%171, %153) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%171) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%153) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %173 = "ttnn.layer_norm"(%172, %arg111, %arg112) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg112) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg111) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %174 = "ttnn.linear"(%173, %arg113, %arg114) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%173) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg114) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg113) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %175 = "ttnn.gelu"(%174) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%174) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %176 = "ttnn.linear"(%175, %arg115, %arg116) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%175) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg116) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg115) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %177 = "ttnn.add"(%176, %172) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%176) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%172) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %178 = "ttnn.layer_norm"(%177, %arg117, %arg118) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg118) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg117) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %179 = "ttnn.linear"(%178, %arg119, %arg120) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg120) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg119) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %180 = "ttnn.reshape"(%179) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%179) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %181 = "ttnn.permute"(%180) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%180) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %182 = "ttnn.linear"(%178, %arg121, %arg122) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg122) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg121) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %183 = "ttnn.reshape"(%182) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%182) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %184 = "ttnn.permute"(%183) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%183) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %185 = "ttnn.linear"(%178, %arg123, %arg124) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%178) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg124) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg123) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %186 = "ttnn.reshape"(%185) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%185) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %187 = "ttnn.permute"(%186) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%186) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %188 = "ttnn.transpose"(%184) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%184) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %189 = "ttnn.matmul"(%181, %188) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%188) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%181) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %190 = "ttnn.multiply"(%189, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%189) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %191 = "ttnn.softmax"(%190) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%190) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %192 = "ttnn.matmul"(%191, %187) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%191) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%187) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %193 = "ttnn.permute"(%192) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%192) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %194 = "ttnn.reshape"(%193) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%193) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %195 = "ttnn.linear"(%194, %arg125, %arg126) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%194) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg126) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg125) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %196 = "ttnn.add"(%195, %177) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%195) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%177) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %197 = "ttnn.layer_norm"(%196, %arg127, %arg128) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg128) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg127) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %198 = "ttnn.linear"(%197, %arg129, %arg130) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%197) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg130) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg129) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %199 = "ttnn.gelu"(%198) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%198) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %200 = "ttnn.linear"(%199, %arg131, %arg132) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%199) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg132) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg131) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %201 = "ttnn.add"(%200, %196) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%200) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%196) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %202 = "ttnn.layer_norm"(%201, %arg133, %arg134) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg134) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg133) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %203 = "ttnn.linear"(%202, %arg135, %arg136) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg136) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg135) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %204 = "ttnn.reshape"(%203) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%203) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %205 = "ttnn.permute"(%204) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%204) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %206 = "ttnn.linear"(%202, %arg137, %arg138) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg138) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg137) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %207 = "ttnn.reshape"(%206) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%206) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %208 = "ttnn.permute"(%207) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%207) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %209 = "ttnn.linear"(%202, %arg139, %arg140) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%202) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg140) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg139) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %210 = "ttnn.reshape"(%209) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%209) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %211 = "ttnn.permute"(%210) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%210) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %212 = "ttnn.transpose"(%208) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%208) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %213 = "ttnn.matmul"(%205, %212) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%212) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%205) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %214 = "ttnn.multiply"(%213, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%213) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %215 = "ttnn.softmax"(%214) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%214) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %216 = "ttnn.matmul"(%215, %211) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%215) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%211) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %217 = "ttnn.permute"(%216) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%216) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %218 = "ttnn.reshape"(%217) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%217) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %219 = "ttnn.linear"(%218, %arg141, %arg142) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%218) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg142) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg141) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %220 = "ttnn.add"(%219, %201) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%219) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%201) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %221 = "ttnn.layer_norm"(%220, %arg143, %arg144) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg144) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg143) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %222 = "ttnn.linear"(%221, %arg145, %arg146) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%221) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg146) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg145) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %223 = "ttnn.gelu"(%222) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%222) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %224 = "ttnn.linear"(%223, %arg147, %arg148) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%223) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg148) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg147) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %225 = "ttnn.add"(%224, %220) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%224) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%220) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %226 = "ttnn.layer_norm"(%225, %arg149, %arg150) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg150) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg149) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %227 = "ttnn.linear"(%226, %arg151, %arg152) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg152) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg151) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %228 = "ttnn.reshape"(%227) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%227) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %229 = "ttnn.permute"(%228) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%228) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %230 = "ttnn.linear"(%226, %arg153, %arg154) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg154) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg153) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %231 = "ttnn.reshape"(%230) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%230) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %232 = "ttnn.permute"(%231) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%231) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %233 = "ttnn.linear"(%226, %arg155, %arg156) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%226) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg156) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg155) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %234 = "ttnn.reshape"(%233) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%233) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %235 = "ttnn.permute"(%234) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%234) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %236 = "ttnn.transpose"(%232) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%232) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %237 = "ttnn.matmul"(%229, %236) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%236) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%229) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %238 = "ttnn.multiply"(%237, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%237) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %239 = "ttnn.softmax"(%238) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%238) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %240 = "ttnn.matmul"(%239, %235) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%239) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%235) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %241 = "ttnn.permute"(%240) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%240) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %242 = "ttnn.reshape"(%241) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%241) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %243 = "ttnn.linear"(%242, %arg157, %arg158) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%242) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg158) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg157) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %244 = "ttnn.add"(%243, %225) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%243) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%225) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %245 = "ttnn.layer_norm"(%244, %arg159, %arg160) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg160) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg159) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %246 = "ttnn.linear"(%245, %arg161, %arg162) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%245) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg162) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg161) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %247 = "ttnn.gelu"(%246) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%246) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %248 = "ttnn.linear"(%247, %arg163, %arg164) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%247) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg164) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg163) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %249 = "ttnn.add"(%248, %244) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%248) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%244) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %250 = "ttnn.layer_norm"(%249, %arg165, %arg166) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg166) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg165) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %251 = "ttnn.linear"(%250, %arg167, %arg168) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg168) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg167) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %252 = "ttnn.reshape"(%251) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%251) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %253 = "ttnn.permute"(%252) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%252) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %254 = "ttnn.linear"(%250, %arg169, %arg170) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg170) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg169) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %255 = "ttnn.reshape"(%254) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%254) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %256 = "ttnn.permute"(%255) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%255) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %257 = "ttnn.linear"(%250, %arg171, %arg172) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%250) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg172) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg171) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %258 = "ttnn.reshape"(%257) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%257) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %259 = "ttnn.permute"(%258) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%258) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %260 = "ttnn.transpose"(%256) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%256) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %261 = "ttnn.matmul"(%253, %260) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%260) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%253) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %262 = "ttnn.multiply"(%261, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%261) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %263 = "ttnn.softmax"(%262) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%262) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %264 = "ttnn.matmul"(%263, %259) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%263) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%259) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %265 = "ttnn.permute"(%264) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%264) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %266 = "ttnn.reshape"(%265) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%265) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %267 = "ttnn.linear"(%266, %arg173, %arg174) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%266) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg174) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg173) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %268 = "ttnn.add"(%267, %249) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%267) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%249) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %269 = "ttnn.layer_norm"(%268, %arg175, %arg176) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg176) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg175) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %270 = "ttnn.linear"(%269, %arg177, %arg178) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%269) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg178) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg177) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %271 = "ttnn.gelu"(%270) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%270) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %272 = "ttnn.linear"(%271, %arg179, %arg180) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%271) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg180) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg179) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %273 = "ttnn.add"(%272, %268) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%272) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%268) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %274 = "ttnn.layer_norm"(%273, %arg181, %arg182) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg182) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg181) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %275 = "ttnn.linear"(%274, %arg183, %arg184) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg184) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg183) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %276 = "ttnn.reshape"(%275) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%275) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %277 = "ttnn.permute"(%276) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%276) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %278 = "ttnn.linear"(%274, %arg185, %arg186) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg186) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg185) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %279 = "ttnn.reshape"(%278) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%278) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %280 = "ttnn.permute"(%279) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%279) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %281 = "ttnn.linear"(%274, %arg187, %arg188) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%274) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg188) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg187) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %282 = "ttnn.reshape"(%281) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%281) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %283 = "ttnn.permute"(%282) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%282) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %284 = "ttnn.transpose"(%280) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%280) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %285 = "ttnn.matmul"(%277, %284) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%284) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%277) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %286 = "ttnn.multiply"(%285, %19) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%285) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%19) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %287 = "ttnn.softmax"(%286) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%286) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %288 = "ttnn.matmul"(%287, %283) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%287) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%283) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %289 = "ttnn.permute"(%288) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%288) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %290 = "ttnn.reshape"(%289) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%289) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %291 = "ttnn.linear"(%290, %arg189, %arg190) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%290) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg190) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg189) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %292 = "ttnn.add"(%291, %273) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%291) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%273) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %293 = "ttnn.layer_norm"(%292, %arg191, %arg192) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg192) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg191) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %294 = "ttnn.linear"(%293, %arg193, %arg194) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%293) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg194) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg193) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %295 = "ttnn.gelu"(%294) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%294) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %296 = "ttnn.linear"(%295, %arg195, %arg196) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%295) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg196) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg195) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %297 = "ttnn.add"(%296, %292) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%296) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%292) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %298 = "ttnn.layer_norm"(%297, %arg197, %arg198) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%297) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg198) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg197) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %299 = "ttnn.slice_static"(%298) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [8 : i32, 1 : i32, 768 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x1x768xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%298) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %300 = "ttnn.reshape"(%299) <{shape = [8 : i32, 768 : i32]}> : (tensor<8x1x768xbf16, #ttnn_layout17>) -> tensor<8x768xbf16, #ttnn_layout25>
        "ttnn.deallocate"(%299) <{force = false}> : (tensor<8x1x768xbf16, #ttnn_layout17>) -> ()
        %301 = "ttnn.linear"(%300, %arg199, %arg200) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x768xbf16, #ttnn_layout25>, tensor<768x1000xbf16, #ttnn_layout10>, tensor<1000xbf16, #ttnn_layout11>) -> tensor<8x1000xbf16, #ttnn_layout12>
        "ttnn.deallocate"(%300) <{force = false}> : (tensor<8x768xbf16, #ttnn_layout25>) -> ()
        "ttnn.deallocate"(%arg200) <{force = false}> : (tensor<1000xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg199) <{force = false}> : (tensor<768x1000xbf16, #ttnn_layout10>) -> ()
        return %301 : tensor<8x1000xbf16, #ttnn_layout12>
      }
    }
  }
}
