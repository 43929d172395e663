import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  type Context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  type Tracer as OpenTelemetryTracer,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TracingConfig } from '../settings/config.ts';
import { withTimeout } from '../with-timeout.ts';
import type {
  RequestTracer,
  RunningSpan,
  SpanAttributes,
  TracedWork,
  TraceParent,
  Tracer,
} from './tracer.ts';

// Only imported when tracing is on: the libraries take time and memory.

/** Spans that wait for the collector; further ones are dropped. */
const MAX_QUEUE = 4096;
const BATCH = 512;
const SEND_AFTER_MS = 1000;
/** The next batch is sent when the last one has arrived, or after this time. */
const EXPORT_TIMEOUT_MS = 5000;
/** How long a stop waits for the last spans. */
const CLOSE_TIMEOUT_MS = 1000;
const MAX_LINKS = 32;
const WARN_EVERY_MS = 60_000;

/** Sends spans to an OpenTelemetry collector in the background. Whatever the collector does, nothing waits for it. */
export class OtlpTracer implements Tracer, RequestTracer {
  readonly #provider: TracerProvider;
  readonly #tracer: OpenTelemetryTracer;
  readonly #current = new AsyncLocalStorage<Span>();

  constructor(config: TracingConfig, version: string, log: Logger) {
    warnRarely(log);
    const exporter = new OTLPTraceExporter({
      url: `${config.endpoint}/v1/traces`,
      headers: { ...config.headers },
      timeoutMillis: EXPORT_TIMEOUT_MS,
      concurrencyLimit: 2,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': config.serviceName,
        'service.version': version,
        'service.instance.id': `${hostname()}:${process.pid}`,
      }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.share) }),
      spanLimits: { linkCountLimit: MAX_LINKS },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter,
          maxQueueSize: MAX_QUEUE,
          maxExportBatchSize: BATCH,
          scheduledDelayMillis: SEND_AFTER_MS,
          exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('switchyard', version);
  }

  startRequest({
    method,
    route,
    traceParent,
    requestId,
    elapsedMs,
  }: Parameters<RequestTracer['startRequest']>[0]) {
    const span = this.#tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: Date.now() - elapsedMs,
        attributes: {
          'http.request.method': method,
          ...(route !== undefined && { 'http.route': route }),
          'switchyard.request_id': requestId,
        },
      },
      contextOf(typeof traceParent === 'string' ? parseTraceParent(traceParent) : undefined),
    );
    if (!span.isRecording()) return undefined;
    return {
      run: <T>(work: () => T) => this.#current.run(span, work),
      end: (status: number | undefined) => {
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (status !== undefined && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  current(): TraceParent | undefined {
    const span = this.#current.getStore();
    return span && traceParentOf(span);
  }

  start(name: string, causes: readonly TraceParent[], attributes: SpanAttributes): RunningSpan {
    const span = this.#startCaused(name, causes, attributes);
    return { traceParent: traceParentOf(span), end: (error) => endSpan(span, error?.message) };
  }

  record({ name, causes, attributes, startedAt, endedAt, error }: TracedWork): void {
    endSpan(this.#startCaused(name, causes, attributes, startedAt), error, endedAt);
  }

  /** Sends what is left; gives up after a second. */
  async close(): Promise<void> {
    // Failures were logged by the library.
    const sent = this.#provider.shutdown().catch(() => undefined);
    await withTimeout(sent, CLOSE_TIMEOUT_MS, () => undefined);
  }

  #startCaused(
    name: string,
    causes: readonly TraceParent[],
    attributes: SpanAttributes,
    startTime?: number,
  ): Span {
    const [parent, ...others] = causes.slice(0, MAX_LINKS + 1).map(parseTraceParent);
    const links = others.flatMap((context) => (context === undefined ? [] : [{ context }]));
    return this.#tracer.startSpan(
      name,
      { attributes, links, ...(startTime !== undefined && { startTime }) },
      contextOf(parent),
    );
  }
}

function endSpan(span: Span, error: string | undefined, endTime?: number): void {
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  span.end(endTime);
}

function traceParentOf(span: Span): TraceParent {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

function parseTraceParent(text: string): SpanContext | undefined {
  const match = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-|$)/.exec(text);
  if (match === null) return undefined;
  const traceFlags = Number.parseInt(match[3]!, 16) & TraceFlags.SAMPLED;
  const context = { traceId: match[1]!, spanId: match[2]!, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

function contextOf(parent: SpanContext | undefined): Context {
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** A dead collector causes a warning every few seconds: one per minute is enough. */
function warnRarely(log: Logger): void {
  let silentUntil = 0;
  const warn = (message: string) => {
    if (performance.now() < silentUntil) return;
    silentUntil = performance.now() + WARN_EVERY_MS;
    log.warn(`cannot send traces: ${errorMessage(message)}`);
  };
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** The library logs errors as JSON, with stack. */
function errorMessage(text: string): string {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text;
  }
}
