// The positional convolution of wav2vec 2.0: 16 groups of 48 channels, a kernel of 127, 10 s of sound.
#dram = #ttnn.buffer_type<dram>
#ttnn_layout_1x1x499x768_bf16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 512 + d1 * 512 + d2, d3), <1x1>, memref<16x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_1x1x1x768_bf16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x24x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_768x48x1x127_bf16_host = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 48 + d1 + d2, d3), <1x1>, memref<36864x127xbf16, #ttnn.buffer_type<system_memory>>>
module {
  func.func @main(%x: tensor<1x1x499x768xbf16, #ttnn_layout_1x1x499x768_bf16>, %w: tensor<768x48x1x127xbf16, #ttnn_layout_768x48x1x127_bf16_host> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<1x1x1x768xbf16, #ttnn_layout_1x1x1x768_bf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x1x499x768xbf16, #ttnn_layout_1x1x499x768_bf16> {
    %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
    %y = "ttnn.conv2d"(%x, %w, %b, %d) <{batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, dilation = array<i32: 1, 1>, groups = 16 : i32, in_channels = 768 : i32, input_height = 1 : i32, input_width = 499 : i32, kernel_size = array<i32: 1, 127>, out_channels = 768 : i32, padding = array<i32: 0, 0, 63, 63>, stride = array<i32: 1, 1>}> : (tensor<1x1x499x768xbf16, #ttnn_layout_1x1x499x768_bf16>, tensor<768x48x1x127xbf16, #ttnn_layout_768x48x1x127_bf16_host>, tensor<1x1x1x768xbf16, #ttnn_layout_1x1x1x768_bf16>, !ttnn.device) -> tensor<1x1x499x768xbf16, #ttnn_layout_1x1x499x768_bf16>
    return %y : tensor<1x1x499x768xbf16, #ttnn_layout_1x1x499x768_bf16>
  }
}
