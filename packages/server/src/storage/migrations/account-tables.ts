// biome-ignore lint/suspicious/noEmptyInterface: filled by the next commits
export interface AccountTables {}
