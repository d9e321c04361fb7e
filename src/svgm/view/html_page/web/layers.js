// Drawing of each kind of layer.  A layer has buffers, made once, and a program.

// `view` maps coordinates in the buffers to the camera; `turn` maps directions.
const PLACES = `
uniform mat4 view, projection;
uniform mat3 turn;`;

const PROGRAMS = {
  cloud: [
    `${PLACES}
in vec3 place, paint; in vec2 normal; in float value;
uniform float dotSize, least, most; uniform bool lit;
out float shade; out float share; out vec3 own;
void main() {
  vec4 seen = view * vec4(place, 1.0);
  gl_Position = projection * seen;
  gl_PointSize = clamp(dotSize / gl_Position.w, least, most);
  vec3 n = vec3(normal, 1.0 - abs(normal.x) - abs(normal.y));
  if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
  // Light from the upper left of the viewer; a scan has no inside, so both sides of a surface are lit.
  shade = lit ? abs(dot(normalize(turn * normalize(n)), vec3(-0.4, 0.5, 0.77))) : 0.75;
  share = value; own = paint;
}`,
    `in float shade, share; in vec3 own;
uniform vec3 colour; uniform bool hot, painted; uniform vec3 heat[9];
out vec4 ink;
void main() {
  vec2 across = 2.0 * gl_PointCoord - 1.0;
  if (dot(across, across) > 1.0) discard;
  vec3 tint = colour;
  if (hot) { float at = 8.0 * clamp(share, 0.0, 0.9999); int k = int(at); tint = mix(heat[k], heat[k + 1], at - float(k)); }
  if (painted) tint = own;
  ink = vec4(clamp(tint * (0.55 + 0.45 * shade) + 0.6 * pow(max(0.0, shade - 0.4), 2.0) * (1.0 - tint), 0.0, 1.0), 1.0);
}`,
  ],
  gaussians: [
    `${PLACES}
in vec2 edge; in vec3 place, squares, products; in float weight;
uniform float sigma; uniform bool shaped;
out vec2 across; out float strength;
void main() {
  vec4 seen = view * vec4(place, 1.0);
  across = 3.0 * edge; strength = weight;
  vec2 aside = across;
  if (shaped) {
    // The covariance on the page, by its Cholesky factor; a plate seen from its side stays visible.
    mat3 s = mat3(squares.x, products.z, products.y, products.z, squares.y, products.x, products.y, products.x, squares.z);
    mat3 c = turn * s * transpose(turn);
    float a = sqrt(max(c[0][0], 1e-4)), b = c[0][1] / a, d = sqrt(max(c[1][1] - b * b, 1e-4));
    aside = vec2(a * across.x, b * across.x + d * across.y);
    strength = weight / (a * d);
  }
  seen.xy += sigma * aside;
  gl_Position = projection * seen;
}`,
    `in vec2 across; in float strength;
uniform vec3 colour; uniform float opacity; uniform bool dark;
out vec4 ink;
// Gaussians absorb light on a light background and emit light on a dark one: in both cases the order does not matter.
void main() {
  float alpha = opacity * strength * exp(-0.5 * dot(across, across));
  ink = vec4(dark ? alpha * colour : exp(-alpha * (1.0 - colour)), 1.0);
}`,
  ],
  lines: [
    `${PLACES}
in vec2 edge; in vec3 first, second;
uniform vec2 screen; uniform float width;
void main() {
  vec4 a = projection * view * vec4(first, 1.0), b = projection * view * vec4(second, 1.0);
  vec4 here = edge.x < 0.0 ? a : b;
  vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
  vec2 aside = length(along) > 1e-6 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
  gl_Position = here + vec4(edge.y * width * aside / screen * here.w, 0.0, 0.0);
}`,
    `uniform vec3 colour; out vec4 ink; void main() { ink = vec4(colour, 1.0); }`,
  ],
  ellipsoids: [
    `${PLACES}
in vec3 edge, place, axis0, axis1, axis2;
uniform bool lit;
out float shade;
void main() {
  mat3 axes = mat3(axis0, axis1, axis2);
  gl_Position = projection * view * vec4(place + axes * edge, 1.0);
  // The normal of an ellipsoid is the inverse transpose of its axes, here of orthogonal ones, times that of the sphere.
  vec3 squares = vec3(dot(axis0, axis0), dot(axis1, axis1), dot(axis2, axis2));
  vec3 n = turn * (axes * (edge / max(squares, 1e-30)));
  shade = lit ? abs(normalize(n).z) : 1.0;
}`,
    `in float shade; uniform vec3 colour; out vec4 ink;
void main() { float alpha = 0.65 - 0.35 * shade; ink = vec4(colour * (0.5 + 0.5 * shade) * alpha, alpha); }`,
  ],
};

const CORNERS = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);

function ball() {
  const triangles = [];
  const at = (i, j) => {
    const a = (Math.PI * i) / 12, b = (Math.PI * j) / 12;
    return [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)];
  };
  for (let i = 0; i < 12; i++)
    for (let j = 0; j < 24; j++)
      triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
  return new Float32Array(triangles.flat());
}

