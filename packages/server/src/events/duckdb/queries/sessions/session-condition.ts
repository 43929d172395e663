import type { SqlValues } from '../../connection/sql.ts';

/** SQL for a condition on `sessions`, of which only those that started at or after `since` are searched. */
export type SessionCondition = (values: SqlValues, property: number, since: number) => string;
