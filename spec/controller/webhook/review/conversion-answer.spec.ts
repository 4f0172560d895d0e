import { expect } from 'chai';
import {
  conversionAnswer,
  type Spoke,
} from '../../../../lib/controller/webhook/review/conversion-answer.ts';
import { RecordedLog } from '../../../client/support/recorded-log.ts';

interface Coupon {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: object;
}

interface Answer {
  readonly response: {
    readonly uid: string;
    readonly convertedObjects: readonly Coupon[];
    readonly result: { readonly status: string; readonly message?: string };
  };
}

const METADATA = { name: 'spring', namespace: 'shop', uid: 'u-1', labels: { a: 'b' } };

function couponOf(version: string, name: string = 'spring'): Coupon {
  const metadata = { ...METADATA, name };
  return { apiVersion: `x.io/${version}`, kind: 'Coupon', metadata, spec: { made: version } };
}

const plain: Spoke = {
  toHub: ({ spec, ...rest }: Coupon) => ({ ...rest, spec: { ...spec, toHub: true } }),
  fromHub: async ({ spec, ...rest }: Coupon) => ({ ...rest, spec: { ...spec, fromHub: true } }),
};

async function converted(
  spokes: Readonly<Record<string, Spoke>>,
  objects: readonly Coupon[],
  desiredAPIVersion: string,
): Promise<Answer['response'] & { readonly lines: RecordedLog['lines'] }> {
  const logger = new RecordedLog();
  const request = { uid: 'r-1', desiredAPIVersion, objects };
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
  const conversions = {
    name: 'coupons.x.io',
    hub: 'x.io/v2',
    spokes: new Map(Object.entries(spokes)),
  };
  const body = Buffer.from(JSON.stringify(review));
  const answer = (await conversionAnswer(conversions, body, logger)) as Answer;
  return { ...answer.response, lines: logger.lines };
}

describe('conversionAnswer', () => {
  it('converts each object into the version that is asked for, in their order', async () => {
    const objects = [couponOf('v1', 'a'), couponOf('v2', 'b'), couponOf('v1', 'c')];
    const answer = await converted({ 'x.io/v1': plain }, objects, 'x.io/v2');
    expect([answer.uid, answer.result]).to.deep.equal(['r-1', { status: 'Success' }]);
    expect(
      answer.convertedObjects.map(({ metadata, apiVersion, kind, spec }) => [
        metadata?.['name'],
        apiVersion,
        kind,
        spec,
      ]),
    ).to.deep.equal([
      ['a', 'x.io/v2', 'Coupon', { made: 'v1', toHub: true }],
      ['b', 'x.io/v2', 'Coupon', { made: 'v2' }],
      ['c', 'x.io/v2', 'Coupon', { made: 'v1', toHub: true }],
    ]);
  });

  it('goes through the hub between two other versions', async () => {
    const spokes = { 'x.io/v1': plain, 'x.io/v3': plain };
    const answer = await converted(spokes, [couponOf('v1')], 'x.io/v3');
    const spec = { made: 'v1', toHub: true, fromHub: true };
    expect(answer.convertedObjects).to.deep.equal([{ ...couponOf('v3'), spec }]);
  });

  it('keeps the metadata when the function returns none, and takes its labels when it returns some', async () => {
    const without = { ...plain, toHub: ({ spec }: Coupon) => ({ spec }) };
    const kept = await converted({ 'x.io/v1': without }, [couponOf('v1')], 'x.io/v2');
    expect(kept.convertedObjects[0]?.metadata).to.deep.equal(METADATA);
    const labels = {
      ...plain,
      toHub: (one: Coupon) => ({ metadata: { ...one.metadata, labels: { c: 'd' } } }),
    };
    const changed = await converted({ 'x.io/v1': labels }, [couponOf('v1')], 'x.io/v2');
    expect(changed.convertedObjects[0]?.metadata).to.deep.equal({
      ...METADATA,
      labels: { c: 'd' },
    });
  });

  const renamed = (metadata: object) => (one: Coupon) => ({
    ...one,
    metadata: { ...one.metadata, ...metadata },
  });
  const REMEDY =
    'return the metadata of the object: a conversion may change labels and annotations only';
  const rows: readonly (readonly [
    title: string,
    toHub: (one: never) => unknown,
    message: string,
  ])[] = [
    [
      'changes the name',
      renamed({ name: 'summer' }),
      `changed metadata.name from "spring" to "summer"; ${REMEDY}`,
    ],
    [
      'changes the uid',
      renamed({ uid: 'u-2' }),
      `changed metadata.uid from "u-1" to "u-2"; ${REMEDY}`,
    ],
    [
      'changes the namespace',
      renamed({ namespace: 'other' }),
      `changed metadata.namespace from "shop" to "other"; ${REMEDY}`,
    ],
    [
      'changes the name of the object that it got',
      (one: { metadata: { name: string } }) => {
        one.metadata.name = 'summer';
        return one;
      },
      `changed metadata.name from "spring" to "summer"; ${REMEDY}`,
    ],
    [
      'removes the name',
      () => ({ metadata: { labels: {} } }),
      `removed metadata.name "spring"; ${REMEDY}`,
    ],
    [
      'changes the kind',
      (one: Coupon) => ({ ...one, kind: 'Voucher' }),
      'changed kind from "Coupon" to "Voucher"; leave it out: all versions have one kind',
    ],
    [
      'drops the object',
      () => undefined,
      'returned undefined for an object; return the object in x.io/v2: a conversion must not drop objects',
    ],
    [
      'returns a list',
      () => [],
      'returned a list for an object; return the object in x.io/v2: a conversion must not drop objects',
    ],
    [
      'throws',
      () => {
        throw new Error('no discount:\n15');
      },
      'failed for an object of x.io/v1: no discount: 15',
    ],
  ];
  for (const [title, toHub, message] of rows) {
    it(`refuses all objects with one line when a function ${title}`, async () => {
      const spokes = { 'x.io/v1': { ...plain, toHub } as Spoke };
      const { convertedObjects, result, lines } = await converted(
        spokes,
        [couponOf('v2'), couponOf('v1')],
        'x.io/v2',
      );
      const text = `coupons.x.io shop/spring: toHub of x.io/v1 ${message}`;
      expect(result).to.deep.equal({ status: 'Failure', message: text });
      expect(convertedObjects).to.deep.equal([]);
      expect(
        lines.map(({ level, message: said, fields }) => [level, said, fields['problem']]),
      ).to.deep.equal([['error', 'webhooks: conversion failed', text]]);
    });
  }

  it('names the versions that it has when another one is asked for', async () => {
    const { result } = await converted({ 'x.io/v1': plain }, [couponOf('v9')], 'x.io/v2');
    expect(result.message).to.equal(
      'coupons.x.io: there is no conversion for x.io/v9, only for x.io/v2, x.io/v1; declare one with convert("x.io/v9", …)',
    );
  });
});
