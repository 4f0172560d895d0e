import { expect } from 'chai';
import { seededRandom } from '../../lib/kernel/time/random.ts';
import { isWhole } from '../support/share.ts';
import { Draw, KnownValues, Mutations } from './support/secret-mutations.ts';
import { SecretWorld, type Said } from './support/secret-world.ts';

const VALUE = 'hunter2hunter2';
const ENCODED = Buffer.from(VALUE).toString('base64');
const NUMBER = 918_273_645;
const FORBIDDEN = new RegExp(`${VALUE}|${ENCODED}|${NUMBER}`);
const TOKEN = 'a-token-of-the-specs';

const META = { name: 'a', namespace: 'shop', uid: 'u-a', resourceVersion: '7' };
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: META,
  type: 'Opaque',
  data: { a: ENCODED },
};
const { kind: _, apiVersion: __, ...BARE } = SECRET;

function listOf(items: readonly object[], kind: string | undefined = 'SecretList'): Said {
  const list = { apiVersion: 'v1', kind, metadata: { resourceVersion: '10' }, items };
  return { body: JSON.stringify(list) };
}

function eventOf(object: object): Said {
  return { body: `${JSON.stringify({ type: 'MODIFIED', object })}\n` };
}

function later(object: object): object {
  return { ...object, metadata: { ...META, resourceVersion: '12' } };
}

function applied(name: string): object {
  const value = JSON.stringify({ kind: 'Secret', data: { a: ENCODED } });
  return { ...SECRET, metadata: { ...META, annotations: { [name]: value } }, data: {} };
}

/** Objects that came through unmasked once, by what was wrong with them. */
const CASES: readonly (readonly [string, Said, Said?])[] = [
  ['an event without a kind', listOf([SECRET]), eventOf(later(BARE))],
  ['a list without a kind', { body: listOf([BARE]).body.replace('"kind":"SecretList",', '') }],
  ['a plain List whose items have no kind', listOf([BARE], 'List')],
  ['a list in another case', listOf([BARE], 'secretlist')],
  ['an event in another case', listOf([]), eventOf(later({ ...SECRET, kind: 'SECRET' }))],
  ['data that is a list', listOf([{ ...SECRET, data: [ENCODED] }])],
  ['data that is a number', listOf([{ ...SECRET, data: NUMBER }])],
  ['data that is a text', listOf([{ ...SECRET, data: ENCODED, stringData: VALUE }])],
  ['the annotation of kapp', listOf([applied('kapp.k14s.io/original')])],
  ['the annotation of Rancher', listOf([applied('objectset.rio.cattle.io/applied')])],
  ['the annotation of Pulumi', listOf([]), eventOf(later(applied('pulumi.com/last-applied')))],
  ['the annotation of kubecfg', listOf([applied('kubecfg.ksonnet.io/last-applied-configuration')])],
  ['an object that says it is another', listOf([{ ...SECRET, kind: 'Pod' }])],
  ['a field that no Secret has', listOf([{ ...SECRET, data: {}, spec: { a: VALUE } }])],
  ['a failure with the object', { status: 500, body: JSON.stringify(SECRET) }],
  ['a failure with the object, cut', { status: 502, body: JSON.stringify(SECRET).slice(0, -3) }],
  [
    'a Status with details of its own',
    { status: 403, body: statusText({ details: { object: SECRET } }) },
  ],
  [
    'a Status whose message has a value',
    { status: 500, body: statusText({ message: `no ${VALUE}` }) },
  ],
  [
    'an ERROR event with a value',
    listOf([SECRET]),
    { body: `{"type":"ERROR","object":${statusText({ message: VALUE })}}\n` },
  ],
];

function statusText(fields: object): string {
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    metadata: {},
    code: 500,
    ...fields,
  });
}

/** Echoes of a credential, by what was repeated. */
const ECHOES: readonly (readonly [string, string])[] = [
  ['the token', TOKEN],
  ['the header', `Authorization: Bearer ${TOKEN}`],
  ['the token in base64', Buffer.from(TOKEN).toString('base64')],
  ['the header in base64', Buffer.from(`Bearer ${TOKEN}`).toString('base64')],
];

async function written(
  options: ConstructorParameters<typeof SecretWorld>[0],
): Promise<ReadonlyMap<string, string>> {
  return await new SecretWorld({ token: TOKEN, ...options }).run();
}

function placesOf(all: ReadonlyMap<string, string>, isFound: (text: string) => boolean): string[] {
  return [...all].filter(([, text]) => isFound(text)).map(([place]) => place);
}

