import assert from 'node:assert/strict';
import { put, refusal, type KeyValueCase, type KeyValueUnderTest } from './key-value-under-test.ts';

/** In the order of their UTF-8 bytes, which differs from that of UTF-16 units: the last but one has a surrogate pair. */
const KEYS_IN_ORDER = [
  '\0',
  '-',
  'Z',
  'a',
  'a\0',
  'a/b',
  'aa',
  'é',
  '中',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{10fffe}',
];

async function putAll(under: KeyValueUnderTest, keys: readonly string[]): Promise<void> {
  for (const key of keys) await under.put(key, key);
}

function keysOf({ items }: { readonly items: readonly { readonly key: string }[] }): string[] {
  return items.map(({ key }) => key);
}

const presentCases: readonly KeyValueCase[] = [
  {
    title: 'reads one key: its value, revisions, version and lease',
    check: async (under) => {
      await under.put('a', '1');
      await under.put('a', '2');
      const { items, count, more, revision } = await under.store.range({ key: 'a' });
      const [kv] = items;
      assert.deepEqual(
        { ...kv, value: Buffer.from(kv?.value ?? []).toString() },
        {
          key: 'a',
          value: '2',
          createRevision: under.at(1),
          modRevision: under.at(2),
          version: 2n,
          lease: 0n,
        },
      );
      assert.deepEqual({ count, more, revision }, { count: 1, more: false, revision: under.at(2) });
    },
  },
  {
    title: 'answers a missing key with nothing, at the present revision',
    check: async (under) => {
      await under.put('ab');
      const answer = await under.store.range({ key: 'a' });
      assert.deepEqual(answer, { revision: under.at(1), items: [], count: 0, more: false });
    },
  },
  {
    title: 'reads from the start, which is included, to the end, which is not',
    check: async (under) => {
      await putAll(under, ['a', 'b', 'bb', 'c']);
      assert.deepEqual(keysOf(await under.range({ key: 'b', rangeEnd: 'c' })), ['b', 'bb']);
      assert.deepEqual(keysOf(await under.range({ key: 'aa', rangeEnd: 'cc' })), ['b', 'bb', 'c']);
    },
  },
  {
    title: 'finds nothing if the end is not after the start',
    check: async (under) => {
      await putAll(under, ['\0', 'a', 'b']);
      for (const [key, rangeEnd] of [
        ['b', 'a'],
        ['a', 'a'],
        ['a', '\0'],
        ['a', ''],
        ['', ''],
        ['', '\0'],
        ['\0', '\0'],
      ] as const) {
        const { count, items } = await under.range({ key, rangeEnd });
        assert.deepEqual([count, items], [0, []], JSON.stringify([key, rangeEnd]));
        assert.equal(await under.delete(key, rangeEnd), 3);
      }
    },
  },
  {
    title: 'starts at the very first key when the start is empty',
    check: async (under) => {
      await putAll(under, ['\0', 'a', 'b']);
      assert.deepEqual(keysOf(await under.range({ key: '', rangeEnd: 'b' })), ['\0', 'a']);
      assert.deepEqual(keysOf(await under.range({ key: '', rangeEnd: '\0\0' })), ['\0']);
    },
  },
  {
    title: 'orders keys by their UTF-8 bytes',
    check: async (under) => {
      await putAll(under, KEYS_IN_ORDER.toReversed());
      assert.deepEqual(keysOf(await under.range()), KEYS_IN_ORDER);
      for (let end = 1; end < KEYS_IN_ORDER.length; end += 1) {
        const [key = '', rangeEnd] = KEYS_IN_ORDER.slice(end - 1, end + 1);
        assert.deepEqual(keysOf(await under.range({ key, rangeEnd })), [key]);
      }
    },
  },
  {
    title: 'accepts any text as a key, and any bytes as a value',
    check: async (under) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      const keys = ['__proto__', 'constructor', ' ', 'a\nb', 'k'.repeat(5000)];
      for (const key of keys) await under.put(key, bytes);
      assert.deepEqual(new Set(keysOf(await under.range())), new Set(keys));
      const { items } = await under.range();
      for (const { value } of items) assert.deepEqual(Uint8Array.from(value), bytes);
      await under.put('empty', '');
      assert.equal((await under.get('empty'))?.value.byteLength, 0);
    },
  },
  {
    title: 'counts the whole range, and says whether there is more than the limit',
    check: async (under) => {
      await putAll(under, ['a', 'b', 'c', 'd', 'e']);
      for (const [limit, found, more] of [
        [2, 2, true],
        [5, 5, false],
        [6, 5, false],
        [0, 5, false],
        [-1, 5, false],
        [undefined, 5, false],
      ] as const) {
        const answer = await under.range({ limit });
        assert.deepEqual([answer.items.length, answer.count, answer.more], [found, 5, more]);
      }
    },
  },
  {
    title: 'returns only the count on request, despite the limit',
    check: async (under) => {
      await putAll(under, ['a', 'b', 'c']);
      for (const limit of [undefined, 1]) {
        const { items, count, more } = await under.range({ countOnly: true, limit });
        assert.deepEqual([items, count, more], [[], 3, false]);
      }
      assert.equal((await under.store.range({ key: 'a', countOnly: true })).count, 1);
    },
  },
  {
    title: 'leaves values out on request, and nothing else',
    check: async (under) => {
      await putAll(under, ['a', 'b']);
      const { items } = await under.range({ keysOnly: true });
      assert.deepEqual(
        items.map(({ key, value, modRevision }) => [
          key,
          value.byteLength,
          under.step(modRevision),
        ]),
        [
          ['a', 0, 1],
          ['b', 0, 2],
        ],
      );
      assert.equal((await under.get('a'))?.value.byteLength, 1);
    },
  },
  {
    title: 'refuses an empty key without an end',
    check: async (under) => {
      await refusal(under.store.range({ key: '' }), 'INVALID_KEY');
    },
  },
  {
    title: 'refuses a key that has no UTF-8 form',
    check: async (under) => {
      for (const key of ['\ud800', 'a\udfff', '\ud800\ue000']) {
        await refusal(under.store.range({ key }), 'INVALID_KEY');
        await refusal(under.store.range({ key: 'a', rangeEnd: key }), 'INVALID_KEY');
        await refusal(under.put(key), 'INVALID_KEY');
      }
      await under.put('\u{10000}');
    },
  },
];

