import type { Impact } from '@switchyard/core/api/impact';
import type { UsedAttributes } from '@switchyard/core/evaluation/used-attributes';
import type { ImpactSessions } from './impact-sessions.ts';
import type { UnknownCounts } from './missing-attributes.ts';

/** Sees every session, visitor by visitor. */
export interface Replay {
  /** Audiences know more of a session than flags. */
  readonly kind: 'flags' | 'audiences';
  readonly used: UsedAttributes;
  add(sessions: ImpactSessions, at: number): void;
  /** Call after the last session of a visitor; returns whether they get something else. */
  endVisitor(): boolean;
}

/** A comparison of old and new. */
export interface ImpactReplay extends Replay {
  /** Adds its part of the response. */
  finish(impact: Impact, unknown: UnknownCounts): void;
}
