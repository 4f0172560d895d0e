/** The client of the tour of an event: a controller of config maps, with an informer over a watch of the server in its argument. */
import { connect, controller } from '../../lib/index.ts';
import { endTrace, startTrace } from './traced.ts';

const client = await connect(JSON.parse(process.argv[2]!) as { server: string; token: string });
const maps = controller(client, 'v1', 'configmaps', { namespace: 'default' }).reconcile((map) => {
  const { name } = map.metadata;
  const trace = endTrace();
  // The run ends, and all that follows it, before the next event.
  setImmediate(() => {
    startTrace();
    process.send!({ name, trace });
  });
  return Promise.resolve();
});
process.once('disconnect', () => void maps.close().then(() => client.close()));
await maps.run();
