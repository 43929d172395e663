import { createCleaner } from '@switchyard/core/cleaning/create-cleaner';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Database, DatabaseHandle } from '../configuration/database/database.ts';
import type { Nodes } from '../configuration/database/nodes.ts';
import { databaseSource } from '../configuration/database/open-database.ts';
import { propertyRules } from '../configuration/definitions/property-rules.ts';
import { ClockWatch } from '../configuration/history/clock-watch.ts';
import { redactHistory } from '../configuration/history/redact-history.ts';
import { recordClockCorrections } from '../configuration/history/sequence-at.ts';
import { derivePerProperty } from '../configuration/property/property-configuration.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import type { Changed, ConfigurationWriter } from '../configuration/writer/configuration-writer.ts';
import type { EventStorage } from '../events/thread/event-storage.ts';
import { registerAaTestRoutes } from '../features/aa-test/aa-test-routes.ts';
import { listVerdicts } from '../features/aa-test/aa-verdict-store.ts';
import { registerAccountRoutes } from '../features/accounts/account-routes.ts';
import { createCallerDirectory } from '../features/accounts/caller-directory.ts';
import { deleteAccount } from '../features/accounts/delete-account.ts';
import { createMemberWriter } from '../features/accounts/member-writer.ts';
import { OwnerRecord } from '../features/accounts/owner-record.ts';
import type { AttemptCounter } from '../features/accounts/sign-in-throttle.ts';
import { registerErasureRoutes } from '../features/erasure/erasure-routes.ts';
import { registerPropertyDeletionRoutes } from '../features/erasure/property-deletion-routes.ts';
import { SuppressionList } from '../features/erasure/suppression-list.ts';
import { registerExplanationRoutes } from '../features/explanations/explanation-routes.ts';
import { currentFlags } from '../features/explanations/explanation-service.ts';
import type { FlagValues } from '../features/feedback/feedback-flag-filter.ts';
import { registerFeedbackReportRoutes } from '../features/feedback/feedback-report-routes.ts';
import { registerFeedbackRoutes } from '../features/feedback/feedback-routes.ts';
import { registerFeedbackStateRoutes } from '../features/feedback/feedback-state-routes.ts';
import { statesOf } from '../features/feedback/feedback-state-store.ts';
import { ExposureRecorder } from '../features/flags/exposure-recorder.ts';
import { FlagEvaluator, withIdentity } from '../features/flags/flag-evaluator.ts';
import { registerFlagRoutes } from '../features/flags/flag-routes.ts';
import { FlagUsageReader } from '../features/flags/flag-usage-reader.ts';
import { registerFlagUsageRoutes } from '../features/flags/flag-usage-routes.ts';
import { registerOfrepRoutes } from '../features/flags/ofrep-routes.ts';
import { registerGoalRoutes } from '../features/goals/goal-routes.ts';
import { EventIntake } from '../features/ingest/event-intake.ts';
import { lastUsedOf } from '../features/keys/credential-usage-store.ts';
import { registerKeyManagementRoutes } from '../features/keys/key-management-routes.ts';
import { registerKeyRoutes } from '../features/keys/key-routes.ts';
import type { ConfigurationStreams } from '../features/management/configuration-streams.ts';
import { dryRunResponse } from '../features/management/dry-run.ts';
import { registerManagementRoutes } from '../features/management/management-routes.ts';
import { createUnsavedItems } from '../features/management/unsaved-item.ts';
import { registerPrivacyRoutes } from '../features/privacy/privacy-routes.ts';
import { RemovedParameters } from '../features/privacy/removed-parameters.ts';
import { registerChecklistRoutes } from '../features/reports/decision/checklist-routes.ts';
import { FlagEvaluations } from '../features/reports/flag-evaluations.ts';
import { registerFlagReportRoutes } from '../features/reports/flag-report-routes.ts';
import { registerHoldoutRoutes } from '../features/reports/holdout-routes.ts';
import { registerImpactRoutes } from '../features/reports/impact-routes.ts';
import { registerLibraryRoutes } from '../features/reports/library/library-routes.ts';
import { registerOverlapRoutes } from '../features/reports/overlap/overlap-routes.ts';
import { registerMetricPreviewRoutes } from '../features/reports/plan/metric-preview-routes.ts';
import { registerReportRoutes } from '../features/reports/report-routes.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { phaseOfQuery, scopeOf } from '../features/reports/report-scope.ts';
import { findReported } from '../features/reports/reported-test.ts';
import { registerRolloutRoutes } from '../features/reports/rollout/rollout-routes.ts';
import { DailySalt } from '../features/sessions/daily-salt.ts';
import { limitLookupTime } from '../features/sessions/limit-lookup-time.ts';
import { registerPersonRoutes } from '../features/sessions/person-routes.ts';
import type { SessionIdentities } from '../features/sessions/session-identities.ts';
import { registerSessionRoutes } from '../features/sessions/session-routes.ts';
import { acceptExposures } from '../features/split-testing/accept-exposures.ts';
import { registerSplitTestRoutes } from '../features/split-testing/split-test-routes.ts';
import { registerTrafficRoutes } from '../features/traffic/traffic-routes.ts';
import { registerWebhookRoutes, type WakeWebhooks } from '../features/webhooks/webhook-routes.ts';
import type { AccessChanges } from '../http/access/access-changes.ts';
import { Authentication } from '../http/access/authentication.ts';
import { RateLimiter } from '../http/access/rate-limit.ts';
import type { TokenSource } from '../http/access/token-buckets.ts';
import { isBot } from '../http/contract/bots.ts';
import { IdempotentCreation } from '../http/contract/idempotent-creation.ts';
import type { Metrics } from '../http/monitoring/metrics.ts';
import { registerOperationRoutes } from '../http/monitoring/operation-routes.ts';
import { describeApi } from '../http/openapi/openapi.ts';
import { acceptFirst } from '../http/pipeline/accept-first.ts';
import { ApiRoutes } from '../http/pipeline/api-routes.ts';
import { createHttpServer } from '../http/pipeline/http-server.ts';
import { RequestTracing } from '../http/pipeline/request-tracing.ts';
import { registerDashboard } from '../http/static/dashboard.ts';
import { registerDocumentation } from '../http/static/documentation.ts';
import { registerSdkPackage } from '../http/static/sdk-package.ts';
import { registerSdkScript } from '../http/static/sdk-script.ts';
import type { UsageRecording } from '../jobs/usage-recording.ts';
import type { Config } from '../platform/settings/config.ts';
import type { RequestTracer } from '../platform/tracing/tracer.ts';
import { createStreams } from './app-streams.ts';
import { configurationModel } from './definitions.ts';
import { readiness } from './readiness.ts';
import type { ThreadRequest } from './report-thread.ts';

