import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { connectEventStore } from '../../storage/event-store-client.ts';
import type { ReportOrder, ReportReply } from './report-request.ts';
import { ReportService } from './report-service.ts';
import { ReportSnapshots } from './report-snapshots.ts';

// Reports are computed on this thread, so that the serving thread never does.

const port = parentPort!;
const encoder = new TextEncoder();
const { storage } = workerData as { storage: MessagePort };
const service = new ReportService(connectEventStore(storage), new ReportSnapshots());

async function answer({ id, request, changes }: ReportOrder): Promise<void> {
  try {
    const { contentType, text } = await service.answer(request, changes);
    const body = encoder.encode(text);
    port.postMessage({ id, contentType, body } satisfies ReportReply, [body.buffer]);
  } catch (error) {
    const { message, stack, code } = error as Error & { code?: string };
    const told = { message, ...(stack && { stack }), ...(code && { code }) };
    port.postMessage({ id, error: told } satisfies ReportReply);
  }
}

port.on('message', (order: ReportOrder) => void answer(order));
