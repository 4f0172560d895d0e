import { expect } from 'chai';
import { Answers, PODS, type Answer } from '../../server/registry/support/answers.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PRIVILEGED = { securityContext: { privileged: true } };
const HOST_PROCESS = { securityContext: { windowsOptions: { hostProcess: true } } };

const specOf = (spec: object, container: object = {}): object => ({
  ...spec,
  containers: [{ name: 'a', image: 'b', ...container }],
});
const podOf = (spec: object): object => ({ metadata: { name: 'x' }, spec });

function messageOf({ body }: Answer): unknown {
  return body['message'];
}

/** The answers of kube-apiserver 1.36.3 without the flag `--allow-privileged`. */
describe('a server that does not allow privileged containers', () => {
  const DISALLOWED = 'Forbidden: disallowed by cluster policy';

  it('refuses them in pods, in templates and in ephemeral containers', async () => {
    await using api = new Answers({ allowPrivileged: false });
    const initContainers = [{ name: 'i', image: 'b', ...PRIVILEGED }];
    const pod = await api.post(PODS, podOf(specOf({ initContainers }, PRIVILEGED)));
    expect(messageOf(pod)).to.equal(
      `Pod "x" is invalid: [spec.containers[0].securityContext.privileged: ${DISALLOWED}, spec.initContainers[0].securityContext.privileged: ${DISALLOWED}]`,
    );
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: specOf({}, PRIVILEGED) };
    const spec = { selector: { matchLabels: labels }, template };
    const deployment = await api.post(DEPLOYMENTS, { metadata: { name: 'x' }, spec });
    expect(messageOf(deployment)).to.equal(
      `Deployment.apps "x" is invalid: spec.template.spec.containers[0].securityContext.privileged: ${DISALLOWED}`,
    );
    expect((await api.post(PODS, podOf(specOf({})))).status).to.equal(201);
    const debug = { ephemeralContainers: [{ name: 'd', image: 'x', ...PRIVILEGED }] };
    const path = `${PODS}/x/ephemeralcontainers`;
    expect(messageOf(await api.patch(path, { spec: debug }))).to.equal(
      `Pod "x" is invalid: spec.ephemeralContainers[0].securityContext.privileged: ${DISALLOWED}`,
    );
  });

  it('refuses host processes of Windows', async () => {
    await using api = new Answers({ allowPrivileged: false });
    const windows = { os: { name: 'windows' }, hostNetwork: false, ...HOST_PROCESS };
    expect(messageOf(await api.post(PODS, podOf(specOf(windows))))).to.equal(
      'Pod "x" is invalid: [spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers, spec: Forbidden: hostProcess containers are disallowed by cluster policy]',
    );
  });
});

describe('a server by default', () => {
  it('allows privileged containers, as clusters do', async () => {
    await using api = new Answers();
    expect((await api.post(PODS, podOf(specOf({}, PRIVILEGED)))).status).to.equal(201);
  });
});
