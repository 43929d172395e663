import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HelmChart } from '@switchyard/testing/programs/helm-chart';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../platform/settings/settings.ts';

// Keeps the files for several nodes, the dashboard and the alerts true.

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const unknownSettings = (names: readonly string[]) => names.filter((name) => !Object.hasOwn(SETTINGS, name));

interface ComposeNode {
  build: { context: string; dockerfile: string };
  environment: Record<string, unknown>;
  volumes: string[];
  pull_policy: string;
  stop_grace_period: string;
}

describe('deploy/nodes', () => {
  const { services, volumes } = parse(read('deploy/nodes/compose.yaml'), { merge: true });
  const nodes = Object.entries<ComposeNode>(services).filter(([name]) => name.startsWith('node-'));

  it('has two equal nodes, each with a volume of its own', () => {
    expect(nodes).toHaveLength(2);
    const mounts = nodes.map(([, { volumes: mounted }]) => mounted);
    for (const [mount] of mounts) {
      const [volume, path] = mount!.split(':');
      expect(volumes).toHaveProperty(volume!);
      expect(read('deploy/Dockerfile')).toContain(`DATA_DIR=${path}\n`);
    }
    expect(new Set(mounts.flat()).size).toBe(2);
    const [first, second] = nodes.map(([, node]) => ({ ...node, volumes: undefined }));
    expect(first).toEqual(second);
  });

  it('has known settings, and secrets only from .env', () => {
    const [[, { build, environment }]] = nodes as [(typeof nodes)[0]];
    const { context, dockerfile } = build;
    expect(existsSync(join(ROOT, 'deploy/nodes', context, dockerfile))).toBe(true);
    expect(unknownSettings(Object.keys(environment))).toEqual([]);
    const example = read('deploy/nodes/env.example');
    const used = [...read('deploy/nodes/compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
    expect(used.filter((name) => !new RegExp(`^${name}=`, 'm').test(example))).toEqual([]);
    expect(example).not.toMatch(/(PASSWORD|TOKEN)=./);
  });

  it('balances over all nodes, with pinned images and health checks', () => {
    const [, upstreams] = /reverse_proxy (.*) \{/.exec(read('deploy/nodes/Caddyfile'))!;
    expect(upstreams!.split(' ')).toEqual(nodes.map(([name]) => `${name}:8080`));
    const others = Object.entries<{ image: string; healthcheck?: object }>(services).filter(
      ([name]) => !name.startsWith('node-') && name !== 'ship',
    );
    expect(others.map(([name]) => name)).toEqual(['balancer', 'postgres', 'clickhouse']);
    for (const [, { image, healthcheck }] of others) {
      expect(image).toMatch(/:\d+\.\d+/);
      expect(healthcheck).toBeDefined();
    }
  });

  it('gives the load balancer time to notice a shutdown', () => {
    const noticed = /health_interval (\d+)s[\s\S]*health_timeout (\d+)s/.exec(
      read('deploy/nodes/Caddyfile'),
    )!;
    for (const [, { environment, stop_grace_period: grace }] of nodes) {
      const [, delay] = /:-(\d+)\}$/.exec(String(environment.SHUTDOWN_DELAY_SECONDS))!;
      expect(Number(delay)).toBeGreaterThanOrEqual(Number(noticed[1]) + Number(noticed[2]));
      expect(Number.parseInt(grace, 10)).toBeGreaterThan(Number(delay) + 30);
    }
  });

  it('builds the image, and never pulls one', () => {
    for (const [, { pull_policy: policy }] of nodes) expect(policy).toBe('build');
  });

  it('ships the journal of a node that does not come back, only when asked to', () => {
    const { ship } = services;
    expect(ship.profiles).toEqual(['ship']);
    expect(ship.command).toEqual(['ship', '/old']);
    expect(ship.environment).toEqual(nodes[0]![1].environment);
    expect(ship.volumes).toBeUndefined();
  });

  it('limits the memory of everything, and one report to a part of that of ClickHouse', () => {
    const example = Object.fromEntries(
      [...read('deploy/nodes/env.example').matchAll(/^([A-Z_]+_MEMORY)=(\d+)g$/gm)].map(([, name, size]) => [
        name,
        Number(size) * 1024 ** 3,
      ]),
    );
    expect(Object.keys(example)).toEqual(['NODE_MEMORY', 'POSTGRES_MEMORY', 'CLICKHOUSE_MEMORY']);
    for (const [name, { mem_limit: limit }] of Object.entries<{ mem_limit?: string }>(services)) {
      expect(limit, name).toMatch(/^(\d+[mg]|\$\{(NODE|POSTGRES|CLICKHOUSE)_MEMORY:-\d+g\})$/);
    }
    const [, ratio] = /<max_server_memory_usage_to_ram_ratio>([\d.]+)</.exec(
      read('deploy/nodes/clickhouse.xml'),
    )!;
    const [, report] = /:-(\d+)\}$/.exec(String(nodes[0]![1].environment.CLICKHOUSE_MAX_MEMORY))!;
    expect(Number(report)).toBeLessThanOrEqual((Number(ratio) * example.CLICKHOUSE_MEMORY!) / 1.5);
  });
});

describe('deploy/helm', () => {
  const DIRECTORY = join(ROOT, 'deploy/helm/switchyard');
  const chart = new HelmChart(DIRECTORY);
  const validate = new Ajv({ strict: false }).compile(
    JSON.parse(read('deploy/helm/switchyard/values.schema.json')),
  );
  const URLS = { DATABASE_URL: 'postgres://a:b@c/d', CLICKHOUSE_URL: 'http://a:b@c:8123/d' };
  const IMAGE = { repository: 'registry.example/switchyard', tag: '1.2.3' };
  const EVERYTHING = {
    image: IMAGE,
    imagePullSecrets: [{ name: 'registry' }],
    secrets: { ...URLS, METRICS_TOKEN: '0123456789abcdef' },
    settings: { LOG_LEVEL: 'debug', JOURNAL_MAX_BYTES: '1073741824' },
    persistence: { storageClassName: 'fast' },
    service: { annotations: { a: 'b' } },
    ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate' },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    serviceAccount: { annotations: { a: 'b' } },
    podAnnotations: { a: 'b' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    affinity: { podAntiAffinity: {} },
    networkPolicy: {
      enabled: true,
      from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
      egress: [{ ports: [{ port: 5432, protocol: 'TCP' }] }],
    },
    ship: { claims: ['data-prod-switchyard-2', 'data-prod-switchyard-3'] },
  };

  /** The objects that the chart creates, by kind. */
  function objects(values: Record<string, unknown>): Record<string, ReturnType<typeof parse>[]> {
    const { 'NOTES.txt': _notes, '_helpers.tpl': _helpers, ...files } = chart.render(values);
    const all = Object.values(files)
      .flatMap((text) => parseAllDocuments(text))
      .map((document) => {
        expect(document.errors).toEqual([]);
        return document.toJS();
      })
      .filter((object) => object !== null);
    const kinds = [...new Set(all.map(({ kind }) => kind))];
    return Object.fromEntries(kinds.map((kind) => [kind, all.filter((object) => object.kind === kind)]));
  }

  it('has a schema that accepts the default values, and rejects typos', () => {
    expect(validate(chart.values), JSON.stringify(validate.errors)).toBe(true);
    expect(
      validate({
        ...chart.values,
        ...EVERYTHING,
        persistence: { size: '1Gi' },
        service: { type: 'ClusterIP', port: 80 },
        ingress: { enabled: true, host: 'a' },
      }),
      JSON.stringify(validate.errors),
    ).toBe(true);
    expect(validate({ ...chart.values, replica: 3 })).toBe(false);
    expect(validate({ ...chart.values, settings: { LOG_LEVEL: 1 } })).toBe(false);
    const documented = read('deploy/helm/switchyard/values.yaml').match(/^ +# ([A-Z_]+)(?=[: ])/gm)!;
    expect(unknownSettings(documented.map((line) => line.replace(/^ +# /, '')))).toEqual([]);
  });

  it('needs both URLs, or a Secret that has them', () => {
    expect(() => chart.render({ image: IMAGE })).toThrow('Set secrets.DATABASE_URL, or existingSecret');
    expect(() => chart.render({ image: IMAGE, secrets: { DATABASE_URL: 'x' } })).toThrow(
      'Set secrets.CLICKHOUSE_URL',
    );
    const { Secret, StatefulSet } = objects({ image: IMAGE, existingSecret: 'mine' });
    expect(Secret).toBeUndefined();
    expect(StatefulSet![0].spec.template.spec.containers[0].envFrom).toEqual([
      { secretRef: { name: 'mine' } },
    ]);
  });

  it('needs an image that somebody has pushed', () => {
    const existingSecret = 'mine';
    expect(() => chart.render({ existingSecret })).toThrow('Set image.repository');
    expect(() => chart.render({ existingSecret, image: { repository: 'a' } })).toThrow('Set image.tag');
  });

  it('creates the nodes, each with a volume, and nothing optional by default', () => {
    const created = objects({ image: IMAGE, secrets: URLS });
    expect(Object.keys(created).sort()).toEqual(
      ['PodDisruptionBudget', 'Secret', 'Service', 'ServiceAccount', 'StatefulSet'].sort(),
    );
    const { spec, metadata } = created.StatefulSet![0];
    expect([metadata.name, spec.replicas]).toEqual(['prod-switchyard', 2]);
    const [container] = spec.template.spec.containers;
    expect(container.image).toBe('registry.example/switchyard:1.2.3');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(spec.template.spec.securityContext.runAsUser).toBe(10001);
    expect(read('deploy/Dockerfile')).toContain('--uid 10001');
    const variables = container.env.map(({ name }: { name: string }) => name);
    expect(unknownSettings(variables)).toEqual([]);
    expect(spec.volumeClaimTemplates[0].metadata.name).toBe('data');
    expect(container.volumeMounts[0]).toEqual({ name: 'data', mountPath: '/data' });
    for (const service of created.Service!) {
      expect(spec.template.metadata.labels).toMatchObject(service.spec.selector);
    }
    expect(created.Service!.map((service) => service.metadata.name)).toContain(spec.serviceName);
    expect(created.Secret![0].stringData).toEqual(URLS);
  });

  it('renders every option', () => {
    const created = objects(EVERYTHING);
    const { spec } = created.StatefulSet![0];
    expect(spec.template.spec).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    });
    expect(spec.template.spec.containers[0].env).toContainEqual({
      name: 'JOURNAL_MAX_BYTES',
      value: '1073741824',
    });
    expect(spec.volumeClaimTemplates[0].spec.storageClassName).toBe('fast');
    const [service] = created.Service!;
    const [{ http }] = created.Ingress![0].spec.rules;
    expect(http.paths[0].backend.service).toEqual({ name: service.metadata.name, port: { name: 'http' } });
    expect(created.Ingress![0].spec.tls).toEqual([
      { hosts: ['switchyard.example'], secretName: 'certificate' },
    ]);
    const monitor = created.ServiceMonitor![0];
    expect(
      created.Service!.filter(({ metadata }) => isMatch(metadata.labels, monitor.spec.selector.matchLabels)),
    ).toHaveLength(1);
    expect(created.Secret![0].stringData).toHaveProperty(
      monitor.spec.endpoints[0].authorization.credentials.key,
    );
    expect(chart.render(EVERYTHING)['NOTES.txt']).toContain('statefulset/prod-switchyard\n');
  });

  it('lets only some connect to the nodes, and nodes only to some, if it has a network policy', () => {
    const { NetworkPolicy: policies, StatefulSet: sets } = objects(EVERYTHING);
    const { spec } = policies![0];
    expect(isMatch(sets![0].spec.template.metadata.labels, spec.podSelector.matchLabels)).toBe(true);
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(spec.ingress).toEqual([
      { ports: [{ port: 'http', protocol: 'TCP' }], from: EVERYTHING.networkPolicy.from },
    ]);
    const dns = ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol }));
    expect(spec.egress).toEqual([{ ports: dns }, ...EVERYTHING.networkPolicy.egress]);
    const [open] = objects({
      ...EVERYTHING,
      networkPolicy: { enabled: true, from: [], egress: [] },
    }).NetworkPolicy!;
    expect(open.spec).toMatchObject({ policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 'http' }] }] });
    expect(open.spec.ingress[0]).not.toHaveProperty('from');
    expect(open.spec).not.toHaveProperty('egress');
  });

  it('ships the journals on the volumes of removed nodes', () => {
    const { Job: jobs, StatefulSet: sets } = objects(EVERYTHING);
    expect(jobs!.map(({ metadata }) => metadata.name)).toEqual(
      EVERYTHING.ship.claims.map((claim) => `ship-${claim}`),
    );
    const node = sets![0].spec.template.spec;
    const variables = Object.fromEntries(
      node.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    for (const [index, { spec }] of jobs!.entries()) {
      const { containers, volumes, securityContext } = spec.template.spec;
      expect(containers[0].image).toBe(node.containers[0].image);
      expect(containers[0].envFrom).toEqual(node.containers[0].envFrom);
      expect(securityContext).toEqual(node.securityContext);
      expect(containers[0].args).toEqual(['ship', variables.DATA_DIR]);
      expect(volumes[0].persistentVolumeClaim.claimName).toBe(EVERYTHING.ship.claims[index]);
      // Services and disruption budgets must not take it for a node.
      expect(isMatch(spec.template.metadata.labels, sets![0].spec.selector.matchLabels)).toBe(false);
    }
  });

  const isMatch = (labels: Record<string, string>, wanted: Record<string, string>) =>
    Object.entries(wanted).every(([name, value]) => labels[name] === value);

  it('has the version of the server', () => {
    const { version } = JSON.parse(read('packages/server/package.json'));
    expect(parse(read('deploy/helm/switchyard/Chart.yaml'))).toMatchObject({ version, appVersion: version });
    expect(readdirSync(DIRECTORY)).toContain('values.schema.json');
  });
});

