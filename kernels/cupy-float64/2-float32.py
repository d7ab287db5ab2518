"""Verhulst's growth of many populations in an ElementwiseKernel whose type T follows the array: float32 here."""


def prepare(cp, data, out, n, kernel):
    start, rate, end = data["start"], data["rate"], out["end"]
    crowding = cp.ones(start.shape, dtype=cp.float32)  # one over each habitat's capacity
    grow = cp.ElementwiseKernel(
        "float32 start, float32 rate, T crowding",
        "float32 end",
        """
        T v = start, r = rate;
        for (int step = 0; step < 128; ++step) v += r * v * (T(1) - crowding * v);
        end = v;
        """,
        "grow",
    )
    return lambda: grow(start, rate, crowding, end)
