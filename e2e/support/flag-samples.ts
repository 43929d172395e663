/** A rule for visitors with a plan. */
export const rule = (id: string, plan: string) => ({
  id,
  conditions: [{ attribute: 'plan', operator: 'equals', values: [plan] }],
  value: true,
});
const boolean = (key: string, rules: object[] = []) => ({
  key,
  name: key,
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: { enabled: false, value: true },
    staging: { enabled: true, value: false, rules },
  },
});
const environments = [
  { id: 'staging', name: 'Staging' },
  { id: 'production', name: 'Production', protected: true },
];

/** Flags for each thing that a test does with one, and a property with many. */
export const FLAGS = {
  properties: [
    {
      id: 'shop',
      name: 'Shop',
      environments,
      segments: [
        {
          id: 'staff',
          name: 'Staff',
          conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@shop.example'] }],
        },
      ],
      flags: [
        boolean('toggled'),
        boolean('ordered', [rule('first', 'a'), rule('second', 'b'), rule('third', 'c')]),
        boolean('contested', [rule('first', 'a'), rule('second', 'b')]),
        boolean('promoted', [rule('only', 'a')]),
        boolean('tried', [rule('only', 'pro')]),
        boolean('deleted'),
        {
          ...boolean('suggestions'),
          environments: {
            staging: { enabled: true, value: true, prerequisites: [{ flag: 'ordered', value: true }] },
            production: { enabled: false, value: true, prerequisites: [{ flag: 'ordered', value: true }] },
          },
        },
      ],
    },
    {
      id: 'large',
      environments,
      flags: Array.from({ length: 1000 }, (_, index) => boolean(`flag-${index}`)),
    },
  ],
};