function program(gl, kind) {
  const made = gl.createProgram();
  [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach((type, k) => {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${PROGRAMS[kind][k]}`);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  });
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

function decode(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = characters.charCodeAt(k);
  return bytes;
}

const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);

class LayerDrawing {
  constructor(gl, programs, layer, arrays, flat) {
    this.layer = layer;
    this.gl = gl;
    this.flat = flat;
    this.program = programs[layer.kind] ??= program(gl, layer.kind);
    this.state = gl.createVertexArray();
    gl.bindVertexArray(this.state);
    const { kind } = layer;
    if (kind === "cloud") {
      this.attribute("place", decode(arrays[layer.places]), 3, layer.exact ? gl.FLOAT : gl.UNSIGNED_SHORT, 0);
      if (layer.normals) this.attribute("normal", decode(arrays[layer.normals]), 2, gl.BYTE, 0);
      if (layer.colours) this.attribute("paint", decode(arrays[layer.colours]), 3, gl.UNSIGNED_BYTE, 0);
      if (layer.values) this.attribute("value", decode(arrays[layer.values]), 1, gl.UNSIGNED_BYTE, 0);
    } else if (kind === "gaussians") {
      this.attribute("edge", CORNERS, 2, gl.FLOAT, 0);
      this.attribute("place", decode(arrays[layer.places]), 3, layer.exact ? gl.FLOAT : gl.UNSIGNED_SHORT, 1);
      this.attribute("weight", decode(arrays[layer.weights]), 1, gl.UNSIGNED_BYTE, 1);
      if (layer.shapes) {
        this.attribute("squares", decode(arrays[layer.shapes]), 3, gl.FLOAT, 1, 24);
        this.attribute("products", decode(arrays[layer.shapes]), 3, gl.FLOAT, 1, 24, 12);
      }
    } else if (kind === "lines") {
      this.attribute("edge", CORNERS, 2, gl.FLOAT, 0);
      this.attribute("first", decode(arrays[layer.places]), 3, gl.FLOAT, 1, 24);
      this.attribute("second", decode(arrays[layer.places]), 3, gl.FLOAT, 1, 24, 12);
    } else {
      this.attribute("edge", ball(), 3, gl.FLOAT, 0);
      ["place", "axis0", "axis1", "axis2"].forEach((name, k) =>
        this.attribute(name, decode(arrays[layer.places]), 3, gl.FLOAT, 1, 48, 12 * k),
      );
    }
    gl.bindVertexArray(null);
  }

  attribute(name, data, length, type, divisor, stride = 0, offset = 0) {
    const { gl } = this;
    const place = gl.getAttribLocation(this.program, name);
    if (place < 0) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, length, type, type !== gl.FLOAT, stride, offset);
    gl.vertexAttribDivisor(place, divisor);
  }

  // Transparent layers are drawn last, and hide nothing.
  get translucent() {
    return this.layer.kind === "gaussians" || this.layer.kind === "ellipsoids";
  }

  draw(matrices, model, screen, sizes, heat, dark) {
    const { gl, layer, flat } = this;
    const at = (name) => gl.getUniformLocation(this.program, name);
    gl.useProgram(this.program);
    gl.bindVertexArray(this.state);
    const turned = layer.moves ? multiply(matrices.view, model) : matrices.view;
    const [x, y, z] = layer.size;
    gl.uniformMatrix4fv(at("view"), false, multiply(turned, [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, ...layer.corner, 1]));
    gl.uniformMatrix3fv(at("turn"), false, [0, 1, 2, 4, 5, 6, 8, 9, 10].map((k) => turned[k]));
    gl.uniformMatrix4fv(at("projection"), false, matrices.projection);
    gl.uniform3fv(at("colour"), rgb(layer.colour));
    gl.depthMask(!this.translucent);
    if (layer.kind === "cloud") {
      // In perspective, the height of the screen at distance 1 is 2 tan(FIELD / 2); a 2D scene has no distance.
      const high = flat ? matrices.pixel : 2 * Math.tan(FIELD / 2);
      // In 3D dots are so large that a surface hides what is behind it; of random points the gaps are three spacings.
      gl.uniform1f(at("dotSize"), ((flat ? 1.5 : 3.2) * sizes.dot * layer.spacing * screen[1]) / high);
      gl.uniform1f(at("least"), sizes.least);
      gl.uniform1f(at("most"), sizes.most);
      gl.uniform1i(at("lit"), layer.normals ? 1 : 0);
      gl.uniform1i(at("painted"), layer.colours ? 1 : 0);
      gl.uniform1i(at("hot"), layer.values ? 1 : 0);
      gl.uniform3fv(at("heat"), heat.flat().map((value) => value / 255));
      gl.drawArrays(gl.POINTS, 0, layer.count);
    } else if (layer.kind === "gaussians") {
      gl.uniform1f(at("sigma"), layer.sigma);
      gl.uniform1i(at("shaped"), layer.shapes ? 1 : 0);
      gl.uniform1f(at("opacity"), layer.opacity);
      gl.uniform1i(at("dark"), dark ? 1 : 0);
      gl.disable(gl.DEPTH_TEST); // a density is visible through all other layers
      gl.blendFunc(dark ? gl.ONE : gl.ZERO, dark ? gl.ONE : gl.SRC_COLOR);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, layer.count);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.enable(gl.DEPTH_TEST);
    } else if (layer.kind === "lines") {
      gl.uniform2fv(at("screen"), screen);
      gl.uniform1f(at("width"), sizes.line);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, layer.count);
    } else {
      gl.uniform1i(at("lit"), flat ? 0 : 1);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, 12 * 24 * 6, layer.count);
    }
    gl.depthMask(true);
  }
}
