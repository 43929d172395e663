import { AsyncLocalStorage } from 'node:async_hooks';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { connectEventStore } from '../events/thread/event-store-client.ts';
import { type SubjectContentsRequest, subjectContentsReport } from '../features/erasure/erasure-plan.ts';
import {
  type PastConfigurationRequest,
  pastConfiguration,
} from '../features/explanations/past-configuration.ts';
import type { ReportMethods, ReportRequest } from '../features/reports/report-request.ts';
import { ReportService } from '../features/reports/report-service.ts';
import { ReportSnapshots } from '../features/reports/report-snapshots.ts';
import { trafficReport } from '../features/traffic/traffic-report.ts';
import type { TrafficRequest } from '../features/traffic/traffic-request.ts';
import { byMethod, RemoteCalls } from '../platform/calls/remote-calls.ts';
import { compileRuleRegex } from '../platform/rule-regex.ts';
import type { TraceParent } from '../platform/tracing/tracer.ts';
import { configurationModel } from './definitions.ts';

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
const { storage } = workerData as { storage: MessagePort };
const eventStore = connectEventStore(storage, () => traces.getStore());
const service = new ReportService(eventStore, new ReportSnapshots(), compileRuleRegex);

const answer = byMethod<ReportMethods<ThreadRequest>>({
  run: async ([request, changes], call) => {
    const { signal, trace } = call;
    const responding = () => respond(request, changes, signal);
    const { contentType, text } = await (trace === undefined ? responding() : traces.run(trace, responding));
    const body = encoder.encode(text);
    call.transferred = [body.buffer];
    return { contentType, body };
  },
});
const calls = new RemoteCalls((message, transferred) => port.postMessage(message, transferred), answer);
port.on('message', (message) => calls.receive(message));

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
