"""Kepler's equation by Newton's method in a fused function, every array in single precision."""


def prepare(cp, data, out, n, kernel):
    mean, eccentricity, anomaly = data["mean"], data["eccentricity"], out["anomaly"]
    correction = cp.zeros(mean.shape, dtype=cp.float32)

    @cp.fuse(kernel_name="kepler")
    def kepler(mean, eccentricity, correction, anomaly):
        e = mean + eccentricity * cp.sin(mean) + correction
        for _ in range(4):
            e = e - (e - eccentricity * cp.sin(e) - mean) / (1.0 - eccentricity * cp.cos(e))
        cp.subtract(e, (e - eccentricity * cp.sin(e) - mean) / (1.0 - eccentricity * cp.cos(e)), anomaly)

    return lambda: kepler(mean, eccentricity, correction, anomaly)
