import { expect } from 'chai';
import { WatchResponses } from '../../../lib/server/etcd/watch-responses.ts';
import { eventsAt, progressTo, responseAt } from './watch-answers.ts';

describe('the progress of a watch on etcd', () => {
  let responses: WatchResponses;
  beforeEach(() => {
    responses = new WatchResponses({ start: 5n, trustsProgress: true });
  });

  it('is not known while the cluster is at a revision that was not delivered', () => {
    responses.take(eventsAt(5n));
    expect(responses.progressAt(6n)).to.equal(undefined);
    expect(responses.progressAt(5n)).to.equal(5n);
  });

  it('does not go behind an event that came while the revision was read', () => {
    responses.take(eventsAt(5n, 6n, 7n));
    expect(responses.progressAt(6n)).to.equal(7n);
  });

  it('does not go behind progress that came while the revision was read', () => {
    responses.take(progressTo(9n));
    expect(responses.progressAt(8n)).to.equal(9n);
    expect(responses.take(responseAt(7n))).to.deep.equal({ type: 'nothing' });
  });

  it('is the revision of the cluster where the watch begins in the future', () => {
    expect(responses.progressAt(2n)).to.equal(2n);
    expect(responses.progressAt(3n)).to.equal(3n);
  });
});
