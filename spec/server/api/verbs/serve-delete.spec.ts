import { expect } from 'chai';
import type { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import type { ApiRequest } from '../../../../lib/server/http/api-request.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { parseDeleteRequest } from '../../../../lib/server/api/verbs/serve-delete.ts';
import { call } from '../support.ts';

const OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential';

function parse(
  body: object | undefined,
  query: string = '',
  unsafeObjectDeletion: boolean = true,
): ReturnType<typeof parseDeleteRequest> {
  const request: ApiRequest = {
    method: 'DELETE',
    url: '/',
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
    signal: new AbortController().signal,
  };
  return parseDeleteRequest({ request, query: new URLSearchParams(query), unsafeObjectDeletion });
}

describe('parseDeleteRequest', () => {
  it('takes the option for unreadable objects from body and query', () => {
    expect(parse({ [OPTION]: true }).deletion[OPTION]).to.equal(true);
    expect(parse(undefined, `${OPTION}=true`).deletion[OPTION]).to.equal(true);
    expect(parse({ [OPTION]: false, gracePeriodSeconds: 5 }).deletion[OPTION]).to.equal(false);
    expect(parse(undefined).deletion[OPTION]).to.equal(undefined);
  });

  it('ignores the option for unreadable objects unless the server allows it', () => {
    expect(parse({ [OPTION]: true }, '', false).deletion[OPTION]).to.equal(undefined);
    const { deletion } = parse(undefined, `${OPTION}=true&dryRun=All`, false);
    expect(deletion).to.include({ [OPTION]: undefined, dryRun: true });
  });

  it('takes the preconditions from the query as well, if there is no body', () => {
    expect(parse(undefined, 'uid=u&resourceVersion=7').deletion.preconditions).to.deep.equal({
      uid: 'u',
      resourceVersion: '7',
    });
    expect(parse(undefined, 'resourceVersion=').deletion.preconditions).to.equal(undefined);
    expect(parse({}, 'resourceVersion=7').deletion.preconditions).to.equal(undefined);
  });

  it('refuses a grace period that is no whole number in the words of kube-apiserver', () => {
    expect(() => parse(undefined, 'gracePeriodSeconds=x')).to.throw(
      'strconv.ParseInt: parsing "x": invalid syntax',
    );
    expect(() => parse({ gracePeriodSeconds: 1.5 })).to.throw(
      'json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    );
  });

  it('takes protobuf, which typed clients send', () => {
    // gracePeriodSeconds 5 and propagationPolicy Orphan.
    const body = Buffer.from(
      'k8s\0\x0a\x13\x0a\x02v1\x12\x0dDeleteOptions\x12\x0a\x08\x05\x22\x06Orphan',
      'latin1',
    );
    const request: ApiRequest = {
      method: 'DELETE',
      url: '/',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body,
      signal: new AbortController().signal,
    };
    const { deletion } = parseDeleteRequest({
      request,
      query: new URLSearchParams(),
      unsafeObjectDeletion: false,
    });
    expect(deletion).to.include({ gracePeriodSeconds: 5, propagationPolicy: 'Orphan' });
  });

  for (const [name, value] of Object.entries({
    dryRun: ['All'],
    gracePeriodSeconds: 0,
    orphanDependents: false,
    preconditions: { uid: 'u' },
    propagationPolicy: 'Background',
  })) {
    it(`refuses it together with ${name}`, () => {
      const attempt = (): unknown => parse({ [OPTION]: true, [name]: value });
      let error: ApiError | undefined;
      try {
        attempt();
      } catch (thrown) {
        error = thrown as ApiError;
      }
      expect(error?.httpStatus).to.equal(422);
      expect(error?.causes).to.deep.equal([
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: true: cannot be set together with .${name}`,
          field: OPTION,
        },
      ]);
    });
  }
});

describe('the answer to a deletion', () => {
  it('knows no propagation policy for events, which have no dependents', async () => {
    await using server = new ApiServer();
    const [event, path] = [
      { metadata: { name: 'e', namespace: 'default' } },
      '/e?propagationPolicy=',
    ];
    for (const [events, content] of [
      ['/api/v1', { ...event, involvedObject: { namespace: 'default' } }],
      ['/apis/events.k8s.io/v1', { ...event, regarding: { namespace: 'default' } }],
    ] as const) {
      const url = `${events}/namespaces/default/events`;
      const body = {
        ...content,
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'a/b',
        reportingInstance: 'a',
        reportingComponent: 'a/b',
        action: 'Act',
        reason: 'R',
        type: 'Normal',
      };
      const made = await call(server.handler, 'POST', url, { body });
      expect(made.status, made.text).to.equal(201);
      const gone = await call(server.handler, 'DELETE', `${url}${path}Orphan`);
      expect(gone.json()['kind']).to.equal('Status');
      expect((await call(server.handler, 'GET', `${url}/e`)).status).to.equal(404);
    }
  });

  it('is the object for the kinds for which kube-apiserver returns it, otherwise a Status', async () => {
    await using server = new ApiServer();
    const containers = [{ name: 'c', image: 'i' }];
    const rows: readonly [path: string, object: object, kind: string][] = [
      ['serviceaccounts', {}, 'ServiceAccount'],
      ['podtemplates', { template: { spec: { containers } } }, 'PodTemplate'],
      ['pods', { spec: { containers } }, 'Pod'],
      ['services', { spec: { ports: [{ port: 1 }] } }, 'Service'],
      ['configmaps', {}, 'Status'],
      ['secrets', {}, 'Status'],
    ];
    for (const [resource, object, kind] of rows) {
      const path = `/api/v1/namespaces/default/${resource}`;
      const body = { metadata: { name: 'a' }, ...object };
      const made = await call(server.handler, 'POST', path, { body });
      expect(made.status, made.text).to.equal(201);
      const { status, json } = await call(server.handler, 'DELETE', `${path}/a`);
      expect([status, json()['kind']], resource).to.deep.equal([200, kind]);
    }
  });
});
