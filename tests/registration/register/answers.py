"""What the tests of register's searches share: motions anywhere, near poses, and what every result holds."""

from __future__ import annotations

import json

import numpy as np

from svgm import RegistrationResult
from svgm.rigid import pose, pose_error

SEARCHES = ("auto", "local", "global", "certified")


def random_pose(d: int, seed: int, reach: float = 5.0) -> np.ndarray:
    """Any rotation, and a translation beyond the sets' size."""
    rng = np.random.default_rng(seed)
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    q = q * np.sign(np.diag(r))
    q[:, 0] *= np.sign(np.linalg.det(q))
    return pose(q, rng.uniform(-reach, reach, size=d))


def close(T: np.ndarray, reference: np.ndarray, rotation: float = 0.03, translation: float = 0.05) -> bool:
    errors = pose_error(T, reference)
    return errors[0] <= rotation and errors[1] <= translation


def valid(result: RegistrationResult) -> None:
    """Finite, rigid, in range, and nothing that JSON does not know."""
    d = result.dimension
    assert np.isfinite(result.transformation).all()
    assert np.isfinite(result.covariance).all()
    assert np.isfinite(result.objective)
    assert np.allclose(result.rotation @ result.rotation.T, np.eye(d), atol=1e-9)
    assert np.linalg.det(result.rotation) > 0
    assert 0.0 <= result.confidence <= 1.0
    assert 0.0 <= result.overlap <= 1.0
    assert result.search in ("local", "global", "certified")
    assert (result.certificate is not None) == (result.search == "certified")
    scores = [other.score for other in result.alternatives]
    assert scores == sorted(scores, reverse=True)
    assert np.isfinite(scores).all()
    record = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert record["search"] == result.search
    assert record["trusted"] == result.trusted
    assert record["ambiguous"] == result.ambiguous
    assert len(record["alternatives"]) == len(result.alternatives)
    assert np.array_equal(record["transformation"], result.transformation)
