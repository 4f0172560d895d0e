import { expect } from 'chai';
import { AccessRecorder } from '../../../lib/cli/rbac/needed-access.ts';
import { questionOf } from '../../../lib/server/access/authorization/request-question.ts';

const USER = { username: 'program', groups: [] };

function recorded(...requests: readonly string[]): AccessRecorder {
  const recorder = new AccessRecorder();
  for (const line of requests) {
    const [method = '', url = ''] = line.split(' ');
    recorder.record(questionOf(USER, method, url));
  }
  return recorder;
}

function verbsOf(...requests: readonly string[]): string[] {
  return recorded(...requests).used.resources.map(({ verb, resource }) => `${verb} ${resource}`);
}

describe('the rights that requests need', () => {
  it('are both verbs for the streams of a pod, whichever way they were opened', () => {
    const pod = '/api/v1/namespaces/a/pods/p';
    for (const stream of ['exec', 'attach', 'portforward']) {
      const both = [`get pods/${stream}`, `create pods/${stream}`];
      expect(verbsOf(`GET ${pod}/${stream}`)).to.deep.equal(both);
      expect(verbsOf(`POST ${pod}/${stream}`)).to.deep.equal(both);
    }
    expect(verbsOf(`GET ${pod}/log`)).to.deep.equal(['get pods/log']);
  });

  it('are a list for a watch too, and a patch for a new event', () => {
    expect(verbsOf('GET /api/v1/pods?watch=true')).to.deep.equal(['list pods', 'watch pods']);
    const events = '/apis/events.k8s.io/v1/namespaces/a/events';
    expect(verbsOf(`POST ${events}`)).to.deep.equal(['create events', 'patch events']);
  });

  it('are a read of an object whose status is written', () => {
    const status = '/apis/apps/v1/namespaces/a/deployments/d/status';
    const both = ['patch deployments/status', 'get deployments'];
    expect(verbsOf(`PATCH ${status}`)).to.deep.equal(both);
    expect(verbsOf(`GET ${status}`)).to.deep.equal(['get deployments/status']);
  });

  it('are kept once, and none for what every user may do', () => {
    const recorder = recorded(
      'GET /api/v1/pods',
      'GET /api/v1/pods?limit=1',
      'GET /version',
      'GET /apis/apps/v1',
      'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    );
    expect(recorder.used.resources).to.have.lengthOf(1);
    expect(recorder.used.paths).to.deep.equal([]);
    expect(recorder.requests).to.equal(5);
  });

  it('are bounded: after 100 000 the recorder says that some are missing', () => {
    const recorder = new AccessRecorder();
    const question = questionOf(USER, 'GET', '/api/v1/namespaces/a/pods/p');
    for (let index = 0; index < 100_000; index += 1) {
      recorder.record({ ...question, name: `p${index}` });
    }
    expect(recorder.isFull).to.equal(false);
    recorder.record({ ...question, name: 'one more' });
    expect(recorder.isFull).to.equal(true);
    expect(recorder.used.resources).to.have.lengthOf(100_000);
  });
});
