// The baseline: plain node:http that parses the same bodies and responds with the same bytes, without keys,
// validation, routing or storage.
import { createServer } from 'node:http';

const SUCCESS = Buffer.from('{"success":true}');

/** @param {Buffer} body */
function respond(response, body) {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
}

function parseThenRespond(request, response, body) {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    JSON.parse(text);
    respond(response, body);
  });
}

/** Responses by path; writes have none. */
process.once('message', (responses) => {
  const bodies = new Map(Object.entries(responses).map(([path, text]) => [path, Buffer.from(text)]));
  const server = createServer((request, response) => {
    const body = bodies.get(request.url) ?? SUCCESS;
    if (request.method === 'GET') respond(response, body);
    else parseThenRespond(request, response, body);
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
process.on('disconnect', () => process.exit());
