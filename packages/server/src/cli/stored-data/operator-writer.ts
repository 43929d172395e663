import { userInfo } from 'node:os';
import type { Database } from '../../configuration/database/database.ts';
import { propertyRules } from '../../configuration/definitions/property-rules.ts';
import { type Actor, OPERATOR } from '../../configuration/property/actor.ts';
import type { Provisioning } from '../../features/provisioning/provision-apply.ts';
import { loadSetting } from '../../platform/settings/config.ts';
import { configurationModel, createConfigurationWriter } from '../../start/definitions.ts';

/** The writer for changes on the command line; the history names the account on this machine. */
export function operatorWriter(database: Database) {
  const by = { actor: operator(), via: 'cli' as const };
  return { writer: createConfigurationWriter(database), by };
}

/** For provision files. */
export function operatorProvisioning(database: Database): Provisioning {
  const { writer, by } = operatorWriter(database);
  const resolve = propertyRules(configurationModel, {
    allowPrivateWebhooks: loadSetting('WEBHOOK_ALLOW_PRIVATE') === 'true',
  });
  return { model: configurationModel, writer, resolve, by: { ...by, via: 'file' } };
}

function operator(): Actor {
  try {
    return { ...OPERATOR, name: userInfo().username };
  } catch {
    // A user id without an entry in the password file, as in many containers.
    return OPERATOR;
  }
}
