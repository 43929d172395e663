import { connect } from 'node:net';

export interface RawResponse {
  /** Everything the server sent until it closed the connection. */
  text: string;
  status: number;
  headers: Record<string, string>;
  body: string;
  /** From the start to the end of the connection. */
  milliseconds: number;
}

export interface RawRequest {
  /** Sent immediately. */
  start: string | Buffer;
  /** Sent repeatedly until the server disconnects. */
  chunk?: string;
  everyMs?: number;
}

/** Sends raw bytes, for requests that no HTTP client would send; resolves when the server disconnects. */
export function sendRaw(url: string, { start, chunk, everyMs = 500 }: RawRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    const timer = chunk === undefined ? undefined : setInterval(() => socket.write(chunk), everyMs);
    socket.setEncoding('latin1');
    socket.on('data', (received: string) => {
      text += received;
    });
    // The server may reset the connection.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ ...parse(text), milliseconds: Date.now() - startedAt });
    });
    socket.write(start);
  });
}

function parse(text: string): Omit<RawResponse, 'milliseconds'> {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { text, status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
}
