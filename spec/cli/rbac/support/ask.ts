/** A program for listwatch rbac: sends the requests of its arguments, `GET /api/v1/pods`, to the server of KUBECONFIG. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
  readonly contexts: readonly [{ readonly context: { readonly namespace: string } }];
}

const { clusters, users, contexts } = JSON.parse(
  readFileSync(process.env['KUBECONFIG'] ?? '', 'utf8'),
) as Kubeconfig;
const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');
const [{ cluster }] = clusters;
const [{ user }] = users;
for (const line of process.argv.slice(2)) {
  if (line === 'until SIGTERM') {
    process.once('SIGTERM', () => process.exit(3));
    setInterval(() => {}, 1000);
    console.log('it waits');
    break;
  }
  const [method = '', path = '', type = 'application/json', body = ''] = line.split(' ');
  const sent = request(new URL(path, cluster['server']), {
    method,
    agent: false,
    ca: bytes(cluster['certificate-authority-data']),
    cert: bytes(user['client-certificate-data']),
    key: bytes(user['client-key-data']),
    headers: { 'content-type': type, accept: 'application/json' },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  console.log(`${method} ${path}: ${response.statusCode}, in ${contexts[0].context.namespace}`);
  response.destroy();
}
