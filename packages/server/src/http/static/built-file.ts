import { fileURLToPath } from 'node:url';

/** Path of a file or folder that the build has put next to the bundle, for this server to deliver. */
export function builtFile(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
