import { expect } from 'chai';
import { DeltaFIFO } from '../../../lib/cache/delta/delta-fifo.ts';
import type { KnownObjects } from '../../../lib/cache/delta/key-queue.ts';
import { DeltaProcessor } from '../../../lib/cache/collection/delta-processor.ts';
import { StoredObjects } from '../../../lib/cache/collection/stored-objects.ts';
import type { Notification } from '../../../lib/cache/informer/handlers/notification.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import type { Pod } from '../support/objects.ts';
import { at, known, popAll } from './delta-support.ts';

type Step = (fifo: DeltaFIFO<Pod>) => void;

const add =
  (name: string, version: string): Step =>
  (fifo) => {
    fifo.add(at(name, version));
  };
const update =
  (name: string, version: string): Step =>
  (fifo) => {
    fifo.update(at(name, version));
  };
const remove =
  (name: string, version: string): Step =>
  (fifo) => {
    fifo.delete(at(name, version));
  };
/** `foo@5 bar@6` */
const replace =
  (list: string): Step =>
  (fifo) => {
    const items = list.split(' ').filter((item) => item !== '');
    const pods = items.map((item) => at(item.split('@')[0]!, item.split('@')[1]!));
    fifo.replace(pods, '100');
  };

/** As `print` does for deltas; `~foo@6<5` for an update from 5 to 6. */
function printNotified(notification: Notification<Pod>): string {
  const { type, key, object } = notification;
  const version = `${key}@${object.metadata.resourceVersion}`;
  if (type === 'add') return `+${version}`;
  if (type === 'update' && notification.resync) return `.${version}`;
  if (type === 'update') return `~${version}<${notification.old.metadata.resourceVersion}`;
  return `-${version}${notification.finalStateUnknown ? '!' : ''}`;
}

function processorOf(stored: readonly Pod[]): DeltaProcessor<Pod> {
  const store = known(...stored);
  return new DeltaProcessor({
    objects: new StoredObjects({ store }),
    overlay: new WriteOverlay({ store }),
    ordered: true,
  });
}

/** In the order of arrival: the notifications of handlers when everything queued is applied to a store with these pods. */
function notified(stored: readonly Pod[], steps: readonly Step[]): string[] {
  const fifo = new DeltaFIFO<Pod>();
  for (const step of steps) step(fifo);
  const processor = processorOf(stored);
  const all: string[] = [];
  while (fifo.size > 0) {
    fifo.popBatch(100, (deltas, info) => {
      for (const { notifications } of processor.process(deltas, info)) {
        all.push(...notifications.map(printNotified));
      }
    });
  }
  return all;
}

/** In the order of keys: the items that come out. */
function items(knownObjects: KnownObjects<Pod> | undefined, steps: readonly Step[]): string[] {
  const fifo = new DeltaFIFO<Pod>({ order: 'key', knownObjects });
  for (const step of steps) step(fifo);
  return popAll(fifo);
}

interface Case {
  readonly fact: string;
  readonly steps: readonly Step[];
  readonly notified: readonly string[];
  readonly items: readonly string[];
}

/** Against foo@5, bar@6 and baz@7. */
const againstThree: readonly Case[] = [
  {
    fact: 'deletes what is neither listed nor deleted already, with the known state',
    steps: [remove('baz', '10'), replace('foo@5')],
    notified: ['-baz@10', '-bar@6!'],
    items: ['-baz@10', '=foo@5', '-bar@6!'],
  },
  {
    fact: 'deletes with the newest queued state what was changed before it',
    steps: [add('baz', '10'), replace('foo@5')],
    notified: ['~baz@10<7', '-bar@6!', '-baz@10!'],
    items: ['+baz@10 -baz@10!', '=foo@5', '-bar@6!'],
  },
  {
    fact: 'deletes with the newest queued state what was deleted and created again before it',
    steps: [remove('bar', '6'), add('bar', '100'), replace('foo@5')],
    notified: ['-bar@6', '+bar@100', '-baz@7!', '-bar@100!'],
    items: ['-bar@6 +bar@100 -bar@100!', '=foo@5', '-baz@7!'],
  },
  {
    fact: 'deletes with the listed state what an earlier list had',
    steps: [replace('bar@100 foo@5'), replace('foo@5')],
    notified: ['-baz@7!', '~bar@100<6', '-bar@100!'],
    items: ['=bar@100 -bar@100!', '=foo@5 =foo@5', '-baz@7!'],
  },
  {
    fact: 'hands on the new state of what is listed, behind the deletions',
    steps: [remove('baz', '10'), replace('foo@6')],
    notified: ['-baz@10', '-bar@6!', '~foo@6<5'],
    items: ['-baz@10', '=foo@6', '-bar@6!'],
  },
];

