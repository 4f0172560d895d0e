import { EtcdKeyValueStore } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';

/** An API server over the etcd of its argument, in a process of its own; prints where it is, and ends with its standard input. */
const keyValueStore = await EtcdKeyValueStore.connect({ endpoints: [process.argv[2] ?? ''] });
const server = new ApiServer({ keyValueStore });
await server.listen();
process.stdout.write(`${JSON.stringify(server.clientConfig())}\n`);
process.stdin.resume();
process.stdin.once('end', () => {
  void server.close().then(() => keyValueStore.close());
});
