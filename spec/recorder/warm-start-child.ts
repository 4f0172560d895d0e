/** Starts an informer with a snapshot, waits until it is synced, and closes it; prints what that took. */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { fileWarmStart } from '../../lib/recorder/snapshot/file-snapshot.ts';

export interface StartFigures {
  readonly objects: number;
  readonly toObjectsMs: number;
  readonly toSyncedMs: number;
  readonly cpuMs: number;
  readonly bytesRead: number;
  readonly requests: readonly string[];
  readonly saveMs: number;
}

const [server = '', file = ''] = process.argv.slice(2);
const requests: string[] = [];
const sockets: Socket[] = [];
subscribe('net.client.socket', (message) => {
  sockets.push((message as { readonly socket: Socket }).socket);
});
const client = await connect({
  server,
  onRequest: ({ attributes }) => {
    requests.push(attributes['listwatch.verb']);
  },
});
const startedMs = performance.now();
const informers = new SharedInformerFactory(client);
const warmStart = fileWarmStart({ file, identity: { server, user: 'bench' } });
const pods = informers.for('v1', 'pods', { warmStart, watchList: false });
let toObjectsMs = 0;
pods.addHandler({
  view: 'key',
  onAdd: () => {
    toObjectsMs ||= performance.now() - startedMs;
  },
});
informers.start();
await pods.whenSynced();
const toSyncedMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage();
const objects = pods.indexer.size;
const bytesRead = sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
const closingMs = performance.now();
await informers.close();
const saveMs = performance.now() - closingMs;
await client.close();
console.log(
  JSON.stringify({
    objects,
    toObjectsMs,
    toSyncedMs,
    cpuMs: (user + system) / 1000,
    bytesRead,
    requests,
    saveMs,
  } satisfies StartFigures),
);
