import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configurationModel as model } from '../../start/definitions.ts';
import { typeDeclarations } from '../properties/type-declarations.ts';
import { exportConfiguration } from '../provisioning/provision-export.ts';

let configuration: MemoryConfiguration;
beforeEach(async () => {
  configuration = await openMemoryConfiguration();
});
afterEach(() => configuration.handle.close());

const modeOf = async () => (await configuration.property())!.aaTest;
const ownTest = { key: 'aa-test', type: 'id', variations: [{ key: 'x', weight: 1 }] };

describe('the setting aaTest', () => {
  test('is assignment by default, and stays unchanged if the file does not mention it', async () => {
    await configuration.apply({});
    expect(await modeOf()).toBe('assignment');
    await configuration.apply({ aaTest: 'off' });
    await configuration.apply({ name: 'Another name' });
    expect(await modeOf()).toBe('off');
  });

  test('is planned and exported', async () => {
    await configuration.apply({});
    const [change] = await configuration.plan({ aaTest: 'exposures' });
    expect(change).toMatchObject({
      action: 'update',
      fields: [{ field: 'aaTest', from: 'assignment', to: 'exposures' }],
    });
    await configuration.apply({ aaTest: 'exposures' });
    const { file } = await exportConfiguration(configuration.handle.database, model);
    expect(file.properties[0]).toMatchObject({ aaTest: 'exposures' });
  });

  test('exposures adds the built-in test to the generated types', async () => {
    await configuration.apply({});
    expect(typeDeclarations([(await configuration.property())!])).not.toContain('aa-test');
    await configuration.apply({ aaTest: 'exposures' });
    expect(typeDeclarations([(await configuration.property())!])).toContain('"aa-test": "a" | "b";');
  });

  test('must be one of the modes', async () => {
    expect(await configuration.mistakes({ aaTest: 'on' })).toEqual([
      'aaTest must be one of off, assignment, exposures',
    ]);
  });
});

describe('a split test with the key of the built-in test', () => {
  const ownKey =
    'splitTests/0/key "aa-test" is the key of the built-in A/A test; use another key, or set aaTest to assignment or off';

  test('is allowed unless the built-in test is published', async () => {
    await configuration.apply({ splitTests: [ownTest] });
    await configuration.apply({ aaTest: 'off' });
    await configuration.apply({ aaTest: 'assignment', splitTests: [ownTest] });
  });

  test('prevents the mode exposures', async () => {
    await configuration.apply({ splitTests: [ownTest] });
    expect(await configuration.mistakes({ aaTest: 'exposures' })).toEqual([
      'aaTest cannot be exposures: the property has a split test of its own with the key "aa-test"',
    ]);
  });

  test('cannot be created in the mode exposures', async () => {
    expect(await configuration.mistakes({ aaTest: 'exposures', splitTests: [ownTest] })).toEqual([ownKey]);
    await configuration.apply({ aaTest: 'exposures' });
    expect(await configuration.mistakes({ splitTests: [ownTest] })).toEqual([ownKey]);
    await configuration.apply({ aaTest: 'assignment', splitTests: [ownTest] });
  });
});
