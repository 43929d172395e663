import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** A client this far behind has stopped reading; it catches up when it reconnects. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** Starts a response that stays open. */
export function openEventStream(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Disables buffering in nginx.
    'x-accel-buffering': 'no',
  });
  return response;
}

export function writeEvent(response: ServerResponse, text: string): void {
  // Checked before writing, because Node.js only sends new data after this turn of the event loop.
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  else response.write(text);
}
