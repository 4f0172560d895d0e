import { expect } from 'chai';
import {
  builtInMessage,
  builtInMessages,
} from '../../../../lib/server/storage/scheme/built-in-messages.ts';
import { jsonValueOf } from '../../../../lib/server/storage/scheme/json-values.ts';
import {
  MessageTable,
  type MessageType,
} from '../../../../lib/server/storage/scheme/message-table.ts';
import { scalarOf } from '../../../../lib/server/storage/scheme/protobuf-scalars.ts';

/** All messages that can be reached from a kind. */
function reachable(root: MessageType, seen: Set<MessageType> = new Set()): Set<MessageType> {
  if (seen.has(root)) return seen;
  seen.add(root);
  for (const { type } of root.fields) {
    if (scalarOf(type) !== undefined) continue;
    reachable(root.table.get(jsonValueOf(type)?.message ?? type), seen);
  }
  return seen;
}

describe('MessageTable', () => {
  it('reads numbers, types, presence and shapes', () => {
    const { fields } = new MessageTable(
      '\nA: a=1 b=2!:bool c=3?:int64 d=4!?:B\n  e=5:B[] f=6:bytes{} ...=7:B\nB: x=1\n',
    ).get('A');
    expect(
      fields.map(({ name, number, type, presence, shape }) => [
        name,
        number,
        type,
        presence,
        shape,
      ]),
    ).to.deep.equal([
      ['a', 1, 'string', 'nonzero', 'one'],
      ['b', 2, 'bool', 'always', 'one'],
      ['c', 3, 'int64', 'sent', 'one'],
      ['d', 4, 'B', 'nullable', 'one'],
      ['e', 5, 'B', 'nonzero', 'list'],
      ['f', 6, 'bytes', 'nonzero', 'map'],
      ['...', 7, 'B', 'nonzero', 'inline'],
    ]);
  });

  it('looks messages up in itself before its parents', () => {
    const parent = new MessageTable('A: a=1\nB: b=1');
    const table = new MessageTable('A: mine=1', [parent]);
    expect(table.get('A').fields[0]?.name).to.equal('mine');
    expect(table.get('B').table).to.equal(parent);
    expect(() => table.get('C')).to.throw('there is no message C');
  });

  it('refuses text that does not follow the notation', () => {
    for (const text of ['a: b=1', 'A b=1', 'A: b', 'A: b=x', 'A: b=1:', 'A: b=1 c=1']) {
      expect(() => new MessageTable(text), text).to.throw(TypeError);
    }
  });
});

describe('the messages of the built-in kinds', () => {
  it('are there for all that typed clients write most', () => {
    for (const kind of [
      'v1 Pod',
      'v1 Secret',
      'apps/v1 Deployment',
      'batch/v1 Job',
      'events.k8s.io/v1 Event',
    ]) {
      const [apiVersion = '', name = ''] = kind.split(' ');
      expect(builtInMessage(apiVersion, name)?.name, kind).to.equal(name);
    }
    expect(builtInMessage('apps/v1', 'DeleteOptions')?.name).to.equal('DeleteOptions');
  });

  it('are no parts of objects, and none of another group or version', () => {
    for (const [apiVersion, kind] of [
      ['v1', 'Container'],
      ['apps/v1', 'Pod'],
      ['apps/v2', 'Deployment'],
      ['', 'v1/Pod'],
      ['v1', '__proto__'],
    ] as const) {
      expect(builtInMessage(apiVersion, kind), `${apiVersion} ${kind}`).to.equal(undefined);
    }
  });

  it('refer to nothing that is not there', () => {
    const all = new Set<MessageType>();
    for (const kinds of builtInMessages().values()) {
      for (const type of kinds.values()) reachable(type, all);
    }
    expect(all.size).to.be.greaterThan(300);
  });

  it('start with metadata, as all objects do', () => {
    for (const [apiVersion, kinds] of builtInMessages()) {
      for (const [kind, { fields }] of apiVersion === '' ? [] : kinds) {
        expect(fields[0], kind).to.include({ name: 'metadata', number: 1, type: 'ObjectMeta' });
      }
    }
  });
});
