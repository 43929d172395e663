import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { run, switchyardWith } from '@switchyard/testing/server/command-line';
import { BIN } from '@switchyard/testing/server/test-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

// Runs the built program in a separate process, as users do.
const switchyard = (args: readonly string[], input = '') =>
  run(process.execPath, [BIN, ...args], { cwd: directory, input });

const SHOP = `properties:
  - id: shop
    apiKeys: [{ kind: public, name: web }, { kind: secret, name: backend }]
    goals: [{ id: signup, name: Sign-ups, kind: count }]
`;

let directory: string;
let dataDir: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
  dataDir = join(directory, 'data');
  writeFileSync(join(directory, 'shop.yaml'), SHOP);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Commands that need no data directory. */
const OFFLINE = [['stats'], ['verify']];

describe('help', () => {
  test('every command documents its usage and exit codes', async () => {
    const root = await switchyard(['--help']);
    expect(root.code).toBe(0);
    const commands = [
      ['serve'],
      ['apply'],
      ['plan'],
      ['export'],
      ['doctor'],
      ['forget'],
      ['types'],
      ...OFFLINE,
    ];
    commands.push(['keys', 'create'], ['keys', 'list'], ['keys', 'delete']);
    const helps = await Promise.all(commands.map((command) => switchyard([...command, '--help'])));
    for (const [index, help] of helps.entries()) {
      expect(root.stdout).toContain(commands[index]?.[0]);
      expect(help.code).toBe(0);
      expect(help.stdout).toMatch(/Exit codes: 0 .*\n[\s\S]*Examples?:\n/);
      const isOffline = OFFLINE.some(([name]) => name === commands[index]?.[0]);
      expect(/--data-dir <directory>/.test(help.stdout)).toBe(!isOffline);
    }
  });

  test('invalid arguments are errors', async () => {
    const outcomes = await Promise.all([
      switchyard(['bogus']),
      switchyard(['apply']),
      switchyard(['export', '--format', 'xml']),
      switchyard(['keys', 'create', '--property', 'shop', '--kind', 'private', '--name', 'x']),
    ]);
    for (const { code, stdout, stderr } of outcomes) {
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^error: .*\n\(use --help for usage\)\n$/);
    }
  });
});

describe('apply and plan', () => {
  test('plan shows the changes, apply makes them, and a second plan is empty', async () => {
    const plan = await switchyard(['plan', 'shop.yaml', '--exit-code']);
    expect(plan).toMatchObject({ code: 2, stderr: '' });
    expect(plan.stdout).toMatch(
      /^shop:\n {2}\+ property shop\n[\s\S]*4 to create, 0 to change, 0 unchanged\.\n$/,
    );
    expect(existsSync(dataDir)).toBe(false);
    const applied = await switchyard(['apply', 'shop.yaml']);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toMatch(
      /shop {2}public {2}web {2}service_pub_\w{38}\n {2}shop {2}secret {2}backend {2}service_sec_\w{38}\n\nCreated \/\S+\. If your server uses another data directory, pass it with --data-dir\.\n$/,
    );
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    const again = await switchyard(['plan', '-', '--exit-code'], SHOP);
    expect(again).toEqual({ code: 0, stdout: '0 to create, 0 to change, 4 unchanged.\n', stderr: '' });
    const changed = SHOP.replace('Sign-ups', 'Registrations');
    expect((await switchyard(['plan', '-'], changed)).code).toBe(0);
    const json = await switchyard(['apply', '-', '--json'], changed);
    expect(JSON.parse(json.stdout).changes).toContainEqual({
      action: 'update',
      entity: 'goal',
      propertyId: 'shop',
      id: 'signup',
      fields: [{ field: 'name', from: 'Sign-ups', to: 'Registrations' }],
    });
  });

  test('settings mean the same as for the server', async () => {
    const hook = '{ id: own, url: "http://127.0.0.1:9/hook", events: ["configuration.changed"] }';
    writeFileSync(join(directory, 'hook.yaml'), `${SHOP}    webhooks: [${hook}]\n`);
    const plan = (settings: Record<string, string>) =>
      switchyardWith({ DATA_DIR: dataDir, ...settings }, 'plan', join(directory, 'hook.yaml'));
    expect((await plan({})).code).toBe(1);
    expect(await plan({ WEBHOOK_ALLOW_PRIVATE: 'TRUE' })).toMatchObject({ code: 0, stderr: '' });
    expect((await plan({ WEBHOOK_ALLOW_PRIVATE: 'yes' })).stderr).toBe(
      'switchyard: WEBHOOK_ALLOW_PRIVATE must be one of true, false, not "yes"\n',
    );
    const { stderr } = await switchyardWith({ DATA_DIR: ` ${dataDir} ` }, 'export');
    expect(stderr).toMatch(`There is no configuration in ${dataDir}.`);
  });

  test('every mistake is reported with its line, and nothing is created', async () => {
    writeFileSync(join(directory, 'bad.yaml'), `${SHOP}    nmae: Shop\n    retentionDays: 0\n`);
    for (const command of ['apply', 'plan']) {
      const { code, stdout, stderr } = await switchyard([command, 'bad.yaml']);
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr.split('\n')).toEqual([
        'switchyard: bad.yaml has 2 mistakes; nothing was changed.',
        '  bad.yaml:5:5  /properties/0/nmae is an unknown field; did you mean "name"?',
        '  bad.yaml:6:5  /properties/0/retentionDays must be at least 1',
        '',
      ]);
    }
    const json = await switchyard(['plan', 'bad.yaml', '--json']);
    expect(JSON.parse(json.stdout).mistakes).toHaveLength(2);
    expect((await switchyard(['apply', 'missing.yaml'])).stderr).toBe(
      'switchyard: Cannot read missing.yaml: the file does not exist.\n',
    );
    const syntax = await switchyard(['apply', '-'], 'properties: [');
    expect(syntax.stderr).toMatch(
      /^switchyard: standard input has one mistake; nothing was changed\.\n {2}standard input:1:14 /,
    );
  });

  test('concurrent applies on an empty directory agree on one result', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => switchyard(['apply', 'shop.yaml', '--json'])),
    );
    expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array(4).fill({ code: 0, stderr: '' }),
    );
    const results = outcomes.map(({ stdout }) => JSON.parse(stdout));
    expect(results.flatMap((result) => result.generatedKeys)).toHaveLength(2);
  });
});

