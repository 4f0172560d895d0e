import { expect } from 'chai';
import { mask } from './mask.ts';

const nowMs = Date.parse('2026-05-01T10:00:00Z');
const facts = { namespace: 'kuba100', folder: '/tmp/commands-x1', server: '127.0.0.1:6443', nowMs };

/** Output, and what stays of it. */
const ROWS: readonly (readonly [string, string])[] = [
  ['NAME   DATA   AGE\nblue   1      5m3s\n', 'NAME  DATA  AGE\nblue  1  {age}\n'],
  ['configmap/blue created (kuba100)', 'configmap/blue created ({ns})'],
  ['  uid: 11111111-2222-3333-4444-555555555555', '  uid: {uid}'],
  ['  resourceVersion: "123"\n  name: a', '  resourceVersion: "{rv}"\n  name: a'],
  ['{\\"resourceVersion\\":\\"12\\"}', '{\\"resourceVersion\\":\\"{rv}\\"}'],
  ['created: "2026-05-01T09:59:00Z"', 'created: "{time}"'],
  ['first: "2024-05-01T10:00:00Z"', 'first: "2024-05-01T10:00:00Z"'],
  ['web  ClusterIP  10.0.0.17  80:31234/TCP', 'web  ClusterIP  {address}  80:{port}/TCP'],
  ['error: open /tmp/commands-x1/map.yaml', 'error: open map.yaml'],
  ['is running at https://127.0.0.1:6443', 'is running at {server}'],
  ['configmap/gen-x7k2p created', 'configmap/gen-{random} created'],
  ['saved to "/tmp/kubectl-edit-123.yaml"', 'saved to "{file}"'],
  ['E0501 10:00:00.000001   123 memcache.go:265] failed', 'E memcache.go] failed'],
  [
    'E0501 10:00:00.000001 9 run.go:72] "command failed" err="flag \\"image\\" not set"',
    'error: flag "image" not set',
  ],
  ['panic: no\n\ngoroutine 1 [running]:\nmain.main()\n', 'panic: no\n\n'],
  ['I0501 10:00:00.000001   123 request.go:6] Throttling request took 1s\nok', 'ok'],
  ['I0501 10:00:00.000001 1 r.go:6] "ended" err="very short watch: Unexpected close"\nok', 'ok'],
  ['  minor: 32+', '  minor: "32"'],
  ['Server Version: v1.36.3', 'Server Version: {version}'],
];

describe('the mask of kubectl output', () => {
  for (const [output, masked] of ROWS) {
    it(`makes ${JSON.stringify(masked)} of ${JSON.stringify(output)}`, () => {
      expect(mask(output, facts)).to.equal(masked);
    });
  }
});
