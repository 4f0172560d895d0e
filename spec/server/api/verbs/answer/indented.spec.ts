import { expect } from 'chai';
import { parse } from 'yaml';
import {
  indentedList,
  indentedObject,
} from '../../../../../lib/server/api/verbs/answer/indented.ts';

const HEAD = '{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[';

function listOf(
  items: readonly string[],
  mediaType: 'application/json' | 'application/yaml',
): string {
  const pieces = [
    [HEAD],
    ...items.map((item, index) => (index === 0 ? [item] : [Buffer.from(','), item])),
    [']}\n'],
  ];
  return [...indentedList(pieces[Symbol.iterator](), { mediaType })].flat().join('');
}

const ITEMS = ['{"metadata":{"name":"a"},"data":{"x":"1"}}', '{"data":{},"list":[1,[]]}'];

describe('a list for people', () => {
  it('is the same text as the whole document would be, with any number of items', () => {
    for (const count of [0, 1, 2]) {
      const items = ITEMS.slice(0, count);
      const document: unknown = JSON.parse(`${HEAD}${items.join(',')}]}`);
      expect(listOf(items, 'application/json')).to.equal(JSON.stringify(document, undefined, 2));
      const yaml = Buffer.from(
        indentedObject(Buffer.from(JSON.stringify(document)), { mediaType: 'application/yaml' }),
      ).toString();
      expect(listOf(items, 'application/yaml')).to.equal(yaml);
      expect(parse(yaml)).to.deep.equal(document);
    }
  });

  it('has its names in order as YAML', () => {
    const names = [...listOf(ITEMS, 'application/yaml').matchAll(/^[a-z]\w*(?=:)/gim)].map(
      ([name]) => name,
    );
    expect(names).to.deep.equal(['apiVersion', 'items', 'kind', 'metadata']);
  });
});
