// Answers questions to the core as WebAssembly: node answers.mjs core.mjs core.wasm, a JSON list of words a line.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

const { Core } = await import(process.argv[2]);
const core = await Core.load(await readFile(process.argv[3]));
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...values] = JSON.parse(line);
  let answer;
  try {
    if (name === "learn") {
      const [file, network] = values;
      const bytes = await readFile(file);
      answer = { answer: core.learn(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), network) };
    } else if (name === "load_openings_file") answer = { answer: core.loadOpenings(await readFile(values[0])) };
    else if (name === "time") {
      const [repeats, ...question] = values;
      const times = [];
      for (let i = 0; i < repeats; i += 1) {
        const start = process.cpuUsage();
        core.ask(...question);
        times.push(process.cpuUsage(start).user / 1000);
      }
      answer = { answer: Math.min(...times) };
    } else answer = { answer: core.ask(name, ...values) };
  } catch (error) {
    answer = { refusal: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
