import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFilling, type Servers, serverNames, writeDurably } from './move-record.ts';

const FILE = 'moved.json';
const EMBEDDED_FILES = ['config.db', 'events.duckdb'];
const NODE_FILE = 'node.db';

/** From now on, nodes may use the directory, and a server without DATABASE_URL may not. */
export function markMoved(dataDir: string, servers: Servers): Promise<void> {
  const movedAt = new Date().toISOString();
  return writeDurably(join(dataDir, FILE), { movedAt, ...serverNames(servers) });
}

export const isMoved = (dataDir: string): boolean => existsSync(join(dataDir, FILE));

/** Describes when and where the data was moved. */
export function describeMove(dataDir: string): string {
  try {
    const { movedAt, database, clickhouse } = JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'));
    return `The data in ${dataDir} was moved to ${database} and ${clickhouse} at ${movedAt}.`;
  } catch {
    return `The data in ${dataDir} was moved to PostgreSQL and ClickHouse.`;
  }
}

export const undoMove = (dataDir: string): string =>
  `To go on with the files as they were then, without anything that the nodes have stored since, delete ` +
  `${join(dataDir, FILE)}.`;

/** Throws if a server, with or without DATABASE_URL, must not start in the directory. */
export function assertUsable(dataDir: string, isNode: boolean): void {
  if (isNode) assertNoEmbeddedData(dataDir);
  else {
    assertNotMoved(dataDir);
    assertNoNode(dataDir);
  }
}

function assertNotMoved(dataDir: string): void {
  if (isMoved(dataDir)) {
    throw new Error(
      `${describeMove(dataDir)} Set DATABASE_URL and CLICKHOUSE_URL to run as a node. ${undoMove(dataDir)}`,
    );
  }
  if (isFilling(dataDir)) {
    throw new Error(
      `A move into ${dataDir} is not complete. Run "switchyard move --to-directory ${dataDir}" again, after the ` +
        'nodes have stopped.',
    );
  }
}

function assertNoEmbeddedData(dataDir: string): void {
  if (isMoved(dataDir)) return;
  const found = EMBEDDED_FILES.find((name) => existsSync(join(dataDir, name)));
  if (found === undefined) return;
  throw new Error(
    `${dataDir} has the data of a server without DATABASE_URL (${found}). Move it with "switchyard move", or use ` +
      'another DATA_DIR for this node.',
  );
}

/** Also after all its events are in ClickHouse: a server that starts here by mistake would look as if data was lost. */
function assertNoNode(dataDir: string): void {
  const file = join(dataDir, NODE_FILE);
  if (!existsSync(file)) return;
  throw new Error(
    `${dataDir} has the journal of a node (${NODE_FILE}), which may hold events that are not in ClickHouse yet. Set ` +
      'DATABASE_URL and CLICKHOUSE_URL to start the node, or use another DATA_DIR for a server without them. If the ' +
      `node is not needed any more, store its events with "switchyard ship ${dataDir}", then delete ${file}.`,
  );
}
