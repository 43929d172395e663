import type { ProvisionFile } from '@switchyard/core/api/provisioning';
import { applyProvision, type Provisioning, type ProvisionResult } from './provision-apply.ts';
import { provisionObject } from './provision-file.ts';

/** The property of the first start: one example of everything. */
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
          name: 'Checkout rating',
          options: ['great', 'okay', 'poor'],
          textInput: true,
        },
      ],
      splitTests: [
        {
          key: 'buy-button',
          name: 'Text of the buy button',
          type: 'text',
          status: 'running',
          trafficAllocation: 100,
          variations: [
            { key: 'control', weight: 50, value: 'Buy now' },
            { key: 'friendly', weight: 50, value: 'Add to my basket' },
          ],
          goals: ['signup', 'revenue'],
          guardrails: [{ feedbackType: 'checkout-rating', option: 'poor', lowerIsBetter: true }],
        },
      ],
      flags: [
        {
          key: 'new-checkout',
          name: 'New checkout',
          description: 'One-page checkout, shown to the team and to 20 % of the visitors.',
          type: 'boolean',
          defaultValue: false,
          environments: {
            production: {
              enabled: true,
              value: false,
              rules: [
                {
                  id: 'team',
                  name: 'Everyone on the team',
                  conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@example.com'] }],
                  value: true,
                },
                { id: 'rollout', name: '20 % rollout', rollout: { percentage: 20 }, value: true },
              ],
            },
          },
        },
      ],
    },
  ],
};

/** Fills an empty configuration. */
export function provisionDemo(provisioning: Provisioning): Promise<ProvisionResult> {
  return applyProvision(provisioning, provisionObject(DEMO_FILE));
}
