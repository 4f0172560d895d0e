import { expect } from 'chai';
import { mostChangeBytes, WrittenObjects } from '../../../lib/recorder/capture/recording-file.ts';
import { applyDifference } from '../../../lib/recorder/delta-encoding/apply-difference.ts';
import { MOST_CHANGED_BYTES } from '../../../lib/recorder/delta-encoding/change-records.ts';
import { RecordKind } from '../../../lib/recorder/format/record-frame.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { DecodedView, type ObjectView } from '../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';

const MEMORY = 1024 * 1024;

function object(uid: string, version: number, size = 1000): Buffer {
  return Buffer.from(`{"uid":"${uid}","version":${version},"x":"${'x'.repeat(size)}"}`);
}

function writtenObjects(bytes: number = MEMORY): WrittenObjects {
  return new WrittenObjects(bytes, seededRandom(1));
}

const target: Buffer = Buffer.alloc(16 + mostChangeBytes(MOST_CHANGED_BYTES));

const HEAD = { kind: RecordKind.change, flags: 2, request: 3, atMs: 4 };

/** The body of the change to the object; undefined if it has to be written whole. */
function changeOf(written: WrittenObjects, uid: string, body: Buffer): Buffer | undefined {
  const end = written.writeChange(uid, body, HEAD, target, 16);
  if (end === undefined) return undefined;
  expect(end - 16).to.be.at.most(mostChangeBytes(body.length));
  return target.subarray(16 + 24, end);
}

function event(uid: string | undefined): WatchEvent<ObjectView> {
  const metadata = { name: 'a', ...(uid === undefined ? {} : { uid }) };
  return { type: 'MODIFIED', object: new DecodedView({ metadata }) };
}

/** The object of a change, and where its base begins. */
function restored(change: Buffer | undefined, base: Buffer): readonly [string, number] {
  if (change === undefined) return ['whole', -1];
  const made = applyDifference(base, change.subarray(8), change.readUInt32LE(4));
  return [made.toString(), change.readUInt32LE(0)];
}

describe('the objects that a recording has written whole', () => {
  it('are those to which the next states of them are differences', () => {
    const written = writtenObjects();
    expect(changeOf(written, 'a', object('a', 1))).to.equal(undefined);
    written.keep('a', object('a', 1), 700);
    written.keep('b', object('b', 1), 1900);
    for (const version of [2, 3, 1000]) {
      const next = object('a', version);
      const change = changeOf(written, 'a', next);
      expect(change?.length).to.be.below(180);
      expect(restored(change, object('a', 1))).to.deep.equal([next.toString(), 700]);
    }
    const other = restored(changeOf(written, 'b', object('b', 2)), object('b', 1));
    expect(other).to.deep.equal([object('b', 2).toString(), 1900]);
  });

  it('are copied: the writer may use the bytes again', () => {
    const written = writtenObjects();
    const bytes = object('a', 1);
    written.keep('a', bytes, 700);
    bytes.fill(0);
    const [text] = restored(changeOf(written, 'a', object('a', 2)), object('a', 1));
    expect(text).to.equal(object('a', 2).toString());
  });

  it('are not used for a state of which the difference is more than a quarter', () => {
    const written = writtenObjects();
    written.keep('a', object('a', 1), 700);
    const changed = (bytes: number): Buffer =>
      Buffer.from(object('a', 1).toString().replace('x'.repeat(bytes), 'y'.repeat(bytes)));
    expect(changeOf(written, 'a', changed(100))).to.be.an.instanceOf(Buffer);
    expect(changeOf(written, 'a', changed(300))).to.equal(undefined);
  });

  it('are none above the size that is written as a difference, and none without memory', () => {
    const large = writtenObjects();
    large.keep('a', object('a', 1, MOST_CHANGED_BYTES), 1);
    expect(changeOf(large, 'a', object('a', 2, MOST_CHANGED_BYTES))).to.equal(undefined);
    expect(changeOf(large, 'a', object('a', 2))).to.equal(undefined);
    large.keep('a', object('a', 1), 1);
    expect(changeOf(large, 'a', object('a', 2, MOST_CHANGED_BYTES))).to.equal(undefined);
    const none = writtenObjects(65_535);
    none.keep('a', object('a', 1), 1);
    expect(changeOf(none, 'a', object('a', 2))).to.equal(undefined);
  });

  it('are found whichever were expected, in any order, also when one comes twice or not', () => {
    const written = writtenObjects();
    const uids = Array.from({ length: 100 }, (_, index) => `c5ae3f0c-4a53-9d0e-${1000 + index}`);
    for (const uid of uids) written.keep(uid, object(uid, 1), 7);
    const bookmark: WatchEvent<ObjectView> = {
      type: 'BOOKMARK',
      resourceVersion: '7',
      initialEventsEnd: false,
    };
    const some = [uids[50], undefined, uids[3], uids[3], uids[99]].map(event);
    for (const events of [[], [bookmark], some, [...some, bookmark, ...uids.map(event)]]) {
      for (const order of [uids, uids.toReversed(), uids.filter((_, index) => index % 3 === 0)]) {
        written.expect(events);
        for (const uid of order) {
          const [text] = restored(changeOf(written, uid, object(uid, 2)), object(uid, 1));
          expect(text, uid).to.equal(object(uid, 2).toString());
        }
      }
    }
  });
});
