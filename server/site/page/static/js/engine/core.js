// The core as WebAssembly: questions as lines of text, answers as JSON (core/wasm/exports.cpp).

/** What the core refused, in its own sentence; nothing has changed. */
export class Refusal extends Error {}

const NOT_THERE = 52; // WASI: no such function

export class Core {
  /** Takes the bytes of core.wasm, or a response that streams them. */
  static async load(source) {
    const core = new Core();
    const imports = {
      host: { refuse: (at, size) => core.refuse(at, size) },
      wasi_snapshot_preview1: new Proxy(core.system(), { get: (known, name) => known[name] ?? (() => NOT_THERE) }),
    };
    const { instance } = source instanceof Response ? await streamed(source, imports) : await WebAssembly.instantiate(source, imports);
    core.exports = instance.exports;
    core.exports._initialize?.();
    core.stack = core.exports.__stack_pointer.value;
    return core;
  }

  /** All that the core wants of a system: a clock, and to be told that no variable is set. */
  system() {
    return {
      clock_time_get: (clock, precision, at) => {
        this.memory().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
      environ_sizes_get: (count, size) => {
        this.memory().setUint32(count, 0, true);
        this.memory().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
    };
  }

  /** The answer to a question; arguments stand on lines of their own. */
  ask(name, ...values) {
    return this.give(new TextEncoder().encode([name, ...values].join("\n")));
  }

  /** The same where bytes follow the last line of the question. */
  give(question, bytes = new Uint8Array()) {
    const size = question.length + bytes.length;
    const at = this.exports.input(size);
    const room = new Uint8Array(this.exports.memory.buffer, at, size);
    room.set(question);
    room.set(bytes, question.length);
    try {
      const found = this.exports.ask(size);
      return JSON.parse(this.text(found, this.exports.answer_size()));
    } catch (error) {
      this.exports.__stack_pointer.value = this.stack; // the question was left in the middle
      throw error;
    }
  }

  /** Take in the content of a file of openings. */
  loadOpenings(bytes) {
    return this.give(new TextEncoder().encode("load_openings\n"), new Uint8Array(bytes));
  }

  /**
   * Learn a network from a weights file (safetensors); `rules` and `reward` are those it was trained for. `digest` names its
   * weights, and `calibration` is what was measured of its opinions: the worth of a seat, then two slopes for every turn.
   */
  learn(bytes, { rules, reward, digest = "", calibration = [] }) {
    const header = Number(new DataView(bytes).getBigUint64(0, true));
    const tensors = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, header)));
    const names = ["first", "middle", "heads"].flatMap((layer) => [`${layer}.weight`, `${layer}.bias`]);
    const parts = names.map((name) => numbersOf(bytes, 8 + header, tensors[name], name));
    const count = parts.reduce((sum, part) => sum + part.length, 0);
    const room = this.exports.floats(count); // first: memory that grows is another buffer
    const numbers = new Float32Array(this.exports.memory.buffer, room, count);
    let at = 0;
    for (const part of parts) {
      numbers.set(part, at);
      at += part.length;
    }
    return this.ask("network", rules, reward, ...parts.map((part) => part.length), digest, ...calibration);
  }

  text(at, size) {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, at, size));
  }

  refuse(at, size) {
    throw new Refusal(this.text(at, size));
  }

  memory() {
    return new DataView(this.exports.memory.buffer);
  }
}

async function streamed(response, imports) {
  try {
    return await WebAssembly.instantiateStreaming(response.clone(), imports);
  } catch {
    return WebAssembly.instantiate(await response.arrayBuffer(), imports); // a host that does not know the type
  }
}

function numbersOf(bytes, data, tensor, name) {
  if (tensor?.dtype !== "F32") throw new Refusal(`the weights have no numbers ${name} of 32 bits`);
  const [begin, end] = tensor.data_offsets;
  return new Float32Array(bytes.slice(data + begin, data + end)); // a copy: a file need not be aligned
}
