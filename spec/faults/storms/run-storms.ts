import { tokenCredentials } from '../../../lib/client/transport/request-credentials.ts';
import { loadConfig } from '../../../lib/client/config/load-config.ts';
import { ConnectionConfig } from '../../../lib/client/config/contract/connection-config.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { socketStorms, type SocketStormOptions } from './socket-storms.ts';
import { describeStorm, stormHeading } from './storm-figures.ts';
import { virtualStorms } from './virtual-storms.ts';

export interface StormOptions {
  readonly seed: string;
  /** Of a server that the storms over sockets go to; left out: one of this package. */
  readonly kubeconfig?: string | undefined;
  readonly informers: number;
  readonly seconds: number;
  readonly restart?: SocketStormOptions['restart'];
}

/** Prints how informers with default options come through storms, in virtual time. */
export async function printVirtualStorms(seed: string): Promise<void> {
  console.log('storms, in virtual time');
  console.log(stormHeading());
  for (const figures of await virtualStorms(seed)) console.log(describeStorm(figures));
}

/** Prints the same over sockets. Returns whether all informers came through. */
export async function printSocketStorms(options: StormOptions): Promise<boolean> {
  const { kubeconfig, informers, seconds, restart } = options;
  const onFigures: SocketStormOptions['onFigures'] = (figures) => {
    console.log(describeStorm(figures));
  };
  const shared = { informers, seconds, restart, onFigures };
  if (kubeconfig !== undefined) {
    const config = await loadConfig({ kubeconfig });
    console.log(`storms over sockets, ${config.server}`);
    console.log(stormHeading());
    return await socketStorms({ ...shared, config });
  }
  const token = 'storm';
  const server = new ApiServer({ token });
  await server.listen();
  try {
    console.log('storms over sockets');
    console.log(stormHeading());
    const config = new ConnectionConfig({
      server: server.url,
      credentials: tokenCredentials(token),
      namespace: 'default',
      source: 'the embedded server',
    });
    return await socketStorms({ ...shared, config });
  } finally {
    await server.close();
  }
}
