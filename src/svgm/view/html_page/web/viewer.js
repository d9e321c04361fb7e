// One scene on one canvas: layers to show and hide, a slider through the frames, a camera to turn.

// Seconds: from one frame to the next while playing, and of a move to the slider's frame.
const PLAYING = 0.7;
const SLIDING = 0.5;

function element(kind, properties = {}, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
}

class Viewer {
  constructor(root, scene, arrays, heat) {
    this.root = root;
    this.scene = scene;
    this.heat = heat;
    this.last = Math.max(0, scene.frames.length - 1);
    this.position = this.goal = this.last;
    this.hidden = new Set(scene.layers.filter((layer) => !layer.shown).map((layer) => layer.name));
    this.dot = 1;
    this.camera = new Camera(scene.towards, scene.up, scene.dimension === 2);
    this.canvas = element("canvas", { tabIndex: 0, ariaLabel: scene.title || "scene" });
    root.replaceChildren(this.canvas);
    // A scene far down the page is drawn when it comes near, so that the first scene does not wait for it.
    const near = new IntersectionObserver(([entry]) => entry.isIntersecting && this.begin(arrays), { rootMargin: "300px" });
    near.observe(root);
    // A printed page is light, and shows scenes that were never scrolled to.
    addEventListener("beforeprint", () => {
      this.printed = true;
      this.begin(arrays);
      if (this.gl) this.draw();
    });
    addEventListener("afterprint", () => {
      this.printed = false;
      if (this.gl) this.request();
    });
  }

