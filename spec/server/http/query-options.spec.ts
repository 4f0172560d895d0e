import { expect } from 'chai';
import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import {
  parseListOptions,
  parseWatchQuery,
  parseWriteOptions,
  queryFlag,
  queryTimeoutMs,
} from '../../../lib/server/http/query-options.ts';

function failureOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [
      error.httpStatus,
      ...error.causes.map(({ field, reason }) => `${field} ${reason}`),
    ].join(', ');
  }
  return 'accepted';
}

const list = (query: string): string =>
  failureOf(() => parseListOptions(new URLSearchParams(query)));
const watch = (query: string): string =>
  failureOf(() => parseWatchQuery(new URLSearchParams(query)));
const write = (query: string): string =>
  failureOf(() => parseWriteOptions(new URLSearchParams(query), 'CreateOptions'));

const FORBIDDEN_MATCH = '422, resourceVersionMatch FieldValueForbidden';
const UNKNOWN_MATCH = '422, resourceVersionMatch FieldValueNotSupported';

describe('list options', () => {
  const rows: readonly [query: string, expected: string][] = [
    ['', 'accepted'],
    ['limit=500&resourceVersion=0', 'accepted'],
    ['limit=500&continue=abc&resourceVersion=0', 'accepted'],
    ['resourceVersion=0&resourceVersionMatch=NotOlderThan', 'accepted'],
    ['resourceVersion=7&resourceVersionMatch=Exact', 'accepted'],
    ['resourceVersionMatch=NotOlderThan', FORBIDDEN_MATCH],
    ['resourceVersionMatch=Exact', FORBIDDEN_MATCH],
    ['resourceVersion=0&resourceVersionMatch=Exact', FORBIDDEN_MATCH],
    ['resourceVersion=7&resourceVersionMatch=Newer', UNKNOWN_MATCH],
    ['resourceVersion=7&continue=abc&resourceVersionMatch=Exact', FORBIDDEN_MATCH],
    ['sendInitialEvents=true', '422, sendInitialEvents FieldValueForbidden'],
    ['limit=-1', 'accepted'],
    ['limit=', '400'],
    ['timeoutSeconds=x', '400'],
    ['limit=ten', '400'],
    ['limit=1e3', '400'],
    ['limit=99999999999999999999', '400'],
  ];
  for (const [query, expected] of rows) {
    it(`answers ${expected} to "${query}"`, () => {
      expect(list(query)).to.equal(expected);
    });
  }

  it('takes an empty parameter as one that was left out', () => {
    const options = parseListOptions(
      new URLSearchParams('resourceVersion=&labelSelector=&continue='),
    );
    expect(options.resourceVersion).to.equal(undefined);
    expect(options.labelSelector).to.equal(undefined);
    expect(options.continueToken).to.equal(undefined);
  });

  it('refuses a number in the words of every API server', () => {
    const refused = (query: string) => () => parseListOptions(new URLSearchParams(query));
    expect(refused('limit=x')).to.throw('strconv.ParseInt: parsing "x": invalid syntax');
    expect(refused('limit=99999999999999999999')).to.throw('value out of range');
  });

  it('takes a limit below 0 as none', () => {
    expect(parseListOptions(new URLSearchParams('limit=-1')).limit).to.equal(0);
  });

  it('names the options kind in the failure', () => {
    expect(() => parseListOptions(new URLSearchParams('resourceVersionMatch=Exact'))).to.throw(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden',
    );
  });
});