describe('monitoring files', () => {
  const page = read('docs/operation/monitoring.md');
  const documented = new Set(
    [...page.matchAll(/`((?:switchyard|process|nodejs)_\w+)`/g)].map(([, name]) => name!),
  );

  /** Metrics in an expression that the page does not explain. */
  const unexplained = (expression: string) =>
    [...expression.matchAll(/\b((?:switchyard|process|nodejs)_\w+)/g)]
      .map(([, name]) => name!.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => !documented.has(name));

  it('the Grafana dashboard queries only metrics that are documented', () => {
    const { panels, templating } = JSON.parse(read('deploy/grafana/switchyard.json'));
    type Panel = { id: number; type: string; targets?: { expr: string }[] };
    const expressions = (panels as Panel[]).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(15);
    expect(expressions.flatMap(unexplained)).toEqual([]);
    expect(new Set((panels as Panel[]).map(({ id }) => id)).size).toBe(panels.length);
    const variables = (templating.list as { name: string }[]).map(({ name }) => name);
    const used = expressions.join().matchAll(/\$(?!__)(\w+)/g);
    expect(new Set([...used].map(([, name]) => name))).toEqual(new Set(variables.slice(1)));
  });

  it('the alerts use only documented metrics, and the page lists them', () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yaml'));
    type Rule = { alert: string; expr: string; annotations: { summary: string } };
    const rules: Rule[] = groups[0].rules;
    expect(rules.flatMap(({ expr }) => unexplained(expr))).toEqual([]);
    for (const { annotations } of rules) expect(annotations.summary).toEqual(expect.any(String));
    const listed = [...page.matchAll(/^\| `(Switchyard\w+)`/gm)].map(([, name]) => name);
    expect(listed).toEqual(rules.map(({ alert }) => alert));
  });
});
