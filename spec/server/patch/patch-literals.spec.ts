import { expect } from 'chai';
import { call } from '../api/support.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MAPS = '/api/v1/namespaces/default/configmaps';
const TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

interface Sent {
  readonly status: number;
  readonly message: string;
  readonly warnings: readonly string[];
}

/** Sends a text as it is. */
async function send(
  server: ApiServer,
  method: string,
  path: string,
  type: string,
  body: string,
): Promise<Sent> {
  const headers = { 'content-type': type };
  const {
    status,
    text,
    headers: answered,
  } = await call(server.handler, method, path, {
    headers,
    body,
  });
  const { message = '' } = JSON.parse(text) as { readonly message?: string };
  const warning = answered['warning'] ?? [];
  return { status, message, warnings: [warning].flat() };
}

async function newServer(): Promise<ApiServer> {
  const server = new ApiServer();
  const spec =
    '{"replicas":3,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b"}]}}}';
  const deployment = `{"metadata":{"name":"d"},"spec":${spec}}`;
  const map = '{"metadata":{"name":"m"},"data":{"a":"1"}}';
  for (const [path, body] of [
    [DEPLOYMENTS, deployment],
    [MAPS, map],
  ] as const) {
    expect((await send(server, 'POST', path, 'application/json', body)).status).to.equal(201);
  }
  return server;
}

/** The answers of kube-apiserver 1.36.3 to the same requests. */
describe('a whole number with a point or an exponent', () => {
  const refused = 'into Go struct field DeploymentSpec.spec.replicas of type int32';

  for (const [literal, replicas] of [
    ['3.0', 3],
    ['1e1', 10],
  ] as const) {
    it(`is refused in a merge patch and in a JSON patch: ${literal}`, async () => {
      await using server = await newServer();
      for (const [type, body] of [
        [TYPES.merge, `{"spec":{"replicas":${literal}}}`],
        [TYPES.json, `[{"op":"replace","path":"/spec/replicas","value":${literal}}]`],
        [TYPES.json, `[{"op":"add","path":"/spec","value":{"replicas":${literal}}}]`],
      ] as const) {
        const { status, message } = await send(server, 'PATCH', `${DEPLOYMENTS}/d`, type, body);
        expect(status, body).to.equal(422);
        expect(message).to.contain(`json: cannot unmarshal number ${literal} ${refused}`);
        expect(message).to.contain(`\\"replicas\\":${literal}`);
      }
    });

    it(`is taken in a strategic merge patch and in an apply: ${literal}`, async () => {
      await using server = await newServer();
      const configuration = `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":${literal}}}`;
      for (const [type, body] of [
        [TYPES.strategic, `{"spec":{"replicas":${literal}}}`],
        [TYPES.apply, configuration],
      ] as const) {
        const path = `${DEPLOYMENTS}/d?fieldManager=me&force=${type === TYPES.apply}`;
        const target = type === TYPES.apply ? path : `${DEPLOYMENTS}/d`;
        const { status, message } = await send(server, 'PATCH', target, type, body);
        expect(status, message).to.equal(200);
        const { text } = await call(server.handler, 'GET', `${DEPLOYMENTS}/d`);
        expect(JSON.parse(text)).to.have.nested.property('spec.replicas', replicas);
      }
    });
  }
});

describe('a member that comes twice', () => {
  const applied =
    '{"apiVersion":"v1","kind":"ConfigMap",\n"data":{"a":"1","a":"2"},\n"data":{"b":"3"}}';

  it('is named by its line in an apply of JSON', async () => {
    await using server = await newServer();
    const path = `${MAPS}/m?fieldManager=me&force=true`;
    const { status, warnings } = await send(server, 'PATCH', path, TYPES.apply, applied);
    expect([status, warnings]).to.deep.equal([
      200,
      [
        '299 - "line 2: key \\"a\\" already set in map"',
        '299 - "line 3: key \\"data\\" already set in map"',
      ],
    ]);
    const strict = await send(
      server,
      'PATCH',
      `${path}&fieldValidation=Strict`,
      TYPES.apply,
      applied,
    );
    expect([strict.status, strict.message]).to.deep.equal([
      400,
      'error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 3: key "data" already set in map',
    ]);
    const ignored = await send(
      server,
      'PATCH',
      `${path}&fieldValidation=Ignore`,
      TYPES.apply,
      applied,
    );
    expect([ignored.status, ignored.warnings]).to.deep.equal([200, []]);
  });

  const patch = '[{"op":"add","path":"/data","value":{"a":"1","a":"2"}}]';
  const touched = patch.replace(']', ',{"op":"add","path":"/data/z","value":"y"}]');
  const own = 'json patch duplicate field "[0].value.a"';
  const ofResult = 'duplicate field "data.a"';

  for (const [title, body, texts] of [
    ['and in its result', patch, [own, ofResult]],
    ['and not in its result where a later operation reads the value', touched, [own]],
  ] as const) {
    it(`is named in a value of a JSON patch, ${title}`, async () => {
      await using server = await newServer();
      const { warnings } = await send(server, 'PATCH', `${MAPS}/m`, TYPES.json, body);
      expect(warnings).to.deep.equal(texts.map((text) => `299 - ${JSON.stringify(text)}`));
      const path = `${MAPS}/m?fieldValidation=Strict`;
      const { status, message } = await send(server, 'PATCH', path, TYPES.json, body);
      expect(status).to.equal(422);
      expect(message).to.match(/strict decoding error: (?<texts>.*)$/);
      expect(/strict decoding error: (?<texts>.*)$/.exec(message)?.groups?.['texts']).to.equal(
        texts.join(', '),
      );
    });
  }
});
