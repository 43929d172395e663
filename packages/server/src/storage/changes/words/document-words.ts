import type { Document, EntityType } from '../entities.ts';
import { type ChangeWords, members, type Names } from './change-words.ts';
import { FLAG_WORDS } from './flag-words.ts';
import {
  ENVIRONMENT_WORDS,
  FEEDBACK_TYPE_WORDS,
  GOAL_WORDS,
  PROPERTY_WORDS,
  SEGMENT_WORDS,
  WEBHOOK_WORDS,
} from './setting-words.ts';
import { SPLIT_TEST_WORDS } from './split-test-words.ts';

const WORDS: Readonly<Record<EntityType, Readonly<Record<string, ChangeWords | null>>>> = {
  property: PROPERTY_WORDS,
  environment: ENVIRONMENT_WORDS,
  goal: GOAL_WORDS,
  'feedback-type': FEEDBACK_TYPE_WORDS,
  segment: SEGMENT_WORDS,
  'split-test': SPLIT_TEST_WORDS,
  flag: FLAG_WORDS,
  key: {},
  webhook: WEBHOOK_WORDS,
  member: {},
};

/** Maintained by the server, so not worth a line. */
const HIDDEN = { id: null, createdAt: null, phases: null };

/**
 * What changed in an item, a line each, such as `Production, rule 1 (“Beta users”): rollout 10 % → 25 %`. Documents
 * may be partial: what neither has is unchanged.
 */
export const documentWords = (
  type: EntityType,
  before: Document | undefined,
  after: Document,
  names: Names,
): string[] =>
  members({ ...HIDDEN, ...WORDS[type] })({ from: before, to: after, isNew: before === undefined, names });
