// PostgreSQL and the ClickHouse engine for benchmarks, as the tests start them.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const TESTING = fileURLToPath(new URL('../../packages/testing/src/', import.meta.url));
const load = async (path) => (await runnerImport(TESTING + path)).module;

/** Writes are on disk before they are acknowledged, as in production. */
export async function startPostgres() {
  const { findPostgres, installPostgres } = await load('postgres/postgres-binaries.ts');
  if (findPostgres() === undefined) installPostgres();
  const { PostgresServer } = await load('postgres/postgres-server.ts');
  return PostgresServer.start();
}

/** Installed first if needed (700 MB). `pid` is its process. */
export async function startClickHouse() {
  const { startClickHouse: start } = await load('clickhouse-engine/clickhouse-engine.ts');
  const before = new Set(childrenOf(process.pid));
  const engine = await start();
  const [pid] = childrenOf(process.pid).filter((child) => !before.has(child));
  return { ...engine, pid };
}

/** How the engine runs a program of Node.js: natively on x64, else under emulation. */
export async function engineCommand() {
  const { installEngine } = await load('clickhouse-engine/install-engine.ts');
  return installEngine().command;
}

export const isEmulated = process.arch !== 'x64';

/** Process ids of the children of a process, over all its threads. */
function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
