// An inverted residual of a mobile network: gates by clamps, weights per channel, few channels.
module {
  func.func @main(
    %arg0: tensor<2x16x12x12xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<32x16x1x1xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg2: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg3: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg5: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg6: tensor<32x1x3x3xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg7: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg8: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg9: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg10: tensor<32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg11: tensor<8x32x1x1xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg12: tensor<8xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg13: tensor<32x8x1x1xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg14: tensor<32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg15: tensor<16x32x1x1xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg16: tensor<16xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg17: tensor<16xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg18: tensor<16xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg19: tensor<16xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg20: tensor<10x16xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg21: tensor<10xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> tensor<2x10xf32> {
    %0 = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<2x16x12x12xf32>) -> tensor<2x12x12x16xf32>
    %1 = "ttir.conv2d"(%0, %arg1) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>}> : (tensor<2x12x12x16xf32>, tensor<32x16x1x1xf32>) -> tensor<2x12x12x32xf32>
    %2 = "ttir.permute"(%1) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x12x12x32xf32>) -> tensor<2x32x12x12xf32>
    %3 = "ttir.batch_norm_inference"(%2, %arg2, %arg3, %arg4, %arg5) <{dimension = 1 : i32, epsilon = 9.765625e-04 : f32}> : (tensor<2x32x12x12xf32>, tensor<32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32xbf16>) -> tensor<2x32x12x12xf32>
    %4 = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %5 = "ttir.add"(%3, %4) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %6 = "ttir.constant"() <{value = dense<0.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %7 = "ttir.maximum"(%5, %6) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %8 = "ttir.constant"() <{value = dense<6.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %9 = "ttir.minimum"(%7, %8) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %10 = "ttir.constant"() <{value = dense<6.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %11 = "ttir.div"(%9, %10) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %12 = "ttir.multiply"(%3, %11) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %13 = "ttir.permute"(%12) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<2x32x12x12xf32>) -> tensor<2x12x12x32xf32>
    %14 = "ttir.conv2d"(%13, %arg6) <{dilation = array<i32: 1, 1>, groups = 32 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<2x12x12x32xf32>, tensor<32x1x3x3xf32>) -> tensor<2x12x12x32xf32>
    %15 = "ttir.permute"(%14) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x12x12x32xf32>) -> tensor<2x32x12x12xf32>
    %16 = "ttir.batch_norm_inference"(%15, %arg7, %arg8, %arg9, %arg10) <{dimension = 1 : i32, epsilon = 9.765625e-04 : f32}> : (tensor<2x32x12x12xf32>, tensor<32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32xbf16>) -> tensor<2x32x12x12xf32>
    %17 = "ttir.mean"(%16) <{dim_arg = [2 : i32, 3 : i32], keep_dim = true}> : (tensor<2x32x12x12xf32>) -> tensor<2x32x1x1xf32>
    %18 = "ttir.permute"(%17) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<2x32x1x1xf32>) -> tensor<2x1x1x32xf32>
    %19 = "ttir.conv2d"(%18, %arg11) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>}> : (tensor<2x1x1x32xf32>, tensor<8x32x1x1xf32>) -> tensor<2x1x1x8xf32>
    %20 = "ttir.permute"(%19) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x1x1x8xf32>) -> tensor<2x8x1x1xf32>
    %21 = "ttir.reshape"(%arg12) <{shape = [1 : i32, 8 : i32, 1 : i32, 1 : i32]}> : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %22 = "ttir.broadcast"(%21) <{broadcast_dimensions = array<i64: 2, 1, 1, 1>}> : (tensor<1x8x1x1xf32>) -> tensor<2x8x1x1xf32>
    %23 = "ttir.add"(%20, %22) : (tensor<2x8x1x1xf32>, tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
    %24 = "ttir.relu"(%23) : (tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
    %25 = "ttir.permute"(%24) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<2x8x1x1xf32>) -> tensor<2x1x1x8xf32>
    %26 = "ttir.conv2d"(%25, %arg13) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>}> : (tensor<2x1x1x8xf32>, tensor<32x8x1x1xf32>) -> tensor<2x1x1x32xf32>
    %27 = "ttir.permute"(%26) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x1x1x32xf32>) -> tensor<2x32x1x1xf32>
    %28 = "ttir.reshape"(%arg14) <{shape = [1 : i32, 32 : i32, 1 : i32, 1 : i32]}> : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %29 = "ttir.broadcast"(%28) <{broadcast_dimensions = array<i64: 2, 1, 1, 1>}> : (tensor<1x32x1x1xf32>) -> tensor<2x32x1x1xf32>
    %30 = "ttir.add"(%27, %29) : (tensor<2x32x1x1xf32>, tensor<2x32x1x1xf32>) -> tensor<2x32x1x1xf32>
    %31 = "ttir.sigmoid"(%30) : (tensor<2x32x1x1xf32>) -> tensor<2x32x1x1xf32>
    %32 = "ttir.broadcast"(%31) <{broadcast_dimensions = array<i64: 1, 1, 12, 12>}> : (tensor<2x32x1x1xf32>) -> tensor<2x32x12x12xf32>
    %33 = "ttir.multiply"(%16, %32) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %34 = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %35 = "ttir.add"(%33, %34) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %36 = "ttir.constant"() <{value = dense<0.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %37 = "ttir.maximum"(%35, %36) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %38 = "ttir.constant"() <{value = dense<6.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %39 = "ttir.minimum"(%37, %38) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %40 = "ttir.constant"() <{value = dense<6.000000e+00> : tensor<2x32x12x12xf32>}> : () -> tensor<2x32x12x12xf32>
    %41 = "ttir.div"(%39, %40) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %42 = "ttir.multiply"(%33, %41) : (tensor<2x32x12x12xf32>, tensor<2x32x12x12xf32>) -> tensor<2x32x12x12xf32>
    %43 = "ttir.permute"(%42) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<2x32x12x12xf32>) -> tensor<2x12x12x32xf32>
    %44 = "ttir.conv2d"(%43, %arg15) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>}> : (tensor<2x12x12x32xf32>, tensor<16x32x1x1xf32>) -> tensor<2x12x12x16xf32>
    %45 = "ttir.permute"(%44) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x12x12x16xf32>) -> tensor<2x16x12x12xf32>
    %46 = "ttir.batch_norm_inference"(%45, %arg16, %arg17, %arg18, %arg19) <{dimension = 1 : i32, epsilon = 9.765625e-04 : f32}> : (tensor<2x16x12x12xf32>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<2x16x12x12xf32>
    %47 = "ttir.add"(%arg0, %46) : (tensor<2x16x12x12xf32>, tensor<2x16x12x12xf32>) -> tensor<2x16x12x12xf32>
    %48 = "ttir.mean"(%47) <{dim_arg = [2 : i32, 3 : i32], keep_dim = false}> : (tensor<2x16x12x12xf32>) -> tensor<2x16xf32>
    %49 = "ttir.permute"(%arg20) <{permutation = array<i64: 1, 0>}> : (tensor<10x16xf32>) -> tensor<16x10xf32>
    %50 = "ttir.dot_general"(%48, %49) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>
    %51 = "ttir.reshape"(%50) <{shape = [2 : i32, 10 : i32]}> : (tensor<2x10xf32>) -> tensor<2x10xf32>
    %52 = "ttir.reshape"(%arg21) <{shape = [1 : i32, 10 : i32]}> : (tensor<10xf32>) -> tensor<1x10xf32>
    %53 = "ttir.broadcast"(%52) <{broadcast_dimensions = array<i64: 2, 1>}> : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %54 = "ttir.add"(%51, %53) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    return %54 : tensor<2x10xf32>
  }
}
