import type { FastifyInstance } from 'fastify';
import type { Database, DatabaseHandle } from '../configuration/database/database.ts';
import type { Nodes } from '../configuration/database/nodes.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import { FlagStreams } from '../features/flags/flag-streams.ts';
import { ConfigurationStreams } from '../features/management/configuration-streams.ts';
import type { AccessChanges } from '../http/access/access-changes.ts';
import type { CallerDirectory } from '../http/contract/caller.ts';
import { StreamLimits } from '../http/limits/stream-limits.ts';
import type { Config } from '../platform/settings/config.ts';
import { SlicedLoops } from '../platform/threads/sliced-loops.ts';
import { configurationModel } from './definitions.ts';

/** What tells about changes, and about access that ended. */
interface StreamSources {
  config: Config;
  configuration: Configuration;
  database: Database;
  nodes: Nodes;
  watch: DatabaseHandle['watch'];
  access: AccessChanges;
}

interface AppStreams {
  flags: FlagStreams;
  configuration: ConfigurationStreams;
}

/** The streams of both kinds, which end with the app. */
export function createStreams(
  app: FastifyInstance,
  callers: CallerDirectory,
  sources: StreamSources,
): AppStreams {
  const shared = {
    loops: new SlicedLoops(),
    limits: new StreamLimits(sources.config),
    property: (id: string) => sources.configuration.property(id),
  };
  const flags = new FlagStreams(shared);
  const configuration = new ConfigurationStreams({
    ...shared,
    model: configurationModel,
    database: sources.database,
    callers,
  });
  const unsubscribe = [
    sources.configuration.onChange((change) => {
      flags.publish(change);
      configuration.publish(change);
    }),
  ];
  const { access } = sources;
  access.onChange(() => configuration.checkAccess());
  app.addHook('onListen', async () => {
    const stopHearing = sources.nodes.onMessage(({ type }) => {
      if (type === 'access-changed') void access.check();
    });
    // The command line changes accounts too. The database cannot be watched before it is open.
    unsubscribe.push(
      stopHearing,
      sources.watch(() => void access.check()),
    );
  });
  app.addHook('preClose', (done) => {
    for (const stop of unsubscribe) stop();
    flags.close();
    configuration.close();
    done();
  });
  return { flags, configuration };
}
