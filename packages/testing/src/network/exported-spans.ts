import type { WebhookReceiver } from './webhook-receiver.ts';

/** A span as OTLP sends it. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: { spanId: string }[];
  status: { code?: number };
}

interface Batch {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

/** What a collector has received, each span once: a batch that was answered late is sent again. */
export function exportedSpans(collector: WebhookReceiver): Span[] {
  const found = collector.received.flatMap(({ body }) =>
    (JSON.parse(body) as Batch).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
  return [...new Map(found.map((span) => [span.spanId, span])).values()];
}

export function attributeOf(span: Span, name: string): string | number | undefined {
  const value = span.attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
}
