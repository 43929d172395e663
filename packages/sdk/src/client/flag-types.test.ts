import { describe, expectTypeOf, it } from 'vitest';
import type { Switchyard } from '../node/node.ts';
import type { SwitchyardHooks } from '../react/react.ts';
import type { PageFlags } from './page-flags.ts';
import type { JsonValue } from './schema.ts';

interface Pricing {
  currency: string;
  plans: (string | number)[];
}

interface Shop {
  splitTests: Record<never, never>;
  flags: {
    'new-checkout': boolean;
    banner: 'none' | 'spring';
    price: number;
    pricing: Pricing;
    limits: { max: number } | null;
    settings: JsonValue;
    experiment: unknown;
    layout: { columns: 'one' | 'two'; order?: ('a' | 'b')[] };
  };
  goals: Record<never, never>;
  feedbackTypes: Record<never, never>;
}

type Layout = Shop['flags']['layout'];

/** Only compiled: the compiler is the test. */
type Uncalled = (typed: Switchyard<Shop>['flags'], open: Switchyard['flags']) => void;
const pricing: Pricing = { currency: 'EUR', plans: [] };

describe('types of flags on servers', () => {
  it('with a schema, every flag can only be read as what it is', () => {
    const compiled: Uncalled = (flags) => {
      expectTypeOf(flags.boolean('new-checkout', true)).toEqualTypeOf<boolean>();
      expectTypeOf(flags.string('banner', 'none')).toEqualTypeOf<'none' | 'spring'>();
      expectTypeOf(flags.number('price', 9.9)).toEqualTypeOf<number>();
      expectTypeOf(flags.number('settings', 1)).toEqualTypeOf<number>();
      expectTypeOf(flags.number('experiment', 1)).toEqualTypeOf<number>();
      expectTypeOf(flags.json('pricing', pricing)).toEqualTypeOf<Pricing>();
      expectTypeOf(flags.json('pricing', { currency: 'EUR', plans: ['a', 1] })).toEqualTypeOf<Pricing>();
      expectTypeOf(flags.json('layout', { columns: 'one', order: ['a'] })).toEqualTypeOf<Layout>();
      expectTypeOf(flags.json('pricing', null)).toEqualTypeOf<Pricing | null>();
      expectTypeOf(flags.json('limits', { max: 1 })).toEqualTypeOf<{ max: number } | null>();
      expectTypeOf(flags.json('settings', null)).toEqualTypeOf<JsonValue>();
      expectTypeOf(flags.json('settings', { depth: 1 })).toEqualTypeOf<{ depth: number }>();
      expectTypeOf(flags.json('experiment', pricing)).toEqualTypeOf<Pricing>();
      // @ts-expect-error: a number
      flags.boolean('price', false);
      // @ts-expect-error: JSON
      flags.boolean('settings', false);
      // @ts-expect-error: a number
      flags.string('price', '9.9');
      // @ts-expect-error: JSON
      flags.string('pricing', '{}');
      // @ts-expect-error: JSON
      flags.string('settings', '{}');
      // @ts-expect-error: a boolean
      flags.number('new-checkout', 1);
      // @ts-expect-error: an object
      flags.number('pricing', 1);
      // @ts-expect-error: a text
      flags.number('price', '1');
      // @ts-expect-error: a number
      flags.json('price', 1);
      // @ts-expect-error: a string
      flags.json('banner', null);
      // @ts-expect-error: there is no such member
      flags.json('pricing', { currency: 'EUR', plan: [] });
      // @ts-expect-error: there is no such layout
      flags.json('layout', { columns: 'three' });
      // @ts-expect-error: there is no such flag
      flags.json('pricin', null);
    };
    expectTypeOf(compiled).toBeFunction();
  });

  it('with a schema, `details`, `resolve` and `all` have the types of the flags', () => {
    const compiled: Uncalled = (flags) => {
      expectTypeOf(flags.details('new-checkout', true).value).toEqualTypeOf<boolean>();
      expectTypeOf(flags.details('banner', 'none').value).toEqualTypeOf<'none' | 'spring'>();
      expectTypeOf(flags.details('price', 1).value).toEqualTypeOf<number>();
      expectTypeOf(flags.details('pricing', pricing).value).toEqualTypeOf<Pricing>();
      expectTypeOf(flags.details('layout', { columns: 'one' }).value).toEqualTypeOf<Layout>();
      expectTypeOf(flags.details('pricing', null).value).toEqualTypeOf<Pricing | null>();
      expectTypeOf(flags.details('settings', pricing).value).toEqualTypeOf<Pricing>();
      expectTypeOf(flags.resolve('price', 1)).resolves.toHaveProperty('value').toEqualTypeOf<number>();
      expectTypeOf(flags.all()).toEqualTypeOf<Partial<Shop['flags']>>();
      // @ts-expect-error: a number
      flags.details('price', 'cheap');
      // @ts-expect-error: a boolean
      flags.details('new-checkout', null);
    };
    expectTypeOf(compiled).toBeFunction();
  });

  it('without a schema, any key is allowed and the fallback determines the type', () => {
    const compiled: Uncalled = (_typed, flags) => {
      expectTypeOf(flags.boolean('a', true)).toEqualTypeOf<boolean>();
      expectTypeOf(flags.string('a', 'x')).toEqualTypeOf<string>();
      expectTypeOf(flags.number('a', 1)).toEqualTypeOf<number>();
      expectTypeOf(flags.json('a', pricing)).toEqualTypeOf<Pricing>();
      expectTypeOf(flags.json('a', { price: 1 }).price).toEqualTypeOf<number>();
      expectTypeOf(flags.json('a', null)).toEqualTypeOf<JsonValue>();
      expectTypeOf(flags.json('a', 'none')).toEqualTypeOf<string>();
      expectTypeOf(flags.details('a', true).value).toEqualTypeOf<boolean>();
      expectTypeOf(flags.details('a', 'x').value).toEqualTypeOf<string>();
      expectTypeOf(flags.details('a', pricing).value).toEqualTypeOf<Pricing>();
      expectTypeOf(flags.details('a', null).value).toEqualTypeOf<JsonValue>();
      expectTypeOf(flags.all()).toEqualTypeOf<Partial<Record<string, JsonValue>>>();
      // @ts-expect-error: a text
      flags.number('a', 'x');
    };
    expectTypeOf(compiled).toBeFunction();
  });
});

