import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { registerCollectionRoutes } from './collection-routes.ts';
import { registerConfigurationRoutes } from './configuration-routes.ts';
import type { ConfigurationStreams } from './configuration-streams.ts';
import { registerHistoryRoutes } from './history-routes.ts';
import type { ManagementServices } from './management-services.ts';
import { registerPromoteRoute } from './promote-routes.ts';
import { registerPropertyRoutes } from './property-routes.ts';
import { registerProposalRoutes } from './proposal-routes.ts';
import { registerRedactionRoutes } from './redaction-routes.ts';
import { registerTransitionRoutes } from './transition-routes.ts';

interface Services extends ManagementServices {
  properties: () => PropertyConfiguration[];
  eventCount: (propertyId: string) => Promise<number>;
  streams: ConfigurationStreams;
}

/** The management of properties and their lists; accounts, keys, webhooks and erasures are in their features. */
export function registerManagementRoutes(api: ApiRoutes, services: Services): void {
  registerPropertyRoutes(api, services);
  registerConfigurationRoutes(api, services.model, services.streams);
  registerCollectionRoutes(api, services);
  registerTransitionRoutes(api, services);
  registerPromoteRoute(api, services);
  registerHistoryRoutes(api, services);
  registerRedactionRoutes(api, services);
  registerProposalRoutes(api, services);
}
