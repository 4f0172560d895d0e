import { expect } from 'chai';
import { coalesce } from '../../../../lib/cache/informer/handlers/coalesce.ts';
import type { Origin } from '../../../../lib/cache/informer/handlers/event-handler.ts';
import {
  AddNotification,
  DeleteNotification,
  UpdateNotification,
  type Notification,
} from '../../../../lib/cache/informer/handlers/notification.ts';
import { seededRandom } from '../../../../lib/kernel/time/random.ts';
import { pod, type Pod } from '../../support/objects.ts';

const at = (resourceVersion: string): Pod => pod('a', { resourceVersion });

/** `+1` add, `~1>2` update, `.2` resync, `-2` delete. */
function parse(text: string, key: string, origin: Origin = 'other'): Notification<Pod> {
  const [sign, rest] = [text[0], text.slice(1)];
  const [first = '', second = ''] = rest.split('>');
  switch (sign) {
    case '+':
      return new AddNotification(key, at(first), false, origin);
    case '~':
      return new UpdateNotification(key, at(first), at(second), false, origin);
    case '.':
      return new UpdateNotification(key, at(first), at(first), true, origin);
    default:
      return new DeleteNotification(key, at(first), false, origin);
  }
}

function print(notification: Notification<Pod>): string {
  const version = ({ metadata }: Pod): string => metadata.resourceVersion!;
  switch (notification.type) {
    case 'add':
      return `+${version(notification.object)}`;
    case 'update': {
      const { old, object, resync } = notification;
      return resync ? `.${version(object)}` : `~${version(old)}>${version(object)}`;
    }
    case 'delete':
      return `-${version(notification.object)}`;
  }
}

function merged(...texts: string[]): string[] {
  return coalesce(texts.map((text) => parse(text, 'a'))).map(print);
}

describe('coalesce', () => {
  const rows: readonly [notified: string[], net: string[]][] = [
    [['+1'], ['+1']],
    [['+1', '~1>2'], ['+2']],
    [['+1', '~1>2', '-3'], []],
    [['+1', '-2', '+3'], ['+3']],
    [['~1>2', '~2>3'], ['~1>3']],
    [['~1>2', '-3'], ['-3']],
    [
      ['-1', '+2'],
      ['-1', '+2'],
    ],
    [
      ['-1', '+2', '~2>3'],
      ['-1', '+3'],
    ],
    [['-1', '+2', '-3'], ['-1']],
    [
      ['~1>2', '-3', '+4', '~4>5'],
      ['-3', '+5'],
    ],
    [['-1', '-2'], ['-1']],
    [['.1', '.1'], ['.1']],
    [['.1', '~1>2'], ['~1>2']],
    [['~1>2', '.2'], ['~1>2']],
    [['+1', '.1'], ['+1']],
  ];
  for (const [notified, net] of rows) {
    it(`makes ${notified.join(' ')} into ${net.join(' ') || 'nothing'}`, () => {
      expect(merged(...notified)).to.deep.equal(net);
    });
  }

  it('is an own change only if every change in it is', () => {
    const origins = (first: Origin, second: Origin): string[] =>
      coalesce([parse('~1>2', 'a', first), parse('~2>3', 'a', second)]).map(({ origin }) => origin);
    expect(origins('self', 'self')).to.deep.equal(['self']);
    expect(origins('other', 'self')).to.deep.equal(['other']);
    expect(origins('self', 'other')).to.deep.equal(['other']);
  });

  it('keeps the order in which keys came first', () => {
    const list = [parse('~1>2', 'a'), parse('+1', 'b'), parse('~2>3', 'a')];
    expect(coalesce(list).map(({ key }) => key)).to.deep.equal(['a', 'b']);
  });

  it('brings a handler to the same state as every single notification would', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 200; round += 1) {
      const start = new Map<string, string>([['k0', '0']]);
      const truth = new Map(start);
      const list: Notification<Pod>[] = [];
      for (let step = 1; step < 30; step += 1) {
        const key = `k${Math.floor(random() * 3)}`;
        const present = truth.get(key);
        if (present === undefined) {
          list.push(parse(`+${step}`, key));
          truth.set(key, String(step));
        } else if (random() < 0.4) {
          list.push(parse(`-${step}`, key));
          truth.delete(key);
        } else {
          list.push(parse(`~${present}>${step}`, key));
          truth.set(key, String(step));
        }
      }
      const seen = new Map(start);
      for (const notification of coalesce(list)) {
        const { key, object } = notification;
        expect(seen.has(key), print(notification)).to.equal(notification.type !== 'add');
        if (notification.type === 'update') {
          expect(notification.old.metadata.resourceVersion).to.equal(seen.get(key));
        }
        if (notification.type === 'delete') seen.delete(key);
        else seen.set(key, object.metadata.resourceVersion!);
      }
      expect(Object.fromEntries(seen)).to.deep.equal(Object.fromEntries(truth));
    }
  });
});
