import { expect } from 'chai';
import type { RecordSink } from '../../../lib/recorder/capture/record-sink.ts';
import { ReaderSink } from '../../../lib/recorder/ring/reader-sink.ts';
import { jsonFrame, RecordKind } from '../../../lib/recorder/format/record-frame.ts';
import { podOf, viewOf } from '../../cache/memory/kept-views.ts';
import { FakeCache } from '../support/fake-cache.ts';

describe('ReaderSink', () => {
  it('gives each request to the ring of the cache that is filled then, and its records too', () => {
    const log: string[] = [];
    const sinkNamed = (name: string): RecordSink & { readonly name: string } => ({
      name,
      put: ({ kind }) => log.push(`${name} ${kind}`),
      putObject: (_, kind) => log.push(`${name} object ${kind}`),
    });
    const [one, two] = [new FakeCache(), new FakeCache()];
    let cache: FakeCache | undefined;
    const sink = new ReaderSink({
      cache: () => cache,
      without: sinkNamed('none'),
      begin: (begun) => {
        log.push(begun === one ? 'begin one' : 'begin two');
        return sinkNamed(begun === one ? 'one' : 'two');
      },
      end: ({ name }) => log.push(`end ${name}`),
    });
    const put = (kind: typeof RecordKind.listAsked | typeof RecordKind.watchAsked | 12): void => {
      sink.put(jsonFrame(kind, {}, { request: 1, atMs: 0 }));
      sink.putObject({ request: 1, atMs: 0 }, RecordKind.item, 1, viewOf(podOf(1)));
    };
    put(RecordKind.listAsked);
    cache = one;
    put(RecordKind.watchLeft);
    put(RecordKind.listAsked);
    put(RecordKind.watchAsked);
    cache = two;
    put(RecordKind.watchLeft);
    put(RecordKind.watchAsked);
    cache = undefined;
    put(RecordKind.listAsked);
    const objects = `object ${RecordKind.item}`;
    expect(log).to.deep.equal([
      'none 2',
      `none ${objects}`,
      'none 12',
      `none ${objects}`,
      'begin one',
      'one 2',
      `one ${objects}`,
      'one 6',
      `one ${objects}`,
      'one 12',
      `one ${objects}`,
      'end one',
      'begin two',
      'two 6',
      `two ${objects}`,
      'end two',
      'none 2',
      `none ${objects}`,
    ]);
  });
});
