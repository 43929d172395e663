// Serves the ClickHouse engine over HTTP, as a ClickHouse server does: enough of the protocol for `@clickhouse/client`.
// A program of its own, because on some machines it runs under emulation. Arguments: directory of the data.
const { createServer } = require('node:http');
const { dirname, join } = require('node:path');

// The values of parameters arrive in the format of the protocol; chdb would escape them again.
require(join(dirname(require.resolve('chdb')), 'dist/serialize.js')).formatParamValue = String;
const { Session } = require('chdb');

// A deletion waits for a task in the background, which otherwise sleeps for up to a second before it looks for work.
const SLEEP = '--background_processing_pool';
const connectionArgs = [
  `${SLEEP}_task_sleep_seconds_when_no_work_min=0.05`,
  `${SLEEP}_task_sleep_seconds_when_no_work_random_part=0`,
  `${SLEEP}_thread_sleep_seconds_if_nothing_to_do=0.01`,
  `${SLEEP}_thread_sleep_seconds_random_part=0`,
];

/** Statements that run at the same time; each needs a connection of its own. */
const CONNECTIONS = 4;

function connect() {
  const session = new Session(process.argv[2], { connectionArgs });
  // Compiling expressions and profiling cost more than they save, many times so under emulation.
  for (const setting of [
    ...['compile_expressions', 'compile_aggregate_expressions', 'compile_sort_description', 'log_queries'],
    ...['query_profiler_real_time_period_ns', 'query_profiler_cpu_time_period_ns'],
  ]) {
    session.query(`SET ${setting} = 0`);
  }
  return session;
}

const idle = Array.from({ length: CONNECTIONS }, connect);

/** Parameters of the protocol that are not settings of the engine. */
const NOT_SETTINGS = new Set([
  ...['query', 'query_id', 'database', 'default_format', 'session_id', 'session_timeout', 'role'],
  ...['wait_end_of_query', 'send_progress_in_http_headers', 'http_headers_progress_interval_ms'],
  'enable_http_compression',
]);

const waiting = [];

/** Runs a statement as soon as a connection is idle. */
async function withConnection(run) {
  const session = idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  try {
    return await run(session);
  } finally {
    const next = waiting.shift();
    if (next === undefined) idle.push(session);
    else next(session);
  }
}

const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A clause, because SET would also apply to later statements. */
function withSettings(statement, settings) {
  const clause = [...settings].map(([name, value]) => `${name} = ${quote(value)}`).join(', ');
  if (clause === '' || /^\s*(CREATE|DROP)\b/i.test(statement)) return statement;
  if (!/^\s*INSERT\b/i.test(statement)) return `${statement}\nSETTINGS ${clause}`;
  return statement.replace(/\bFORMAT\b/i, `SETTINGS ${clause} FORMAT`);
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The client sends long parameters as a form; each part is a parameter, or the statement. */
function readForm(type, body) {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type ?? '')?.[1];
  if (boundary === undefined) return undefined;
  const parts = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const [, name, value] = /^\r\n.*name="([^"]+)"\r\n\r\n(.*)$/s.exec(part);
    return [name, value];
  });
}

function run(session, url, body) {
  const inUrl = url.searchParams.get('query');
  const parameters = {};
  const settings = new Map();
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) parameters[name.slice('param_'.length)] = value;
    else if (!NOT_SETTINGS.has(name)) settings.set(name, value);
  }
  const statement = withSettings((inUrl ?? body).trimEnd(), settings);
  const text = inUrl === null ? statement : `${statement}\n${body}`;
  const options = { format: url.searchParams.get('default_format') ?? 'TabSeparated' };
  return Object.keys(parameters).length > 0
    ? session.queryBindAsync(text, parameters, options)
    : session.queryAsync(text, options);
}

async function respond(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname === '/ping') return response.end('Ok.\n');
  let body = await readBody(request);
  for (const [name, value] of readForm(request.headers['content-type'], body) ?? []) {
    if (name === 'query') body = value;
    else url.searchParams.append(name, value);
  }
  try {
    const result = await withConnection((session) => run(session, url, body));
    response.setHeader('x-clickhouse-query-id', url.searchParams.get('query_id') ?? '');
    response.setHeader('x-clickhouse-summary', JSON.stringify({ read_rows: String(result.rowsRead) }));
    response.end(result.bytes());
  } catch (error) {
    const code = /Code: (\d+)/.exec(error.message)?.[1] ?? '1002';
    response.writeHead(code === '516' ? 401 : 500, { 'x-clickhouse-exception-code': code });
    response.end(error.message);
  }
}

const server = createServer((request, response) => {
  respond(request, response).catch((error) => response.destroy(error));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
// The parent keeps this pipe open for as long as it lives.
// Killed, because the library takes seconds to unload.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
