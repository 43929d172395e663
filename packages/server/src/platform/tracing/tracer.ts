/** A `traceparent` of W3C Trace Context. Only recorded spans have one here, so its flags are always `01`. */
export type TraceParent = string;

/** Records spans. Where tracing is off, there is no tracer. */
export interface Tracer {
  /** The span of the request that is being handled. */
  current(): TraceParent | undefined;
  /** The first cause becomes the parent, the others are linked. */
  start(name: string, causes: readonly TraceParent[], attributes: SpanAttributes): RunningSpan;
  record(work: TracedWork): void;
}

export interface RunningSpan {
  readonly traceParent: TraceParent;
  end(error?: Error): void;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** What another thread has done; it is sent to the thread that has the tracer. */
export interface TracedWork {
  name: string;
  causes: readonly TraceParent[];
  attributes: SpanAttributes;
  /** Milliseconds since 1970, with fractions. */
  startedAt: number;
  endedAt: number;
  /** Message of the error that ended it. */
  error?: string;
}

const now = () => performance.timeOrigin + performance.now();

/** Measures work from now until the returned function is called. */
export function measureWork(
  work: Pick<TracedWork, 'name' | 'causes' | 'attributes'>,
): (error?: unknown) => TracedWork {
  const startedAt = now();
  return (error) => ({
    ...work,
    startedAt,
    endedAt: now(),
    ...(error === undefined ? {} : { error: error instanceof Error ? error.message : String(error) }),
  });
}

export interface RequestTracer {
  /** Undefined: this request is not traced. */
  startRequest(start: RequestStart): RequestSpan | undefined;
}

interface RequestStart {
  method: string;
  /** The route pattern; undefined: no route matches. */
  route: string | undefined;
  /** Incoming `traceparent` header. */
  traceParent: string | string[] | undefined;
  requestId: string;
  /** Milliseconds since the request arrived. */
  elapsedMs: number;
}

export interface RequestSpan {
  /** What the function starts becomes a part of this span. */
  run<T>(work: () => T): T;
  /** Without a status, the connection was closed before the response. */
  end(status: number | undefined): void;
}
