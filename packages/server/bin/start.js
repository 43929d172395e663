import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/switchyard.js', import.meta.url);

if (existsSync(fileURLToPath(main))) {
  const { runCli } = await import(main.href);
  await runCli(process.argv);
} else {
  console.error(
    'Switchyard is not built yet. Run "npm ci && npm run build" in the root of the repository, then try again.',
  );
  process.exitCode = 1;
}
