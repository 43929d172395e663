// Twenty flags and a hundred contexts, in the format of each of four evaluators.

const is = (attribute, operator, ...values) => ({ attribute, operator, values });

/** `rules` is a list of condition lists; any matching rule turns the flag on. */
const FLAGS = {
  'static-on': { value: true },
  'static-off': { value: false },
  maintenance: { value: false },
  'new-footer': { value: true },
  staff: { rules: [[is('email', 'endsWith', '@shop.example')]] },
  'test-accounts': { rules: [[is('email', 'startsWith', 'test-')]] },
  campaign: { rules: [[is('source', 'contains', 'spring', 'summer')]] },
  'euro-prices': { rules: [[is('country', 'in', 'DE', 'FR', 'ES', 'IT', 'NL', 'AT', 'BE', 'FI')]] },
  'free-shipping': { rules: [[is('country', 'notIn', 'US', 'CA', 'AU')]] },
  seniors: { rules: [[is('age', 'greaterThanOrEqual', 65)]] },
  'young-adults': { rules: [[is('age', 'greaterThan', 17), is('age', 'lessThan', 30)]] },
  'new-editor': { rules: [[is('appVersion', 'semverGreaterThanOrEqual', '3.2.0')]] },
  'legacy-sync': { rules: [[is('appVersion', 'semverLessThan', '2.0.0')]] },
  'pro-export': {
    rules: [
      [is('plan', 'in', 'pro', 'enterprise'), is('country', 'notIn', 'US')],
      [is('email', 'endsWith', '@partner.example'), is('age', 'greaterThan', 20)],
    ],
  },
  'beta-search': { rules: [[{ segment: 'beta' }]] },
  'beta-mobile': { rules: [[{ segment: 'beta' }, is('device', 'in', 'mobile', 'tablet')]] },
  'one-in-ten': { percentage: 10 },
  half: { percentage: 50 },
  most: { percentage: 90 },
  'half-of-germany': { rules: [[is('country', 'in', 'DE')]], percentage: 50 },
};

/** The segment is a list of plans, which all four evaluators support. */
const BETA_PLANS = ['beta', 'partner', 'insider'];

export const FLAG_KEYS = Object.keys(FLAGS);
/** Flags whose values must be the same everywhere; rollouts depend on the hash of each evaluator. */
export const COMPARABLE = FLAG_KEYS.filter((key) => FLAGS[key].percentage === undefined);

const pick = (list, i) => list[i % list.length];

export const PEOPLE = Array.from({ length: 100 }, (_, i) => ({
  userId: `user-${i}`,
  email: `${pick(['ada', 'test-ben', 'cy', 'dee'], i)}-${i}@${pick(['shop.example', 'mail.example', 'partner.example'], i)}`,
  country: pick(['DE', 'US', 'NL', 'FR', 'CA', 'JP', 'IT'], i),
  plan: pick(['free', 'pro', 'beta', 'enterprise', 'partner'], i),
  age: 15 + ((i * 7) % 60),
  appVersion: pick(['1.9.3', '2.4.0', '3.2.0', '3.10.1'], i),
  device: pick(['desktop', 'mobile', 'tablet'], i),
  source: pick(['organic', 'spring-mail', 'late-summer', 'partner-link', 'ads'], i),
}));

const rulesOf = ({ rules = [[]] }) => rules;

export function switchyardList() {
  const flags = FLAG_KEYS.map((key) => ({
    id: `flg_${key}`,
    key,
    name: key,
    type: 'boolean',
    defaultValue: false,
    createdAt: 0,
  }));
  const configs = FLAG_KEYS.map((key) => {
    const { value, percentage } = FLAGS[key];
    const conditions = (list) =>
      list.map((each) => (each.segment ? { operator: 'inSegment', values: [each.segment] } : each));
    const rules = rulesOf(FLAGS[key]).map((list, index) => ({
      id: `r${index}`,
      conditions: conditions(list),
      ...(percentage === undefined ? {} : { rollout: { percentage } }),
      value: true,
    }));
    return {
      id: `cfg_${key}`,
      flagId: `flg_${key}`,
      environmentId: 'production',
      enabled: true,
      value: value ?? false,
      rules: value === undefined ? rules : [],
    };
  });
  return { flags, configs };
}

export const switchyardSegments = () => ({
  segments: [{ id: 'beta', match: 'any', conditions: [is('plan', 'in', ...BETA_PLANS)] }],
});

const GROWTHBOOK_OPERATORS = {
  in: (values) => ({ $in: values }),
  notIn: (values) => ({ $nin: values }),
  endsWith: ([value]) => ({ $regex: `${value.replace(/\./g, '\\.')}$` }),
  startsWith: ([value]) => ({ $regex: `^${value}` }),
  contains: (values) => ({ $regex: values.join('|') }),
  greaterThan: ([value]) => ({ $gt: value }),
  greaterThanOrEqual: ([value]) => ({ $gte: value }),
  lessThan: ([value]) => ({ $lt: value }),
  semverGreaterThanOrEqual: ([value]) => ({ $vgte: value }),
  semverLessThan: ([value]) => ({ $vlt: value }),
};

