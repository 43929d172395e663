// node run-modules.js FILE…: runs modules one after the other, and prints what each wrote to the console as errors.
import { pathToFileURL } from 'node:url';

const results = [];
for (const path of process.argv.slice(2)) {
  const errors = [];
  for (const name of ['error', 'warn']) console[name] = (...values) => errors.push(values.join(' '));
  await import(pathToFileURL(path).href).catch((error) => errors.push(error.stack));
  results.push(errors);
}
process.stdout.write(JSON.stringify(results), () => process.exit(0));
