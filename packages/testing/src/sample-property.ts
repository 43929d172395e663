export const PUBLIC_KEY = 'service_pub_0123456789abcdefTestPublic';
export const SECRET_KEY = 'service_sec_0123456789abcdefTestSecret';
export const OTHER_PUBLIC_KEY = 'service_pub_0123456789abcdefOtherPublic';
export const OTHER_SECRET_KEY = 'service_sec_0123456789abcdefOtherSecret';

/** A property with every kind of object, and a second one that must stay isolated from it. */
export const SAMPLE = {
  properties: [
    {
      id: 'shop',
      name: 'Shop',
      apiKeys: [
        { kind: 'public', name: 'web', key: PUBLIC_KEY },
        { kind: 'secret', name: 'backend', key: SECRET_KEY },
      ],
      environments: [
        { id: 'production', name: 'Production' },
        { id: 'staging', name: 'Staging' },
      ],
      splitTests: [
        {
          key: 'hero',
          type: 'text',
          status: 'running',
          hashSeed: 's1',
          trafficAllocation: 100,
          variations: [
            { key: 'control', weight: 50, value: 'Buy' },
            { key: 'b', weight: 50, value: 'Get it' },
          ],
          goals: ['signup'],
        },
        {
          key: 'finished',
          type: 'id',
          status: 'stopped',
          hashSeed: 's2',
          trafficAllocation: 50,
          variations: [
            { key: 'control', weight: 1, value: 'control' },
            { key: 'b', weight: 1, value: 'b' },
          ],
          goals: [],
        },
      ],
      flags: [
        {
          key: 'new-checkout',
          name: 'New checkout',
          description: 'The checkout on one page',
          type: 'boolean',
          defaultValue: false,
          environments: {
            production: {
              enabled: true,
              value: false,
              rules: [
                {
                  id: 'staff',
                  conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@shop.example'] }],
                  value: true,
                },
                {
                  id: 'beta',
                  conditions: [{ operator: 'inSegment', values: ['beta'] }],
                  // In the year 3000.
                  rollout: { percentage: 100, schedule: [{ at: 32_503_680_000_000, percentage: 50 }] },
                  value: true,
                },
              ],
            },
            staging: { enabled: false, value: true, rules: [] },
          },
        },
        {
          key: 'banner',
          name: 'Banner',
          type: 'string',
          defaultValue: 'none',
          environments: { production: { enabled: true, value: 'spring', rules: [] } },
        },
      ],
      segments: [
        {
          id: 'beta',
          match: 'any',
          conditions: [{ attribute: 'plan', operator: 'equals', values: ['beta'] }],
        },
      ],
      goals: [
        { id: 'signup', name: 'Sign-ups', kind: 'count' },
        { id: 'revenue', name: 'Revenue', kind: 'revenue' },
      ],
      feedbackTypes: [
        { id: 'nps', name: 'NPS', options: ['good', 'bad'], textInput: true },
        { id: 'thumbs', name: 'Thumbs', options: ['up', 'down'], textInput: false },
      ],
    },
    {
      id: 'other',
      name: 'Other',
      apiKeys: [
        { kind: 'public', name: 'web', key: OTHER_PUBLIC_KEY },
        { kind: 'secret', name: 'backend', key: OTHER_SECRET_KEY },
      ],
      goals: [{ id: 'elsewhere', name: 'Elsewhere', kind: 'count' }],
    },
  ],
};
