// A row of 1,024 indices, of which JAX counts the negative ones from the end.
#dram = #ttnn.buffer_type<dram>
#ttnn_layout_1024_bf16_rows = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1024xbf16, #dram>, <interleaved>>
#ttnn_layout_1024_bf16 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @main(%x: tensor<1024xbf16, #ttnn_layout_1024_bf16_rows>) -> (tensor<1024xbf16, #ttnn_layout_1024_bf16_rows>) {
    %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
    %zero = "ttnn.full"(%d) <{fill_value = 0.000000e+00 : f32, shape = #ttnn.shape<1024>}> : (!ttnn.device) -> tensor<1024xbf16, #ttnn_layout_1024_bf16>
    %rows = "ttnn.full"(%d) <{fill_value = 2.560000e+02 : f32, shape = #ttnn.shape<1024>}> : (!ttnn.device) -> tensor<1024xbf16, #ttnn_layout_1024_bf16>
    %0 = "ttnn.to_layout"(%x) : (tensor<1024xbf16, #ttnn_layout_1024_bf16_rows>) -> tensor<1024xbf16, #ttnn_layout_1024_bf16>
    %1 = "ttnn.gt"(%zero, %0) : (tensor<1024xbf16, #ttnn_layout_1024_bf16>, tensor<1024xbf16, #ttnn_layout_1024_bf16>) -> tensor<1024xbf16, #ttnn_layout_1024_bf16>
    %2 = "ttnn.add"(%0, %rows) : (tensor<1024xbf16, #ttnn_layout_1024_bf16>, tensor<1024xbf16, #ttnn_layout_1024_bf16>) -> tensor<1024xbf16, #ttnn_layout_1024_bf16>
    %3 = "ttnn.where"(%1, %2, %0) : (tensor<1024xbf16, #ttnn_layout_1024_bf16>, tensor<1024xbf16, #ttnn_layout_1024_bf16>, tensor<1024xbf16, #ttnn_layout_1024_bf16>) -> tensor<1024xbf16, #ttnn_layout_1024_bf16>
    %4 = "ttnn.to_layout"(%3) : (tensor<1024xbf16, #ttnn_layout_1024_bf16>) -> tensor<1024xbf16, #ttnn_layout_1024_bf16_rows>
    return %4 : tensor<1024xbf16, #ttnn_layout_1024_bf16_rows>
  }
}
