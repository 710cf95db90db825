// A text encoder: causal attention over 13 tokens of two texts, which fill no tiles.
module {
  func.func @main(
    %arg0: tensor<2x13xi32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<32x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg2: tensor<13x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg3: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg5: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg6: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg7: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg8: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg9: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg10: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg11: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg12: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg13: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg14: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg15: tensor<128x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg16: tensor<128xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg17: tensor<64x128xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg18: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> tensor<2x13x64xf32> {
    %0 = "ttir.typecast"(%arg0) <{conservative_folding = false}> : (tensor<2x13xi32>) -> tensor<2x13xui32>
    %1 = "ttir.embedding"(%0, %arg1) : (tensor<2x13xui32>, tensor<32x64xf32>) -> tensor<2x13x64xf32>
    %2 = "ttir.reshape"(%arg2) <{shape = [1 : i32, 13 : i32, 64 : i32]}> : (tensor<13x64xf32>) -> tensor<1x13x64xf32>
    %3 = "ttir.broadcast"(%2) <{broadcast_dimensions = array<i64: 2, 1, 1>}> : (tensor<1x13x64xf32>) -> tensor<2x13x64xf32>
    %4 = "ttir.add"(%1, %3) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %5 = "ttir.arange"() <{arange_dimension = 0 : i64, end = 13 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<13xi32>
    %6 = "ttir.reshape"(%5) <{shape = [1 : i32, 13 : i32]}> : (tensor<13xi32>) -> tensor<1x13xi32>
    %7 = "ttir.broadcast"(%6) <{broadcast_dimensions = array<i64: 13, 1>}> : (tensor<1x13xi32>) -> tensor<13x13xi32>
    %8 = "ttir.reshape"(%5) <{shape = [13 : i32, 1 : i32]}> : (tensor<13xi32>) -> tensor<13x1xi32>
    %9 = "ttir.broadcast"(%8) <{broadcast_dimensions = array<i64: 1, 13>}> : (tensor<13x1xi32>) -> tensor<13x13xi32>
    %10 = "ttir.gt"(%7, %9) : (tensor<13x13xi32>, tensor<13x13xi32>) -> tensor<13x13xi1>
    %11 = "ttir.constant"() <{value = dense<0xFF800000> : tensor<13x13xf32>}> : () -> tensor<13x13xf32>
    %12 = "ttir.constant"() <{value = dense<0.000000e+00> : tensor<13x13xf32>}> : () -> tensor<13x13xf32>
    %13 = "ttir.where"(%10, %11, %12) : (tensor<13x13xi1>, tensor<13x13xf32>, tensor<13x13xf32>) -> tensor<13x13xf32>
    %14 = "ttir.reshape"(%13) <{shape = [1 : i32, 1 : i32, 13 : i32, 13 : i32]}> : (tensor<13x13xf32>) -> tensor<1x1x13x13xf32>
    %15 = "ttir.typecast"(%4) <{conservative_folding = false}> : (tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %16 = "ttir.sum"(%15) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<2x13x64xf32>) -> tensor<2x13xf32>
    %17 = "ttir.constant"() <{value = dense<1.562500e-02> : tensor<2x13xf32>}> : () -> tensor<2x13xf32>
    %18 = "ttir.multiply"(%16, %17) : (tensor<2x13xf32>, tensor<2x13xf32>) -> tensor<2x13xf32>
    %19 = "ttir.reshape"(%18) <{shape = [2 : i32, 13 : i32, 1 : i32]}> : (tensor<2x13xf32>) -> tensor<2x13x1xf32>
    %20 = "ttir.broadcast"(%19) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<2x13x1xf32>) -> tensor<2x13x64xf32>
    %21 = "ttir.subtract"(%15, %20) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %22 = "ttir.multiply"(%21, %21) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %23 = "ttir.sum"(%22) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<2x13x64xf32>) -> tensor<2x13xf32>
    %24 = "ttir.constant"() <{value = dense<1.562500e-02> : tensor<2x13xf32>}> : () -> tensor<2x13xf32>
    %25 = "ttir.multiply"(%23, %24) : (tensor<2x13xf32>, tensor<2x13xf32>) -> tensor<2x13xf32>
    %26 = "ttir.reshape"(%25) <{shape = [2 : i32, 13 : i32, 1 : i32]}> : (tensor<2x13xf32>) -> tensor<2x13x1xf32>
    %27 = "ttir.constant"() <{value = dense<1.000000e-05> : tensor<2x13x1xf32>}> : () -> tensor<2x13x1xf32>
    %28 = "ttir.add"(%26, %27) : (tensor<2x13x1xf32>, tensor<2x13x1xf32>) -> tensor<2x13x1xf32>
    %29 = "ttir.rsqrt"(%28) : (tensor<2x13x1xf32>) -> tensor<2x13x1xf32>
    %30 = "ttir.broadcast"(%29) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<2x13x1xf32>) -> tensor<2x13x64xf32>
    %31 = "ttir.multiply"(%21, %30) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %32 = "ttir.typecast"(%31) <{conservative_folding = false}> : (tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %33 = "ttir.reshape"(%arg3) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %34 = "ttir.broadcast"(%33) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %35 = "ttir.multiply"(%32, %34) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %36 = "ttir.reshape"(%arg4) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %37 = "ttir.broadcast"(%36) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %38 = "ttir.add"(%35, %37) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %39 = "ttir.reshape"(%38) <{shape = [26 : i32, 64 : i32]}> : (tensor<2x13x64xf32>) -> tensor<26x64xf32>
    %40 = "ttir.permute"(%arg5) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %41 = "ttir.dot_general"(%39, %40) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<26x64xf32>, tensor<64x64xf32>) -> tensor<26x64xf32>
    %42 = "ttir.reshape"(%41) <{shape = [2 : i32, 13 : i32, 64 : i32]}> : (tensor<26x64xf32>) -> tensor<2x13x64xf32>
    %43 = "ttir.reshape"(%arg6) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %44 = "ttir.broadcast"(%43) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %45 = "ttir.add"(%42, %44) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %46 = "ttir.reshape"(%45) <{shape = [2 : i32, 13 : i32, 2 : i32, 32 : i32]}> : (tensor<2x13x64xf32>) -> tensor<2x13x2x32xf32>
    %47 = "ttir.permute"(%46) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x13x2x32xf32>) -> tensor<2x2x13x32xf32>
    %48 = "ttir.reshape"(%38) <{shape = [26 : i32, 64 : i32]}> : (tensor<2x13x64xf32>) -> tensor<26x64xf32>
    %49 = "ttir.permute"(%arg7) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %50 = "ttir.dot_general"(%48, %49) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<26x64xf32>, tensor<64x64xf32>) -> tensor<26x64xf32>
    %51 = "ttir.reshape"(%50) <{shape = [2 : i32, 13 : i32, 64 : i32]}> : (tensor<26x64xf32>) -> tensor<2x13x64xf32>
    %52 = "ttir.reshape"(%arg8) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %53 = "ttir.broadcast"(%52) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %54 = "ttir.add"(%51, %53) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %55 = "ttir.reshape"(%54) <{shape = [2 : i32, 13 : i32, 2 : i32, 32 : i32]}> : (tensor<2x13x64xf32>) -> tensor<2x13x2x32xf32>
    %56 = "ttir.permute"(%55) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x13x2x32xf32>) -> tensor<2x2x13x32xf32>
    %57 = "ttir.reshape"(%38) <{shape = [26 : i32, 64 : i32]}> : (tensor<2x13x64xf32>) -> tensor<26x64xf32>
    %58 = "ttir.permute"(%arg9) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %59 = "ttir.dot_general"(%57, %58) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<26x64xf32>, tensor<64x64xf32>) -> tensor<26x64xf32>
    %60 = "ttir.reshape"(%59) <{shape = [2 : i32, 13 : i32, 64 : i32]}> : (tensor<26x64xf32>) -> tensor<2x13x64xf32>
    %61 = "ttir.reshape"(%arg10) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %62 = "ttir.broadcast"(%61) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %63 = "ttir.add"(%60, %62) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %64 = "ttir.reshape"(%63) <{shape = [2 : i32, 13 : i32, 2 : i32, 32 : i32]}> : (tensor<2x13x64xf32>) -> tensor<2x13x2x32xf32>
    %65 = "ttir.permute"(%64) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x13x2x32xf32>) -> tensor<2x2x13x32xf32>
    %66 = "ttir.dot_general"(%47, %56) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 3>}> : (tensor<2x2x13x32xf32>, tensor<2x2x13x32xf32>) -> tensor<2x2x13x13xf32>
    %67 = "ttir.constant"() <{value = dense<1.250000e-01> : tensor<2x2x13x13xf32>}> : () -> tensor<2x2x13x13xf32>
    %68 = "ttir.multiply"(%66, %67) : (tensor<2x2x13x13xf32>, tensor<2x2x13x13xf32>) -> tensor<2x2x13x13xf32>
    %69 = "ttir.broadcast"(%14) <{broadcast_dimensions = array<i64: 2, 2, 1, 1>}> : (tensor<1x1x13x13xf32>) -> tensor<2x2x13x13xf32>
    %70 = "ttir.add"(%68, %69) : (tensor<2x2x13x13xf32>, tensor<2x2x13x13xf32>) -> tensor<2x2x13x13xf32>
    %71 = "ttir.max"(%70) <{dim_arg = [3 : i32], keep_dim = false}> : (tensor<2x2x13x13xf32>) -> tensor<2x2x13xf32>
    %72 = "ttir.reshape"(%71) <{shape = [2 : i32, 2 : i32, 13 : i32, 1 : i32]}> : (tensor<2x2x13xf32>) -> tensor<2x2x13x1xf32>
    %73 = "ttir.broadcast"(%72) <{broadcast_dimensions = array<i64: 1, 1, 1, 13>}> : (tensor<2x2x13x1xf32>) -> tensor<2x2x13x13xf32>
    %74 = "ttir.subtract"(%70, %73) : (tensor<2x2x13x13xf32>, tensor<2x2x13x13xf32>) -> tensor<2x2x13x13xf32>
    %75 = "ttir.exp"(%74) : (tensor<2x2x13x13xf32>) -> tensor<2x2x13x13xf32>
    %76 = "ttir.sum"(%75) <{dim_arg = [3 : i32], keep_dim = false}> : (tensor<2x2x13x13xf32>) -> tensor<2x2x13xf32>
    %77 = "ttir.reshape"(%76) <{shape = [2 : i32, 2 : i32, 13 : i32, 1 : i32]}> : (tensor<2x2x13xf32>) -> tensor<2x2x13x1xf32>
    %78 = "ttir.broadcast"(%77) <{broadcast_dimensions = array<i64: 1, 1, 1, 13>}> : (tensor<2x2x13x1xf32>) -> tensor<2x2x13x13xf32>
    %79 = "ttir.div"(%75, %78) : (tensor<2x2x13x13xf32>, tensor<2x2x13x13xf32>) -> tensor<2x2x13x13xf32>
    %80 = "ttir.dot_general"(%79, %65) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 2>}> : (tensor<2x2x13x13xf32>, tensor<2x2x13x32xf32>) -> tensor<2x2x13x32xf32>
    %81 = "ttir.permute"(%80) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x2x13x32xf32>) -> tensor<2x13x2x32xf32>
    %82 = "ttir.reshape"(%81) <{shape = [2 : i32, 13 : i32, 64 : i32]}> : (tensor<2x13x2x32xf32>) -> tensor<2x13x64xf32>
    %83 = "ttir.reshape"(%82) <{shape = [26 : i32, 64 : i32]}> : (tensor<2x13x64xf32>) -> tensor<26x64xf32>
    %84 = "ttir.permute"(%arg11) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %85 = "ttir.dot_general"(%83, %84) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<26x64xf32>, tensor<64x64xf32>) -> tensor<26x64xf32>
    %86 = "ttir.reshape"(%85) <{shape = [2 : i32, 13 : i32, 64 : i32]}> : (tensor<26x64xf32>) -> tensor<2x13x64xf32>
    %87 = "ttir.reshape"(%arg12) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %88 = "ttir.broadcast"(%87) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %89 = "ttir.add"(%86, %88) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %90 = "ttir.add"(%4, %89) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %91 = "ttir.typecast"(%90) <{conservative_folding = false}> : (tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %92 = "ttir.sum"(%91) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<2x13x64xf32>) -> tensor<2x13xf32>
    %93 = "ttir.constant"() <{value = dense<1.562500e-02> : tensor<2x13xf32>}> : () -> tensor<2x13xf32>
    %94 = "ttir.multiply"(%92, %93) : (tensor<2x13xf32>, tensor<2x13xf32>) -> tensor<2x13xf32>
    %95 = "ttir.reshape"(%94) <{shape = [2 : i32, 13 : i32, 1 : i32]}> : (tensor<2x13xf32>) -> tensor<2x13x1xf32>
    %96 = "ttir.broadcast"(%95) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<2x13x1xf32>) -> tensor<2x13x64xf32>
    %97 = "ttir.subtract"(%91, %96) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %98 = "ttir.multiply"(%97, %97) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %99 = "ttir.sum"(%98) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<2x13x64xf32>) -> tensor<2x13xf32>
    %100 = "ttir.constant"() <{value = dense<1.562500e-02> : tensor<2x13xf32>}> : () -> tensor<2x13xf32>
    %101 = "ttir.multiply"(%99, %100) : (tensor<2x13xf32>, tensor<2x13xf32>) -> tensor<2x13xf32>
    %102 = "ttir.reshape"(%101) <{shape = [2 : i32, 13 : i32, 1 : i32]}> : (tensor<2x13xf32>) -> tensor<2x13x1xf32>
    %103 = "ttir.constant"() <{value = dense<1.000000e-05> : tensor<2x13x1xf32>}> : () -> tensor<2x13x1xf32>
    %104 = "ttir.add"(%102, %103) : (tensor<2x13x1xf32>, tensor<2x13x1xf32>) -> tensor<2x13x1xf32>
    %105 = "ttir.rsqrt"(%104) : (tensor<2x13x1xf32>) -> tensor<2x13x1xf32>
    %106 = "ttir.broadcast"(%105) <{broadcast_dimensions = array<i64: 1, 1, 64>}> : (tensor<2x13x1xf32>) -> tensor<2x13x64xf32>
    %107 = "ttir.multiply"(%97, %106) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %108 = "ttir.typecast"(%107) <{conservative_folding = false}> : (tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %109 = "ttir.reshape"(%arg13) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %110 = "ttir.broadcast"(%109) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %111 = "ttir.multiply"(%108, %110) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %112 = "ttir.reshape"(%arg14) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %113 = "ttir.broadcast"(%112) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %114 = "ttir.add"(%111, %113) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %115 = "ttir.reshape"(%114) <{shape = [26 : i32, 64 : i32]}> : (tensor<2x13x64xf32>) -> tensor<26x64xf32>
    %116 = "ttir.permute"(%arg15) <{permutation = array<i64: 1, 0>}> : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %117 = "ttir.dot_general"(%115, %116) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<26x64xf32>, tensor<64x128xf32>) -> tensor<26x128xf32>
    %118 = "ttir.reshape"(%117) <{shape = [2 : i32, 13 : i32, 128 : i32]}> : (tensor<26x128xf32>) -> tensor<2x13x128xf32>
    %119 = "ttir.reshape"(%arg16) <{shape = [1 : i32, 1 : i32, 128 : i32]}> : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %120 = "ttir.broadcast"(%119) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x128xf32>) -> tensor<2x13x128xf32>
    %121 = "ttir.add"(%118, %120) : (tensor<2x13x128xf32>, tensor<2x13x128xf32>) -> tensor<2x13x128xf32>
    %122 = "ttir.constant"() <{value = dense<1.750000e+00> : tensor<2x13x128xf32>}> : () -> tensor<2x13x128xf32>
    %123 = "ttir.multiply"(%121, %122) : (tensor<2x13x128xf32>, tensor<2x13x128xf32>) -> tensor<2x13x128xf32>
    %124 = "ttir.sigmoid"(%123) : (tensor<2x13x128xf32>) -> tensor<2x13x128xf32>
    %125 = "ttir.multiply"(%121, %124) : (tensor<2x13x128xf32>, tensor<2x13x128xf32>) -> tensor<2x13x128xf32>
    %126 = "ttir.reshape"(%125) <{shape = [26 : i32, 128 : i32]}> : (tensor<2x13x128xf32>) -> tensor<26x128xf32>
    %127 = "ttir.permute"(%arg17) <{permutation = array<i64: 1, 0>}> : (tensor<64x128xf32>) -> tensor<128x64xf32>
    %128 = "ttir.dot_general"(%126, %127) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<26x128xf32>, tensor<128x64xf32>) -> tensor<26x64xf32>
    %129 = "ttir.reshape"(%128) <{shape = [2 : i32, 13 : i32, 64 : i32]}> : (tensor<26x64xf32>) -> tensor<2x13x64xf32>
    %130 = "ttir.reshape"(%arg18) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %131 = "ttir.broadcast"(%130) <{broadcast_dimensions = array<i64: 2, 13, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x13x64xf32>
    %132 = "ttir.add"(%129, %131) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    %133 = "ttir.add"(%90, %132) : (tensor<2x13x64xf32>, tensor<2x13x64xf32>) -> tensor<2x13x64xf32>
    return %133 : tensor<2x13x64xf32>
  }
}
