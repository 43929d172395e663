import pg from 'pg';

/** The database with all migrations that others are copied from. */
export const MIGRATED = 'switchyard_migrated';

/** Returns its URL. */
export async function createDatabase(server: string, name: string, template = 'template0'): Promise<string> {
  await runAsAdmin(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

export async function runAsAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
