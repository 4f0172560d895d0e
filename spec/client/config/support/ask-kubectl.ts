/**
 * Runs kubectl on each case of `kubectl-cases.ts` against a server of its own, and compares what arrives with the table.
 * By hand: `npx tsx spec/client/config/support/ask-kubectl.ts PATH_OF_KUBECTL`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { json, RawServer } from '../../support/raw-server.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { writeCase } from './case-files.ts';
import { kubectlCases, type KubectlCase, type Taken } from './kubectl-cases.ts';

const authority = new TestAuthority();
const { certificate: cert, privateKey: key } = authority.server();
const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, message: 'no' };

async function ask(kubectl: string, one: KubectlCase): Promise<Taken | 'refused'> {
  await using scratch = await ScratchDirectory.make();
  await using server = await RawServer.start((_, response) => json(response, refusal, 403), {
    cert,
    key,
  });
  // Every host of the case becomes a path of this server.
  const host = `https://127.0.0.1:${server.port}/`;
  const files = Object.fromEntries(
    Object.entries(one.files).map(([name, text]) => [name, text.replaceAll('https://', host)]),
  );
  const env = await writeCase({ ...one, files }, scratch, authority.certificate);
  const ca = await scratch.write('trusted.crt', authority.certificate);
  const flags = (['context', 'cluster', 'user'] as const).flatMap((name) =>
    one[name] === undefined ? [] : [`--${name}=${one[name]}`],
  );
  // A request in a namespace that needs no discovery.
  const child = spawn(kubectl, ['create', 'token', 'default', ...flags], {
    env: { HOME: scratch.path, SSL_CERT_FILE: ca, ...env },
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const [request] = server.requests;
  const [, name, namespace] =
    /^\/([^/]+)\/api\/v1\/namespaces\/([^/]+)\//.exec(request?.url ?? '') ?? [];
  if (request === undefined || name === undefined || namespace === undefined) return 'refused';
  const token = request.headers.authorization?.replace('Bearer ', '');
  return {
    server: `https://${name}`,
    ...(namespace === 'default' ? {} : { namespace }),
    ...(token === undefined ? {} : { token }),
  };
}

const [, , kubectl = 'kubectl'] = process.argv;
let different = 0;
for (const one of kubectlCases) {
  const answer = await ask(kubectl, one);
  const same = isDeepStrictEqual(answer, one.kubectl);
  if (!same) different += 1;
  console.log(`${same ? 'same' : `DIFFERENT ${JSON.stringify(answer)}`}: ${one.title}`);
}
console.log(`${kubectlCases.length} cases, ${different} different`);
process.exitCode = different === 0 ? 0 : 1;
