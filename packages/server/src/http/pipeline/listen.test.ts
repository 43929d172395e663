import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterEach, describe, expect, it } from 'vitest';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses = []) =>
  addresses.some(({ address }) => address === '::1'),
);

/** What a kernel without IPv6 says. */
const WITHOUT_IPV6 = `
const { Server } = require('node:net');
const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  if (options?.host !== '::') return listen.call(this, options, ...rest);
  const error = Object.assign(new Error('listen EAFNOSUPPORT: address family not supported ::'), { code: 'EAFNOSUPPORT' });
  process.nextTick(() => this.emit('error', error));
  return this;
};`;

let server: TestServer;
const directories: string[] = [];
afterEach(async () => {
  await discard(server);
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

const statusAt = async (host: string, path: string) => {
  const { port } = new URL(server.url);
  return (await fetch(`http://${host}:${port}${path}`)).status;
};

describe('HOST=::', () => {
  it.skipIf(!hasIpv6)('is all addresses, of IPv4 and IPv6', async () => {
    server = await startServer({ env: { HOST: '::' } });
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      expect(await statusAt(host, '/healthz'), host).toBe(200);
      // From this machine, whatever the form of its address.
      expect(await statusAt(host, '/metrics'), host).toBe(200);
    }
  });

  it('is all IPv4 addresses on a machine without IPv6', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'switchyard-listen-'));
    directories.push(directory);
    const script = join(directory, 'without-ipv6.cjs');
    writeFileSync(script, WITHOUT_IPV6);
    server = await startServer({ env: { HOST: '::', NODE_OPTIONS: `--require=${script}` } });
    expect(new URL(server.url).hostname).toBe('0.0.0.0');
    expect(await statusAt('127.0.0.1', '/healthz')).toBe(200);
  });
});
