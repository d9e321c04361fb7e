// Matrices of 4 x 4, column by column, and unit quaternions (x, y, z, w), in double precision: the graphics card gets
// single precision only after camera and scene are multiplied, so that large coordinates lose nothing.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const combine = (s, a, t, b) => [s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]];
const unit = (a) => combine(1 / Math.sqrt(dot(a, a)), a, 0, a);

function multiply(a, b) {
  const out = new Array(16).fill(0);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return out;
}

// Rows of a rotation and a translation.
const motion = (r, t) => [r[0][0], r[1][0], r[2][0], 0, r[0][1], r[1][1], r[2][1], 0, r[0][2], r[1][2], r[2][2], 0, ...t, 1];

function rows(q) {
  const [x, y, z, w] = q;
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

function slerp(p, q, share) {
  let cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(1, Math.abs(cosine));
  const angle = Math.acos(cosine);
  const [a, b] =
    angle < 1e-6 ? [1 - share, share] : [Math.sin((1 - share) * angle), Math.sin(share * angle)].map((s) => s / Math.sin(angle));
  return p.map((value, k) => a * value + sign * b * q[k]);
}

// The pose between two frames: the rotation by slerp, the pivot along a straight line.
function between(first, second, share, pivot) {
  const r = rows(slerp(first.turn, second.turn, share));
  const place = first.pivot.map((value, k) => (1 - share) * value + share * second.pivot[k]);
  return motion(r, [0, 1, 2].map((k) => place[k] - dot(r[k], pivot)));
}