describe('export', () => {
  test('can be piped into an empty directory', async () => {
    await switchyard(['apply', 'shop.yaml']);
    const yaml = await switchyard(['export']);
    expect(yaml.stdout).toMatch(/^# Secret keys .*\n# shop: "backend"/);
    expect((await switchyard(['apply', '-', '--data-dir', 'copy'], yaml.stdout)).code).toBe(0);
    const [original, copy] = await Promise.all([
      switchyard(['export', '--format', 'json']),
      switchyard(['export', '--format', 'json', '--property', 'shop', '--data-dir', 'copy']),
    ]);
    expect(copy.stdout).toBe(original.stdout);
  });

  test('a missing directory or property is an error, and is not created', async () => {
    const { code, stderr } = await switchyard(['export', '--data-dir', 'nowhere']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^switchyard: There is no configuration in \/.*nowhere\. .*--data-dir\.\n$/);
    expect(existsSync(join(directory, 'nowhere'))).toBe(false);
    await switchyard(['apply', 'shop.yaml']);
    expect((await switchyard(['export', '--property', 'shpo'])).stderr).toBe(
      'switchyard: There is no property "shpo". Existing properties: shop.\n',
    );
  });
});

test('keys are created, listed without secrets, and deleted', async () => {
  await switchyard(['apply', '-'], 'properties: [{ id: shop }]');
  const create = ['keys', 'create', '--property', 'shop', '--name', 'x', '--kind'];
  const secret = await switchyard([...create, 'secret']);
  expect(secret.stdout).toMatch(/^service_sec_\w{38}\n$/);
  expect(secret.stderr).toMatch(/shown only once/);
  const publicKey = JSON.parse((await switchyard([...create, 'public', '--json'])).stdout);
  expect(await switchyard([...create, 'public'])).toMatchObject({ code: 1, stdout: '' });
  const list = await switchyard(['keys', 'list']);
  expect(list.stdout).toContain(publicKey.key);
  expect(list.stdout).not.toContain(secret.stdout.trim());
  const { keys } = JSON.parse((await switchyard(['keys', 'list', '--json', '--property', 'shop'])).stdout);
  expect(keys).toMatchObject([
    { kind: 'secret', key: null, lastFour: secret.stdout.trim().slice(-4) },
    publicKey,
  ]);
  expect(JSON.stringify(keys)).not.toContain('hash');
  expect((await switchyard(['keys', 'delete', keys[0].id])).code).toBe(0);
  expect(await switchyard(['keys', 'delete', keys[0].id])).toMatchObject({
    code: 1,
    stderr: `switchyard: There is no key "${keys[0].id}". "switchyard keys list" shows the ids.\n`,
  });
});

describe('doctor', () => {
  const checkOf = (outcome: { stdout: string }, name: string) =>
    JSON.parse(outcome.stdout).checks.find((check: { name: string }) => check.name === name);

  test('passes a healthy directory, and only warns about a missing one', async () => {
    const missing = await switchyard(['doctor']);
    expect(missing.code).toBe(0);
    expect(missing.stdout).toMatch(/^warn {2}Data directory .*does not exist yet\n {6}→ /m);
    expect(missing.stdout).toMatch(/^ok {4}Not checked .*Permissions, .*History, Access, /m);
    await switchyard(['apply', 'shop.yaml']);
    const healthy = await switchyard(['doctor']);
    expect(healthy.stdout).toMatch(/^ok {4}Configuration .*intact, schema \d{3}-[a-z-]+, properties: 1$/m);
    expect(healthy).toMatchObject({ code: 0, stderr: '' });
    const names = healthy.stdout.split('\n').map((line) => line.slice(6, 26).trim());
    expect(names.filter((name) => name !== '' && !name.startsWith('→'))).toEqual([
      'Node.js',
      'SQLite',
      'DuckDB',
      'Data directory',
      'Permissions',
      'Disk space',
      'Clock',
      'Configuration',
      'History',
      'Access',
      'Journal',
      'Idempotency keys',
      'Event store',
    ]);
  });

  test('works on a copy of the program that is not in a repository', async () => {
    await switchyard(['apply', 'shop.yaml']);
    const installed = mkdtempSync(join(tmpdir(), 'switchyard-installed-'));
    const server = fileURLToPath(new URL('../..', import.meta.url));
    for (const name of ['bin', 'dist', 'package.json']) {
      cpSync(join(server, name), join(installed, name), { recursive: true });
    }
    symlinkSync(join(server, '../../node_modules'), join(installed, 'node_modules'));
    const args = [join(installed, 'bin/switchyard.js'), 'doctor', '--data-dir', dataDir];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: installed, encoding: 'utf8' });
    rmSync(installed, { recursive: true, force: true });
    expect(stdout).toMatch(/^ok {4}Access /m);
    expect(status).toBe(0);
  });

  test('notices a replaced hash of a secret key', async () => {
    await switchyard(['apply', 'shop.yaml']);
    await switchyard(['keys', 'create', '--property', 'shop', '--kind', 'secret', '--name', 'api']);
    const connection = new DatabaseSync(join(dataDir, 'config.db'));
    connection.exec(`update api_keys set hash = 'of an intruder' where name = 'api'`);
    connection.close();
    const { code, stdout } = await switchyard(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}Access +API key key_\w+ was changed\n {6}→ /m);
  });

  test('detects damage, dangling rows, and a database of a newer version', async () => {
    await switchyard(['apply', 'shop.yaml']);
    const path = join(dataDir, 'config.db');
    const change = (sql: string) => {
      const connection = new DatabaseSync(path, { enableForeignKeyConstraints: false });
      connection.exec(sql);
      connection.close();
    };
    change(
      `insert into goals (property_id, id, name, kind, position, created_at) values ('nobody', 'x', 'x', 'count', 1, 1)`,
    );
    const dangling = await switchyard(['doctor', '--json']);
    expect(dangling.code).toBe(1);
    expect(checkOf(dangling, 'Configuration')).toMatchObject({
      status: 'fail',
      detail: 'config.db is damaged: a row in goals refers to a missing row in properties',
    });
    change(
      `delete from goals where property_id = 'nobody'; insert into kysely_migration values ('900-later', '2030-01-01')`,
    );
    const newer = await switchyard(['doctor', '--json']);
    expect(checkOf(newer, 'Configuration')).toMatchObject({
      status: 'fail',
      detail: 'written by a newer version (900-later)',
    });
    expect((await switchyard(['export'])).stderr).toMatch(/^switchyard: .*newer version of Switchyard/);
    writeFileSync(path, readFileSync(path).fill(0x58, 4096, 12_288));
    writeFileSync(join(dataDir, 'journal.db'), 'this is not a database, but long enough to look like one');
    const damaged = await switchyard(['doctor', '--json']);
    expect(checkOf(damaged, 'Configuration').status).toBe('fail');
    expect(checkOf(damaged, 'Journal')).toMatchObject({
      status: 'fail',
      hint: expect.stringMatching(/backup/),
    });
  });
});

