// npm run demo: the sample shop, ready to look around. See README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { startDemo } from './start-demo.js';

const HELP = `Usage: npm run demo -- [options]
  --port N        port to listen on (default: PORT; else 8080, or a free one if it is in use)
  --data DIR      new or empty data directory, which is kept (default: a temporary one)
  --visitors N    visitors of the simulated two months (default: 20000)
  --seed N        seed of the simulation
  --no-open       do not open a browser`;

const OPTIONS = {
  port: { type: 'string' },
  data: { type: 'string' },
  visitors: { type: 'string' },
  seed: { type: 'string' },
  'no-open': { type: 'boolean' },
  help: { type: 'boolean' },
};

function wholeNumber(options, name, max) {
  const text = options[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) > max)
    throw new Error(
      `${name === 'port' ? '--port, or PORT,' : `--${name}`} must be a whole number up to ${max}`,
    );
  return Number(text);
}

async function choosePort(given) {
  if (given === undefined) return (await isFree(8080)) ? 8080 : 0;
  if (!(await isFree(given))) throw new Error(`Port ${given} is in use`);
  return given;
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Opens the page where there is a display; the printed link works everywhere. */
function openBrowser(url) {
  const commands = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };
  const hasDisplay = process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY;
  const [command, ...args] = commands[process.platform] ?? (hasDisplay ? ['xdg-open'] : []);
  if (command === undefined) return;
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());

async function run(options) {
  const number = (name, max) => wholeNumber({ port: process.env.PORT, ...options }, name, max);
  const port = await choosePort(number('port', 65_535));
  const demo = await startDemo({
    port,
    dataDir: options.data,
    log: console.log,
    signal: interrupted.signal,
    visitors: number('visitors', 1_000_000),
    seed: number('seed', 999_999_999),
  });
  console.log(`
The shop is open at ${demo.url}

  Sign in with one click (works once): ${demo.signInUrl}
  or with ${demo.email} and the password ${demo.password}

  Editor, whose changes need approval: ${demo.people.editor.email}, password ${demo.people.editor.password}

Ctrl-C ends the demo${options.data === undefined ? ' and removes its data' : ''}.`);
  if (!options['no-open']) openBrowser(demo.signInUrl);
  const stopping = once(interrupted.signal, 'abort');
  const code = interrupted.signal.aborted ? 0 : await Promise.race([stopping.then(() => 0), demo.exited]);
  await demo.stop();
  return code;
}

try {
  const { values: options } = parseArgs({ options: OPTIONS });
  if (options.help) console.log(HELP);
  else process.exitCode = await run(options);
} catch (error) {
  // Ctrl-C during the start also ends the server that it talks to.
  if (!interrupted.signal.aborted) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
