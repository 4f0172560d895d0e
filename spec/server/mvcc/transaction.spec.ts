import { expect } from 'chai';
import type { OperationResponse } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { EmbeddedStoreHarness } from './embedded-store-harness.ts';

const put = (key: string, value: Uint8Array): { type: 'put'; key: string; value: Uint8Array } => ({
  type: 'put',
  key,
  value,
});

/** The values that a range in a transaction found. */
function valuesOf(response: OperationResponse | undefined): string[] {
  if (response?.type !== 'range') throw new Error('the operation is no range');
  return response.items.map(({ value }) => Buffer.from(value).toString());
}

describe('a transaction', () => {
  let harness: EmbeddedStoreHarness;
  beforeEach(() => {
    harness = new EmbeddedStoreHarness({ maxValueBytes: 10 });
  });
  afterEach(async () => {
    await harness.store.close();
  });

  it('reads at the revision before it what was there before its own puts', async () => {
    const revision = await harness.put('a', 'old');
    const { responses } = await harness.store.txn({
      compare: [],
      success: [
        put('a', Buffer.from('new')),
        { type: 'range', key: 'a', revision },
        { type: 'range', key: 'a' },
      ],
    });
    expect(valuesOf(responses[1])).to.deep.equal(['old']);
    expect(valuesOf(responses[2])).to.deep.equal(['new']);
  });

  it('reads the present at revision 0, also after a compaction', async () => {
    await harness.put('a', 'old');
    await harness.store.compact(await harness.put('a', 'new'));
    const { responses } = await harness.store.txn({
      compare: [],
      success: [{ type: 'range', key: 'a', revision: 0n }],
    });
    expect(valuesOf(responses[0])).to.deep.equal(['new']);
  });

  it('does not put a key that is in a range which it deletes, the first one included', async () => {
    const codeOf = async (key: string): Promise<unknown> =>
      await harness.store
        .txn({
          compare: [],
          success: [{ type: 'delete', key: 'b', rangeEnd: 'd' }, put(key, Buffer.of())],
        })
        .then(
          () => 'none',
          ({ code }: { code: unknown }) => code,
        );
    expect(await codeOf('b')).to.equal('DUPLICATE_KEY');
    expect(await codeOf('c')).to.equal('DUPLICATE_KEY');
    expect(await codeOf('a')).to.equal('none');
    expect(await codeOf('d')).to.equal('none');
  });

  it('compares values by their bytes, not as text', async () => {
    await harness.store.txn({ compare: [], success: [put('a', Uint8Array.of(9))] });
    const succeeds = async (operator: '=' | '<'): Promise<boolean> => {
      const operand = Uint8Array.of(10);
      const compare = [{ key: 'a', target: 'value', operator, operand } as const];
      return (await harness.store.txn({ compare, success: [] })).succeeded;
    };
    expect(await succeeds('=')).to.equal(false);
    expect(await succeeds('<')).to.equal(true);
  });

  it('takes as many bytes of values as are allowed, and names the key whose value has more', async () => {
    await harness.put('a', 'x'.repeat(10));
    let message = '';
    try {
      const read = { type: 'range', key: 'b' } as const;
      const large = put('a', Buffer.alloc(11));
      await harness.store.txn({ compare: [], success: [read, large] });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).to.contain('the value of "a" has 11 bytes');
  });
});