export function growthbookPayload() {
  const condition = (list) => {
    const members = {};
    for (const { segment, attribute, operator, values } of list) {
      if (segment) members.plan = { $inGroup: segment };
      else members[attribute] = { ...members[attribute], ...GROWTHBOOK_OPERATORS[operator](values) };
    }
    return members;
  };
  const features = FLAG_KEYS.map((key) => {
    const { value, percentage } = FLAGS[key];
    const rules = rulesOf(FLAGS[key]).map((list) => ({
      ...(list.length === 0 ? {} : { condition: condition(list) }),
      force: true,
      ...(percentage === undefined ? {} : { coverage: percentage / 100, hashAttribute: 'userId' }),
    }));
    return [key, { defaultValue: value ?? false, rules: value === undefined ? rules : [] }];
  });
  return { features: Object.fromEntries(features), savedGroups: { beta: BETA_PLANS } };
}

const UNLEASH_OPERATORS = {
  in: 'IN',
  notIn: 'NOT_IN',
  endsWith: 'STR_ENDS_WITH',
  startsWith: 'STR_STARTS_WITH',
  contains: 'STR_CONTAINS',
  greaterThan: 'NUM_GT',
  greaterThanOrEqual: 'NUM_GTE',
  lessThan: 'NUM_LT',
  semverGreaterThanOrEqual: 'SEMVER_GTE',
  semverLessThan: 'SEMVER_LT',
};

const unleashConstraint = ({ attribute, operator, values }) => ({
  contextName: attribute,
  operator: UNLEASH_OPERATORS[operator],
  values: values.map(String),
  value: String(values[0]),
  inverted: false,
});

export function unleashFeatures() {
  const features = FLAG_KEYS.map((key) => {
    const { value, percentage } = FLAGS[key];
    const strategies = rulesOf(FLAGS[key]).map((list) => ({
      ...(percentage === undefined
        ? { name: 'default', parameters: {} }
        : {
            name: 'flexibleRollout',
            parameters: { rollout: String(percentage), stickiness: 'userId', groupId: key },
          }),
      constraints: list.filter(({ segment }) => !segment).map(unleashConstraint),
      segments: list.some(({ segment }) => segment) ? [1] : [],
    }));
    return {
      name: key,
      type: 'release',
      enabled: value ?? true,
      impressionData: false,
      strategies: value === undefined ? strategies : [{ name: 'default', parameters: {}, constraints: [] }],
      variants: [],
    };
  });
  const segments = [{ id: 1, constraints: [unleashConstraint(is('plan', 'in', ...BETA_PLANS))] }];
  return { version: 2, features, segments };
}

const FLAGD_OPERATORS = {
  in: (attribute, values) => ({ in: [attribute, values] }),
  notIn: (attribute, values) => ({ '!': [{ in: [attribute, values] }] }),
  endsWith: (attribute, [value]) => ({ ends_with: [attribute, value] }),
  startsWith: (attribute, [value]) => ({ starts_with: [attribute, value] }),
  contains: (attribute, values) => ({ or: values.map((value) => ({ in: [value, attribute] })) }),
  greaterThan: (attribute, [value]) => ({ '>': [attribute, value] }),
  greaterThanOrEqual: (attribute, [value]) => ({ '>=': [attribute, value] }),
  lessThan: (attribute, [value]) => ({ '<': [attribute, value] }),
  semverGreaterThanOrEqual: (attribute, [value]) => ({ sem_ver: [attribute, '>=', value] }),
  semverLessThan: (attribute, [value]) => ({ sem_ver: [attribute, '<', value] }),
};

export function flagdConfiguration() {
  const test = ({ segment, attribute, operator, values }) =>
    segment ? { $ref: segment } : FLAGD_OPERATORS[operator]({ var: attribute }, values);
  const all = (tests) => (tests.length === 1 ? tests[0] : { and: tests });
  const any = (tests) => (tests.length === 1 ? tests[0] : { or: tests });
  const flags = FLAG_KEYS.map((key) => {
    const { value, percentage, rules } = FLAGS[key];
    const flag = {
      state: 'ENABLED',
      variants: { on: true, off: false },
      defaultVariant: value === true ? 'on' : 'off',
    };
    if (value !== undefined) return [key, flag];
    const chosen =
      percentage === undefined
        ? 'on'
        : { fractional: [{ var: 'targetingKey' }, ['on', percentage], ['off', 100 - percentage]] };
    const matches = rules && any(rules.map((list) => all(list.map(test))));
    return [key, { ...flag, targeting: matches ? { if: [matches, chosen, 'off'] } : chosen }];
  });
  const $evaluators = { beta: { in: [{ var: 'plan' }, BETA_PLANS] } };
  return JSON.stringify({ flags: Object.fromEntries(flags), $evaluators });
}
