import { type Static, Type } from 'typebox';
import { EntityKey, oneOf, PropertyId, phaseNumber } from '../common.ts';

const Phase = phaseNumber('Phase number; default: the latest');

export const SplitTestResultsQuery = Type.Object({
  propertyId: PropertyId,
  splitTestKey: EntityKey,
  phase: Phase,
  fresh: Type.Optional(Type.Boolean({ description: 'Ignores the cache and counts again; see `asOf`' })),
  bots: Type.Optional(
    oneOf(['exclude', 'include'], { description: 'Whether crawlers count; default: `exclude`' }),
  ),
  by: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Adds `breakdown`: results by an attribute of the first exposure, or by `country`, `device`, `browser` or `os`. The name is taken literally.',
    }),
  ),
  include: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^(series|feedback)(,(series|feedback))*$',
      description:
        '`series` (results by day), `feedback` (feedback by variation), or both, separated by a comma',
    }),
  ),
});
export type SplitTestResultsQuery = Static<typeof SplitTestResultsQuery>;

const ExportFormat = Type.Optional(
  oneOf(['csv', 'bundle'], {
    description:
      '`csv`: the counts. `bundle` (default): everything that `switchyard verify` needs to recompute the results',
  }),
);

export const ResultsExportQuery = Type.Object({
  propertyId: PropertyId,
  splitTestKey: EntityKey,
  phase: Phase,
  bots: Type.Optional(oneOf(['exclude', 'include'])),
  format: ExportFormat,
});
export type ResultsExportQuery = Static<typeof ResultsExportQuery>;

/** Which rule of a flag; the other parameters are those of split tests. */
export const ruleMembers = {
  propertyId: PropertyId,
  flagKey: EntityKey,
  environment: Type.Optional(Type.String({ minLength: 1, maxLength: 128, default: 'production' })),
  ruleId: Type.String({ minLength: 1, maxLength: 128 }),
};
const { propertyId: _property, splitTestKey: _test, ...resultsMembers } = SplitTestResultsQuery.properties;
const { propertyId: _owner, splitTestKey: _exported, ...exportMembers } = ResultsExportQuery.properties;

export const FlagResultsQuery = Type.Object({ ...ruleMembers, ...resultsMembers });
export type FlagResultsQuery = Static<typeof FlagResultsQuery>;

export const FlagResultsExportQuery = Type.Object({ ...ruleMembers, ...exportMembers });
export type FlagResultsExportQuery = Static<typeof FlagResultsExportQuery>;
