import type { ProvisionFile } from '@switchyard/core/api/provisioning';
import type { Database } from '../../storage/database.ts';
import { applyProvision, type ProvisionResult } from './provision-apply.ts';
import { provisionObject } from './provision-file.ts';
import type { ProvisionStores } from './provision-stores.ts';

/** What a newcomer finds after the first start: one of everything, ready to be tried. */
export const DEMO_FILE: ProvisionFile = {
  properties: [
    {
      id: 'demo',
      name: 'Demo shop',
      apiKeys: [
        { kind: 'public', name: 'browser' },
        { kind: 'secret', name: 'backend' },
      ],
      goals: [
        { id: 'signup', name: 'Sign-ups', kind: 'count' },
        { id: 'revenue', name: 'Revenue', kind: 'revenue' },
      ],
      feedbackTypes: [
        {
          id: 'checkout-rating',
          name: 'How was the checkout?',
          options: ['great', 'okay', 'poor'],
          textInput: true,
        },
      ],
      splitTests: [
        {
          key: 'buy-button',
          name: 'Words on the buy button',
          type: 'text',
          status: 'running',
          trafficAllocation: 100,
          variations: [
            { key: 'control', weight: 50, value: 'Buy now' },
            { key: 'friendly', weight: 50, value: 'Add to my basket' },
          ],
          goals: ['signup', 'revenue'],
        },
      ],
      flags: [
        {
          key: 'new-checkout',
          name: 'New checkout',
          description: 'The checkout on one page: the team sees it, and one visitor in five.',
          type: 'boolean',
          defaultValue: false,
          environments: {
            production: {
              enabled: true,
              value: false,
              rules: [
                {
                  id: 'team',
                  name: 'Everybody in the team',
                  conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@example.com'] }],
                  value: true,
                },
                { id: 'rollout', name: 'One in five', rollout: { percentage: 20 }, value: true },
              ],
            },
          },
        },
      ],
    },
  ],
};

/** Fills an empty configuration; undefined when there is a property already. */
export async function provisionDemo(
  database: Database,
  stores: ProvisionStores,
): Promise<ProvisionResult | undefined> {
  if ((await stores.listProperties(database)).length > 0) return undefined;
  return applyProvision(database, stores, provisionObject(DEMO_FILE));
}
