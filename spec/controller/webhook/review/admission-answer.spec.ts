import { expect } from 'chai';
import {
  admissionAnswer,
  HookFailure,
  type ReviewFunction,
} from '../../../../lib/controller/webhook/review/admission-answer.ts';
import type {
  Mutation,
  Operation,
  Validation,
} from '../../../../lib/controller/webhook/review/admission-context.ts';
import { RefusedReview } from '../../../../lib/controller/webhook/review/review-envelope.ts';

interface Shop {
  readonly metadata?: { readonly name?: string; readonly labels?: Record<string, string> };
  readonly spec: {
    readonly size: number;
    readonly tags?: readonly string[];
    readonly note?: string | undefined;
  };
}

interface Answer {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: object;
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: object;
}

const SHOP = {
  apiVersion: 'x.io/v1',
  kind: 'Shop',
  metadata: { name: 'one' },
  spec: { size: 1, tags: ['a'] },
};
const REQUEST = {
  uid: 'r-1',
  kind: { group: 'x.io', version: 'v1', kind: 'Shop' },
  name: 'one',
  namespace: 'default',
  operation: 'CREATE',
  userInfo: { username: 'ann', groups: ['g'] },
  object: SHOP,
  oldObject: null,
  dryRun: true,
  options: { kind: 'CreateOptions', fieldManager: 'kubectl' },
};

async function answered(
  kind: 'validate' | 'mutate',
  call: unknown,
  request: object = REQUEST,
  operations: readonly Operation[] = ['CREATE', 'UPDATE'],
): Promise<Answer> {
  const body = Buffer.from(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }),
  );
  const hook = { kind, name: 'shops.v1.x.io', operations, call: call as ReviewFunction };
  const answer = await admissionAnswer(hook, body, new AbortController().signal);
  return (answer as { readonly response: Answer }).response;
}

