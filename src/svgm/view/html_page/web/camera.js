// The camera: it turns about a 3D scene with `up` staying up, and looks straight down on a 2D scene.

const FIELD = (30 * Math.PI) / 180;

class Camera {
  constructor(towards, up, flat) {
    this.flat = flat;
    this.up = unit(up);
    const level = combine(1, towards, -dot(towards, this.up), this.up);
    this.ahead = dot(level, level) > 1e-12 ? unit(level) : unit(cross(this.up, Math.abs(this.up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
    this.aside = cross(this.up, this.ahead);
    this.start = Math.asin(Math.max(-1, Math.min(1, dot(unit(towards), this.up))));
    this.reset();
  }

  reset() {
    this.yaw = 0;
    this.pitch = this.start;
    this.zoom = 1;
    this.shift = [0, 0, 0];
  }

  // Right, up the screen, and towards the viewer.
  axes() {
    if (this.flat) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const around = combine(Math.cos(this.yaw), this.ahead, Math.sin(this.yaw), this.aside);
    const towards = combine(Math.cos(this.pitch), around, Math.sin(this.pitch), this.up);
    const right = combine(Math.cos(this.yaw), this.aside, -Math.sin(this.yaw), this.ahead);
    return [right, cross(towards, right), towards];
  }

  turn(across, down) {
    if (this.flat) return;
    this.yaw -= across * 0.008;
    this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + down * 0.008));
  }

  // Move by so many pixels; `height` is the height of the screen in pixels.
  pan(across, down, focus, height) {
    const [right, above] = this.axes();
    const pixel = (2 * focus[3] * this.zoom) / height;
    this.shift = combine(1, this.shift, 1, combine(-across * pixel, right, down * pixel, above));
  }

  scale(factor) {
    this.zoom = Math.max(1e-4, Math.min(50, this.zoom * factor));
  }

  // World to camera, and camera to screen, for a focus (centre, radius) that fills a screen of this shape.
  matrices(focus, aspect) {
    const radius = focus[3] * this.zoom * Math.max(1, 1 / aspect);
    const axes = this.axes();
    const centre = combine(1, focus, 1, this.shift);
    const distance = this.flat ? 2 * radius : radius / Math.sin(FIELD / 2);
    const view = motion(axes, axes.map((axis, k) => -dot(axis, centre) - (k === 2 ? distance : 0)));
    // Everything from a hundredth of the distance to far behind the scene is in view.
    const near = distance / 100;
    const far = distance + 40 * focus[3];
    const half = this.flat ? radius : Math.tan(FIELD / 2);
    const projection = this.flat
      ? [1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]
      : [1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0];
    return { view, projection, pixel: (2 * radius) };
  }
}