describe('types of flags in pages', () => {
  it('are those of the schema, or else of the fallback', () => {
    const compiled = (typed: PageFlags<Shop>, open: PageFlags, maybe: 'none' | null) => {
      expectTypeOf(typed.get('new-checkout', false)).toEqualTypeOf<boolean>();
      expectTypeOf(typed.get('banner', 'none')).toEqualTypeOf<'none' | 'spring'>();
      expectTypeOf(typed.get('price', 1)).toEqualTypeOf<number>();
      expectTypeOf(typed.get('price', undefined)).toEqualTypeOf<number | undefined>();
      expectTypeOf(typed.get('pricing', pricing)).toEqualTypeOf<Pricing>();
      expectTypeOf(typed.get('layout', { columns: 'two' })).toEqualTypeOf<Layout>();
      expectTypeOf(typed.get('banner', maybe)).toEqualTypeOf<'none' | 'spring' | null>();
      expectTypeOf(typed.get('settings', { depth: 1 })).toEqualTypeOf<{ depth: number }>();
      expectTypeOf(open.get('a', 1)).toEqualTypeOf<number>();
      expectTypeOf(open.get('a', pricing)).toEqualTypeOf<Pricing>();
      expectTypeOf(open.get('a', undefined)).toEqualTypeOf<JsonValue | undefined>();
      // @ts-expect-error: a number
      typed.get('price', 'cheap');
      // @ts-expect-error: there is no such member
      typed.get('pricing', { currenci: 'EUR', plans: [] });
    };
    expectTypeOf(compiled).toBeFunction();
  });

  it('are the same in React', () => {
    const compiled = (typed: SwitchyardHooks<Shop>['useFlag'], open: SwitchyardHooks['useFlag']) => {
      expectTypeOf(typed('price', 1)).toEqualTypeOf<number>();
      expectTypeOf(typed('pricing', pricing)).toEqualTypeOf<Pricing>();
      expectTypeOf(typed('layout', { columns: 'two' })).toEqualTypeOf<Layout>();
      expectTypeOf(open('a', pricing)).toEqualTypeOf<Pricing>();
      // @ts-expect-error: a boolean
      typed('new-checkout', 'x');
    };
    expectTypeOf(compiled).toBeFunction();
  });
});