const pastCases: readonly KeyValueCase[] = [
  {
    title: 'answers at a past revision, with the present revision in the response',
    check: async (under) => {
      await under.put('a', '1');
      await under.put('b', '2');
      await under.put('a', '3');
      await under.delete('b');
      assert.deepEqual(await under.list('', 1), ['a=1@1']);
      assert.deepEqual(await under.list('', 2), ['a=1@1', 'b=2@2']);
      assert.deepEqual(await under.list('', 3), ['a=3@3', 'b=2@2']);
      assert.deepEqual(await under.list('', 4), ['a=3@3']);
      const past = await under.store.range({ key: 'b', revision: under.at(3) });
      assert.deepEqual([past.revision, past.count], [under.at(4), 1]);
    },
  },
  {
    title: 'counts a past state, despite the limit',
    check: async (under) => {
      await putAll(under, ['a', 'b', 'c', 'd']);
      await under.delete('a', 'c');
      await under.put('e');
      const revision = under.at(4);
      const page = await under.range({ revision, limit: 3 });
      assert.deepEqual([keysOf(page), page.count, page.more], [['a', 'b', 'c'], 4, true]);
      const count = await under.range({ revision, countOnly: true });
      assert.deepEqual([count.items, count.count, count.revision], [[], 4, under.at(6)]);
    },
  },
  {
    title: 'reads the present state without a revision, at 0 and below',
    check: async (under) => {
      await under.put('a', '1');
      for (const revision of [undefined, 0n, -1n]) {
        assert.equal((await under.range({ revision })).count, 1);
      }
    },
  },
  {
    title: 'refuses a revision of the future, and names it and the present one',
    check: async (under) => {
      await under.put('a');
      for (const revision of [under.at(2), 2n ** 62n]) {
        const message = await refusal(under.range({ revision }), 'FUTURE_REVISION');
        assert.match(message, new RegExp(`\\b${revision}\\b.*\\b${under.at(1)}\\b`));
      }
      assert.equal((await under.range({ revision: under.at(1) })).count, 1);
    },
  },
  {
    title: 'reads page by page at one revision, with writes between the pages',
    check: async (under) => {
      await under.txn(['a', 'b', 'c', 'd', 'e'].map((key) => put(key, '1')));
      const seen: string[] = [];
      let start = '';
      for (;;) {
        const page = await under.range({ key: start, revision: under.at(1), limit: 2 });
        seen.push(...page.items.map((kv) => under.describe(kv)));
        if (!page.more) break;
        start = `${page.items.at(-1)?.key}\0`;
        await under.txn([put('c', '2'), put('bb', '2')]);
        await under.delete('d');
      }
      assert.deepEqual(seen, ['a=1@1', 'b=1@1', 'c=1@1', 'd=1@1', 'e=1@1']);
    },
  },
];

export const keyValueRangeCases: readonly KeyValueCase[] = [...presentCases, ...pastCases];
