import {
  Explanation,
  ExplanationBody,
  SessionFlags,
  SessionFlagsParams,
  SessionFlagsQuery,
} from '@switchyard/core/api/explanations';
import { PropertyParams } from '@switchyard/core/api/management';
import {
  PRODUCTION,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS, invalidField } from '../../platform/errors/errors.ts';
import { configurationOfMoment, momentOf, type PastConfigurations } from './configuration-of-moment.ts';
import { type ContextSources, contextOf, findSession } from './explained-context.ts';
import {
  type Evaluations,
  type ExplainedMoment,
  flagExplanation,
  sessionFlags,
  splitTestExplanation,
} from './explanation-service.ts';

interface Services extends ContextSources {
  pastConfiguration: PastConfigurations;
  evaluations: Evaluations;
  /** The property as it would be with an item that is not saved. */
  withUnsavedItem: (
    current: PropertyConfiguration,
    item: { type: 'flag' | 'split-test'; key: string; definition: object },
  ) => Promise<PropertyConfiguration>;
}

const PROPERTY_URL = '/v1/manage/properties/:propertyId';

/** Why visitors get what they get. */
export function registerExplanationRoutes(api: ApiRoutes, services: Services): void {
  registerExplanations(api, services);
  registerSessionFlags(api, services);
}

function registerExplanations(api: ApiRoutes, services: Services): void {
  api.post<{ Body: ExplanationBody }>(
    `${PROPERTY_URL}/explanations`,
    {
      tag: 'Management',
      summary: 'Explain the value of a flag or the variation of a split test',
      description:
        'Evaluates like the service and returns every step: for a `context`, for a session, or for a visitor; with the current definitions, those of a past moment (`at`), or one that is not saved (`definition`). The context of a session is what the service knows of it, which can be less than what your code evaluates flags with. Changes nothing.',
      access: 'viewer',
      params: PropertyParams,
      body: ExplanationBody,
      responses: { 200: { ...Explanation, description: 'The result, and how it came about' } },
      errors: ['not_found', 'environment_not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    async ({ managed, body }) => {
      checkCombination(body);
      const moment = await momentFor(services, managed, body);
      const found = await contextOf(services, managed.id, body, moment.at);
      const { type, key, environment = PRODUCTION.id } = body;
      return type === 'flag'
        ? flagExplanation(moment, { key, environment }, found.context, services.evaluations)
        : splitTestExplanation(moment, { key }, found, services);
    },
  );
}

function checkCombination({ type, at, definition, environment, ...sources }: ExplanationBody): void {
  if (at !== undefined && definition !== undefined) {
    throw invalidField('/definition', 'cannot be combined with `at`');
  }
  if (type !== 'flag' && environment !== undefined) {
    throw invalidField('/environment', 'is only for flags: split tests have no environments');
  }
  const given = (['context', 'sessionId', 'visitorId'] as const).filter(
    (name) => sources[name] !== undefined,
  );
  if (given[1] !== undefined) throw invalidField(`/${given[1]}`, `cannot be combined with \`${given[0]}\``);
}

async function momentFor(
  { pastConfiguration, withUnsavedItem }: Services,
  managed: PropertyConfiguration,
  { type, key, at, definition }: ExplanationBody,
): Promise<ExplainedMoment> {
  const now = { at: Date.now(), historical: false };
  if (definition !== undefined) {
    return { ...now, property: await withUnsavedItem(managed, { type, key, definition }) };
  }
  if (at === undefined) return { ...now, property: managed };
  const moment = momentOf(at);
  const property = await configurationOfMoment(pastConfiguration, managed.id, moment);
  return { at: moment, historical: true, property };
}

function registerSessionFlags(api: ApiRoutes, services: Services): void {
  api.get<{ Params: SessionFlagsParams; Querystring: SessionFlagsQuery }>(
    `${PROPERTY_URL}/sessions/:sessionId/flags`,
    {
      tag: 'Management',
      summary: 'The values of all flags for a session at a moment',
      description:
        'Computed from the history and from what the service knows of the session. What was really served may differ: it depends on the context that your code sent.',
      access: 'viewer',
      params: SessionFlagsParams,
      querystring: SessionFlagsQuery,
      responses: { 200: { ...SessionFlags, description: 'The flags of that moment' } },
      errors: ['not_found', 'environment_not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    async ({ managed, params, query }) => {
      const session = await findSession(services, managed.id, params.sessionId);
      const at = query.at === undefined ? session.startedAt : momentOf(query.at);
      const property = await configurationOfMoment(services.pastConfiguration, managed.id, at);
      const { environment = PRODUCTION.id } = query;
      return sessionFlags({ property, at, historical: true }, session, environment, services.evaluations);
    },
  );
}
