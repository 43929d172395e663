import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Bundles `<name>.tsx` of a folder, with React in development mode; returns the path of the bundle. */
export async function bundlePage(
  folder: string,
  name: string,
  platform: 'browser' | 'node' = 'browser',
): Promise<string> {
  const build = await rolldown({
    input: join(folder, `${name}.tsx`),
    platform,
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  });
  const file = join(folder, `${name}.bundle.mjs`);
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}
