import { expect } from 'chai';
import type { ListPage } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { JsonListDecoder } from '../../../../lib/client/rest/decode/list-decoder.ts';
import { JsonView } from '../../../../lib/meta/json/json-view.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { thrownBy } from '../../support/failure-of.ts';

type View = ObjectView<UnstructuredObject>;

const pod = (name: string): string => `{"metadata":{"name":"${name}"},"spec":{"a":[1,{"b":2}]}}`;

function decode(body: string | Buffer, size: number = Infinity): ListPage<View> {
  const list = new JsonListDecoder<UnstructuredObject>();
  const bytes = Buffer.from(body as string);
  for (let start = 0; start < bytes.length; start += size) {
    list.push(Buffer.from(bytes.subarray(start, start + size)));
  }
  return list.end();
}

const objectsOf = (items: readonly View[]): unknown[] => items.map(({ object }) => object);
const namesOf = (items: readonly View[]): unknown[] => items.map(({ metadata }) => metadata.name);

describe('JsonListDecoder', () => {
  const items = ['a', 'ä', 'c'].map(pod);
  const metadata = '{"resourceVersion":"7","continue":"more","remainingItemCount":5}';

  it('finds the same page wherever it is cut', () => {
    const text = ` {"kind":"PodList","apiVersion":"v1","metadata":${metadata},\n"items":[${items.join(' ,')} ]} \n`;
    for (let size = 1; size <= Buffer.byteLength(text); size += 1) {
      const page = decode(text, size);
      expect(page, `pieces of ${size}`).to.deep.include({
        resourceVersion: '7',
        continueToken: 'more',
        remainingItemCount: 5,
      });
      expect(objectsOf(page.items)).to.deep.equal(
        items.map((item) => ({ ...JSON.parse(item), kind: 'Pod', apiVersion: 'v1' })),
      );
    }
  });

  it('hands out items before the page is complete', () => {
    const list = new JsonListDecoder<UnstructuredObject>();
    list.push(Buffer.from(`{"kind":"PodList","apiVersion":"v1","items":[${pod('a')},${pod('b')},`));
    expect(namesOf(list.takeItems())).to.deep.equal(['a', 'b']);
    expect(list.takeItems()).to.deep.equal([]);
    list.push(Buffer.from(`${pod('c')}],"metadata":${metadata}}`));
    const page = list.end();
    expect(namesOf(page.items)).to.deep.equal(['c']);
    expect(page.resourceVersion).to.equal('7');
  });

  it('keeps items back that lack a type, until it is known', () => {
    const list = new JsonListDecoder<UnstructuredObject>();
    const typed = '{"apiVersion":"v1","kind":"Pod"}';
    list.push(Buffer.from(`{"apiVersion":"batch/v1","items":[${typed}`));
    expect(list.takeItems()).to.have.length(1);
    list.push(Buffer.from(`,${pod('a')},${typed},{"kind":null},{"\\u006b":1}`));
    expect(list.takeItems()).to.deep.equal([]);
    list.push(Buffer.from(`],"kind":"JobList"`));
    const type = { apiVersion: 'batch/v1', kind: 'Job' };
    expect(objectsOf(list.takeItems())).to.deep.equal([
      { ...JSON.parse(pod('a')), ...type },
      { apiVersion: 'v1', kind: 'Pod' },
      type,
      { k: 1, ...type },
    ]);
    list.push(Buffer.from('}'));
    expect(list.end().items).to.deep.equal([]);
  });

  it('gives the items of a list without a kind, and of a mixed one, no type', () => {
    for (const kind of ['', '"kind":"List",', '"kind":7,', '"kind":"Pods",']) {
      const page = decode(`{${kind}"apiVersion":"v1","items":[${pod('a')}]}`);
      expect(objectsOf(page.items), kind).to.deep.equal([JSON.parse(pod('a'))]);
    }
  });

  it('leaves items in the bytes they came in, uncopied', () => {
    const list = new JsonListDecoder<UnstructuredObject>();
    const body = `{"kind":"PodList","apiVersion":"v1","items":[${Array(100)
      .fill(pod('x'.repeat(2000)))
      .join(',')}]}`;
    const pieces: Buffer[] = [body.slice(0, 99_000), body.slice(99_000)].map((part) =>
      Buffer.from(part),
    );
    for (const piece of pieces) list.push(piece);
    const sources = list.end().items.map((view) => (view as JsonView<UnstructuredObject>).source);
    // One source a piece, and one for the item over both.
    expect(new Set(sources).size).to.equal(3);
    expect(sources.filter(({ bytes }) => pieces.includes(bytes))).to.have.length(99);
  });

  it('parses only those items that are out of the ordinary, each by itself', () => {
    const { items: views } = decode(`{"items":[${pod('a')},{"metadata":null},${pod('\\u0062')}]}`);
    expect(views.map((view) => view instanceof JsonView)).to.deep.equal([true, false, false]);
    expect(views.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(
      [pod('a'), '{"metadata":null}', pod('\\u0062')].map(({ length }) => length),
    );
  });

  it('lets the last of several keys count, as long as nothing was taken', () => {
    const twice = `{"items":[7],"kind":"JobList","items":[${pod('a')}],"kind":"PodList","apiVersion":"v1"}`;
    expect(objectsOf(decode(twice).items)).to.deep.equal([
      { ...JSON.parse(pod('a')), kind: 'Pod', apiVersion: 'v1' },
    ]);
    expect(decode('{"items":[{}],"items":null}').items).to.deep.equal([]);

    const after = (end: string): unknown => {
      const list = new JsonListDecoder<UnstructuredObject>();
      list.push(Buffer.from(`{"kind":"PodList","apiVersion":"v1","items":[${pod('a')}]`));
      expect(list.takeItems()).to.have.length(1);
      list.push(Buffer.from(`,${end}}`));
      return list.end().items;
    };
    expect(after('"kind":"PodList"')).to.deep.equal([]);
    for (const key of ['"items":[]', '"kind":"JobList"', '"apiVersion":"v2"']) {
      const error = thrownBy(() => after(key));
      expect(error.code).to.equal('MALFORMED_RESPONSE');
      expect(error.message).to.contain('twice');
    }
  });

  it('takes null for no items, as Go writes it, and a page without metadata', () => {
    for (const text of ['{"items":null}', '{"items":[ ],"metadata":null}', '{"items":[]}']) {
      expect(decode(text)).to.deep.equal({ items: [], resourceVersion: '' });
    }
  });

  it('says the kind of items of a page that has none', () => {
    const empty =
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}';
    expect(decode(empty)).to.deep.equal({ items: [], resourceVersion: '7', itemKind: 'Pod' });
    expect(decode(empty.replace('[]', '[{}]'))).not.to.have.property('itemKind');
  });

  it('leaves out items that are not objects, and says how many', () => {
    for (const wrong of ['null', '7', '"text"', '[{}]']) {
      const page = decode(
        `{"items":[${items[0]},${wrong},${items[1]},${wrong}],"metadata":${metadata}}`,
        7,
      );
      expect(namesOf(page.items)).to.deep.equal(['a', 'ä']);
      expect(page.skippedItems).to.equal(2);
    }
  });

  it('takes a page that ends too early for a connection that broke', () => {
    const text = `{"kind":"PodList","metadata":${metadata},"items":[${items.join(',')}]}`;
    for (let length = 0; length < text.length; length += 1) {
      const error = thrownBy(() => decode(text.slice(0, length)));
      expect(error.code, text.slice(0, length)).to.equal('CONNECTION_FAILED');
      expect(error.message).to.match(/ends too early: from byte \d+ on it is incomplete/);
    }
  });

  it('says what is wrong and where, and shows none of it', () => {
    const canary = 'c2VjcmV0';
    const wrong: [text: string, problem: string][] = [
      ['null', 'is not a list'],
      [`[${canary}]`, 'is not a list'],
      [`{"kind":"Status","message":"${canary}"}`, 'is not a list'],
      [`{"items":"${canary}"}`, 'items are no array'],
      [`{"items":{"${canary}":1}}`, 'items are no array'],
      [`{"items":[{},{"a":${canary}}]}`, 'from byte 13 on, in its item 1'],
      [`{"items":[{} {}]}`, 'from byte 13 on'],
      [`{"items":[],}`, 'from byte 12 on'],
      [`{"items":[]}${canary}`, 'from byte 12 on'],
      [`{"items":[]}{}`, 'from byte 12 on'],
    ];
    for (const [text, problem] of wrong) {
      for (const size of [1, 5, Infinity]) {
        const error = thrownBy(() => decode(text, size));
        expect(error.code, text).to.equal('MALFORMED_RESPONSE');
        expect(error.message, text).to.contain(problem).and.not.to.contain(canary);
      }
    }
  });
});
