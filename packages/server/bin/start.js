import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadBundle } from './load-bundle.cjs';

if (existsSync(join(import.meta.dirname, '../dist/switchyard.cjs'))) {
  await loadBundle('switchyard').runCli(process.argv);
} else {
  console.error(
    'Switchyard is not built yet. Run "npm ci && npm run build" in the root of the repository, then try again.',
  );
  process.exitCode = 1;
}
