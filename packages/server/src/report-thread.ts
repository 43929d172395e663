import { AsyncLocalStorage } from 'node:async_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { configurationModel } from './definitions.ts';
import { type SubjectContentsRequest, subjectContentsReport } from './features/erasure/erasure-plan.ts';
import {
  type PastConfigurationRequest,
  pastConfiguration,
} from './features/explanations/past-configuration.ts';
import { compileRuleRegex } from './features/flags/rule-regex.ts';
import type {
  ReportJob,
  ReportMessage,
  ReportReply,
  ReportRequest,
} from './features/reports/report-request.ts';
import { ReportService } from './features/reports/report-service.ts';
import { ReportSnapshots } from './features/reports/report-snapshots.ts';
import { trafficReport } from './features/traffic/traffic-report.ts';
import type { TrafficRequest } from './features/traffic/traffic-request.ts';
import { connectEventStore } from './storage/event-store-client.ts';
import type { ThreadConnection } from './storage/storage-channel.ts';
import type { TraceParent } from './storage/tracer.ts';

// Reports are computed on this thread to keep the serving thread responsive.

/** What other threads can request from this one. */
export type ThreadRequest =
  | ReportRequest
  | TrafficRequest
  | PastConfigurationRequest
  | SubjectContentsRequest;

const port = parentPort!;
const encoder = new TextEncoder();
const traces = new AsyncLocalStorage<TraceParent>();
const { storage } = workerData as { storage: ThreadConnection };
const eventStore = connectEventStore(storage, () => traces.getStore());
const service = new ReportService(eventStore, new ReportSnapshots(), compileRuleRegex);
const running = new Map<number, AbortController>();

async function handle({ id, request, changes }: ReportJob<ThreadRequest>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const { contentType, text } = await respond(request, changes, controller.signal);
    const body = encoder.encode(text);
    port.postMessage({ id, contentType, body } satisfies ReportReply, [body.buffer]);
  } catch (error) {
    const { message, stack, code } = error as Error & { code?: string };
    const details = { message, ...(stack && { stack }), ...(code && { code }) };
    port.postMessage({ id, error: details } satisfies ReportReply);
  } finally {
    running.delete(id);
  }
}

function respond(request: ThreadRequest, changes: number, signal: AbortSignal) {
  switch (request.type) {
    case 'traffic':
      return trafficReport(eventStore, request);
    case 'subject-contents':
      return subjectContentsReport(eventStore, request);
    case 'past-configuration':
      return pastConfiguration(configurationModel, request);
    default:
      return service.run(request, changes, signal);
  }
}

port.on('message', (message: ReportMessage<ThreadRequest>) => {
  if ('cancel' in message) running.get(message.cancel)?.abort();
  else if (message.trace === undefined) void handle(message);
  else void traces.run(message.trace, handle, message);
});
