/**
 * Asks a kube-apiserver for objects as JSON and as protobuf, and writes both to `recorded.jsonl`:
 *
 *     node --import tsx spec/meta/protobuf/record.ts https://127.0.0.1:6443 TOKEN
 *
 * It sends the requests of `requests.jsonl`: it makes an object of each kind, reads them, and deletes them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';

interface RecordRequest {
  /** The path of a collection, in which an object is made, read and deleted. */
  readonly make?: string;
  /** A path that is read. */
  readonly read?: string;
  /** The path of a review, which is answered and not kept. */
  readonly review?: string;
  readonly body?: object;
}

const NAMESPACE = 'protobuf-record';
const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const [url = '', token = ''] = process.argv.slice(2);

interface Call {
  readonly method?: string;
  readonly accept?: string;
  readonly body?: object;
}

function ask(
  path: string,
  { method = 'GET', accept = JSON_TYPE, body }: Call = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : JSON_TYPE;
    const headers = { authorization: `Bearer ${token}`, accept, 'content-type': type };
    const asked = request(
      new URL(path, url),
      { method, headers, rejectUnauthorized: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve(Buffer.concat(parts)));
      },
    );
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface Recorded {
  readonly path: string;
  readonly json: unknown;
  readonly protobuf: string;
}

/** Reads both, until nothing changed between two reads of the JSON. */
async function both(path: string, call: Call = {}): Promise<Recorded> {
  for (;;) {
    const before = String(await ask(path, call));
    const protobuf = await ask(path, { ...call, accept: PROTOBUF_TYPE });
    const after = String(await ask(path, call));
    if (before === after)
      return { path, json: JSON.parse(after), protobuf: protobuf.toString('base64') };
  }
}

const requests = readFileSync(join(import.meta.dirname, 'requests.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordRequest);
const recorded: Recorded[] = [];
await ask('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: NAMESPACE } } });
const made: string[] = [];
for (const { make, body } of requests) {
  if (make === undefined || body === undefined) continue;
  const answer = JSON.parse(String(await ask(make, { method: 'POST', body }))) as {
    kind: string;
    message?: string;
    metadata: { name: string };
  };
  if (answer.kind === 'Status') console.log(`${make}: ${answer.message}`);
  else made.push(`${make}/${answer.metadata.name}`);
}
for (const path of made) recorded.push(await both(path));
for (const { read, review, body } of requests) {
  if (read !== undefined) recorded.push(await both(read));
  if (review !== undefined && body !== undefined) {
    recorded.push(await both(review, { method: 'POST', body }));
  }
}
for (const path of made) {
  await ask(path, { method: 'DELETE' });
  // Where no controller runs, finalizers keep an object for ever.
  await ask(path, { method: 'PATCH', body: { metadata: { finalizers: null } } });
}
await ask(`/api/v1/namespaces/${NAMESPACE}`, { method: 'DELETE' });
await ask(`/api/v1/namespaces/${NAMESPACE}/finalize`, {
  method: 'PUT',
  body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE }, spec: {} },
});
const version = JSON.parse(String(await ask('/version'))) as { gitVersion: string };
const head = { from: `kube-apiserver ${version.gitVersion}` };
const lines = [head, ...recorded].map((one) => JSON.stringify(one));
writeFileSync(join(import.meta.dirname, 'recorded.jsonl'), `${lines.join('\n')}\n`);
console.log(`${recorded.length} answers`);
