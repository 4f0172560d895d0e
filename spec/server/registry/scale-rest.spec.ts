import { expect } from 'chai';
import type { AdmissionHook } from '../../../lib/server/admission/admission-hook.ts';
import { Answers } from './support/answers.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const APPLY = 'application/apply-patch+yaml';
const OWN = `${DEPLOYMENTS}/s/scale`;
const KIND = 'autoscaling/v1, Kind=Scale';

const deployment = {
  metadata: { name: 's' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
  },
};

const scale = (replicas: unknown, metadata: object = { name: 's' }): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata,
  spec: { replicas },
});

/** As kube-apiserver 1.36.3 answers. */
describe('a scale that is applied', () => {
  let api: Answers;
  beforeEach(async () => {
    api = new Answers();
    await api.post(DEPLOYMENTS, deployment);
  });
  afterEach(() => api[Symbol.asyncDispose]());

  async function applied(body: object): Promise<[status: number, answer: unknown]> {
    const path = `${OWN}?fieldManager=m&force=true&dryRun=All`;
    const { status, body: answer } = await api.ask('PATCH', path, body, APPLY);
    return [status, status === 200 ? answer['spec'] : answer['message']];
  }

  it('has the name of the URL', async () => {
    expect(await applied(scale(3, { name: 't' }))).to.deep.equal([
      400,
      'the name of the object (t) does not match the name on the URL (s)',
    ]);
  });

  it('keeps the low 32 bits of a number that is too large', async () => {
    const most = 2 ** 31 - 1;
    expect(await applied(scale(most))).to.deep.equal([200, { replicas: most }]);
    expect(await applied(scale(2 ** 31))).to.deep.equal([
      422,
      'Scale.autoscaling "s" is invalid: spec.replicas: Invalid value: -2147483648: must be greater than or equal to 0',
    ]);
    expect(await applied(scale(2 ** 32 + 3))).to.deep.equal([200, { replicas: 3 }]);
    expect(await applied(scale(1e30))).to.deep.equal([200, {}]);
    expect(await applied(scale(null))).to.deep.equal([200, {}]);
  });

  it('has no fraction', async () => {
    const refusal = (place: string): [number, string] => [
      500,
      `failed to convert new object (${place}; ${KIND}) to proper version: unable to convert unstructured object to ${KIND}: cannot convert float64 to int32`,
    ];
    expect(await applied(scale(1.5))).to.deep.equal(refusal('/s'));
    const named = { name: 's', namespace: 'default' };
    expect(await applied(scale(1.5, named))).to.deep.equal(refusal('default/s'));
  });
});

describe('a scale that admission changes', () => {
  async function changedTo(replicas: unknown): Promise<[status: number, answer: unknown]> {
    const hook: AdmissionHook = {
      name: 'h',
      matches: ({ subresource }) => subresource === 'scale',
      mutate(request) {
        request.object = { ...request.object, spec: { replicas } };
      },
    };
    await using api = new Answers({ admission: [hook] });
    await api.post(DEPLOYMENTS, deployment);
    const { status, body } = await api.ask('PUT', OWN, scale(3));
    return [status, status === 200 ? body['spec'] : body['message']];
  }

  it('has a 32-bit integer as its number of replicas', async () => {
    const refusal = (what: string): [number, string] => [
      400,
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${what} into Go struct field ScaleSpec.spec.replicas of type int32`,
    ];
    const most = 2 ** 31 - 1;
    expect(await changedTo(most)).to.deep.equal([200, { replicas: most }]);
    expect(await changedTo(undefined)).to.deep.equal([200, {}]);
    expect(await changedTo(2 ** 31)).to.deep.equal(refusal('number 2147483648'));
    expect(await changedTo(1.5)).to.deep.equal(refusal('number 1.5'));
    expect(await changedTo('3')).to.deep.equal(refusal('string'));
    expect(await changedTo(true)).to.deep.equal(refusal('bool'));
    expect(await changedTo([3])).to.deep.equal(refusal('array'));
    expect((await changedTo(-1))[0]).to.equal(422);
  });
});
