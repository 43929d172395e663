// Runs sections of the simulation, one after the other, as the main thread asks for them.
import { parentPort } from 'node:worker_threads';
import { violations } from './guarantees.js';
import { seedFor } from './random.js';
import { SECTIONS } from './sections.js';

parentPort.on('message', (index) => {
  const { title, rows } = SECTIONS[index];
  seedFor(title);
  const startedAt = performance.now();
  const found = rows();
  parentPort.postMessage({
    index,
    rows: found,
    violations: violations.splice(0),
    seconds: (performance.now() - startedAt) / 1000,
  });
});
