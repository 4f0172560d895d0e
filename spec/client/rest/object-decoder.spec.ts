import { expect } from 'chai';
import { JsonObjectDecoder } from '../../../lib/client/rest/object-decoder.ts';

describe('JsonObjectDecoder', () => {
  it('takes a bookmark for the end of a streaming list by its annotation "true" alone', () => {
    const decoder = new JsonObjectDecoder();
    const ends = [
      {},
      { 'k8s.io/initial-events-end': 'false' },
      { 'k8s.io/initial-events-end': 'true' },
    ];
    const decoded = ends.map((annotations) => {
      const object = { kind: 'Pod', metadata: { resourceVersion: '9', annotations } };
      const bytes = Buffer.from(JSON.stringify({ type: 'BOOKMARK', object }));
      return decoder.decodeEvent({ bytes });
    });
    expect(decoded).to.deep.equal(
      [false, false, true].map((initialEventsEnd) => ({
        type: 'BOOKMARK',
        resourceVersion: '9',
        initialEventsEnd,
      })),
    );
  });
});
