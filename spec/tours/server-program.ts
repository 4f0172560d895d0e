/** The server of the tour of a write: it creates a config map at its own port for each name that it receives. */
import { once } from 'node:events';
import { request } from 'node:http';
import { ApiServer } from '../../lib/cluster/server/index.ts';
import { endTrace, startTrace } from './traced.ts';

const server = new ApiServer();
await server.listen();
const { server: url, token } = server.clientConfig();

/** With Node's own client, so that no function of this package belongs to the request. */
async function create(name: string): Promise<void> {
  const sent = request(`${url}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
  const [answer] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
  answer.resume();
  if (answer.statusCode !== 201) throw new Error(`the create was answered ${answer.statusCode}`);
}

process.on('message', (message: { create: string } | 'seen') => {
  if (message === 'seen') {
    process.send!({ trace: endTrace() });
    return;
  }
  startTrace();
  void create(message.create);
});
process.once('disconnect', () => void server.close());
process.send!({ url, token });
