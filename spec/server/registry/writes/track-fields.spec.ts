import { expect } from 'chai';
import type { AdmissionHook } from '../../../../lib/server/admission/admission-hook.ts';
import { recordAt } from '../../../../lib/meta/json-value.ts';
import { Answers, type Answer } from '../support/answers.ts';

interface Entry {
  readonly manager: string;
  readonly apiVersion: string;
  readonly fieldsV1: object;
}

function entriesOf({ body }: Answer): readonly Entry[] | undefined {
  return (body['metadata'] as { readonly managedFields?: readonly Entry[] }).managedFields;
}

describe('the managed fields of a kind of two versions', () => {
  const SCALERS = '/namespaces/default/horizontalpodautoscalers';
  const scaler = {
    metadata: { name: 'a' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
    },
  };

  // As kube-apiserver 1.36.3 answers it.
  for (const version of ['v1', 'v2']) {
    it(`are deleted by an empty list through ${version}, and stay away`, async () => {
      await using api = new Answers();
      const path = `/apis/autoscaling/${version}${SCALERS}`;
      const made = await api.post(path, scaler);
      expect(entriesOf(made)?.map(({ apiVersion }) => apiVersion)).to.deep.equal([
        `autoscaling/${version}`,
      ]);
      const reset = await api.merge(`${path}/a`, { metadata: { managedFields: [] } });
      expect(reset.body['metadata']).not.to.have.property('managedFields');
      const later = await api.merge(`${path}/a`, { spec: { maxReplicas: 4 } });
      expect(later.body['metadata']).not.to.have.property('managedFields');
    });
  }
});

describe('the managed fields of an update that admission changes', () => {
  it('are what the client changed, and not what admission did', async () => {
    const hook: AdmissionHook = {
      name: 'stamp',
      matches: ({ resource }) => resource === 'configmaps',
      mutate(request) {
        const data = { ...recordAt(request.object, 'data'), stamp: 'x' };
        request.object = { ...request.object, data };
      },
    };
    await using api = new Answers({ admission: [hook] });
    const path = '/api/v1/namespaces/default/configmaps';
    await api.post(`${path}?fieldManager=first`, { metadata: { name: 'a' }, data: { own: '1' } });
    const updated = await api.merge(`${path}/a?fieldManager=second`, { data: { more: '2' } });
    expect(updated.body['data']).to.deep.equal({ own: '1', more: '2', stamp: 'x' });
    expect(entriesOf(updated)?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).to.deep.equal([
      ['first', { 'f:data': { '.': {}, 'f:own': {} } }],
      ['second', { 'f:data': { 'f:more': {} } }],
    ]);
  });
});
