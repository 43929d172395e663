import { createHash } from 'node:crypto';

/** The hash that precedes the first entry of a chain. */
export const CHAIN_START = '0'.repeat(64);

export const sha256 = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