/** Against nothing. */
const againstNothing: readonly Case[] = [
  {
    fact: 'deletes what was only queued, before it hands on the list',
    steps: [add('baz', '10'), replace('foo@5')],
    notified: ['+baz@10', '-baz@10!', '+foo@5'],
    items: ['+baz@10 -baz@10!', '=foo@5'],
  },
  {
    fact: 'deletes an addition that an empty list lacks',
    steps: [add('foo', '2'), replace('')],
    notified: ['+foo@2', '-foo@2!'],
    items: ['+foo@2 -foo@2!'],
  },
  {
    fact: 'deletes once what one list had and the next one lacks',
    steps: [add('foo', '2'), replace('foo@2'), replace('')],
    notified: ['+foo@2', '-foo@2!'],
    items: ['+foo@2 =foo@2 -foo@2!'],
  },
  {
    fact: 'does not delete again what was deleted',
    steps: [add('foo', '2'), remove('foo', '2'), replace('')],
    notified: ['+foo@2', '-foo@2'],
    items: ['+foo@2 -foo@2'],
  },
  {
    fact: 'deletes once what several lists had and the last one lacks',
    steps: [add('foo', '2'), replace('foo@2'), replace('foo@2'), replace('')],
    notified: ['+foo@2', '-foo@2!'],
    items: ['+foo@2 =foo@2 =foo@2 -foo@2!'],
  },
  {
    fact: 'deletes once what several lists lack',
    steps: [add('foo', '2'), replace(''), replace('')],
    notified: ['+foo@2', '-foo@2!'],
    items: ['+foo@2 -foo@2!'],
  },
  {
    fact: 'deletes what was deleted and added again, with the newest state',
    steps: [add('foo', '2'), remove('foo', '2'), add('foo', '3'), replace('')],
    notified: ['+foo@2', '-foo@2', '+foo@3', '-foo@3!'],
    items: ['+foo@2 -foo@2 +foo@3 -foo@3!'],
  },
  {
    fact: 'makes nothing of an empty list after a bookmark',
    steps: [(fifo): void => fifo.bookmark('123'), replace(''), replace('')],
    notified: [],
    items: [],
  },
];

describe('A relist', () => {
  for (const [stored, cases] of [
    [[at('foo', '5'), at('bar', '6'), at('baz', '7')], againstThree],
    [[], againstNothing],
  ] as const) {
    for (const { fact, steps, ...expected } of cases) {
      it(fact, () => {
        expect(notified(stored, steps), 'in the order of arrival').to.deep.equal(expected.notified);
        expect(items(known(...stored), steps), 'in the order of keys').to.deep.equal(
          expected.items,
        );
        if (stored.length > 0) return;
        expect(items(undefined, steps), 'without known objects').to.deep.equal(expected.items);
      });
    }
  }

  it('is one delta with its resource version, behind what was queued before', () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.bookmark('1');
    fifo.add(at('a', '2'));
    fifo.replace([at('a', '2')], '10');
    fifo.replace([at('a', '2')], '20');
    fifo.replace([], '56');
    expect(popAll(fifo)).to.deep.equal(['#1', '+a@2', '[a@2]@10', '[a@2]@20', '[]@56']);
  });

  it('gives each of its deltas the type Replaced, also before anything was processed', () => {
    expect(items(known(at('foo', '5')), [replace('foo@5')])).to.deep.equal(['=foo@5']);
  });

  it('is part of the initial state with its deletions, when it is the first', () => {
    const processor = processorOf([at('foo', '5'), at('bar', '6'), at('baz', '7')]);
    const fifo = new DeltaFIFO<Pod>();
    fifo.replace([at('foo', '6')], '10');
    const batches: string[] = [];
    fifo.pop((deltas, info) => {
      expect(fifo.synced).to.equal(false);
      for (const { initial, notifications } of processor.process(deltas, info)) {
        batches.push(`${initial}: ${notifications.map(printNotified).join(' ')}`);
      }
    });
    expect(batches).to.deep.equal(['true: -bar@6! -baz@7! ~foo@6<5']);
    expect(fifo.synced).to.equal(true);
  });

  it('deletes a known key of which nothing else is known', () => {
    const keysOnly: KnownObjects<Pod> = { keys: () => ['gone'], get: () => undefined };
    const fifo = new DeltaFIFO<Pod>({ order: 'key', knownObjects: keysOnly });
    fifo.replace([], '1');
    expect(fifo.synced).to.equal(false);
    expect(popAll(fifo)).to.deep.equal(['-gone@?!']);
    expect(fifo.synced).to.equal(true);
  });

  it('counts what a resync had queued before the first list as part of it', () => {
    const fifo = new DeltaFIFO<Pod>({
      order: 'key',
      knownObjects: known(at('kept', '1'), at('gone', '1')),
      onError: () => {},
      transform: () => {
        throw new Error('cannot');
      },
    });
    fifo.resync();
    fifo.replace([at('kept', '2')], '2');
    const initial: boolean[] = [];
    while (fifo.size > 0) {
      expect(fifo.synced).to.equal(false);
      fifo.pop((_, info) => initial.push(info.initial));
    }
    expect(initial).to.deep.equal([true, true]);
    expect(fifo.synced).to.equal(true);
  });
});

