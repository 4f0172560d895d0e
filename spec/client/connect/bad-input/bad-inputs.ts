import { badCredentials } from './bad-credentials.ts';
import type { BadInput } from './bad-input.ts';
import { badPlugins } from './bad-plugins.ts';
import { badProxies } from './bad-proxies.ts';
import { badServers } from './bad-servers.ts';

/** Everything between a client and its API server that does not work. */
export const badInputs: readonly BadInput[] = [
  ...badServers,
  ...badCredentials,
  ...badPlugins,
  ...badProxies,
];
