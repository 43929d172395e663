// The baseline of streams.js: plain node:http that writes each event to all streams at once. POST sends the body as an
// event, GET opens a stream.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const streams = new Set();

const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const event = await text(request);
    for (const stream of streams) stream.write(event);
    response.end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write('retry: 2000\n\n');
  streams.add(response);
  response.on('close', () => streams.delete(response));
});

process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', 4096, () => process.send({ port: server.address().port }));
