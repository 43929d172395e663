import type { Logger } from 'pino';
import type {
  PropertyConfiguration,
  SplitTest,
} from '../../configuration/property/property-configuration.ts';
import type { Watched } from './harm-watch.ts';
import { type FoundHarm, type StopServices, stopHarm } from './stop-harm.ts';

interface Services extends StopServices {
  /** Looks for harm in the present phase of a test. */
  evaluate: (property: PropertyConfiguration, test: SplitTest) => Promise<FoundHarm>;
  log: Logger;
}

/** The running tests that say `onHarm: stop`. */
export function watchedTests(
  properties: readonly PropertyConfiguration[],
  { evaluate, log, ...services }: Services,
): Watched[] {
  return properties.flatMap((property) =>
    property.splitTests.filter(isWatched).map((test): Watched => {
      const about = { propertyId: property.id, splitTestKey: test.key };
      const look = async () => {
        const found = await evaluate(property, test);
        if (found.harms.length === 0) return;
        const stopped = await stopHarm(services, property.id, test, found);
        if (stopped) log.info({ ...about, action: stopped.action }, 'split test changed because of harm');
      };
      return { id: test.id, version: String(test.version), about, look };
    }),
  );
}

const isWatched = ({ status, onHarm }: SplitTest) => status === 'running' && onHarm === 'stop';
