import { expect } from 'chai';
import { failure } from '../../../lib/meta/failure/api-error.ts';
import * as failures from '../../../lib/meta/failure/failures.ts';

const deployments = { group: 'apps', resource: 'deployments' };
const pods = { group: '', resource: 'pods' };

describe('failures', () => {
  it('speak as an API server does, which kubectl prints and scripts match', () => {
    const texts = [
      failures.notFound(deployments, 'web'),
      failures.alreadyExists(pods, 'web'),
      failures.alreadyExists(pods, 'web', 'object is being deleted: '),
      failures.conflict(deployments, 'web', 'the object has been modified'),
      failures.forbidden(pods, 'web', 'quota'),
      failures.tooLargeResourceVersion('9', '5'),
      failures.internalError('boom'),
      failures.invalid({ group: 'apps', kind: 'Deployment' }, 'web', [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec' },
      ]),
      failures.invalid({ group: '', kind: 'Pod' }, 'web', [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'a' },
        { reason: 'FieldValueInvalid', message: 'Invalid value: 1', field: 'b' },
      ]),
    ].map(({ message }) => message);
    expect(texts).to.deep.equal([
      'deployments.apps "web" not found',
      'pods "web" already exists',
      'object is being deleted: pods "web" already exists',
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified',
      'pods "web" is forbidden: quota',
      'Timeout: Too large resource version: 9, current: 5',
      'Internal error occurred: boom',
      'Deployment.apps "web" is invalid: spec: Required value',
      'Pod "web" is invalid: [a: Required value, b: Invalid value: 1]',
    ]);
  });

  it('escape a name with control characters', () => {
    const name = 'x\u001B[31m"\n';
    const texts = [
      failures.notFound(pods, name),
      failures.alreadyExists(pods, name),
      failures.conflict(pods, name, ''),
      failures.forbidden(pods, name, ''),
      failures.invalid({ group: '', kind: 'Pod' }, name, []),
    ].map(({ message }) => message);
    for (const text of texts) expect(text).to.include('"x\\u001b[31m\\"\\n"');
  });

  it('leave out of their details the name and the kind that are unknown', () => {
    const cause = { reason: 'FieldValueInvalid', message: 'm', field: 'patch' } as const;
    const { status } = failures.invalid({ group: '', kind: '' }, '', [cause]);
    expect(status.details).to.deep.equal({ causes: [cause] });
  });

  it('name what they are about in their details', () => {
    expect(failures.notFound(deployments, 'web').status.details).to.deep.equal({
      name: 'web',
      group: 'apps',
      kind: 'deployments',
    });
    expect(failures.notFound(pods, 'web').status.details).to.deep.equal({
      name: 'web',
      kind: 'pods',
    });
    expect(failures.expired('old', 'next').status.metadata).to.deep.equal({ continue: 'next' });
    expect(failures.tooLargeResourceVersion('9', '5').retryAfterMs).to.equal(1000);
    expect(failures.tooManyRequests('busy', 2).retryAfterMs).to.equal(2000);
    expect(failures.badRequest('no', new Error('root')).cause).to.be.an.instanceOf(Error);
  });

  const all = {
    badRequest: failures.badRequest('x'),
    notFound: failures.notFound(pods, 'x'),
    alreadyExists: failures.alreadyExists(pods, 'x'),
    conflict: failures.conflict(pods, 'x', 'y'),
    expired: failures.expired('x'),
    gone: failure('Gone', 'x'),
    tooLarge: failures.tooLargeResourceVersion('2', '1'),
    timeout: failure('Timeout', 'slow'),
    tooMany: failures.tooManyRequests('x', 1),
    invalid: failures.invalid({ group: '', kind: 'Pod' }, 'x', []),
  };
  const predicates: readonly (readonly [(error: unknown) => boolean, readonly string[]])[] = [
    [failures.isNotFound, ['notFound']],
    [failures.isAlreadyExists, ['alreadyExists']],
    [failures.isConflict, ['conflict']],
    [failures.isExpired, ['expired', 'gone']],
    [failures.isTooLargeResourceVersion, ['tooLarge']],
    [failures.isTooManyRequests, ['tooMany']],
    [failures.isInvalid, ['invalid']],
    [failures.isApiError, Object.keys(all)],
  ];
  for (const [predicate, expected] of predicates) {
    it(`${predicate.name} holds for ${expected.join(', ')} and nothing else`, () => {
      const held = Object.entries(all).filter(([, error]) => predicate(error));
      expect(held.map(([name]) => name)).to.deep.equal(expected);
      for (const other of [undefined, null, 'x', new Error('x'), { code: 'NOT_FOUND' }]) {
        expect(predicate(other)).to.equal(false);
      }
    });
  }

  it('are recognised when they come from another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), {
      code: 'EXPIRED',
      httpStatus: 410,
      status: {},
      causes: [],
    });
    expect(failures.isExpired(foreign)).to.equal(true);
    expect(failures.isTooLargeResourceVersion(foreign)).to.equal(false);
  });

  it('recognise a version ahead of the server in the words of older servers', () => {
    expect(
      failures.isTooLargeResourceVersion(failure('Timeout', 'Too large resource version: 2')),
    ).to.equal(true);
    expect(
      failures.isTooLargeResourceVersion(failure('BadRequest', 'Too large resource version')),
    ).to.equal(false);
  });
});