describe('values of Secrets', () => {
  for (const [what, list, watch] of CASES) {
    it(`are in no recording, dump, log or answer of the inspector: ${what}`, async () => {
      const watches = watch === undefined ? [] : [watch];
      const all = await written({ lists: [list, listOf([SECRET])], watches });
      expect(placesOf(all, (text) => FORBIDDEN.test(text))).to.deep.equal([]);
      expect(all.get('recording client')).to.include('shop');
    });
  }

  for (const [what, list, watch] of CASES.slice(0, 12)) {
    it(`are found where the resource is not known: ${what}`, async () => {
      const watches = watch === undefined ? [] : [watch];
      const all = await written({ lists: [list], watches, isUnknown: true });
      // The recordings of the client know the resource.
      expect(placesOf(all, (text) => FORBIDDEN.test(text))).to.deep.equal([]);
      expect(all.get('recording informer-minutes')).to.include('shop');
    });
  }

  it('are in all of these when they are not masked, but for the inspector', async () => {
    const all = await written({ lists: [listOf([SECRET])], mask: 'nothing' });
    expect(placesOf(all, (text) => text.includes(ENCODED))).to.include.members([
      'dump',
      'recording client',
      'recording client-minutes',
      'recording informer-minutes',
    ]);
    expect(all.get('/api/object')).to.not.include(ENCODED);
  });

  it('leave what a failure says of the reason', async () => {
    const words =
      'secrets is forbidden: User "dev" cannot list resource "secrets" in API group "" at the cluster scope';
    const body = statusText({ code: 403, reason: 'Forbidden', message: `${words}: ${VALUE}` });
    const all = await written({ lists: [{ status: 403, body }, listOf([])] });
    expect(all.get('recording client')).to.include(JSON.stringify(words).slice(1, -1));
    expect(all.get('log')).to.match(/may not list (?:and watch )?secrets|cannot list/);
    expect(placesOf(all, (text) => FORBIDDEN.test(text))).to.deep.equal([]);
  });
});

describe('the credential of a client', () => {
  const resource = { apiVersion: 'v1', resource: 'pods' };
  for (const [what, echo] of ECHOES) {
    it(`is hidden where a failure repeats it: ${what}`, async () => {
      const lists = [
        { status: 500, body: statusText({ message: `got ${echo}` }) },
        { status: 502, body: `<title>bad ${echo}</title>`, headers: { server: echo } },
        { status: 503, body: `${'x'.repeat(2030)}${echo}` },
        { ...listOf([]), headers: { warning: `299 - "got ${echo}"` } },
      ];
      const error = `{"type":"ERROR","object":${statusText({ message: `got ${echo}` })}}\n`;
      const all = await written({ resource, lists, watches: [{ body: error }] });
      expect(placesOf(all, (text) => text.includes(echo) || text.includes(TOKEN))).to.deep.equal(
        [],
      );
      expect(all.get('recording client')).to.include('[hidden]');
      expect(all.get('log')).to.include('[hidden]');
    });
  }
});

/** Lists, events and failures that are changed at random. */
const WANTED = Number(process.env['LISTWATCH_MASKED'] ?? (isWhole ? 5_000 : 200));
const FIRST = Number(process.env['LISTWATCH_SEED'] ?? 1);

describe('masks', () => {
  it(`let no known value through in ${WANTED} changed lists, events and failures`, async () => {
    let count = 0;
    let shown = 0;
    for (let seed = FIRST; count < WANTED; seed += 1) {
      const draw = new Draw(seededRandom(seed));
      const values = new KnownValues(draw);
      const isUnknown = draw.once(4);
      const mutations = new Mutations(draw, values, isUnknown);
      const lists = Array.from({ length: 2 + draw.below(3) }, () =>
        draw.once(2) ? mutations.failure() : mutations.list(),
      );
      const watches = Array.from({ length: draw.below(4) }, () =>
        draw.once(4) ? mutations.failure() : mutations.watch(),
      );
      const world = new SecretWorld({ lists, watches, isUnknown, token: values.token });
      const all = await world.run();
      for (const [place, text] of all) {
        const found = values.foundIn(text);
        expect(found, `seed ${seed}: ${place}`).to.deep.equal([]);
        if (place === '/api/object') shown += 1;
      }
      count += mutations.count;
    }
    // Objects have come as far as the caches.
    expect(shown).to.be.above(0);
  });
});
