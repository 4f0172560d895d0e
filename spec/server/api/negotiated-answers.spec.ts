import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import {
  recordedNegotiation,
  TARGETS,
  type Outcome,
  type TargetName,
} from './recorded-negotiation.ts';
import { call } from './support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const WIRES = '/apis/wires.example.com/v1/namespaces/default/wires';

const DEFINITION = {
  metadata: { name: 'wires.wires.example.com' },
  spec: {
    group: 'wires.example.com',
    scope: 'Namespaced',
    names: { plural: 'wires', singular: 'wire', kind: 'Wire', listKind: 'WireList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

type Api = (
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
) => Promise<{ readonly status: number; readonly type: string; readonly text: string }>;

/** A server in virtual time with a ConfigMap and a Wire called `one`. */
async function withServer(run: (api: Api) => Promise<void>): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime });
    const api: Api = async (method, url, headers, body = '') => {
      const answer = await call(server.handler, method, url, {
        headers,
        body: Buffer.from(body),
      });
      const { status, text } = answer;
      return { status, text, type: String(answer.headers['content-type'] ?? '') };
    };
    const json = { 'content-type': 'application/json' };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const one = { metadata: { name: 'one' } };
    const wire = { apiVersion: 'wires.example.com/v1', kind: 'Wire', ...one };
    expect((await api('POST', definitions, json, JSON.stringify(DEFINITION))).status).to.equal(201);
    expect((await api('POST', MAPS, json, JSON.stringify(one))).status).to.equal(201);
    const made = await api('POST', WIRES, json, JSON.stringify(wire));
    expect(made.status, made.text).to.equal(201);
    await run(api);
  });
}

/** The part of an answer that is recorded: kind and form of a body in JSON, or its message. */
function contentOf(status: number, type: string, text: string): string {
  if (type !== 'application/json') return '';
  if (text === '') return 'nothing';
  if (status >= 400) return (JSON.parse(text) as { message: string }).message;
  if (text.startsWith('{"type"')) {
    const [line = ''] = text.split('\n', 1);
    return `events of ${(JSON.parse(line) as { object: { kind: string } }).object.kind}`;
  }
  const { kind = 'no kind' } = JSON.parse(text) as { kind?: string };
  return text.includes('\n  "') ? `${kind}, indented` : kind;
}

function outcomeOf({ status, text }: { status: number; text: string }): Outcome {
  return status < 400 ? [status] : [status, (JSON.parse(text) as { message: string }).message];
}

describe('the format of an answer', () => {
  for (const name of Object.keys(TARGETS) as TargetName[]) {
    it(`is that of kube-apiserver for every Accept header: ${name}`, async () => {
      await withServer(async (api) => {
        const path = TARGETS[name].replace('{ns}', 'default');
        for (const [accept, rows] of recordedNegotiation.accepts) {
          const recorded = rows[name];
          if (recorded === undefined) continue;
          const answer = await api('GET', path, accept === '' ? {} : { accept });
          const content = contentOf(answer.status, answer.type, answer.text);
          const type = answer.type.replace(/^application\/(?:vnd\.kubernetes\.)?/, '');
          const found = [answer.status, type, content];
          expect(found, accept).to.deep.equal(recorded);
        }
      });
    });
  }
});

describe('the format of a body', () => {
  it('is read from the Content-Type as kube-apiserver does', async () => {
    await withServer(async (api) => {
      for (const [type, status] of recordedNegotiation.contentTypes) {
        const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
        const text = '{"metadata":{"name":"a"}}';
        const answer = await api('POST', `${MAPS}?dryRun=All`, headers, text);
        expect(answer.status, type).to.equal(status);
      }
    });
  });

  it('is refused in the words of kube-apiserver, also for custom resources', async () => {
    await withServer(async (api) => {
      for (const [type, body, configMap, wire] of recordedNegotiation.bodies) {
        const headers = { 'content-type': type };
        const built = await api('POST', `${MAPS}?dryRun=All`, headers, body);
        expect(outcomeOf(built), `ConfigMap ${body.slice(0, 80)}`).to.deep.equal(configMap);
        const custom = await api('POST', `${WIRES}?dryRun=All`, headers, body);
        expect(outcomeOf(custom), `Wire ${body.slice(0, 80)}`).to.deep.equal(wire);
      }
    });
  });

  it('is refused in the same words for the options of a deletion', async () => {
    await withServer(async (api) => {
      for (const [type, body, recorded] of recordedNegotiation.deleteBodies) {
        const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
        const answer = await api('DELETE', `${MAPS}/absent`, headers, body);
        expect(outcomeOf(answer), `${type} ${body}`).to.deep.equal(recorded);
      }
    });
  });
});

// As kube-apiserver 1.37.2 answers it.
describe('objects without a table form', () => {
  const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const TOKEN = '/api/v1/namespaces/default/serviceaccounts/one/token';

  it('are 406 for a client that accepts nothing else, before anything is done', async () => {
    await withServer(async (api) => {
      const headers = { 'content-type': 'application/json', accept: TABLE };
      for (const url of [REVIEWS, TOKEN]) {
        const { status, text } = await api('POST', url, headers, '{"spec":{}}');
        expect(status, url).to.equal(406);
        expect(text, url).to.match(/"reason": ?"NotAcceptable"/);
      }
    });
  });

  it('are themselves for a client that accepts them too', async () => {
    await withServer(async (api) => {
      const headers = { 'content-type': 'application/json', accept: `${TABLE},application/json` };
      const body = '{"spec":{"nonResourceAttributes":{"path":"/version","verb":"get"}}}';
      const { status, text } = await api('POST', REVIEWS, headers, body);
      expect(status).to.equal(201);
      expect(text).to.match(/"kind": ?"SelfSubjectAccessReview"/);
    });
  });
});