describe('forget', () => {
  test('without a server, erases offline and leaves no trace of the visitor', async () => {
    await switchyard(['apply', 'shop.yaml']);
    const visitor = 'visitor-who-wants-to-be-forgotten';
    const outcome = await switchyard(['forget', '--property', 'shop', '--visitor', visitor]);
    expect(outcome).toEqual({ code: 0, stdout: 'Nothing was stored about them.\n', stderr: '' });
    for (const name of readdirSync(dataDir)) {
      expect(readFileSync(join(dataDir, name)).includes(visitor), name).toBe(false);
    }
  });

  test('requires one subject, an existing property and a numeric timeout', async () => {
    await switchyard(['apply', 'shop.yaml']);
    const forget = (...args: string[]) => switchyard(['forget', ...args]);
    const outcomes = await Promise.all([
      forget('--property', 'shop'),
      forget('--property', 'shop', '--visitor', 'v', '--user', 'u'),
      forget('--property', 'shpo', '--visitor', 'v'),
      forget('--property', 'shop', '--visitor', 'v', '--timeout', 'soon'),
    ]);
    expect(outcomes.map(({ code, stderr }) => `${code} ${stderr.trim()}`)).toEqual([
      '1 switchyard: Pass exactly one of --visitor, --user, --session, --feedback and --metadata.',
      '1 switchyard: Pass exactly one of --visitor, --user, --session, --feedback and --metadata.',
      '1 switchyard: There is no property "shpo". Existing properties: shop.',
      '1 switchyard: --timeout must be a number of seconds.',
    ]);
  });
});
