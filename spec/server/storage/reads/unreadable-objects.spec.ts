import { expect } from 'chai';
import { StorageError } from '../../../../lib/server/storage/contract/storage-error.ts';
import { UnreadableObjects } from '../../../../lib/server/storage/reads/list-objects.ts';

const HEAD = 'failed to read one or more objects from the storage: ';

function collected(count: number, tolerated: boolean = false): UnreadableObjects {
  const objects = new UnreadableObjects(tolerated);
  for (let at = 0; at < count; at += 1) {
    objects.note(new StorageError('CORRUPT_OBJECT', `/k${at}`, 'it is cut off'));
  }
  return objects;
}

function messageOf(objects: UnreadableObjects): string {
  try {
    objects.throwIfAny();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the unreadable objects of a list', () => {
  it('fail it with the first one, and the number of others', () => {
    expect(messageOf(collected(0))).to.equal('');
    const [one, two, three] = [1, 2, 3].map((count) => messageOf(collected(count)));
    expect(one).to.match(new RegExp(`^${HEAD}.*it is cut off .*/k0`));
    expect(two).to.equal(`${one} (and 1 more)`);
    expect(three).to.equal(`${one} (and 2 more)`);
  });

  it('are left out when they are tolerated', () => {
    const objects = collected(2, true);
    expect(messageOf(objects)).to.equal('');
    expect(objects.keys).to.deep.equal(['/k0', '/k1']);
  });
});
