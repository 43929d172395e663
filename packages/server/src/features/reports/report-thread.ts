import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { connectEventStore } from '../../storage/event-store-client.ts';
import type { ReportMessage, ReportReply } from './report-request.ts';
import { ReportService } from './report-service.ts';
import { ReportSnapshots } from './report-snapshots.ts';

// Reports are computed on this thread to keep the serving thread responsive.

const port = parentPort!;
const encoder = new TextEncoder();
const { storage } = workerData as { storage: MessagePort };
const service = new ReportService(connectEventStore(storage), new ReportSnapshots());

async function handle({ id, request, changes }: ReportMessage): Promise<void> {
  try {
    const { contentType, text } = await service.run(request, changes);
    const body = encoder.encode(text);
    port.postMessage({ id, contentType, body } satisfies ReportReply, [body.buffer]);
  } catch (error) {
    const { message, stack, code } = error as Error & { code?: string };
    const details = { message, ...(stack && { stack }), ...(code && { code }) };
    port.postMessage({ id, error: details } satisfies ReportReply);
  }
}

port.on('message', (message: ReportMessage) => void handle(message));
