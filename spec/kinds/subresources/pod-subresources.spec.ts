import { expect } from 'chai';
import { Answers, podOf, PODS } from '../../server/registry/support/answers.ts';

const NODE_LESS = { nodeName: 'n1' };

describe('the subresources of pods', () => {
  it('adds ephemeral containers, and changes nothing else', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    const path = `${PODS}/one/ephemeralcontainers`;
    const ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
    const added = await api.patch(path, {
      metadata: { labels: { z: 'z' } },
      spec: { ephemeralContainers, nodeName: 'hey' },
    });
    expect(added.status, added.text).to.equal(200);
    expect(added.body).to.nested.include({
      'spec.ephemeralContainers[0].name': 'debug',
      'spec.ephemeralContainers[0].imagePullPolicy': 'Always',
      'metadata.generation': 2,
    });
    expect(added.body).not.to.have.nested.property('spec.nodeName');
    expect(added.body).not.to.have.nested.property('metadata.labels.z');
  });

  it('refuses ephemeral containers that change, go, or have fields of others', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    const path = `${PODS}/one/ephemeralcontainers`;
    const change = async (...list: object[]): Promise<unknown> => {
      const answer = await api.patch(path, { spec: { ephemeralContainers: list } });
      const details = answer.body['details'] as { causes: { field: string; reason: string }[] };
      return answer.status === 422
        ? details.causes.map(({ field, reason }) => `${field} ${reason}`)
        : answer.status;
    };
    expect(await change({ name: 'main', image: 'busybox' })).to.include(
      'spec.ephemeralContainers[0].name FieldValueDuplicate',
    );
    expect(
      await change({
        name: 'd2',
        image: 'x',
        targetContainerName: 'nope',
        ports: [{ containerPort: 1 }],
      }),
    ).to.deep.equal([
      'spec.ephemeralContainers[0].targetContainerName FieldValueNotFound',
      'spec.ephemeralContainers[0].ports FieldValueForbidden',
    ]);
    expect(await change({ name: 'debug', image: 'busybox' })).to.equal(200);
    expect(await change({ name: 'debug', image: 'other' })).to.deep.equal([
      'spec.ephemeralContainers FieldValueForbidden',
    ]);
    expect(await change({ name: 'debug', $patch: 'delete' })).to.deep.equal([
      'spec.ephemeralContainers FieldValueForbidden',
    ]);
  });

  it('resizes processor and memory, and refuses what changes the class or removes an amount', async () => {
    await using api = new Answers();
    const resources = { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } };
    await api.post(PODS, podOf('one', { containers: [{ name: 'main', image: 'i', resources }] }));
    const resize = async (given: object | null): Promise<readonly [number, unknown]> => {
      const containers = [{ name: 'main', image: 'other', resources: given }];
      const { status, body } = await api.patch(`${PODS}/one/resize`, { spec: { containers } });
      return [status, body['message']];
    };
    expect(await resize({ requests: { cpu: '1500m' } })).to.deep.equal([200, undefined]);
    const { body } = await api.get(`${PODS}/one`);
    expect(body).to.nested.include({
      'spec.containers[0].resources.requests.cpu': '1500m',
      'spec.containers[0].image': 'i',
      'metadata.generation': 2,
    });
    expect(await resize(null)).to.deep.equal([
      422,
      'Pod "one" is invalid: [spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing, spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed, spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed]',
    ]);
    expect((await resize({ requests: { 'example.com/x': '1' } }))[1]).to.contain(
      'only cpu and memory resources are mutable',
    );
  });

  it('has no log of a pod without a node, and refuses logs that cannot be', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    await api.post(
      PODS,
      podOf('two', {
        containers: [
          { name: 'a', image: 'i' },
          { name: 'b', image: 'i' },
        ],
      }),
    );
    expect(await api.get(`${PODS}/one/log`)).to.include({ status: 204, text: '' });
    const refusals = [
      ['one/log?container=none', 400, 'container none is not valid for pod one'],
      ['two/log', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
      ['one/log?tailLines=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
      [
        'one/log?tailLines=-1&sinceSeconds=0',
        422,
        'PodLogOptions "one" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, sinceSeconds: Invalid value: 0: must be greater than 0]',
      ],
      ['none/log', 404, 'pods "none" not found'],
    ] as const;
    for (const [path, status, message] of refusals) {
      const answer = await api.get(`${PODS}/${path}`);
      expect([answer.status, answer.body['message']], path).to.deep.equal([status, message]);
    }
  });

  it('says which node is missing behind log, exec, attach and port-forward', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one', NODE_LESS));
    await api.post(PODS, podOf('free'));
    for (const action of ['exec?command=ls', 'attach', 'portforward']) {
      const missing = await api.post(`${PODS}/one/${action}`, {});
      expect([missing.status, missing.body['message']], action).to.deep.equal([
        404,
        'pods "n1" not found',
      ]);
      const free = await api.post(`${PODS}/free/${action}`, {});
      expect([free.status, free.body['message']]).to.deep.equal([
        400,
        'pod free does not have a host assigned',
      ]);
    }
    expect((await api.get(`${PODS}/one/log`)).status).to.equal(404);
    await api.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    const log = await api.get(`${PODS}/one/log`);
    expect([log.status, log.body['message']]).to.deep.equal([
      500,
      'no preferred addresses found; known addresses: []',
    ]);
  });

  it('answers for proxies to pods, services and nodes', async () => {
    await using api = new Answers();
    await api.post(PODS, podOf('one'));
    const answers = [
      [`${PODS}/one/proxy/a/b`, 400, 'address not allowed'],
      [`${PODS}/none/proxy`, 404, 'pods "none" not found'],
      ['/api/v1/namespaces/default/services/none:80/proxy/', 404, 'services "none" not found'],
      [
        '/api/v1/namespaces/default/services/a:b:c:d/proxy/',
        400,
        'invalid service request "a:b:c:d"',
      ],
      ['/api/v1/nodes/n1/proxy/metrics', 404, 'nodes "n1" not found'],
      [`${PODS}/one/log/more`, 404, 'the server could not find the requested resource'],
    ] as const;
    for (const [path, status, message] of answers) {
      const answer = await api.get(path);
      expect([answer.status, answer.body['message']], path).to.deep.equal([status, message]);
    }
  });
});