  begin(arrays) {
    const { root, scene } = this;
    if (this.gl !== undefined) return;
    this.gl = this.canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!this.gl) {
      root.replaceChildren(element("p", { className: "missing", textContent: "This browser has no WebGL 2, so the scene cannot be drawn." }));
      return;
    }
    const programs = {};
    this.drawings = scene.layers.map((layer) => new LayerDrawing(this.gl, programs, layer, arrays, this.camera.flat));
    this.drawings.sort((a, b) => a.translucent - b.translucent);
    this.controls();
    this.pointers();
    new ResizeObserver(() => this.request()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.request());
    this.draw();
  }

  controls() {
    const { scene, root } = this;
    const list = element("div", { className: "layers" });
    for (const name of new Set(scene.layers.map((layer) => layer.name))) {
      const layer = scene.layers.find((other) => other.name === name);
      const box = element("input", { type: "checkbox", checked: !this.hidden.has(name) });
      box.onchange = () => {
        box.checked ? this.hidden.delete(name) : this.hidden.add(name);
        this.request();
      };
      const swatch = element("i");
      swatch.style.background = layer.values
        ? `linear-gradient(90deg, ${this.heat.map((colour) => `rgb(${colour})`).join(", ")})`
        : layer.colour;
      list.append(element("label", { title: name }, box, swatch, name));
    }
    if (scene.layers.some((layer) => layer.kind === "cloud")) {
      const size = element("input", { type: "range", min: -2, max: 2, step: 0.1, value: 0, ariaLabel: "point size" });
      size.oninput = () => {
        this.dot = 2 ** Number(size.value);
        this.request();
      };
      list.append(element("label", { className: "size" }, "point size", size));
    }
    const fit = element("button", { type: "button", textContent: "fit", title: "show the whole scene" });
    fit.onclick = () => {
      this.camera.reset();
      this.request();
    };
    list.append(fit);
    this.bar = element("span");
    root.append(list, element("div", { className: "scale" }, this.bar));
    if (scene.frames.length > 1) root.append(this.timeline());
  }

  timeline() {
    this.slider = element("input", { type: "range", min: 0, max: this.last, step: 1, value: this.last, ariaLabel: "frame" });
    this.label = element("output");
    this.play = element("button", { type: "button", textContent: "▶", ariaLabel: "play" });
    this.slider.oninput = () => {
      this.held = true;
      this.go(Number(this.slider.value), SLIDING);
    };
    this.play.onclick = () => {
      this.held = false;
      if (this.goal !== this.position) return this.go(Math.round(this.position), SLIDING);
      if (this.position === this.last) this.position = 0;
      return this.go(this.last, PLAYING * (this.last - this.position));
    };
    return element("div", { className: "timeline" }, this.play, this.slider, this.label);
  }

  // Move to a frame, in so many seconds.
  go(frame, seconds) {
    this.goal = frame;
    this.speed = Math.abs(frame - this.position) / seconds;
    this.before = null;
    delete this.root.dataset.frame;
    this.request();
  }

  advance(now) {
    if (this.goal === this.position) return;
    const step = this.before === null ? 0 : (this.speed * (now - this.before)) / 1000;
    this.before = now;
    const left = this.goal - this.position;
    this.position = Math.abs(left) <= step ? this.goal : this.position + Math.sign(left) * step;
    this.request();
  }

  pointers() {
    const { canvas } = this;
    const held = new Map();
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, [event.clientX, event.clientY]);
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => held.delete(event.pointerId);
    canvas.onpointermove = (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY];
      const [across, down] = [now[0] - before[0], now[1] - before[1]];
      if (held.size === 2) {
        const other = [...held].find(([id]) => id !== event.pointerId)[1];
        const apart = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]);
        this.camera.scale(apart(before) / Math.max(1, apart(now)));
        this.camera.pan(across / 2, down / 2, this.focus(), canvas.clientHeight);
      } else if (this.camera.flat || event.shiftKey || event.buttons > 1) {
        this.camera.pan(across, down, this.focus(), canvas.clientHeight);
      } else {
        this.camera.turn(across, down);
      }
      held.set(event.pointerId, now);
      this.request();
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.camera.scale(Math.exp(event.deltaY * 0.0012));
        this.request();
      },
      { passive: false },
    );
    canvas.onkeydown = (event) => {
      const [across, down] = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] }[event.key] ?? [0, 0];
      if (across || down) this.camera.flat ? this.camera.pan(across, down, this.focus(), canvas.clientHeight) : this.camera.turn(across, down);
      else if (event.key === "+" || event.key === "-") this.camera.scale(event.key === "+" ? 0.8 : 1.25);
      else return;
      event.preventDefault();
      this.request();
    };
    canvas.ondblclick = () => {
      this.camera.reset();
      this.request();
    };
  }

  request() {
    this.waiting ??= requestAnimationFrame((now) => {
      this.waiting = null;
      this.advance(now);
      this.draw();
    });
  }

  // The frames on either side of the position, and how far it is from the first to the second.
  around() {
    const first = Math.min(Math.floor(this.position), Math.max(0, this.last - 1));
    return [first, Math.min(first + 1, this.last), this.position - first];
  }

  focus() {
    const [first, second, share] = this.around();
    const { focus } = this.scene;
    return focus[first].map((value, k) => (1 - share) * value + share * focus[second][k]);
  }

  draw() {
    const { gl, canvas, scene } = this;
    const ratio = window.devicePixelRatio || 1;
    const screen = [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.max(1, Math.round(canvas.clientHeight * ratio))];
    if (canvas.width !== screen[0] || canvas.height !== screen[1]) [canvas.width, canvas.height] = screen;
    const [first, second, share] = this.around();
    const model = scene.frames.length ? between(scene.frames[first], scene.frames[second], share, scene.pivot) : null;
    const matrices = this.camera.matrices(this.focus(), screen[0] / screen[1]);
    gl.viewport(0, 0, ...screen);
    const ground = this.printed
      ? [1, 1, 1]
      : getComputedStyle(this.root).backgroundColor.match(/[\d.]+/g).slice(0, 3).map((value) => value / 255);
    gl.clearColor(...ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(this.camera.flat ? gl.ALWAYS : gl.LESS); // in 2D, layers that are drawn later lie above
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const most = (this.camera.flat ? 8 : 40) * ratio * this.dot;
    const sizes = { dot: this.dot, least: 1.5 * ratio * Math.min(1, this.dot), most, line: 2.2 * ratio };
    const now = Math.round(this.position);
    for (const drawing of this.drawings) {
      const { name, frame } = drawing.layer;
      if (!this.hidden.has(name) && (frame === null || frame === now)) drawing.draw(matrices, model, screen, sizes, this.heat, ground[1] < 0.5);
    }
    this.tell(now, matrices.pixel / canvas.clientHeight);
  }

  // The text around the picture: the frame's label, and a scale bar of a round length in the scene's unit.
  tell(now, pixel) {
    const power = 10 ** Math.floor(Math.log10(120 * pixel));
    const length = Math.max(...[1, 2, 5].map((step) => step * power).filter((value) => value <= 120 * pixel));
    this.bar.style.width = `${length / pixel}px`;
    this.bar.textContent = `${Number(length.toPrecision(3))}`;
    if (!this.slider) return;
    this.label.textContent = this.scene.frames[now].label;
    // The slider follows only while playing, not while the user moves it.
    if (this.goal === this.position || !this.held) this.slider.value = now;
    this.play.textContent = this.goal === this.position ? "▶" : "❚❚";
    if (this.goal === this.position) this.root.dataset.frame = String(now);
  }
}

addEventListener("DOMContentLoaded", () => {
  const { scenes, arrays, heat } = JSON.parse(document.getElementById("svgm-scenes").textContent);
  document.querySelectorAll(".svgm-scene").forEach((root, k) => new Viewer(root, scenes[k], arrays, heat));
});