describe('watch options', () => {
  const rows: readonly [query: string, expected: string][] = [
    ['', 'accepted'],
    ['resourceVersion=7', 'accepted'],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', 'accepted'],
    ['sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=7', 'accepted'],
    ['sendInitialEvents=true', FORBIDDEN_MATCH],
    ['sendInitialEvents=false', FORBIDDEN_MATCH],
    ['resourceVersion=7&resourceVersionMatch=NotOlderThan', FORBIDDEN_MATCH],
    [
      'sendInitialEvents=true&resourceVersionMatch=Exact',
      `${FORBIDDEN_MATCH}, resourceVersionMatch FieldValueNotSupported`,
    ],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=abc', FORBIDDEN_MATCH],
    ['timeoutSeconds=-5', 'accepted'],
    ['timeoutSeconds=x', '400'],
  ];
  for (const [query, expected] of rows) {
    it(`answers ${expected} to "${query}"`, () => {
      expect(watch(query)).to.equal(expected);
    });
  }

  it('makes a streaming list of a watch from no version or from 0 that does not say otherwise', () => {
    for (const query of ['', 'resourceVersion=0']) {
      const { options } = parseWatchQuery(new URLSearchParams(query));
      expect(options.sendInitialEvents, query).to.equal(true);
      expect(options.resourceVersionMatch, query).to.equal('NotOlderThan');
    }
    const { options } = parseWatchQuery(new URLSearchParams('resourceVersion=7'));
    expect(options.sendInitialEvents).to.equal(undefined);
    const quiet = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
    expect(parseWatchQuery(new URLSearchParams(quiet)).options.sendInitialEvents).to.equal(false);
  });

  it('reads a flag as the API does: false and 0 are false, the empty text is true', () => {
    const flag = (text: string): unknown => queryFlag(new URLSearchParams(text), 'watch');
    expect(
      ['watch=false', 'watch=0', 'watch=FALSE', 'watch=', 'watch=1', 'watch=true', ''].map(flag),
    ).to.deep.equal([false, false, false, true, true, true, undefined]);
  });
});

describe('write options', () => {
  const long = 'm'.repeat(129);
  const rows: readonly [query: string, expected: string][] = [
    ['', 'accepted'],
    ['dryRun=All&fieldManager=kubectl create&fieldValidation=Strict', 'accepted'],
    ['dryRun', '422, dryRun FieldValueNotSupported'],
    ['dryRun=All&dryRun=', '422, dryRun FieldValueNotSupported'],
    ['dryRun=Some', '422, dryRun FieldValueNotSupported'],
    ['dryRun=All&dryRun=None', '422, dryRun FieldValueNotSupported'],
    ['fieldValidation=Loose', '422, fieldValidation FieldValueNotSupported'],
    [`fieldManager=${long}`, '422, fieldManager FieldValueTooLong'],
    ['fieldManager=a%07b', '422, fieldManager FieldValueInvalid'],
  ];
  for (const [query, expected] of rows) {
    it(`answers ${expected} to "${query.slice(0, 60)}"`, () => {
      expect(write(query)).to.equal(expected);
    });
  }

  it('knows a dry run', () => {
    expect(parseWriteOptions(new URLSearchParams('dryRun=All'), 'CreateOptions').dryRun).to.equal(
      true,
    );
    expect(parseWriteOptions(new URLSearchParams(''), 'CreateOptions').dryRun).to.equal(false);
  });
});

describe('the time limit of a request', () => {
  const limitOf = (text: string): number | undefined =>
    queryTimeoutMs(new URLSearchParams({ timeout: text }));
  const rows: readonly (readonly [text: string, ms: number | undefined])[] = [
    ['', undefined],
    ['0', undefined],
    ['0s', undefined],
    ['-1s', undefined],
    ['1ns', 1e-6],
    ['10s', 10_000],
    ['.5s', 500],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
  ];
  for (const [text, ms] of rows) {
    it(`is ${ms === undefined ? 'that of the server' : `${ms} ms`} for "${text}"`, () => {
      expect(limitOf(text)).to.equal(ms);
    });
  }

  // Each as kube-apiserver 1.37.2 answers it.
  for (const [text, problem] of [
    ['x', 'time: invalid duration "x"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    [' 5s', 'time: invalid duration " 5s"'],
  ] as const) {
    it(`is no duration: "${text}"`, () => {
      expect(() => limitOf(text))
        .to.throw(ApiError, `invalid timeout specified in the request URL - ${problem}`)
        .with.property('httpStatus', 400);
    });
  }
});
