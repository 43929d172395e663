import type { Logger } from 'pino';
import type { TracingConfig } from '../settings/config.ts';
import { readVersion } from '../version.ts';
import type { OtlpTracer } from './otlp-tracer.ts';

/** Imported only if needed: the libraries take time and memory. */
export async function openTracer(
  tracing: TracingConfig | undefined,
  log: Logger,
): Promise<OtlpTracer | undefined> {
  if (tracing === undefined) return undefined;
  const { OtlpTracer } = await import('./otlp-tracer.ts');
  return new OtlpTracer(tracing, readVersion(), log);
}
