"""Calls of libraries by the names of their kernels: knowledge/calls."""

from __future__ import annotations

import pytest

from advisor.explain.explain import explain
from advisor.knowledge.base import catalog
from advisor.knowledge.libraries import libraries, library_of
from advisor.knowledge.library_calls import call_fix, call_rule, calls, calls_of

ATEN = "void at::native::"
ELEMENTS = f"{ATEN}vectorized_elementwise_kernel<(int)4, "
LAMBDA = "::[lambda() (instance 2)]::operator ()() const::[lambda"
CASTS = "at::native::memory::LoadWithCast<(int)1>, at::native::memory::StoreWithCast<(int)1>>(int)"
DIRECT = "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)"
COPY = f"{ATEN}unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &){LAMBDA}() ]"
FILL = "_cuda_scatter_fill_internal_kernel<at::native::OpaqueType<(int)SIZE>, long>::operator ()<TensorAssign>>(int)"
# One kernel of each call, as Nsight Compute prints it.
KERNELS: dict[str, str] = {
    "torch_selection": f"{ATEN}mbtopk::gatherTopK<float, unsigned int, (int)2>(at::cuda::detail::TensorInfo<T1>)",
    "torch_order_statistic": f"{ATEN}<unnamed>::gatherMedian<float, unsigned int, (int)2>(T1)",
    "torch_adaptive_pool": f"{ATEN}<unnamed>::adaptivemaxpool<float>(const T1 *, T1 *, long *, int)",
    "torch_average_pool": f"{ATEN}<unnamed>::avg_pool2d_out_cuda_frame<float, float>(int, const T1 *)",
    "torch_max_pool": f"{ATEN}<unnamed>::max_pool_forward_nchw<float, int>(T2, const T1 *)",
    "torch_depthwise_convolution": f"{ATEN}<unnamed>::conv_depthwise2d_forward_kernel_generic<float, int>(T1)",
    "torch_strided_softmax": f"{ATEN}<unnamed>::cunn_SpatialSoftMaxForward<float, float, float, int>(T3 *)",
    "torch_conversion": f"{COPY}, {CASTS}",
    "torch_pair_distances": f"{ATEN}<unnamed>::cdist_kernel_cuda_impl<float, at::native::dists<float>::one>(T1 *)",
    "torch_outer_scan": f"{ATEN}tensor_kernel_scan_outer_dim_with_indices<float, std::greater_equal<float>>(T1 *)",
    "torch_channel_statistics": f"{ATEN}batch_norm_collect_statistics_kernel<at::native::Var, float>(T1)",
    "torch_resize": f"{ATEN}<unnamed>::upsample_bilinear2d_out_frame<float, float>(int, T2)",
    "torch_reduced_loss": f"{ATEN}<unnamed>::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(T1 *)",
    "torch_narrow_norm": f"{ATEN}<unnamed>::vectorized_layer_norm_kernel<float, float, (bool)0>(int)",
    "torch_fold": f"{ATEN}col2im_batched_kernel<float>(long, const T1 *)",
    "torch_index_add": f"{ATEN}indexFuncLargeIndex<float, long, unsigned int, at::native::ReduceAdd>(T1)",
    "torch_one_hot": f"{ATEN}_scatter_gather_elementwise_kernel<(int)128, {FILL.replace('SIZE', '8')}",
    "torch_gather": f"{ATEN}index_elementwise_kernel<(int)128, (int)4, void at::native::gpu_index_kernel>(long)",
    "torch_float_remainder": f"{ELEMENTS}at::native::fmod_kernel_cuda(at::TensorIteratorBase &){LAMBDA}(float)]>()",
    "torch_row_softmax": f"{ATEN}<unnamed>::cunn_SoftMaxForward<(int)4, float, float, float>(T4 *)",
    "torch_concatenation": f"{ATEN}<unnamed>::CatArrayBatchedCopy_vectorized<at::native::OpaqueType<4>>(char *)",
    "torch_histogram": "void at::cuda::kernelHistogram1D<float, float, long, (int)1>(T1)",
    "torch_embedding_sums": f"{ATEN}<unnamed>::EmbeddingBag_updateOutputKernel_sum_mean<float, long>(const T2 *)",
    "torch_embedding_gradient": f"{ATEN}<unnamed>::compute_grad_weight<float, long>(const T2 *)",
    "torch_sampling": f"{ATEN}<unnamed>::grid_sampler_2d_kernel<float, int>(T2)",
    "torch_binary_search": f"{ATEN}<unnamed>::searchsorted_cuda_kernel<double, long>(T2 *)",
    "cupy_conversion": "cupy_copy__int32_float16",
    "cupy_integer_product": "void _tensordot_core_int_kernel<int>(int, int, int, const T1 *)",
    "cupy_scatter_add": "cupy_scatter_add",
    "cupy_axis_reduction": "cupy_max",
    "cupy_binary_search": "cupy_searchsorted_kernel",
    "cupy_float_remainder": "cupy_fmod__float64_float_float64",
    "unaligned_product": "void cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align1>(T1::Params)",
    "bluestein_transform": "void multi_bluestein_fft<(unsigned int)14, EPT<8>>(T1)",
    "radix_sort": "void cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<cub::Policy, float>(T4 *)",
    "matrix_vector_product": "void gemv2T_kernel_val<int, int, float, float>(T1)",
    "layout_change": "void cudnn::ops::nchwToNhwcKernel<float, float, float, (bool)0>(T1)",
    "plain_product": "ampere_sgemm_128x64_nn",
    "small_tile_product": "sm80_xmma_gemm_f16f16_f16f32_f32_nn_n_tilesize32x32x64_stage6_warpsize2x2x1_tensor16x8x16",
    "torch_roll": f"{ATEN}roll_cuda_kernel<unsigned char>(const T1 *, T1 *, long, long, long, long, long, long)",
    "plain_convolution": "void implicit_convolve_sgemm<float, float, (int)1024, (int)5>(int)",
}
# Further kernels of calls, whose names other versions and types have, and as ncu's tables shorten them.
FURTHER = (
    ("torch_selection", "void mbtopk::gatherTopK<float, unsigned int, 2>(cuda::TensorInfo<const T1, T2>, T2)"),
    ("torch_adaptive_pool", "void native::<unnamed>::adaptivemaxpool<float>(const T1 *, T1 *, long *, int)"),
    (
        "torch_conversion",
        "void native::elementwise_kernel<128, 4, void native::gpu_kernel_impl<native::direct_copy_kernel_cuda>>",
    ),
    ("torch_histogram", "void cuda::kernelHistogram1D<long, long, long, 1, 2, (int)-1, 0>(cuda::TensorInfo<T1>)"),
    (
        "torch_one_hot",
        "void native::_scatter_gather_elementwise_kernel<128, 8, _cuda_scatter_fill_internal_kernel<OpaqueType<8>>>",
    ),
    ("radix_sort", "void at_cuda_detail::DeviceRadixSortOnesweepKernel<at_cuda_detail::policy_hub<float>>(T4 *)"),
    (
        "torch_selection",
        f"{ATEN}sbtopk::gatherTopK<float, unsigned int, 2, false>(at::cuda::detail::TensorInfo<float>)",
    ),
    ("torch_selection", f"{ATEN}mbtopk::computeBlockDigitCounts<float, unsigned int, unsigned int, (int)2>(T1)"),
    ("torch_order_statistic", "void at::native::(anonymous namespace)::gatherKthValue<float, int, 1>(T)"),
    ("torch_adaptive_pool", f"{ATEN}<unnamed>::adaptive_average_pool<float>(const T1 *, T1 *, int)"),
    ("torch_adaptive_pool", f"{ATEN}<unnamed>::adaptiveaveragepool<float>(const T1 *)"),
    ("torch_max_pool", f"{ATEN}<unnamed>::max_pool_forward_nhwc<float, float, int>(const T1 *)"),
    ("torch_conversion", f"{ATEN}elementwise_kernel<128, 4, at::native::gpu_kernel_impl<{DIRECT}>(int)>(int)"),
    ("torch_conversion", f"{ELEMENTS}at::native::bfloat16tofloat32_copy_kernel_cuda(at::TensorIteratorBase &)>(int)"),
    ("torch_pair_distances", f"{ATEN}<unnamed>::pdist_kernel_cuda_impl<float, at::native::dists<float>::two>(T1 *)"),
    ("torch_outer_scan", f"{ATEN}tensor_kernel_scan_outer_dim<float, unsigned int, std::plus<float>>(T1 *)"),
    ("torch_channel_statistics", f"{ATEN}<unnamed>::RowwiseMomentsCUDAKernel<float>(long, T1)"),
    (
        "torch_index_add",
        "void (anonymous namespace)::indexing_backward_kernel<float, 4>(const long *, const long *, T)",
    ),
    (
        "torch_index_add",
        f"{ATEN}_scatter_gather_elementwise_kernel<128, 8, _cuda_scatter_gather_internal_kernel<ReduceAdd>>(int)",
    ),
    ("torch_gather", f"{ATEN}vectorized_gather_kernel<(int)16, long>(char *, char *)"),
    ("torch_row_softmax", "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(T)"),
    ("cupy_integer_product", "_tensordot_core_int_strided_batched_kernel"),
    ("cupy_scatter_add", "cupy_bincount_with_weight_kernel"),
    ("cupy_axis_reduction", "cupy_argmax"),
    (
        "unaligned_product",
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_tn_align4>(T1::Params)",
    ),
    ("unaligned_product", "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align1>(T1::Params)"),
    ("radix_sort", f"{ATEN}bitonicSortKVInPlace<(int)2, (int)-1, (int)16, (int)16, float, long>(T1)"),
    ("radix_sort", "void cub::DeviceSegmentedRadixSortKernel<cub::Policy>(T1)"),
    (
        "matrix_vector_product",
        "void std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, float, float, float>(T13)",
    ),
    ("matrix_vector_product", "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, (int)7>(T13)"),
    (
        "plain_product",
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4",
    ),
    ("plain_product", "void cutlass::Kernel<cutlass_80_simt_sgemm_128x256_8x4_tt_align1>(T1::Params)"),
    ("small_tile_product", "ampere_h884gemm_32x32_sliced1x2_ldg8_nn"),
    ("plain_convolution", "ampere_scudnn_128x64_relu_interior_nn_v1"),
    ("plain_convolution", "sm80_xmma_fprop_implicit_gemm_indexed_f32f32_f32f32_f32_nchwkcrs_nchw_ffma_kernel_cudnn"),
    ("plain_convolution", "void explicit_convolve_sgemm<float, int, (int)1024>(int)"),
)
OTHERS = (
    "cupy_copy__float32_float32",  # of one type: no conversion
    "topk_by_hand(float const*)",  # no library's: its author can change it
    "void mine::adaptivemaxpool<at::native::AddFunctor>(float*)",
    f"{ATEN}vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, std::array<char *>>(int)",
    f"{ELEMENTS}at::native::remainder_kernel_cuda(at::TensorIteratorBase &){LAMBDA}(long, long)]>(int)",  # of integers
    "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_nn_align8>(T1::Params)",
    "void cutlass::Kernel<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(T1::Params)",  # doubles always say so
    "void cutlass::Kernel<cutlass_80_tensorop_c1688gemm_64x64_16x4_nn_align1>(T1::Params)",
    "cupy_remainder__float64_float_float64",  # a division, a rounding and a multiply-add already
    f"{ATEN}<unnamed>::conv_depthwise2d_grad_weight_kernel<float, unsigned int>(T1)",
    f"{ATEN}<unnamed>::cunn_SpatialSoftMaxBackward<float, float, float>(T1 *)",  # must load two tensors
    f"{ATEN}batch_norm_collect_statistics_channels_last_kernel<at::native::Var, float, float, (int)4>(T1)",
    "nchwToNhwcKernel(float*)",
    "cupy_saxpy",  # a name that users give
)


