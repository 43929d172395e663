/** The compiler names this type where `@switchyard/sdk` is imported instead of one of its entries. */
interface ImportAnEntryOfThisPackageInstead {
  readonly entries: 'browser' | 'split-testing' | 'relay' | 'private' | 'react' | 'node' | 'openfeature';
}

// The names exist so that `import { createSwitchyard } from '@switchyard/sdk'` gets as far as this error.
function explainEntries(): never {
  throw new Error(
    '[switchyard] `@switchyard/sdk` has no exports. Import one of its entries: `@switchyard/sdk/browser` (pages), `@switchyard/sdk/split-testing` (pages, split tests only), `@switchyard/sdk/relay` (pages, with flags, goals and feedback), `@switchyard/sdk/private` (pages without cookies), `@switchyard/sdk/react`, `@switchyard/sdk/node` (servers) or `@switchyard/sdk/openfeature`.',
  );
}

/** @deprecated Import it from `@switchyard/sdk/browser` or `@switchyard/sdk/relay` in pages, and from `@switchyard/sdk/node` on servers. */
export const createSwitchyard: ImportAnEntryOfThisPackageInstead = explainEntries();
/** @deprecated Import it from `@switchyard/sdk/split-testing`. */
export const createSplitTesting: ImportAnEntryOfThisPackageInstead = explainEntries();
/** @deprecated Import it from `@switchyard/sdk/react`, or from `@switchyard/sdk/openfeature`. */
export const SwitchyardProvider: ImportAnEntryOfThisPackageInstead = explainEntries();
/** @deprecated Import it from `@switchyard/sdk/react`. */
export const useSplitTest: ImportAnEntryOfThisPackageInstead = explainEntries();
/** @deprecated Import it from `@switchyard/sdk/react`. */
export const useTrack: ImportAnEntryOfThisPackageInstead = explainEntries();
/** @deprecated Import it from `@switchyard/sdk/react`. */
export const useFlag: ImportAnEntryOfThisPackageInstead = explainEntries();
/** @deprecated Import it from `@switchyard/sdk/react`. */
export const useFeedback: ImportAnEntryOfThisPackageInstead = explainEntries();
/** @deprecated Import it from `@switchyard/sdk/react`. */
export const createHooks: ImportAnEntryOfThisPackageInstead = explainEntries();
