import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import { bringNext, event, rig, type View } from './reflector-support.ts';

const codeOf = (error: unknown): string | undefined =>
  isListwatchError(error) ? error.code : undefined;

describe('Reflector of a source that is wrong', () => {
  it('refuses a list whose pages take turns, and waits before it lists again', async () => {
    let pages = 0;
    const { runtime, errors, stop } = rig({
      prepare: (source) => {
        source.list = ({ continueToken }): ReturnType<typeof source.list> => {
          pages += 1;
          const next = continueToken === 'A' ? 'B' : 'A';
          return Promise.resolve({ items: [], resourceVersion: '1', continueToken: next });
        };
      },
    });
    await runtime.settle();
    expect(pages).to.equal(4);
    expect(errors[0]?.context.message).to.match(
      /the pages of the list of things go round in a circle: .*; it lists .* in \d+ ms/,
    );
    await stop();
  });

  for (const [what, page] of Object.entries({
    'no resourceVersion': { items: [] },
    'no items': { resourceVersion: '1' },
    'nothing at all': undefined,
  })) {
    it(`says what is wrong with a source whose page has ${what}`, async () => {
      const { runtime, errors, stop } = rig({
        prepare: (source) => {
          source.list = (): ReturnType<typeof source.list> =>
            Promise.resolve(page as Awaited<ReturnType<typeof source.list>>);
        },
      });
      await runtime.settle();
      expect(codeOf(errors[0]?.error)).to.equal('MALFORMED_RESPONSE');
      expect(errors[0]?.context.message).to.match(
        /the source of things gave a page without [a ]*\w+: its list\(\) has to resolve to \{ items, resourceVersion \}/,
      );
      await stop();
    });
  }

  for (const initialEventsEnd of [false, true]) {
    it(`says what is wrong with a source whose ${initialEventsEnd ? 'end ' : ''}bookmark has no resourceVersion`, async () => {
      const nothing = { type: 'BOOKMARK', initialEventsEnd } as WatchEvent<View>;
      const { runtime, sink, errors, stop } = rig({
        watchList: initialEventsEnd,
        prepare: (source) => {
          bringNext(source, [[event('ADDED', 'c', '3'), nothing, event('ADDED', 'd', '4')]]);
        },
      });
      await runtime.settle();
      expect(codeOf(errors[0]?.error)).to.equal('MALFORMED_EVENT');
      expect(errors[0]?.context.message).to.include(
        'the source of things sent a bookmark without a resourceVersion: each BOOKMARK event has to be',
      );
      await runtime.advance(5000);
      expect(sink.calls.at(-1)).to.equal('replace a b @2');
      await stop();
    });
  }

  it('reports items that a source left out, and continues', async () => {
    const { runtime, sink, errors, stop } = rig({
      prepare: (source) => {
        source.list = (): ReturnType<typeof source.list> =>
          Promise.resolve({ items: [], resourceVersion: '2', skippedItems: 3 });
      },
    });
    await runtime.settle();
    expect(sink.calls).to.deep.equal(['replace  @2']);
    expect(errors.map(({ context }) => context.message)).to.deep.equal([
      'reflector things: the list of things has 3 items that are no objects; it leaves them out.',
    ]);
    expect(errors[0]?.context).to.include({ next: 'continue', expected: false });
    await stop();
  });
});
