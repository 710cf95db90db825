// The convolution in front of the state space model of Mamba 2.8B: 5,120 channels, which fit the vector form only in shards.
func.func @main(%x: tensor<1x131x5120xbf16>, %w: tensor<5120x1x4xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<1x1x5120xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x128x5120xbf16> {
  %0 = "ttir.conv1d"(%x, %w) <{dilation = 1 : i32, groups = 5120 : i32, padding = array<i32: 0, 0>, stride = 1 : i32}> : (tensor<1x131x5120xbf16>, tensor<5120x1x4xbf16>) -> tensor<1x128x5120xbf16>
  %1 = "ttir.add"(%0, %b) : (tensor<1x128x5120xbf16>, tensor<1x1x5120xbf16>) -> tensor<1x128x5120xbf16>
  %2 = "ttir.silu"(%1) : (tensor<1x128x5120xbf16>) -> tensor<1x128x5120xbf16>
  return %2 : tensor<1x128x5120xbf16>
}