export interface AppServices {
  config: Config;
  version: string;
  log: Logger;
  configuration: Configuration;
  events: EventStorage;
  identities: Pick<SessionIdentities, 'find' | 'remember'>;
  database: Database;
  writer: ConfigurationWriter;
  usage: UsageRecording;
  /** Sends queued webhooks without delay. */
  wakeWebhooks: WakeWebhooks;
  /** Closed together with the app. */
  reports: Pick<ReportRunner<ThreadRequest>, 'run' | 'close'>;
  nodes: Nodes;
  watch: DatabaseHandle['watch'];
  scrub: DatabaseHandle['scrub'];
  access: AccessChanges;
  metrics: Metrics;
  /** The metrics as text; of all processes, if there are several. */
  metricsText: () => Promise<string>;
  tokens: TokenSource;
  signInAttempts: AttemptCounter;
  /** Undefined: requests are not traced. */
  tracer: RequestTracer | undefined;
}

/** The composition root: wires everything that handles requests. */
export async function createApp(services: AppServices): Promise<FastifyInstance> {
  const { config, configuration, events, identities, database, writer, usage, reports, metrics } = services;
  const { app, fastLane } = createHttpServer(config, services.log);
  const rates = { perKey: config.rateLimitPerSecond, perAddress: config.rateLimitPerAddress };
  const callers = createCallerDirectory(database, (err) =>
    services.log.warn({ err }, 'cannot store when a session or token was last used'),
  );
  const auth = new Authentication({
    keys: configuration,
    callers,
    limiter: new RateLimiter(rates, services.tokens),
    usage: usage.credentials,
    publicUrl: config.publicUrl,
  });
  const api = new ApiRoutes(app, auth, fastLane);
  const suppressions = new SuppressionList(database);
  app.decorate('beforeListening', () => suppressions.open());
  app.addHook('onClose', async () => suppressions.close());
  const intake = new EventIntake(events.journal, metrics, (accepted) => suppressions.filter(accepted));
  const recordEvents = intake.record.bind(intake);
  const { eventStore } = events;
  const find = identities.find.bind(identities);
  const findIdentity = config.clickhouseUrl === undefined ? find : limitLookupTime(find);
  const streams = createStreams(app, callers, services);
  const evaluator = new FlagEvaluator(usage.evaluations);
  const removed = new RemovedParameters();
  const cleanerOf = derivePerProperty(({ id, privacy }) =>
    createCleaner(privacy, (name) => removed.count(id, name)),
  );

  const exposures = new ExposureRecorder({
    record: intake.recordExposures.bind(intake),
    cleanerOf,
    metrics,
    log: services.log,
  });

  metrics.observe(app);
  const tracing = services.tracer && new RequestTracing(services.tracer);
  tracing?.observe(app);
  await describeApi(app, services.version, config.publicUrl);
  registerOperationRoutes(app, {
    metrics: services.metricsText,
    readiness: () =>
      readiness({
        ...services,
        isShared: config.databaseUrl !== undefined,
        isStopping: app.shutdownNotice.isAnnounced,
      }),
    config,
  });
  registerSdkScript(app);
  registerSdkPackage(app);
  registerDashboard(app);
  registerDocumentation(app);
  registerSplitTestRoutes(api, { auth, recordEvents, metrics, cleanerOf });
  registerReportRoutes(api, { auth, reports, database });
  registerFlagReportRoutes(api, { auth, reports });
  registerRolloutRoutes(api, { auth, reports });
  registerHoldoutRoutes(api, { auth, reports });
  registerOverlapRoutes(api, { auth, reports });
  registerLibraryRoutes(api, { auth, reports });
  registerTrafficRoutes(api, { auth, report: (request) => reports.run(request) });
  app.addHook('onClose', () => reports.close());
  registerAaTestRoutes(api, { auth, database });
  registerFlagRoutes(api, { auth, evaluator, exposures, findIdentity, streams: streams.flags });
  registerOfrepRoutes(api, { auth, evaluator, exposures, findIdentity });
  registerFlagUsageRoutes(api, {
    auth,
    recorder: usage.flags,
    exposures,
    reader: new FlagUsageReader(database, () => usage.revision),
  });
  registerKeyRoutes(api, { auth });
  registerGoalRoutes(api, { auth, recordEvents, eventStore });
  const flagValues: FlagValues = (input) => new FlagEvaluations(reports).ofSessions(input);
  registerFeedbackRoutes(api, {
    auth,
    recordEvents,
    eventStore,
    database,
    model: configurationModel,
    flagValues,
  });
  registerFeedbackReportRoutes(api, { auth, eventStore, database, model: configurationModel, flagValues });
  registerSessionRoutes(api, {
    auth,
    recordEvents,
    acceptExposures: (property, exposures, userAgent, cleaner) =>
      acceptExposures(property, exposures, isBot(userAgent), metrics, cleaner),
    identities,
    eventStore,
    phaseOf: (property, key, phase) =>
      phaseOfQuery(scopeOf(property, findReported(property, key), phase, Date.now()).query),
    cleanerOf,
    dailySalt: new DailySalt(database),
    behindProxy: config.trustProxy !== false,
  });
  registerPrivacyRoutes(api, { eventStore, removed });
  const idempotency = new IdempotentCreation(database);
  registerAccountRoutes(api, {
    auth,
    database,
    publicUrl: config.publicUrl,
    oidc: config.oidc,
    members: createMemberWriter(writer),
    idempotency,
    dryRunResponse: describeDryRun,
    throttle: services.signInAttempts,
    ownerRecord: new OwnerRecord(config.dataDir),
    properties: () => configuration.properties(),
    deleteAccount: (accountId, by) =>
      deleteAccount({ writer, model: configurationModel, scrub: services.scrub }, accountId, by),
    accessChanged: () => services.access.announce(),
    dataDelayedSince: () => events.status.lateSince,
    warn: (details, message) => services.log.warn(details, message),
  });
  const clock = new ClockWatch((correction) => recordClockCorrections(database, correction));
  app.addHook('onClose', async () => clock.close());
  registerManagement(api, { ...services, auth, idempotency, clock, streams: streams.configuration });
  fastLane.open(app, metrics.timings, tracing);
  acceptFirst(app);
  return app;
}