@pytest.mark.parametrize("name", calls())
def test_each_call_is_told_by_the_name_of_its_kernel(name: str) -> None:
    assert calls_of(KERNELS[name]) == (name,)
    assert library_of(KERNELS[name])


@pytest.mark.parametrize(("name", "kernel"), FURTHER)
def test_other_kernels_of_a_call_are_recognised_too(name: str, kernel: str) -> None:
    assert calls_of(kernel) == (name,)


@pytest.mark.parametrize("kernel", OTHERS)
def test_a_kernel_of_another_purpose_or_of_no_library_is_no_such_call(kernel: str) -> None:
    assert calls_of(kernel) == ()


def test_what_the_arguments_tell_is_more_specific_than_what_the_name_tells() -> None:
    marks, floats = (KERNELS["torch_one_hot"].replace("int)8", f"int){size}") for size in (8, 4))
    assert (calls_of(marks), calls_of(floats)) == (("torch_one_hot",), ("torch_gather",))


@pytest.mark.parametrize("name", calls())
def test_a_call_with_a_rule_has_a_fix_with_a_model_in_its_finding_and_no_other_one(name: str) -> None:
    call = calls()[name]
    entries = catalog().diagnoses
    rule = call_rule(call)
    if rule is not None:
        entry = entries[call.finding]
        assert rule in entry.seen and rule.when[0] == call.observation in catalog().observations
        assert entry.fix_named(call.fix.id).operators == call.fix.operators != {}
    assert call.fix is not None and call.fix.id == entries["memory_latency"].fix_named(call.fix.id).id
    elsewhere = entries["bank_conflicts"].fix_named(call.fix.id)
    general = entries["bank_conflicts"].fix
    assert general is not None and elsewhere.operators == general.operators
    assert elsewhere.reach == min(call.fix.reach, libraries().reach) and elsewhere.leaves_out == "others"
    assert call_fix(call, "launch_overhead") is None  # about the launch, not about what the kernel does


def test_no_two_fixes_of_calls_have_one_id() -> None:
    ids = [call.fix.id for call in calls().values() if call.fix is not None]
    assert len(ids) == len({*ids})


@pytest.mark.parametrize("name", calls())
def test_a_call_and_its_parts_are_explained(name: str) -> None:
    call = calls()[name]
    page = explain(name)
    assert page.kind == "call" and page.section("means") and page.section("steps")
    assert explain(call.metric).kind == "metric" and explain(call.observation).kind == "observation"
    assert explain(f"fix:{call.fix.id}").kind == "fix" if call.fix is not None else True
    if (rule := call_rule(call)) is not None:
        assert any(call.observation in line for line in explain(rule.id).section("rules"))


def test_a_call_is_found_by_the_words_of_its_users() -> None:
    assert explain("topk").id == "torch_selection" and explain("one_hot").id == "torch_one_hot"
