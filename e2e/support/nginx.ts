import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@switchyard/testing/time/wait';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from './test-certificate.ts';

const SAMPLE = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));

export function findNginx(): string | undefined {
  return ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/local/bin/nginx'].find((path) =>
    existsSync(path),
  );
}

/** nginx with deploy/nginx.conf, of which only ports, the upstream and the certificate are replaced. */
export class Nginx {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly #directory = mkdtempSync(join(tmpdir(), 'switchyard-nginx-'));
  #process: ChildProcess | undefined;
  #errors = '';

  private constructor(httpPort: number, httpsPort: number) {
    this.httpPort = httpPort;
    this.httpsPort = httpsPort;
  }

  static async start(executable: string, upstream: string): Promise<Nginx> {
    const [httpPort, httpsPort] = await freePorts(2);
    const nginx = new Nginx(httpPort!, httpsPort!);
    await nginx.#start(executable, new URL(upstream).host);
    return nginx;
  }

  async stop(): Promise<void> {
    if (this.#process?.exitCode === null) {
      const exited = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      await exited;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #start(executable: string, upstream: string): Promise<void> {
    const path = (name: string) => join(this.#directory, name);
    writeFileSync(path('certificate.pem'), TEST_CERTIFICATE);
    writeFileSync(path('key.pem'), TEST_CERTIFICATE_KEY);
    writeFileSync(path('site.conf'), this.#site(upstream, path));
    // Otherwise root's workers run as another user, who has no access to the temporary directory.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    writeFileSync(
      path('nginx.conf'),
      `${user} daemon off; worker_processes 1; pid ${path('pid')}; error_log stderr;
       events {}
       http {
         access_log off;
         ${temporary.map((name) => `${name}_temp_path ${path(name)};`).join('\n')}
         include ${path('site.conf')};
       }`,
    );
    const child = spawn(executable, ['-p', this.#directory, '-c', path('nginx.conf'), '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    child.stderr!.on('data', (text) => {
      this.#errors += text;
    });
    await waitFor('nginx', () => {
      if (child.exitCode !== null) throw new Error(`nginx did not start:\n${this.#errors}`);
      return accepts(this.httpsPort);
    });
  }

  #site(upstream: string, path: (name: string) => string): string {
    const replacements: [string | RegExp, string][] = [
      ['127.0.0.1:8080', upstream],
      ['listen 80;', `listen 127.0.0.1:${this.httpPort};`],
      ['listen 443 ssl', `listen 127.0.0.1:${this.httpsPort} ssl`],
      ['listen [::]:80;', ''],
      ['listen [::]:443 ssl http2;', ''],
      [/ssl_certificate \S+;/, `ssl_certificate ${path('certificate.pem')};`],
      [/ssl_certificate_key \S+;/, `ssl_certificate_key ${path('key.pem')};`],
    ];
    let site = readFileSync(SAMPLE, 'utf8');
    for (const [from, to] of replacements) {
      const next = site.replace(from, to);
      if (next === site) throw new Error(`deploy/nginx.conf has no ${from}`);
      site = next;
    }
    return site;
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