describe('A resync', () => {
  const stored = [at('foo', '5')];
  const resync: Step = (fifo) => {
    fifo.resync();
  };
  const cases: readonly Case[] = [
    {
      fact: 'hands on every known object once',
      steps: [resync],
      notified: ['.foo@5'],
      items: ['.foo@5'],
    },
    {
      fact: 'hands on nothing whose deletion was queued before it',
      steps: [remove('foo', '10'), resync],
      notified: ['-foo@10'],
      items: ['-foo@10'],
    },
    {
      fact: 'hands on no state older than the one queued before it',
      steps: [update('foo', '6'), resync],
      notified: ['~foo@6<5', '.foo@6'],
      items: ['~foo@6'],
    },
  ];

  for (const { fact, steps, ...expected } of cases) {
    it(fact, () => {
      expect(notified(stored, steps), 'in the order of arrival').to.deep.equal(expected.notified);
      expect(items(known(...stored), steps), 'in the order of keys').to.deep.equal(expected.items);
    });
  }
});

describe('A delta', () => {
  it('carries its key, also where it has no object', () => {
    const fifo = new DeltaFIFO<Pod>({
      order: 'key',
      knownObjects: { keys: () => ['B'], get: () => undefined },
    });
    fifo.add(at('A', '1'));
    fifo.replace([at('C', '1')], '1');
    const keys: (string | undefined)[] = [];
    while (fifo.size > 0) {
      fifo.pop((deltas) => {
        for (const delta of deltas) keys.push('key' in delta ? delta.key : undefined);
      });
    }
    expect(keys).to.deep.equal(['A', 'A', 'C', 'B']);
  });
});

describe('A transform', () => {
  it('sees every object once, and none that is only deleted because a list lacks it', () => {
    for (const order of ['arrival', 'key'] as const) {
      const seen = new Map<Pod, number>();
      const fifo = new DeltaFIFO<Pod>({
        order,
        transform: (object) => {
          seen.set(object, (seen.get(object) ?? 0) + 1);
          return object;
        },
      });
      const objects = [at('foo', '10'), at('bar', '11'), at('foo', '12'), at('foo', '15')];
      fifo.add(objects[0]!);
      fifo.add(objects[1]!);
      fifo.update(objects[2]!);
      fifo.delete(objects[3]!);
      fifo.replace([], '15');
      objects.push(at('bar', '16'));
      fifo.add(objects[4]!);
      fifo.replace([], '16');
      expect(popAll(fifo), order).to.deep.equal(
        order === 'arrival'
          ? ['+foo@10', '+bar@11', '~foo@12', '-foo@15', '[]@15', '+bar@16', '[]@16']
          : ['+foo@10 ~foo@12 -foo@15', '+bar@11 -bar@11! +bar@16 -bar@16!'],
      );
      expect([...seen.entries()], order).to.deep.equal(objects.map((object) => [object, 1]));
    }
  });
});

describe('synced', () => {
  const list =
    (...names: string[]): Step =>
    (fifo) => {
      fifo.replace(
        names.map((name) => at(name, '1')),
        '1',
      );
    };
  const pop: Step = (fifo) => {
    fifo.pop(() => {});
  };
  /** [in the order of arrival, in the order of keys]: a list is one item, or one item a key. */
  const cases: readonly [fact: string, steps: readonly Step[], expected: [boolean, boolean]][] = [
    ['is false before anything came', [], [false, false]],
    ['is true once a change came first', [add('a', '1')], [true, true]],
    ['waits for an empty list to be processed where it is an item', [list()], [false, true]],
    ['is true when an empty list was processed', [list(), pop], [true, true]],
    ['is false while nothing of the list is processed', [list('a', 'b')], [false, false]],
    ['is false until the last item of the list', [list('a', 'b'), pop], [true, false]],
    ['is true after the last item of the list', [list('a', 'b'), pop, pop], [true, true]],
    ['counts a key once that a list has twice', [list('a', 'a'), pop], [true, true]],
  ];

  for (const [fact, steps, expected] of cases) {
    it(fact, () => {
      for (const [index, order] of (['arrival', 'key'] as const).entries()) {
        const fifo = new DeltaFIFO<Pod>({ order });
        for (const step of steps) step(fifo);
        expect(fifo.synced, order).to.equal(expected[index]);
      }
    });
  }
});
