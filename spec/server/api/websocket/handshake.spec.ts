import { expect } from 'chai';
import { answerHandshake } from '../../../../lib/server/api/websocket/handshake.ts';

/** The example of RFC 6455 section 1.3. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
const GOOD = {
  'sec-websocket-key': KEY,
  'sec-websocket-version': '13',
  origin: 'https://a.test',
};

interface Row {
  readonly title: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly status: number;
  /** Header lines after the status line, without `Connection: close` of a refusal. */
  readonly lines?: readonly string[];
  readonly reason?: string;
}

const UPGRADED = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${ACCEPT}`];
const VERSION = 'Sec-WebSocket-Version: 13';
const BAD_VERSION = { status: 400, lines: [VERSION], reason: 'missing or bad WebSocket Version' };

/** Answers of kube-apiserver 1.36.3. */
const ROWS: readonly Row[] = [
  { title: 'accepts a client without a subprotocol', headers: {}, status: 101, lines: UPGRADED },
  {
    title: 'selects the one subprotocol that is offered, also an unknown one',
    headers: { 'sec-websocket-protocol': 'foo' },
    status: 101,
    lines: [...UPGRADED, 'Sec-WebSocket-Protocol: foo'],
  },
  {
    title: 'selects nothing of an empty offer',
    headers: { 'sec-websocket-protocol': '' },
    status: 101,
    lines: UPGRADED,
  },
  {
    title: 'refuses several subprotocols',
    headers: { 'sec-websocket-protocol': 'foo, base64.binary.k8s.io' },
    status: 400,
  },
  {
    title: 'uses no extension',
    headers: { 'sec-websocket-extensions': 'permessage-deflate' },
    status: 101,
    lines: UPGRADED,
  },
  { title: 'refuses another version', headers: { 'sec-websocket-version': '12' }, ...BAD_VERSION },
  { title: 'refuses no version', headers: { 'sec-websocket-version': undefined }, ...BAD_VERSION },
  {
    title: 'refuses a missing key',
    headers: { 'sec-websocket-key': undefined },
    status: 400,
    reason: 'mismatch challenge/response',
  },
  {
    title: 'accepts a key of any length',
    headers: { 'sec-websocket-key': 'abc' },
    status: 101,
    lines: [...UPGRADED.slice(0, 2), 'Sec-WebSocket-Accept: zwKd5BnoWxQ6GxTxxSmBSHGHX9M='],
  },
  ...[undefined, '', 'null', '%zz', 'not a url'].map((origin) => ({
    title: `refuses the origin ${String(origin)}`,
    headers: { origin },
    status: 403,
  })),
];

describe('the handshake of a WebSocket', () => {
  for (const { title, headers, status, lines = [], reason = '' } of ROWS) {
    it(title, () => {
      const answer = answerHandshake({ ...GOOD, ...headers });
      expect(answer.status).to.equal(status);
      const [head = '', rest] = answer.text.split('\r\n\r\n');
      const [first, ...others] = head.split('\r\n');
      expect(first).to.match(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
      expect(others).to.deep.equal(status === 101 ? lines : [...lines, 'Connection: close']);
      expect(rest).to.equal(reason);
    });
  }
});
