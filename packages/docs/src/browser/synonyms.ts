/** What people look for, and what it is called in these pages; either may have several words. */
const SYNONYMS: Record<string, readonly string[]> = {
  'a/b test': ['split test'],
  'a/b testing': ['split test'],
  'ab test': ['split test'],
  'ab testing': ['split test'],
  'a/b': ['split test'],
  experiment: ['split test'],
  variant: ['variation'],
  'feature flag': ['flag'],
  'feature toggle': ['flag'],
  toggle: ['flag'],
  rollout: ['percentage'],
  gdpr: ['consent', 'erase', 'privacy'],
  ccpa: ['consent', 'erase', 'privacy'],
  cookie: ['consent'],
  'delete user': ['erase'],
  chargeback: ['refund'],
  'money back': ['refund'],
  money: ['revenue'],
  ssr: ['server rendering'],
  spa: ['single-page'],
  sso: ['OpenID Connect'],
  '2fa': ['two-factor'],
  env: ['settings'],
  'environment variable': ['settings'],
  docker: ['install'],
  setup: ['install'],
  nginx: ['reverse proxy'],
  prometheus: ['monitoring'],
  logs: ['monitoring'],
  restore: ['backup'],
  cli: ['command line'],
  'p-value': ['statistics'],
  significance: ['statistics'],
  proxy: ['relay', 'reverse proxy'],
  launchdarkly: ['switching'],
};

/** The query itself, and the same with other words. */
export function alternativesOf(query: string): string[] {
  const text = ` ${query.toLowerCase().trim().replace(/\s+/g, ' ')} `;
  const others = Object.entries(SYNONYMS).flatMap(([name, names]) => {
    const used = [` ${name} `, ` ${name}s `].find((each) => text.includes(each));
    return used === undefined ? [] : names.map((other) => text.replace(used, ` ${other} `).trim());
  });
  return [query, ...others];
}
