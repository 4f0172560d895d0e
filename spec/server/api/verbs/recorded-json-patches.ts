import type { Json } from '../../../../lib/server/http/body/json-tree.ts';

export interface Patched {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly finalizers: readonly string[];
  };
  readonly data: Readonly<Record<string, Json>>;
}

/** The object that the patches below were sent to. */
export const PATCHED: Patched = {
  metadata: {
    labels: { 'a.b/c': '1', n: 'x' },
    annotations: { o: '1' },
    finalizers: ['a.b/one', 'a.b/two'],
  },
  data: { k: 'v', k2: 'w' },
};

/** The finalizers, data or labels after the patch; an empty object for a patch without effect; 422 when it was refused. */
type Outcome =
  | 422
  | {
      readonly finalizers?: readonly string[];
      readonly data?: Readonly<Record<string, Json>>;
      readonly labels?: Readonly<Record<string, string>>;
    };

const UNCHANGED = {};
const at = (index: string): string => `/metadata/finalizers/${index}`;

/** Recorded: a PATCH of one operation at kube-apiserver 1.36.3. Its typed objects turn a null in `data` into "" afterwards. */
export const OUTCOMES: readonly (readonly [operation: Json, outcome: Outcome])[] = [
  [{ op: 'test', path: '/data/none', value: null }, UNCHANGED],
  [{ op: 'test', path: '/data/none' }, UNCHANGED],
  [{ op: 'test', path: '/data/none', value: 'x' }, 422],
  [{ op: 'test', path: '/data/k', value: null }, 422],
  [{ op: 'test', path: '/data/k', value: 'w' }, 422],
  [{ op: 'test', path: '/binaryData/none', value: null }, 422],
  [{ op: 'test', path: '/none/a/b', value: null }, 422],
  [{ op: 'test', path: '/none/a/b', value: 1 }, 422],
  [{ op: 'test', path: at('5'), value: null }, 422],
  [{ op: 'test', path: at('0'), value: 'a.b/one' }, UNCHANGED],
  [{ op: 'test', path: at('-1'), value: 'a.b/two' }, UNCHANGED],
  [{ op: 'test', path: at('x'), value: null }, 422],
  [{ op: 'test', path: at('-'), value: null }, 422],
  [{ op: 'test', path: '', value: {} }, 422],
  [{ op: 'test', path: '/data', value: { k2: 'w', k: 'v' } }, UNCHANGED],
  [{ op: 'test', value: 'x' }, 422],
  [{ op: 'replace', path: '/data/none', value: 'n' }, { data: { k: 'v', k2: 'w', none: 'n' } }],
  [{ op: 'replace', path: '/binaryData/none', value: 'n' }, 422],
  [{ op: 'replace', path: at('5'), value: 'n/m' }, 422],
  [{ op: 'replace', path: at('-'), value: 'n/m' }, 422],
  [{ op: 'replace', path: at('-1'), value: 'n/m' }, { finalizers: ['a.b/one', 'n/m'] }],
  [{ op: 'replace', path: at('1'), value: 'n/m' }, { finalizers: ['a.b/one', 'n/m'] }],
  [{ op: 'replace', path: '/data/k' }, { data: { k: null, k2: 'w' } }],
  [{ op: 'replace', path: '', value: 5 }, 422],
  [{ op: 'remove', path: '/data/none' }, 422],
  [{ op: 'remove', path: '/binaryData/none' }, 422],
  [{ op: 'remove', path: '/binaryData' }, 422],
  [{ op: 'remove', path: at('2') }, 422],
  [{ op: 'remove', path: at('-1') }, { finalizers: ['a.b/one'] }],
  [{ op: 'remove', path: at('-3') }, 422],
  [{ op: 'remove', path: at('-') }, 422],
  [{ op: 'remove', path: at('01') }, { finalizers: ['a.b/one'] }],
  [{ op: 'remove', path: at('x') }, 422],
  [{ op: 'remove', path: '' }, 422],
  [{ op: 'remove', path: 'data' }, 422],
  [{ op: 'remove', path: '/' }, 422],
  [{ op: 'remove' }, 422],
  [{ op: 'add', path: at('2'), value: 'n/m' }, { finalizers: ['a.b/one', 'a.b/two', 'n/m'] }],
  [{ op: 'add', path: at('3'), value: 'n/m' }, 422],
  [{ op: 'add', path: at('-'), value: 'n/m' }, { finalizers: ['a.b/one', 'a.b/two', 'n/m'] }],
  [{ op: 'add', path: at('-1'), value: 'n/m' }, { finalizers: ['a.b/one', 'a.b/two', 'n/m'] }],
  [{ op: 'add', path: at('-2'), value: 'n/m' }, { finalizers: ['a.b/one', 'n/m', 'a.b/two'] }],
  [{ op: 'add', path: at('-3'), value: 'n/m' }, { finalizers: ['n/m', 'a.b/one', 'a.b/two'] }],
  [{ op: 'add', path: at('-4'), value: 'n/m' }, 422],
  [{ op: 'add', path: at('01'), value: 'n/m' }, { finalizers: ['a.b/one', 'n/m', 'a.b/two'] }],
  [{ op: 'add', path: at('+1'), value: 'n/m' }, { finalizers: ['a.b/one', 'n/m', 'a.b/two'] }],
  [{ op: 'add', path: at('1x'), value: 'n/m' }, 422],
  [{ op: 'add', path: at(''), value: 'n/m' }, 422],
  [{ op: 'add', path: '/data/x' }, { data: { k: 'v', k2: 'w', x: null } }],
  [{ op: 'add', path: '', value: { a: 1 } }, 422],
  [{ op: 'add', path: '/none/x', value: '1' }, 422],
  [{ op: 'add', path: '/data/k/x', value: '1' }, 422],
  [{ op: 'add', path: '/data/k/x/y', value: '1' }, 422],
  [{ op: 'add', path: 'data/x', value: '1' }, UNCHANGED],
  [
    { op: 'add', path: '/metadata/labels/a.b~1c', value: '2' },
    { labels: { 'a.b/c': '2', n: 'x' } },
  ],
  [{ op: 'add', path: '/data/a~0b', value: '2' }, { data: { k: 'v', k2: 'w', 'a~b': '2' } }],
  [{ op: 'add', path: '/data/a~2b', value: '2' }, { data: { k: 'v', k2: 'w', 'a~2b': '2' } }],
  [{ op: 'add', value: 'x' }, 422],
  [{ op: 'add', path: null, value: 'x' }, 422],
  [{ op: 'copy', from: '/data/k', path: '/data/n' }, { data: { k: 'v', k2: 'w', n: 'v' } }],
  [{ op: 'copy', from: '/data/none', path: '/data/n' }, { data: { k: 'v', k2: 'w', n: null } }],
  [{ op: 'copy', from: '/none/none', path: '/data/n' }, 422],
  [{ op: 'copy', from: '/data/k', path: '/none/n' }, 422],
  [{ op: 'copy', from: at('0'), path: at('-') }, { finalizers: ['a.b/one', 'a.b/two', 'a.b/one'] }],
  [{ op: 'copy', from: at('9'), path: at('-') }, 422],
  [{ op: 'copy', path: '/data/n' }, 422],
  [{ op: 'copy', from: '', path: '/data/n' }, 422],
  [{ op: 'move', from: '/data/k', path: '/data/n' }, { data: { k2: 'w', n: 'v' } }],
  [{ op: 'move', from: '/data/none', path: '/data/n' }, 422],
  [{ op: 'move', from: '/none/none', path: '/data/n' }, 422],
  [{ op: 'move', from: '/data/k', path: '/none/n' }, 422],
  [{ op: 'move', from: '/data/k', path: '/data/k' }, UNCHANGED],
  [{ op: 'move', from: '/data', path: '/data/k' }, 422],
  [{ op: 'move', from: at('0'), path: at('1') }, { finalizers: ['a.b/two', 'a.b/one'] }],
  [{ op: 'move', from: at('0'), path: at('2') }, 422],
  [{ op: 'move', from: at('9'), path: at('2') }, 422],
  [{ op: 'move', path: '/data/n' }, 422],
  [{ op: 'jump', path: '/data/n' }, 422],
  [{ OP: 'add', path: '/data/x', value: '1' }, 422],
  [{ OP: 5 }, 422],
  [{ path: '/data/n' }, 422],
  [null, 422],
];

