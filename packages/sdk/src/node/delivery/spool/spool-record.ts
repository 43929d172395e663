import { murmur3 } from '@switchyard/core/evaluation/hash';
import { createDelivery, type Delivery, ENDPOINTS } from '../delivery.ts';

/** A line of a spool file: a request under a number, or the numbers of requests that are done. */
type SpoolRecord = { id: number; delivery: Delivery } | { done: number[] };

export function requestLine(id: number, delivery: Delivery): string {
  const { kind, body, idempotencyKey, userAgent, isRelayed, events, queuedAt } = delivery;
  return lineOf({ id, kind, body, idempotencyKey, userAgent, isRelayed, events, queuedAt });
}

export const doneLine = (done: number[]): string => lineOf({ done });

/** With a checksum, because a damaged amount may still be valid JSON. */
function lineOf(record: object): string {
  const json = JSON.stringify(record);
  return `${checksum(json)} ${json}\n`;
}

const checksum = (json: string): string => murmur3(json).toString(16).padStart(8, '0');

/** `undefined` if the line is damaged. */
export function parseLine(line: string): SpoolRecord | undefined {
  try {
    const json = line.slice(9);
    if (line[8] !== ' ' || line.slice(0, 8) !== checksum(json)) return undefined;
    const { id, done, queuedAt, ...fields } = JSON.parse(json);
    if (Array.isArray(done)) return { done };
    if (!Object.hasOwn(ENDPOINTS, fields.kind)) return undefined;
    // It may have been sent at once; when exactly is not recorded.
    return { id, delivery: { ...createDelivery(fields), queuedAt, triedAt: queuedAt } };
  } catch {
    return undefined;
  }
}
