import { expect } from 'chai';
import { Answers } from '../../server/registry/support/answers.ts';

const labels = { app: 'x' };
const selector = { matchLabels: labels };
const template = (spec: object = {}): object => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
});

async function specOf(path: string, spec: object): Promise<unknown> {
  await using api = new Answers();
  const { status, text, body } = await api.post(path, { metadata: { name: 'one' }, spec });
  expect(status, text).to.equal(201);
  return body['spec'];
}

describe('the defaults of workloads', () => {
  it('give a job one completion, and neither suspend it nor leave its selector to the client', async () => {
    const spec = { template: template({ restartPolicy: 'Never' }) };
    expect(await specOf('/apis/batch/v1/namespaces/default/jobs', spec)).to.deep.include({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      manualSelector: false,
    });
  });

  it('give a stateful set one replica and ordered pods', async () => {
    const spec = { selector, serviceName: 'one', template: template() };
    expect(await specOf('/apis/apps/v1/namespaces/default/statefulsets', spec)).to.deep.include({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      revisionHistoryLimit: 10,
    });
  });

  it('name the service account of a template twice', async () => {
    const spec = { selector, template: template({ serviceAccountName: 'robot' }) };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    expect(await specOf(path, spec)).to.nested.include({
      'template.spec.serviceAccountName': 'robot',
      'template.spec.serviceAccount': 'robot',
    });
  });
});
