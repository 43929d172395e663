import type { Migration } from './migration.ts';

export const webhookDeliveriesMigration: Migration = {
  name: '016-webhook-deliveries',
  async up() {},
};
