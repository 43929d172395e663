import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { registerCollectionRoutes } from './collection-routes.ts';
import { registerConfigurationRoutes } from './configuration-routes.ts';
import type { ConfigurationStreams } from './configuration-streams.ts';
import { registerHistoryRoutes } from './history-routes.ts';
import type { ManagementParts } from './management-parts.ts';
import { registerPropertyRoutes } from './property-routes.ts';
import { registerProposalRoutes } from './proposal-routes.ts';
import { registerRedactionRoutes } from './redaction-routes.ts';
import { registerTransitionRoutes } from './transition-routes.ts';

interface Parts extends ManagementParts {
  properties: () => PropertyConfiguration[];
  eventCount: (propertyId: string) => Promise<number>;
  streams: ConfigurationStreams;
}

/** The management of properties and their lists; accounts, keys, webhooks and erasures are in their features. */
export function registerManagementRoutes(api: ApiRoutes, parts: Parts): void {
  registerPropertyRoutes(api, parts);
  registerConfigurationRoutes(api, parts.model, parts.streams);
  registerCollectionRoutes(api, parts);
  registerTransitionRoutes(api, parts);
  registerHistoryRoutes(api, parts);
  registerRedactionRoutes(api, parts);
  registerProposalRoutes(api, parts);
}
