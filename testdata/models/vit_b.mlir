#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 103712, erisc_l1_unreserved_base = 103712, dram_unreserved_base = 1024, dram_unreserved_end = 1073741824, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
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
        "ttnn.deallocate"(%19) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
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
        %44 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %45 = "ttnn.transpose"(%40) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%40) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %46 = "ttnn.matmul"(%37, %45) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%45) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%37) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %47 = "ttnn.multiply"(%46, %44) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%46) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%44) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %48 = "ttnn.softmax"(%47) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%47) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %49 = "ttnn.matmul"(%48, %43) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%48) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%43) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %50 = "ttnn.permute"(%49) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%49) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %51 = "ttnn.reshape"(%50) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%50) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %52 = "ttnn.linear"(%51, %arg29, %arg30) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%51) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg30) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg29) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %53 = "ttnn.add"(%52, %33) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%52) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%33) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %54 = "ttnn.layer_norm"(%53, %arg31, %arg32) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg32) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg31) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %55 = "ttnn.linear"(%54, %arg33, %arg34) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%54) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg34) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg33) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %56 = "ttnn.gelu"(%55) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%55) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %57 = "ttnn.linear"(%56, %arg35, %arg36) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%56) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg36) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg35) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %58 = "ttnn.add"(%57, %53) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%57) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%53) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %59 = "ttnn.layer_norm"(%58, %arg37, %arg38) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg38) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg37) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %60 = "ttnn.linear"(%59, %arg39, %arg40) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg40) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg39) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %61 = "ttnn.reshape"(%60) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%60) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %62 = "ttnn.permute"(%61) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%61) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %63 = "ttnn.linear"(%59, %arg41, %arg42) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg42) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg41) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %64 = "ttnn.reshape"(%63) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%63) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %65 = "ttnn.permute"(%64) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%64) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %66 = "ttnn.linear"(%59, %arg43, %arg44) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%59) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg44) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg43) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %67 = "ttnn.reshape"(%66) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%66) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %68 = "ttnn.permute"(%67) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%67) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %69 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %70 = "ttnn.transpose"(%65) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%65) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %71 = "ttnn.matmul"(%62, %70) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%70) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%62) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %72 = "ttnn.multiply"(%71, %69) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%71) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%69) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %73 = "ttnn.softmax"(%72) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%72) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %74 = "ttnn.matmul"(%73, %68) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%73) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%68) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %75 = "ttnn.permute"(%74) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%74) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %76 = "ttnn.reshape"(%75) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%75) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %77 = "ttnn.linear"(%76, %arg45, %arg46) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%76) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg46) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg45) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %78 = "ttnn.add"(%77, %58) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%77) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%58) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %79 = "ttnn.layer_norm"(%78, %arg47, %arg48) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg48) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg47) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %80 = "ttnn.linear"(%79, %arg49, %arg50) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%79) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg50) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg49) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %81 = "ttnn.gelu"(%80) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%80) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %82 = "ttnn.linear"(%81, %arg51, %arg52) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%81) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg52) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg51) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %83 = "ttnn.add"(%82, %78) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%82) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%78) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %84 = "ttnn.layer_norm"(%83, %arg53, %arg54) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg54) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg53) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %85 = "ttnn.linear"(%84, %arg55, %arg56) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg56) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg55) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %86 = "ttnn.reshape"(%85) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%85) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %87 = "ttnn.permute"(%86) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%86) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %88 = "ttnn.linear"(%84, %arg57, %arg58) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg58) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg57) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %89 = "ttnn.reshape"(%88) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%88) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %90 = "ttnn.permute"(%89) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%89) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %91 = "ttnn.linear"(%84, %arg59, %arg60) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%84) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg60) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg59) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %92 = "ttnn.reshape"(%91) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%91) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %93 = "ttnn.permute"(%92) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%92) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %94 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %95 = "ttnn.transpose"(%90) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%90) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %96 = "ttnn.matmul"(%87, %95) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%95) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%87) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %97 = "ttnn.multiply"(%96, %94) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%96) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%94) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %98 = "ttnn.softmax"(%97) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%97) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %99 = "ttnn.matmul"(%98, %93) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%98) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%93) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %100 = "ttnn.permute"(%99) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%99) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %101 = "ttnn.reshape"(%100) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%100) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %102 = "ttnn.linear"(%101, %arg61, %arg62) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%101) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg62) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg61) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %103 = "ttnn.add"(%102, %83) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%102) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%83) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %104 = "ttnn.layer_norm"(%103, %arg63, %arg64) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg64) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg63) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %105 = "ttnn.linear"(%104, %arg65, %arg66) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%104) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg66) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg65) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %106 = "ttnn.gelu"(%105) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%105) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %107 = "ttnn.linear"(%106, %arg67, %arg68) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%106) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg68) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg67) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %108 = "ttnn.add"(%107, %103) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%107) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%103) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %109 = "ttnn.layer_norm"(%108, %arg69, %arg70) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg70) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg69) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %110 = "ttnn.linear"(%109, %arg71, %arg72) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg72) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg71) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %111 = "ttnn.reshape"(%110) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%110) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %112 = "ttnn.permute"(%111) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%111) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %113 = "ttnn.linear"(%109, %arg73, %arg74) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg74) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg73) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %114 = "ttnn.reshape"(%113) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%113) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %115 = "ttnn.permute"(%114) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%114) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %116 = "ttnn.linear"(%109, %arg75, %arg76) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%109) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg76) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg75) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %117 = "ttnn.reshape"(%116) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%116) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %118 = "ttnn.permute"(%117) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%117) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %119 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %120 = "ttnn.transpose"(%115) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%115) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %121 = "ttnn.matmul"(%112, %120) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%120) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%112) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %122 = "ttnn.multiply"(%121, %119) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%121) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%119) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %123 = "ttnn.softmax"(%122) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%122) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %124 = "ttnn.matmul"(%123, %118) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%123) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%118) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %125 = "ttnn.permute"(%124) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%124) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %126 = "ttnn.reshape"(%125) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%125) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %127 = "ttnn.linear"(%126, %arg77, %arg78) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%126) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg78) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg77) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %128 = "ttnn.add"(%127, %108) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%127) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%108) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %129 = "ttnn.layer_norm"(%128, %arg79, %arg80) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg80) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg79) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %130 = "ttnn.linear"(%129, %arg81, %arg82) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%129) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg82) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg81) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %131 = "ttnn.gelu"(%130) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%130) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %132 = "ttnn.linear"(%131, %arg83, %arg84) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%131) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg84) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg83) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %133 = "ttnn.add"(%132, %128) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%132) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%128) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %134 = "ttnn.layer_norm"(%133, %arg85, %arg86) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg86) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg85) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %135 = "ttnn.linear"(%134, %arg87, %arg88) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg88) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg87) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %136 = "ttnn.reshape"(%135) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%135) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %137 = "ttnn.permute"(%136) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%136) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %138 = "ttnn.linear"(%134, %arg89, %arg90) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg90) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg89) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %139 = "ttnn.reshape"(%138) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%138) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %140 = "ttnn.permute"(%139) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%139) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %141 = "ttnn.linear"(%134, %arg91, %arg92) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%134) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg92) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg91) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %142 = "ttnn.reshape"(%141) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%141) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %143 = "ttnn.permute"(%142) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%142) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %144 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %145 = "ttnn.transpose"(%140) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%140) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %146 = "ttnn.matmul"(%137, %145) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%145) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%137) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %147 = "ttnn.multiply"(%146, %144) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%146) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%144) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %148 = "ttnn.softmax"(%147) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%147) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %149 = "ttnn.matmul"(%148, %143) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%148) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%143) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %150 = "ttnn.permute"(%149) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%149) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %151 = "ttnn.reshape"(%150) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%150) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %152 = "ttnn.linear"(%151, %arg93, %arg94) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%151) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg94) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg93) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %153 = "ttnn.add"(%152, %133) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%152) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%133) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %154 = "ttnn.layer_norm"(%153, %arg95, %arg96) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg96) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg95) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %155 = "ttnn.linear"(%154, %arg97, %arg98) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%154) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg98) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg97) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %156 = "ttnn.gelu"(%155) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%155) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %157 = "ttnn.linear"(%156, %arg99, %arg100) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%156) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg100) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg99) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %158 = "ttnn.add"(%157, %153) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%157) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%153) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %159 = "ttnn.layer_norm"(%158, %arg101, %arg102) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg102) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg101) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %160 = "ttnn.linear"(%159, %arg103, %arg104) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg104) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg103) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %161 = "ttnn.reshape"(%160) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%160) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %162 = "ttnn.permute"(%161) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%161) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %163 = "ttnn.linear"(%159, %arg105, %arg106) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg106) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg105) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %164 = "ttnn.reshape"(%163) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%163) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %165 = "ttnn.permute"(%164) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%164) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %166 = "ttnn.linear"(%159, %arg107, %arg108) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%159) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg108) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg107) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %167 = "ttnn.reshape"(%166) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%166) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %168 = "ttnn.permute"(%167) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%167) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %169 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %170 = "ttnn.transpose"(%165) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%165) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %171 = "ttnn.matmul"(%162, %170) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%170) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%162) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %172 = "ttnn.multiply"(%171, %169) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%171) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%169) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %173 = "ttnn.softmax"(%172) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%172) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %174 = "ttnn.matmul"(%173, %168) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%173) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%168) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %175 = "ttnn.permute"(%174) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%174) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %176 = "ttnn.reshape"(%175) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%175) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %177 = "ttnn.linear"(%176, %arg109, %arg110) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%176) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg110) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg109) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %178 = "ttnn.add"(%177, %158) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%177) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%158) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %179 = "ttnn.layer_norm"(%178, %arg111, %arg112) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg112) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg111) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %180 = "ttnn.linear"(%179, %arg113, %arg114) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%179) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg114) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg113) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %181 = "ttnn.gelu"(%180) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%180) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %182 = "ttnn.linear"(%181, %arg115, %arg116) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%181) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg116) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg115) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %183 = "ttnn.add"(%182, %178) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%182) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%178) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %184 = "ttnn.layer_norm"(%183, %arg117, %arg118) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg118) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg117) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %185 = "ttnn.linear"(%184, %arg119, %arg120) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg120) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg119) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %186 = "ttnn.reshape"(%185) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%185) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %187 = "ttnn.permute"(%186) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%186) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %188 = "ttnn.linear"(%184, %arg121, %arg122) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg122) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg121) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %189 = "ttnn.reshape"(%188) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%188) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %190 = "ttnn.permute"(%189) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%189) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %191 = "ttnn.linear"(%184, %arg123, %arg124) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%184) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg124) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg123) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %192 = "ttnn.reshape"(%191) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%191) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %193 = "ttnn.permute"(%192) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%192) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %194 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %195 = "ttnn.transpose"(%190) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%190) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %196 = "ttnn.matmul"(%187, %195) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%195) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%187) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %197 = "ttnn.multiply"(%196, %194) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%196) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%194) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %198 = "ttnn.softmax"(%197) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%197) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %199 = "ttnn.matmul"(%198, %193) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%198) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%193) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %200 = "ttnn.permute"(%199) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%199) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %201 = "ttnn.reshape"(%200) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%200) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %202 = "ttnn.linear"(%201, %arg125, %arg126) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%201) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg126) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg125) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %203 = "ttnn.add"(%202, %183) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%202) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%183) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %204 = "ttnn.layer_norm"(%203, %arg127, %arg128) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg128) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg127) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %205 = "ttnn.linear"(%204, %arg129, %arg130) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%204) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg130) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg129) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %206 = "ttnn.gelu"(%205) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%205) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %207 = "ttnn.linear"(%206, %arg131, %arg132) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%206) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg132) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg131) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %208 = "ttnn.add"(%207, %203) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%207) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%203) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %209 = "ttnn.layer_norm"(%208, %arg133, %arg134) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg134) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg133) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %210 = "ttnn.linear"(%209, %arg135, %arg136) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg136) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg135) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %211 = "ttnn.reshape"(%210) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%210) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %212 = "ttnn.permute"(%211) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%211) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %213 = "ttnn.linear"(%209, %arg137, %arg138) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg138) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg137) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %214 = "ttnn.reshape"(%213) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%213) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %215 = "ttnn.permute"(%214) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%214) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %216 = "ttnn.linear"(%209, %arg139, %arg140) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%209) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg140) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg139) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %217 = "ttnn.reshape"(%216) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%216) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %218 = "ttnn.permute"(%217) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%217) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %219 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %220 = "ttnn.transpose"(%215) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%215) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %221 = "ttnn.matmul"(%212, %220) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%220) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%212) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %222 = "ttnn.multiply"(%221, %219) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%221) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%219) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %223 = "ttnn.softmax"(%222) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%222) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %224 = "ttnn.matmul"(%223, %218) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%223) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%218) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %225 = "ttnn.permute"(%224) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%224) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %226 = "ttnn.reshape"(%225) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%225) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %227 = "ttnn.linear"(%226, %arg141, %arg142) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%226) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg142) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg141) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %228 = "ttnn.add"(%227, %208) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%227) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%208) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %229 = "ttnn.layer_norm"(%228, %arg143, %arg144) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg144) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg143) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %230 = "ttnn.linear"(%229, %arg145, %arg146) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%229) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg146) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg145) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %231 = "ttnn.gelu"(%230) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%230) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %232 = "ttnn.linear"(%231, %arg147, %arg148) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%231) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg148) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg147) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %233 = "ttnn.add"(%232, %228) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%232) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%228) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %234 = "ttnn.layer_norm"(%233, %arg149, %arg150) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg150) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg149) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %235 = "ttnn.linear"(%234, %arg151, %arg152) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg152) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg151) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %236 = "ttnn.reshape"(%235) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%235) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %237 = "ttnn.permute"(%236) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%236) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %238 = "ttnn.linear"(%234, %arg153, %arg154) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg154) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg153) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %239 = "ttnn.reshape"(%238) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%238) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %240 = "ttnn.permute"(%239) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%239) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %241 = "ttnn.linear"(%234, %arg155, %arg156) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%234) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg156) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg155) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %242 = "ttnn.reshape"(%241) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%241) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %243 = "ttnn.permute"(%242) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%242) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %244 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %245 = "ttnn.transpose"(%240) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%240) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %246 = "ttnn.matmul"(%237, %245) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%245) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%237) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %247 = "ttnn.multiply"(%246, %244) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%246) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%244) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %248 = "ttnn.softmax"(%247) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%247) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %249 = "ttnn.matmul"(%248, %243) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%248) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%243) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %250 = "ttnn.permute"(%249) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%249) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %251 = "ttnn.reshape"(%250) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%250) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %252 = "ttnn.linear"(%251, %arg157, %arg158) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%251) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg158) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg157) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %253 = "ttnn.add"(%252, %233) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%252) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%233) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %254 = "ttnn.layer_norm"(%253, %arg159, %arg160) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg160) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg159) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %255 = "ttnn.linear"(%254, %arg161, %arg162) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%254) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg162) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg161) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %256 = "ttnn.gelu"(%255) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%255) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %257 = "ttnn.linear"(%256, %arg163, %arg164) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%256) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg164) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg163) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %258 = "ttnn.add"(%257, %253) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%257) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%253) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %259 = "ttnn.layer_norm"(%258, %arg165, %arg166) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg166) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg165) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %260 = "ttnn.linear"(%259, %arg167, %arg168) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg168) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg167) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %261 = "ttnn.reshape"(%260) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%260) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %262 = "ttnn.permute"(%261) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%261) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %263 = "ttnn.linear"(%259, %arg169, %arg170) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg170) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg169) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %264 = "ttnn.reshape"(%263) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%263) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %265 = "ttnn.permute"(%264) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%264) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %266 = "ttnn.linear"(%259, %arg171, %arg172) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%259) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg172) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg171) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %267 = "ttnn.reshape"(%266) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%266) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %268 = "ttnn.permute"(%267) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%267) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %269 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %270 = "ttnn.transpose"(%265) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%265) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %271 = "ttnn.matmul"(%262, %270) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%270) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%262) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %272 = "ttnn.multiply"(%271, %269) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%271) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%269) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %273 = "ttnn.softmax"(%272) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%272) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %274 = "ttnn.matmul"(%273, %268) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%273) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%268) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %275 = "ttnn.permute"(%274) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%274) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %276 = "ttnn.reshape"(%275) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%275) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %277 = "ttnn.linear"(%276, %arg173, %arg174) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%276) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg174) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg173) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %278 = "ttnn.add"(%277, %258) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%277) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%258) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %279 = "ttnn.layer_norm"(%278, %arg175, %arg176) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg176) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg175) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %280 = "ttnn.linear"(%279, %arg177, %arg178) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%279) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg178) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg177) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %281 = "ttnn.gelu"(%280) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%280) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %282 = "ttnn.linear"(%281, %arg179, %arg180) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%281) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg180) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg179) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %283 = "ttnn.add"(%282, %278) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%282) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%278) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %284 = "ttnn.layer_norm"(%283, %arg181, %arg182) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg182) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg181) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %285 = "ttnn.linear"(%284, %arg183, %arg184) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg184) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg183) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %286 = "ttnn.reshape"(%285) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%285) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %287 = "ttnn.permute"(%286) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%286) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %288 = "ttnn.linear"(%284, %arg185, %arg186) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg186) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg185) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %289 = "ttnn.reshape"(%288) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%288) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %290 = "ttnn.permute"(%289) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%289) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %291 = "ttnn.linear"(%284, %arg187, %arg188) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%284) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg188) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg187) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %292 = "ttnn.reshape"(%291) <{shape = [8 : i32, 197 : i32, 12 : i32, 64 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%291) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %293 = "ttnn.permute"(%292) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%292) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %294 = "ttnn.full"(%3) <{fill_value = 1.250000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> tensor<1x1x1x1xbf16, #ttnn_layout21>
        %295 = "ttnn.transpose"(%290) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x64x197xbf16, #ttnn_layout22>
        "ttnn.deallocate"(%290) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %296 = "ttnn.matmul"(%287, %295) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>, tensor<8x12x64x197xbf16, #ttnn_layout22>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%295) <{force = false}> : (tensor<8x12x64x197xbf16, #ttnn_layout22>) -> ()
        "ttnn.deallocate"(%287) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %297 = "ttnn.multiply"(%296, %294) : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<1x1x1x1xbf16, #ttnn_layout21>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%296) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%294) <{force = false}> : (tensor<1x1x1x1xbf16, #ttnn_layout21>) -> ()
        %298 = "ttnn.softmax"(%297) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, dimension = -1 : si32, numericStable = true}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> tensor<8x12x197x197xbf16, #ttnn_layout23>
        "ttnn.deallocate"(%297) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        %299 = "ttnn.matmul"(%298, %293) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>, tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x12x197x64xbf16, #ttnn_layout20>
        "ttnn.deallocate"(%298) <{force = false}> : (tensor<8x12x197x197xbf16, #ttnn_layout23>) -> ()
        "ttnn.deallocate"(%293) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %300 = "ttnn.permute"(%299) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> tensor<8x197x12x64xbf16, #ttnn_layout19>
        "ttnn.deallocate"(%299) <{force = false}> : (tensor<8x12x197x64xbf16, #ttnn_layout20>) -> ()
        %301 = "ttnn.reshape"(%300) <{shape = [8 : i32, 197 : i32, 768 : i32]}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%300) <{force = false}> : (tensor<8x197x12x64xbf16, #ttnn_layout19>) -> ()
        %302 = "ttnn.linear"(%301, %arg189, %arg190) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x768xbf16, #ttnn_layout6>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%301) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg190) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg189) <{force = false}> : (tensor<768x768xbf16, #ttnn_layout6>) -> ()
        %303 = "ttnn.add"(%302, %283) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%302) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%283) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %304 = "ttnn.layer_norm"(%303, %arg191, %arg192) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%arg192) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg191) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %305 = "ttnn.linear"(%304, %arg193, %arg194) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768x3072xbf16, #ttnn_layout7>, tensor<3072xbf16, #ttnn_layout8>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%304) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg194) <{force = false}> : (tensor<3072xbf16, #ttnn_layout8>) -> ()
        "ttnn.deallocate"(%arg193) <{force = false}> : (tensor<768x3072xbf16, #ttnn_layout7>) -> ()
        %306 = "ttnn.gelu"(%305) : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> tensor<8x197x3072xbf16, #ttnn_layout24>
        "ttnn.deallocate"(%305) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        %307 = "ttnn.linear"(%306, %arg195, %arg196) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>, tensor<3072x768xbf16, #ttnn_layout9>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%306) <{force = false}> : (tensor<8x197x3072xbf16, #ttnn_layout24>) -> ()
        "ttnn.deallocate"(%arg196) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg195) <{force = false}> : (tensor<3072x768xbf16, #ttnn_layout9>) -> ()
        %308 = "ttnn.add"(%307, %303) : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%307) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%303) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %309 = "ttnn.layer_norm"(%308, %arg197, %arg198) <{epsilon = 9.99999997E-7 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x197x768xbf16, #ttnn_layout18>, tensor<768xbf16, #ttnn_layout5>, tensor<768xbf16, #ttnn_layout5>) -> tensor<8x197x768xbf16, #ttnn_layout18>
        "ttnn.deallocate"(%308) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        "ttnn.deallocate"(%arg198) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        "ttnn.deallocate"(%arg197) <{force = false}> : (tensor<768xbf16, #ttnn_layout5>) -> ()
        %310 = "ttnn.slice_static"(%309) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [8 : i32, 1 : i32, 768 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> tensor<8x1x768xbf16, #ttnn_layout17>
        "ttnn.deallocate"(%309) <{force = false}> : (tensor<8x197x768xbf16, #ttnn_layout18>) -> ()
        %311 = "ttnn.reshape"(%310) <{shape = [8 : i32, 768 : i32]}> : (tensor<8x1x768xbf16, #ttnn_layout17>) -> tensor<8x768xbf16, #ttnn_layout25>
        "ttnn.deallocate"(%310) <{force = false}> : (tensor<8x1x768xbf16, #ttnn_layout17>) -> ()
        %312 = "ttnn.linear"(%311, %arg199, %arg200) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = false}> : (tensor<8x768xbf16, #ttnn_layout25>, tensor<768x1000xbf16, #ttnn_layout10>, tensor<1000xbf16, #ttnn_layout11>) -> tensor<8x1000xbf16, #ttnn_layout12>
        "ttnn.deallocate"(%311) <{force = false}> : (tensor<8x768xbf16, #ttnn_layout25>) -> ()
        "ttnn.deallocate"(%arg200) <{force = false}> : (tensor<1000xbf16, #ttnn_layout11>) -> ()
        "ttnn.deallocate"(%arg199) <{force = false}> : (tensor<768x1000xbf16, #ttnn_layout10>) -> ()
        return %312 : tensor<8x1000xbf16, #ttnn_layout12>
      }
    }
  }
}