function patchIn({ patch = '' }: Answer): unknown {
  return patch === '' ? undefined : JSON.parse(Buffer.from(patch, 'base64').toString());
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('admissionAnswer', () => {
  it('allows what the function does not deny, and gives it the request', async () => {
    const seen: unknown[] = [];
    const answer = await answered('validate', (review: Validation<Shop>) => {
      const { operation, object, oldObject, name, namespace, user, isDryRun, options } = review;
      seen.push(operation, object, oldObject, name, namespace, user.username, isDryRun, options);
    });
    expect(answer).to.deep.equal({ uid: 'r-1', allowed: true });
    expect(seen).to.deep.equal([
      'CREATE',
      SHOP,
      undefined,
      'one',
      'default',
      'ann',
      true,
      REQUEST.options,
    ]);
  });

  it('gives the old object of an update and a deletion, and no object of a deletion', async () => {
    const seen: unknown[] = [];
    const look = ({
      operation,
      object,
      oldObject,
    }: Validation<Shop, 'UPDATE' | 'DELETE'>): void => {
      seen.push([operation, object?.spec.size, oldObject.spec.size]);
    };
    const oldObject = { ...SHOP, spec: { size: 2 } };
    await answered('validate', look, { ...REQUEST, operation: 'UPDATE', oldObject });
    await answered('validate', look, { ...REQUEST, operation: 'DELETE', object: null, oldObject }, [
      'DELETE',
    ]);
    expect(seen).to.deep.equal([
      ['UPDATE', 1, 2],
      ['DELETE', undefined, 2],
    ]);
  });

  it('denies with 403 without a field, and with 422 and the causes with one', async () => {
    const plain = await answered('validate', ({ deny }: Validation<Shop>) =>
      deny('not on sundays'),
    );
    expect(plain).to.deep.equal({
      uid: 'r-1',
      allowed: false,
      status: { status: 'Failure', message: 'not on sundays', reason: 'Forbidden', code: 403 },
    });
    const fields = await answered('validate', ({ deny }: Validation<Shop>) => {
      deny('must be even', { field: 'spec.size' });
      deny('not on sundays');
    });
    expect(fields.status).to.deep.equal({
      status: 'Failure',
      message: '[spec.size: must be even, not on sundays]',
      reason: 'Invalid',
      code: 422,
      details: {
        name: 'one',
        group: 'x.io',
        kind: 'Shop',
        causes: [{ reason: 'FieldValueInvalid', message: 'must be even', field: 'spec.size' }],
      },
    });
  });

  it('passes warnings and audit annotations on, also with a denial', async () => {
    const answer = await answered('validate', ({ deny, warn, audit }: Validation<Shop>) => {
      warn('soon refused');
      audit('decision', 'late');
      deny('refused');
    });
    expect([answer.allowed, answer.warnings, answer.auditAnnotations]).to.deep.equal([
      false,
      ['soon refused'],
      { decision: 'late' },
    ]);
  });

  it('makes the patch of the changed object, of a returned one, and none without a change', async () => {
    const changed = await answered('mutate', ({ object }: Mutation<Shop>) => {
      object.spec.size = 2;
      (object.spec.tags ??= []).push('b');
      (object.metadata.labels ??= {})['team'] = 'x';
    });
    expect(changed.patchType).to.equal('JSONPatch');
    expect(patchIn(changed)).to.deep.equal([
      { op: 'add', path: '/metadata/labels', value: { team: 'x' } },
      { op: 'replace', path: '/spec/size', value: 2 },
      { op: 'add', path: '/spec/tags/1', value: 'b' },
    ]);
    const returned = await answered('mutate', async ({ object }: Mutation<Shop>) => ({
      ...object,
      spec: { size: 3, note: undefined },
    }));
    expect(patchIn(returned)).to.deep.equal([
      { op: 'remove', path: '/spec/tags' },
      { op: 'replace', path: '/spec/size', value: 3 },
    ]);
    const same = await answered('mutate', () => {});
    expect(same).to.deep.equal({ uid: 'r-1', allowed: true });
  });

  it('sends no patch with a denial, and none of a validating function', async () => {
    const change = ({ object, deny }: Mutation<Shop>): void => {
      object.spec.size = 2;
      deny('no');
    };
    expect(await answered('mutate', change)).to.not.have.property('patch');
    const validating = await answered('validate', ({ object }: Mutation<Shop>) => {
      object.spec.size = 2;
    });
    expect(validating).to.deep.equal({ uid: 'r-1', allowed: true });
  });

  it('fails with one line when the function throws, or returns no object', async () => {
    const thrown = await failureOf(
      answered('validate', () => {
        throw new TypeError('Cannot read\nproperties');
      }),
    );
    expect(thrown).to.be.instanceOf(HookFailure);
    expect((thrown as Error).message).to.equal(
      'the function of shops.v1.x.io failed: Cannot read properties',
    );
    const text = await failureOf(answered('mutate', () => 'done'));
    expect((text as Error).message).to.equal(
      'the function of shops.v1.x.io returned string and no object; change `object` and return nothing, or return the changed object',
    );
  });

  const refused: readonly (readonly [title: string, body: string, message: RegExp])[] = [
    ['no JSON', '{"a"', /^the body is not JSON: /],
    ['no object', '[]', /^the body is JSON, but no object$/],
    [
      'a review of another version',
      '{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}',
      /^the body must be of admission\.k8s\.io\/v1, Kind=AdmissionReview, not admission\.k8s\.io\/v1beta1, Kind=AdmissionReview; /,
    ],
    [
      'no uid',
      '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}',
      /^the AdmissionReview has no request with a uid$/,
    ],
    [
      'an operation that it was not declared for',
      '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"DELETE"}}',
      /^shops\.v1\.x\.io is not for the operation "DELETE": the registration at the cluster is of another version/,
    ],
  ];
  for (const [title, body, message] of refused) {
    it(`refuses a body with ${title}`, async () => {
      const hook = {
        kind: 'validate' as const,
        name: 'shops.v1.x.io',
        operations: ['CREATE' as const],
        call: () => {},
      };
      const { signal } = new AbortController();
      const error = await failureOf(admissionAnswer(hook, Buffer.from(body), signal));
      expect(error).to.be.instanceOf(RefusedReview).and.include({ status: 400 });
      expect((error as Error).message).to.match(message);
    });
  }
});