const describeDryRun = (changed: Changed) => dryRunResponse(configurationModel, changed);

function registerManagement(
  api: ApiRoutes,
  services: AppServices & {
    auth: Authentication;
    idempotency: IdempotentCreation;
    clock: ClockWatch;
    streams: ConfigurationStreams;
  },
): void {
  const { config, configuration, database, events, writer, wakeWebhooks, idempotency, clock, streams } =
    services;
  const model = configurationModel;
  const resolve = propertyRules(model, { allowPrivateWebhooks: config.webhookAllowPrivate });
  registerManagementRoutes(api, {
    model,
    writer,
    database,
    idempotency,
    clock,
    streams,
    resolve,
    redactHistory: async (propertyId, wanted, dryRun) => {
      const redaction = await redactHistory(database, propertyId, wanted, { dryRun, model });
      if (!dryRun) await services.scrub();
      return redaction;
    },
    properties: () => configuration.properties(),
    eventCount: (propertyId) => events.eventStore.eventCount(propertyId),
  });
  const lastUsed = (ids: readonly string[]) => lastUsedOf(database, ids);
  registerKeyManagementRoutes(api, { writer, idempotency, lastUsed, dryRunResponse: describeDryRun });
  registerWebhookRoutes(api, { database, writer, wake: wakeWebhooks });
  registerErasureRoutes(api, {
    database,
    idempotency,
    contentsOf: async (subject) => {
      const { body } = await services.reports.run({ type: 'subject-contents', subject });
      return JSON.parse(Buffer.from(body).toString());
    },
  });
  registerPropertyDeletionRoutes(api, { database, eventStore: events.eventStore });
  registerFeedbackStateRoutes(api, { database, eventStore: events.eventStore });
  const withUnsavedItem = createUnsavedItems(database, { model, resolve });
  const findIdentity = services.identities.find.bind(services.identities);
  const evaluations = new FlagEvaluations(services.reports);
  registerPersonRoutes(api, (property) => ({
    eventStore: events.eventStore,
    statesOf: (feedbackIds) => statesOf(database, property.id, feedbackIds),
    flagsOf: (session) => currentFlags(property, session, evaluations),
  }));
  registerExplanationRoutes(api, {
    eventStore: events.eventStore,
    withUnsavedItem,
    pastConfiguration: async (propertyId, moment) => {
      await clock.check();
      const source = databaseSource(config.dataDir, config.databaseUrl);
      const request = { type: 'past-configuration', source, propertyId, moment } as const;
      const { body } = await services.reports.run(request);
      return JSON.parse(Buffer.from(body).toString()) ?? undefined;
    },
    evaluations,
    withIdentity: (propertyId, context) => withIdentity(propertyId, context, findIdentity),
  });
  registerImpactRoutes(api, { model, reports: services.reports, withUnsavedItem });
  registerChecklistRoutes(api, {
    database,
    reports: services.reports,
    lastAaVerdict: async (propertyId) => (await listVerdicts(database, propertyId, 1))[0],
  });
  registerMetricPreviewRoutes(api, { auth: services.auth, reports: services.reports, withUnsavedItem });
}
