import { expect } from 'chai';
import { JsonListDecoder } from '../../../../lib/client/rest/decode/list-decoder.ts';
import { packedPages } from '../../../../lib/client/rest/read/item-pages.ts';
import { PackedItems } from '../../../../lib/client/rest/read/packed-items.ts';
import type { ListerWatcher } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { DecodedView, type ObjectView } from '../../../../lib/meta/object-view.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { rejectionOf } from '../../support/failure-of.ts';

interface Note extends KubernetesObject {
  readonly text?: string;
}

/** A list of notes as a server sends it, the kind of its items before or after them. */
function listOf(items: readonly object[], kindLast: boolean = false): Buffer {
  const type = { kind: 'NoteList', apiVersion: 'shop/v1' };
  const rest = { metadata: { resourceVersion: '7' }, items };
  return Buffer.from(JSON.stringify(kindLast ? { ...rest, ...type } : { ...type, ...rest }));
}

function note(name: string, text: string): { metadata: { name: string }; text: string } {
  return { metadata: { name }, text };
}

/** The views of a page, and what overwrites the bytes in which it came. */
function received(page: Buffer): { views: readonly ObjectView<Note>[]; overwrite: () => void } {
  const decoder = new JsonListDecoder<Note>();
  decoder.push(page);
  return { views: decoder.end().items, overwrite: () => page.fill(0) };
}

describe('the items of a page, packed', () => {
  it('need the bytes no more in which they came', () => {
    const packed = new PackedItems<Note>();
    const { views, overwrite } = received(listOf([note('a', 'ä→😀'), note('b', 'two')], true));
    packed.add(views);
    overwrite();
    expect([...packed]).to.deep.equal([
      { apiVersion: 'shop/v1', kind: 'Note', ...note('a', 'ä→😀') },
      { apiVersion: 'shop/v1', kind: 'Note', ...note('b', 'two') },
    ]);
  });

  it('stay in order among objects that are decoded already', () => {
    const packed = new PackedItems<Note>();
    packed.add([new DecodedView<Note>(note('first', ''))]);
    packed.add(received(listOf([note('second', '')])).views);
    packed.add([new DecodedView<Note>(note('third', ''))]);
    expect([...packed].map(({ metadata }) => metadata?.name)).to.deep.equal([
      'first',
      'second',
      'third',
    ]);
  });

  it('make room for those of the next page', () => {
    const packed = new PackedItems<Note>();
    packed.add(received(listOf([note('a', 'x'.repeat(100_000))])).views);
    expect(packed.bytes).to.be.greaterThan(100_000);
    packed.clear();
    expect(packed.bytes).to.equal(0);
    packed.add(received(listOf([note('b', 'short')])).views);
    expect([...packed].map(({ text }) => text)).to.deep.equal(['short']);
  });

  it('leave nothing behind when their page breaks off', async () => {
    const { views } = received(listOf([note('half', '')]));
    const broken = new Error('cut');
    const pages: (Error | readonly ObjectView<Note>[])[] = [broken, views];
    const source: ListerWatcher<ObjectView<Note>> = {
      description: 'notes',
      list: (_, onItems) => {
        const page = pages.shift();
        void onItems?.(views);
        return page instanceof Error
          ? Promise.reject(page)
          : Promise.resolve({ items: [], resourceVersion: '7' });
      },
      watch: () => Promise.reject(new Error('not watched')),
    };
    const read = packedPages(source);
    expect(await rejectionOf(read({}))).to.equal(broken);
    expect([...(await read({})).items]).to.have.length(1);
  });
});
