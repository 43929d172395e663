export type { SwitchyardOptions } from '../node/options.ts';
export { SwitchyardProvider } from './switchyard-provider.ts';
