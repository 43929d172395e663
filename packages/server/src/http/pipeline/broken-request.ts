import type { Socket } from 'node:net';
import { problemBody } from '../contract/problem.ts';

const STATUSES: Record<string, [status: number, reason: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
};

/** Status and reason for input that is not valid HTTP; undefined if the connection is already gone. */
export function refusalOf(error: NodeJS.ErrnoException, socket: Socket): [number, string] | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) return undefined;
  return STATUSES[error.code ?? ''] ?? [400, 'Bad Request'];
}

/** Responds on the raw socket, because there is no request object, and closes it even if the client does not. */
export function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
  lingerMs: number,
): void {
  const refusal = refusalOf(error, socket);
  if (refusal === undefined) return void socket.destroy();
  const [status, title] = refusal;
  const body = JSON.stringify({
    ...problemBody('invalid_request', requestId, `${title}.`),
    status,
    title,
  });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Not immediately: closing a socket with unread input discards the response.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