const CANNOT = 'error decoding patch: json: cannot unmarshal';

/** Recorded: documents that kube-apiserver 1.36.3 answers with 400 and this message. */
export const MALFORMED: readonly (readonly [document: Json, message: string])[] = [
  [{}, `${CANNOT} object into Go value of type []handlers.jsonPatchOp`],
  ['a', `${CANNOT} string into Go value of type []handlers.jsonPatchOp`],
  [5, `${CANNOT} number into Go value of type []handlers.jsonPatchOp`],
  [true, `${CANNOT} bool into Go value of type []handlers.jsonPatchOp`],
  [[5], `${CANNOT} number into Go value of type handlers.jsonPatchOp`],
  [[true], `${CANNOT} bool into Go value of type handlers.jsonPatchOp`],
  [['a'], `${CANNOT} string into Go value of type handlers.jsonPatchOp`],
  [[[1]], `${CANNOT} array into Go value of type handlers.jsonPatchOp`],
  [[{ op: 5, path: '/a' }], `${CANNOT} number into Go struct field jsonPatchOp.op of type string`],
  [
    [{ op: 'add', path: 5, value: 'x' }],
    `${CANNOT} number into Go struct field jsonPatchOp.path of type string`,
  ],
  [
    [{ op: 'move', from: 5, path: '/a' }],
    `${CANNOT} number into Go struct field jsonPatchOp.from of type string`,
  ],
  [
    [{ op: 'add', path: [], from: {} }],
    `${CANNOT} array into Go struct field jsonPatchOp.path of type string`,
  ],
];
