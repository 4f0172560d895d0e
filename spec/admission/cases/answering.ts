import { map, maps, outcome, type AdmissionCase, type World } from '../admission-case.ts';
import { base64, patching, type Answer, type Json } from '../webhook-process.ts';

const raw =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_review, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
    return undefined;
  };

/** The answers of several validating webhooks, one request for each. */
async function each(
  world: World,
  answers: Readonly<Record<string, Answer>>,
  { kind = 'validating', ...spec }: Json & { kind?: 'validating' | 'mutating' } = {},
): Promise<unknown> {
  await world[kind](
    ...Object.entries(answers).map(([path, answer]) => ({
      path,
      objectSelector: { matchLabels: { hook: path } },
      answer,
      ...spec,
    })),
  );
  const made: Record<string, unknown> = {};
  for (const hook of Object.keys(answers)) {
    made[hook] = await outcome(maps(world).create(map(hook, { labels: { hook } })));
  }
  return made;
}

const never: Answer = () => undefined;
const verdict =
  (response: Json): Answer =>
  () =>
    response;

/** Answers of webhooks, and the results of a client. */
export const answering: readonly AdmissionCase[] = [
  {
    title: 'denials with code, reason, message and details',
    run: async (world) =>
      await each(world, {
        bare: verdict({ allowed: false }),
        message: verdict({ allowed: false, status: { message: 'not this one' } }),
        reason: verdict({ allowed: false, status: { reason: 'Forbidden' } }),
        code: verdict({
          allowed: false,
          status: { code: 418, reason: 'Teapot', message: 'short and stout' },
        }),
        low: verdict({ allowed: false, status: { code: 200, status: 'Success', message: 'fine' } }),
        details: verdict({
          allowed: false,
          status: {
            code: 422,
            message: 'bad',
            details: { name: 'x', kind: 'y', causes: [{ field: 'data.a', message: 'bad' }] },
          },
        }),
      }),
  },
  {
    title: 'denials of mutating webhooks',
    run: async (world) =>
      await each(
        world,
        {
          message: verdict({ allowed: false, status: { code: 403, message: 'not this one' } }),
          patch: verdict({
            allowed: false,
            ...patching({ op: 'add', path: '/data/b', value: '1' }),
          }),
        },
        { kind: 'mutating' },
      ),
  },
  {
    title: 'warnings go to the client, also with a denial',
    async run(world) {
      const made = await each(world, {
        one: verdict({ warnings: ['first', 'second'] }),
        two: verdict({ allowed: false, warnings: ['third'] }),
      });
      return { made, warnings: [...world.warnings] };
    },
  },
  {
    title: 'answers to another call, without a response, of another kind',
    run: async (world) =>
      await each(world, {
        uid: verdict({ uid: 'other' }),
        empty: raw(200, ''),
        text: raw(200, 'hello'),
        list: raw(200, '[]'),
        untyped: raw(200, {}),
        kind: raw(200, { apiVersion: 'v1', kind: 'ConfigMap' }),
        unknown: raw(200, { apiVersion: 'example.com/v1', kind: 'Thing' }),
        group: raw(200, { apiVersion: 'admission.k8s.io/v2', kind: 'AdmissionReview' }),
        absent: raw(200, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }),
        older: ({ request: { uid } }, response) =>
          raw(200, {
            apiVersion: 'admission.k8s.io/v1beta1',
            kind: 'AdmissionReview',
            response: { uid, allowed: true },
          })({ request: { uid, object: null }, apiVersion: '' }, response),
        type: verdict({ allowed: 'yes' }),
        patch: verdict({ patch: base64('[]') }),
        patchtype: verdict({ patchType: 'JSONPatch' }),
      }),
  },
  {
    title: 'patches of mutating webhooks that cannot be read',
    run: async (world) =>
      await each(
        world,
        {
          untyped: verdict({ patch: base64('[]') }),
          unpatched: verdict({ patchType: 'JSONPatch' }),
          nobase: verdict({ patchType: 'JSONPatch', patch: '***' }),
          nojson: verdict({ patchType: 'JSONPatch', patch: base64('hello') }),
          nolist: verdict({ patchType: 'JSONPatch', patch: base64('{"op":"add"}') }),
          merge: verdict({
            patchType: 'MergePatch',
            patch: base64('[{"op":"add","path":"/data/b","value":"1"}]'),
          }),
          none: verdict({ patchType: 'JSONPatch', patch: base64('[]') }),
        },
        { kind: 'mutating' },
      ),
  },
  {
    title: 'answers with a status that is no success',
    run: async (world) =>
      await each(world, {
        s400: raw(400, 'bad'),
        s401: raw(401, ''),
        s403: raw(403, 'no'),
        s404: raw(404, 'nothing here'),
        s500: raw(500, 'broken'),
        s503: raw(503, ''),
        status: raw(500, {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          message: 'own words',
          code: 500,
        }),
      }),
  },
  {
    title: 'failures with the policy Ignore',
    run: async (world) =>
      await each(
        world,
        {
          s500: raw(500, 'broken'),
          garbage: raw(200, 'hello'),
          slow: never,
          denied: verdict({ allowed: false }),
        },
        { failurePolicy: 'Ignore', timeoutSeconds: 1 },
      ),
  },
  {
    title: 'failures of mutating webhooks with the policy Ignore',
    run: async (world) =>
      await each(
        world,
        {
          s500: raw(500, 'broken'),
          nojson: verdict({ patchType: 'JSONPatch', patch: base64('hello') }),
          failing: verdict(patching({ op: 'remove', path: '/data/zz' })),
        },
        { kind: 'mutating', failurePolicy: 'Ignore' },
      ),
  },
  {
    title: 'a webhook that does not answer in time',
    run: async (world) => await each(world, { slow: never }, { timeoutSeconds: 1 }),
  },
  {
    title: 'a mutating webhook that begins an answer and does not end it',
    run: async (world) =>
      await each(
        world,
        {
          half: (_review, response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.write('{"apiVersion"');
            return undefined;
          },
        },
        { kind: 'mutating', timeoutSeconds: 1 },
      ),
  },
  {
    title: 'a webhook that is not there',
    async run(world) {
      await world.validating({
        path: 'down',
        objectSelector: { matchLabels: { hook: 'down' } },
        clientConfig: { url: 'https://127.0.0.1:1/down' },
      });
      return await outcome(maps(world).create(map('one', { labels: { hook: 'down' } })));
    },
  },
  {
    title: 'a webhook with a certificate of another authority',
    async run(world) {
      await world.validating({
        path: 'strange',
        objectSelector: { matchLabels: { hook: 'strange' } },
        clientConfig: { url: `${world.origin}/strange` },
      });
      return await outcome(maps(world).create(map('one', { labels: { hook: 'strange' } })));
    },
  },
  {
    title: 'a webhook that closes the connection',
    run: async (world) =>
      await each(world, {
        reset: (_review, response) => {
          response.socket?.destroy();
          return undefined;
        },
      }),
  },
  {
    title: 'dry runs and side effects',
    async run(world) {
      await world.mutating(
        { path: 'none', answer: () => patching({ op: 'add', path: '/data/b', value: '1' }) },
        { path: 'ondry', sideEffects: 'NoneOnDryRun' },
      );
      const made = await outcome(maps(world).create(map('one'), { dryRun: true }));
      const seen = world.seen('ondry').map(({ dryRun, options }) => ({ dryRun, options }));
      return { made, seen };
    },
  },
  {
    title: 'an older version of reviews',
    async run(world) {
      await world.mutating({
        path: 'beta',
        admissionReviewVersions: ['v1beta1', 'v1'],
        answer: () => ({
          uid: 'other',
          patch: base64('[{"op":"add","path":"/data/b","value":"1"}]'),
        }),
      });
      const made = await outcome(maps(world).create(map('one')));
      return { made, seen: world.seen('beta') };
    },
  },
  {
    title: 'a version of reviews that the server does not know comes first',
    async run(world) {
      await world.validating({ path: 'versions', admissionReviewVersions: ['v9', 'v1'] });
      await maps(world).create(map('one'));
      return world.seen('versions').length;
    },
  },
  {
    title: 'of several denials one is reported',
    async run(world) {
      await world.validating(
        { path: 'one', answer: verdict({ allowed: false, status: { message: 'same' } }) },
        { path: 'two' },
      );
      return await outcome(maps(world).create(map('one')));
    },
  },
  {
    title: 'an object is not validated by webhooks when it is invalid itself',
    async run(world) {
      await world.mutating({ path: 'mutate' });
      await world.validating({ path: 'validate' });
      const refused = await outcome(maps(world).create(map('Bad_Name')));
      return { refused, calls: ['mutate', 'validate'].map((path) => world.seen(path).length) };
    },
  },
];
