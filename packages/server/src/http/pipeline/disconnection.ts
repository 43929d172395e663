import type { FastifyReply } from 'fastify';

/** Aborted when the client leaves before the response is complete, or has already left. */
export function disconnection({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // No event follows for a client that left while the credentials were checked.
  if (raw.destroyed) controller.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
