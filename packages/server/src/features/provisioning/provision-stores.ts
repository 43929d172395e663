import type { Segment } from '@switchyard/core/api/targeting';
import type { ConfigurationLoaders } from '../../storage/configuration.ts';
import type {
  FlagSettings,
  KeySettings,
  PropertySettings,
  SplitTestSettings,
} from '../../storage/configuration-settings.ts';
import type { Database } from '../../storage/database.ts';
import type { Environment, FeedbackType, Goal, KeyKind } from '../../storage/property-configuration.ts';

/** Functions of other features; injected, because features do not import each other. */
export interface ProvisionStores extends ConfigurationLoaders {
  createProperty(database: Database, id: string, property: PropertySettings): Promise<void>;
  updateProperty(database: Database, id: string, property: PropertySettings): Promise<void>;
  createEnvironment(database: Database, propertyId: string, environment: Environment): Promise<void>;
  updateEnvironment(database: Database, propertyId: string, environment: Environment): Promise<void>;
  createGoal(database: Database, propertyId: string, goal: Goal): Promise<void>;
  updateGoal(database: Database, propertyId: string, goal: Goal): Promise<void>;
  createFeedbackType(database: Database, propertyId: string, type: FeedbackType): Promise<void>;
  updateFeedbackType(database: Database, propertyId: string, type: FeedbackType): Promise<void>;
  createSplitTest(database: Database, propertyId: string, test: SplitTestSettings): Promise<void>;
  updateSplitTest(database: Database, propertyId: string, id: string, test: SplitTestSettings): Promise<void>;
  /** Ends and starts phases of split tests after their settings were saved. */
  updatePhases(database: Database, propertyId: string, at: number): Promise<void>;
  createSegment(database: Database, propertyId: string, segment: Segment): Promise<void>;
  updateSegment(database: Database, propertyId: string, segment: Segment): Promise<void>;
  createFlag(database: Database, propertyId: string, flag: FlagSettings): Promise<void>;
  updateFlag(database: Database, propertyId: string, id: string, flag: FlagSettings): Promise<void>;
  /** Returns the text of the key. */
  createKey(database: Database, propertyId: string, key: KeySettings): Promise<string>;
  renameKey(database: Database, id: string, name: string): Promise<void>;
  replaceKeyText(database: Database, id: string, kind: KeyKind, text: string): Promise<void>;
  parseApiKey(text: string): { kind: KeyKind } | undefined;
  keyPreview(text: string): { prefix: string; lastFour: string };
  compileRuleRegex(pattern: string, caseInsensitive: boolean): (text: string) => boolean;
}
