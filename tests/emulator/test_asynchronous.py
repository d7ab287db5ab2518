"""Clusters, barriers in shared memory, bulk copies, generic addresses, indirect calls and printf run as written."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from advisor.emulator.check import run_whole
from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import Counted, Problem, count, members
from advisor.emulator.cubin import read_cubin
from advisor.emulator.launch import Pointer
from advisor.emulator.program import RefusedError
from advisor.emulator.state import FaultError
from tests.emulator.tools import needs_tools

SOURCE = r"""
typedef unsigned u;
#define SHARED(p) ((u)__cvta_generic_to_shared(p))
typedef u (*Function)(u, u);
__device__ __noinline__ u times(u x, u y) { return x * y + 1; }
__device__ __noinline__ u either(u x, u y) { return x ^ (y >> 3); }
__constant__ Function table[2] = {times, either};
extern "C" __global__ void indirect(u* o, const u* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = table[a[i] & 1](a[i], i);
}
extern "C" __global__ void prints(u* o, const u* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i] & 1) printf("%d\n", i);
  o[i] = a[i];
}
extern "C" __global__ void generic(u* o, const u* a, int n) {
  __shared__ u s[64];
  u l[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; k++) l[k] = a[i] + k;
  s[threadIdx.x & 63] = i;
  __syncthreads();
  u* p = (i & 1) ? s + (threadIdx.x & 63) : (i & 2) ? l + (a[i] & 7) : o + i;
  *p += 1000;
  u q = *p;
  if (q != 1000 || (i & 3)) o[i] = q + l[a[i] & 7];
}
extern "C" __global__ void adds(u* o, const u* a, int n) {
  __shared__ u s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32) s[threadIdx.x] = 0;
  __syncthreads();
  u* p = (a[i] & 1) ? s + (threadIdx.x & 31) : o + i;
  asm volatile("{\n.reg .u32 t;\natom.add.u32 t, [%0], %1;\n}" ::"l"(p), "r"(n) : "memory");
  __syncthreads();
  if (a[i] & 1) o[i] = s[threadIdx.x & 31];
}
#if __CUDA_ARCH__ >= 900
#define MEET asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory")
extern "C" __global__ void __cluster_dims__(2, 1, 1) sends(u* o, const u* a, int n) {
  __shared__ u s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u there, mine = SHARED(s + threadIdx.x);
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"((blockIdx.x & 1) ^ 1));
  MEET;
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(a[i]) : "memory");
  MEET;
  o[i] = s[threadIdx.x];
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) swaps(u* o, const u* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u v = a[i];
  for (int k = 0; k < 3; k++) {
    o[i] = v;
    MEET;
    v = o[i ^ 64] + 1;
    if (k < n) MEET;
  }
  o[i] = v;
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(u* o, const u* a, int n) {
  __shared__ u s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = a[i];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  u rank, there, v;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  u mine = SHARED(s + threadIdx.x), next = (rank + 1) & 3;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(next));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there));
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  o[i] = v + rank;
}
extern "C" __global__ void several(u* o, const u* a, int n) {
  __shared__ unsigned long long bars[4];
  u t = threadIdx.x, own = SHARED(bars + (t & 3));
  if (t < 4) asm volatile("mbarrier.init.shared.b64 [%0], 8;" ::"r"(own));
  __syncthreads();
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(own) : "memory");
  for (int k = 0; k < 4; k++) {
    u other = SHARED(bars + (n ? k : (t + k) & 3));
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again;\n}"
                 ::"r"(other) : "memory");
  }
  o[t] = t;
}
extern "C" __global__ void bulk(u* o, const u* a, int n) {
  __shared__ unsigned long long bar;
  __shared__ alignas(128) u s[256];
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(SHARED(&bar)));
  __syncthreads();
  if (threadIdx.x == 32) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(SHARED(&bar)));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(SHARED(s)), "l"(a + 256 * blockIdx.x), "r"(n), "r"(SHARED(&bar)) : "memory");
  }
  asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again;\n}"
               ::"r"(SHARED(&bar)) : "memory");
  s[threadIdx.x] += 1;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
                 ::"l"(o + 256 * blockIdx.x), "r"(SHARED(s)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;");
  }
}
#endif
"""
A = (np.arange(2048, dtype=np.uint32) * 2654435761) >> np.uint32(7)


@lru_cache
def _cubin(arch: str) -> bytes:
    return compile_cubin(SOURCE, "asynchronous.cu", arch)


def _problem(kernel: str, arch: str, grid: int, block: int, n: int = 0) -> Problem:
    def fill(view: Any, start: int, stop: int) -> None:
        view[:] = A.view(np.uint8)[start:stop]

    arrays = {"o": (A.nbytes, None), "a": (A.nbytes, fill)}
    arguments = (Pointer("o"), Pointer("a"), np.int32(n))
    return Problem(read_cubin(_cubin(arch), kernel), (grid, 1, 1), (block, 1, 1), arguments, arrays)


def _run(kernel: str, arch: str, grid: int, block: int, n: int = 0, watch: bool = True) -> Any:
    done = run_whole(_problem(kernel, arch, grid, block, n), seconds=20.0, watch=watch)
    return done.memory.content("o").view(np.uint32)[: grid * block].copy()


def _executed(found: Counted, opcode: str) -> list[float]:
    return [i.executed for i in found.instructions if i.opcode.startswith(opcode)]


@needs_tools
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_a_call_through_a_table_reaches_the_function_of_each_lane(arch: str) -> None:
    a, i = A[:128], np.arange(128, dtype=np.uint32)
    assert (_run("indirect", arch, 2, 64) == np.where(a & 1, a ^ (i >> 3), a * i + 1)).all()


@needs_tools
@pytest.mark.parametrize("arch", ["sm_86", "sm_90"])
def test_a_kernel_that_prints_runs_and_prints_nothing(arch: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert (_run("prints", arch, 2, 64) == A[:128]).all()
    assert capfd.readouterr().out == ""


@needs_tools
@pytest.mark.parametrize("arch", ["sm_89", "sm_90"])
def test_generic_addresses_reach_shared_local_and_global_memory(arch: str) -> None:
    a, i = A[:128], np.arange(128, dtype=np.uint32)
    local = a + (a & 7)
    kinds = [i + 1000 + local, 2 * (local + 1000), np.full(128, 1000, np.uint32)]
    expected = np.where(i & 1, kinds[0], np.where(i & 2, kinds[1], kinds[2]))
    assert (_run("generic", arch, 2, 64, watch=False) == expected).all()


@needs_tools
def test_blocks_of_a_cluster_read_the_shared_memory_of_each_other() -> None:
    found = _run("ring", "sm_90", 8, 64)
    blocks = np.arange(8)
    source = blocks // 4 * 4 + (blocks + 1) % 4
    assert (found.reshape(8, 64) == A[:512].reshape(8, 64)[source] + (blocks % 4)[:, None]).all()
    counted = count(_problem("ring", "sm_90", 8, 64), seconds=20.0)
    assert counted.exact and counted.blocks == 8
    assert _executed(counted, "UCGABAR_WAIT") == [16.0, 16.0]
    remote = next(i for i in counted.instructions if i.opcode == "LD.E")
    assert (remote.space, remote.executed, remote.wavefronts) == ("shared", 16.0, 0.0)


@needs_tools
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_atomic_operations_on_generic_addresses_reach_shared_and_global_memory(arch: str) -> None:
    odd, lane = A[:128].reshape(2, 64) & 1, np.arange(64) % 32
    both = odd[:, lane] + odd[:, lane + 32]  # lanes that share a word
    assert (_run("adds", arch, 2, 64, 5).reshape(2, 64) == np.where(odd, 5 * both, 5)).all()


@needs_tools
def test_shared_memory_that_another_block_of_the_cluster_wrote_is_written() -> None:
    assert (_run("sends", "sm_90", 4, 64) == A[:256].reshape(4, 64)[[1, 0, 3, 2]].ravel()).all()


@needs_tools
def test_a_barrier_of_the_cluster_orders_global_memory_of_its_blocks() -> None:
    assert (_run("swaps", "sm_90", 4, 64, 3) == A[:256].reshape(4, 64)[[1, 0, 3, 2]].ravel() + 3).all()
    with pytest.raises(FaultError) as caught:
        _run("swaps", "sm_90", 4, 64, 0)
    assert caught.value.kind == "race"


@needs_tools
def test_each_lane_makes_its_own_barrier_and_lanes_that_test_different_ones_are_refused() -> None:
    assert (_run("several", "sm_90", 1, 32, 1) == np.arange(32)).all()
    with pytest.raises(RefusedError, match="lanes that test different barriers"):
        _run("several", "sm_90", 1, 32, 0)


@needs_tools
def test_a_bulk_copy_arrives_before_a_warp_that_waits_for_it_goes_on() -> None:
    assert (_run("bulk", "sm_90", 4, 256, 1024) == A[:1024] + 1).all()
    counted = count(_problem("bulk", "sm_90", 4, 256, 1024), seconds=20.0)
    assert max(_executed(counted, "SYNCS.PHASECHK")) == 32  # once by each warp, however long it waits


@needs_tools
@pytest.mark.parametrize(
    ("size", "kind", "words"),
    [
        (512, "deadlock", "barrier at byte 0 of shared memory: 0 threads and 512 bytes are missing (8 warps wait)"),
        (1 << 16, "out_of_bounds", "shared memory"),
    ],
)
def test_bulk_copies_of_a_wrong_size_are_told(size: int, kind: str, words: str) -> None:
    with pytest.raises(FaultError) as caught:
        _run("bulk", "sm_90", 1, 256, size)
    assert caught.value.kind == kind and words in caught.value.words


def test_members_of_a_cluster_come_in_the_order_of_their_ranks() -> None:
    assert members(3, (6, 4, 2), (3, 2, 1)) == [15, 16, 17, 21, 22, 23]
    assert sorted(b for n in range(8) for b in members(n, (6, 4, 2), (3, 2, 1))) == list(range(48))
    assert members(5, (7, 1, 1), (1, 1, 1)) == [5]
