const flag = (key: string, value: string | boolean, rest: object = {}, rules: object[] = []) => ({
  key,
  name: key,
  type: typeof value,
  defaultValue: value,
  environments: { production: { enabled: true, value, rules } },
  ...rest,
});

export const PRICING = { currency: 'EUR', plans: ['basic', { name: 'pro', seats: 5 }] };
/** Not the text that `JSON.stringify` gives. */
export const PRICING_TEXT = JSON.stringify(PRICING, null, 2);

const STAFF = [{ attribute: 'email', operator: 'endsWith', values: ['@shop.example'] }];

/** Flags of every format, and flags with a split. */
export const FLAGS_WITH_FORMATS = [
  flag('price', '12.50', { format: 'number' }, [{ id: 'staff', conditions: STAFF, value: '0' }]),
  flag('pricing', PRICING_TEXT, { format: 'json' }),
  flag('limit', '5', { format: 'json' }),
  flag('nothing', 'null', { format: 'json' }),
  flag('plain', '{"a":1}'),
  // Only one part has weight, so everybody gets it.
  flag('size', '1', { format: 'number' }, [
    {
      id: 'sizes',
      split: [
        { key: 'small', value: '2', weight: 0 },
        { key: 'large', value: '4', weight: 3 },
      ],
    },
  ]),
  flag('theme', '{}', { format: 'json' }, [
    {
      id: 'themes',
      split: [
        { value: '{"dark":true}', weight: 1 },
        { value: '{"dark":false}', weight: 0 },
      ],
    },
  ]),
];
