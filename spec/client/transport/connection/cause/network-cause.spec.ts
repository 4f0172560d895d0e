import { expect } from 'chai';
import { failureCause } from '../../../../../lib/client/transport/connection/cause/failure-cause.ts';
import {
  leavesOf,
  plainCause,
  textOf,
} from '../../../../../lib/client/transport/connection/cause/failure-leaf.ts';
import { PROXY, SERVER } from '../../../../../lib/client/transport/connection/cause/peer.ts';
import { isRefusedByAlert } from '../../../../../lib/client/transport/connection/cause/tls-cause.ts';

function systemError(code: string, message: string = code): Error {
  return Object.assign(new Error(message), { code });
}

const UNRESOLVED = 'the host name cannot be resolved; check the server address, VPN and DNS';
const UNREACHABLE = 'the host cannot be reached; check network, VPN and firewall';
const BROKEN =
  'the connection broke; if it happens again, look at the server and at the load balancers and firewalls in front of it';
const FORBIDDEN =
  'this machine does not permit the connection; check its firewall, and the policy of the container or sandbox';
const NO_PORT =
  'this machine has no free port for the connection; open fewer connections, or wait a minute until closed ones are gone';
const NO_FILE =
  'this process or machine has too many open files; raise the limit (ulimit -n), or open fewer files and connections';

describe('the cause of an error of the network', () => {
  const causes: Record<string, string> = {
    ENOTFOUND: UNRESOLVED,
    ENODATA: UNRESOLVED,
    ESERVFAIL: UNRESOLVED,
    EAI_NODATA: UNRESOLVED,
    EAI_NONAME: UNRESOLVED,
    EAI_FAIL: UNRESOLVED,
    EAI_AGAIN:
      'the host name cannot be resolved, because DNS does not answer; check network, VPN and DNS',
    EHOSTUNREACH: UNREACHABLE,
    EHOSTDOWN: UNREACHABLE,
    ENETUNREACH: UNREACHABLE,
    ENETDOWN: UNREACHABLE,
    ETIMEDOUT: UNREACHABLE,
    ECONNRESET: BROKEN,
    ECONNABORTED: BROKEN,
    EPIPE: BROKEN,
    ERR_STREAM_PREMATURE_CLOSE: BROKEN,
    EACCES: FORBIDDEN,
    EPERM: FORBIDDEN,
    EADDRNOTAVAIL: NO_PORT,
    EADDRINUSE: NO_PORT,
    EMFILE: NO_FILE,
    ENFILE: NO_FILE,
    HPE_INVALID_CONSTANT:
      'the server does not speak HTTP/1.1 at this port; check http:// and the port',
  };
  for (const [code, text] of Object.entries(causes)) {
    it(`${code} is explained once, with the words of the system`, () => {
      const found = failureCause(systemError(code, `connect ${code} 10.0.0.1:6443`), SERVER);
      expect(found.code).to.equal('CONNECTION_FAILED');
      expect(found.text).to.equal(`${text} (connect ${code} 10.0.0.1:6443)`);
      expect(found.cause).to.include({ code, message: `connect ${code} 10.0.0.1:6443` });
    });
  }

  it('of a proxy names the proxy, and where its address is written', () => {
    const text = (code: string): string => failureCause(systemError(code), PROXY).text;
    expect(text('ENOTFOUND')).to.equal(
      'the host name cannot be resolved; check the proxy URL, VPN and DNS (ENOTFOUND)',
    );
    expect(text('ECONNREFUSED')).to.equal(
      'nothing listens there; check that the proxy runs, and host and port of the proxy URL (ECONNREFUSED)',
    );
    expect(text('ECONNRESET')).to.include('look at the proxy and at the load balancers');
  });

  it('is a refused connection when one of several addresses refused it', () => {
    const several = new AggregateError([
      systemError('EADDRNOTAVAIL', 'connect EADDRNOTAVAIL ::1:6443'),
      systemError('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:6443'),
      systemError('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:6443'),
    ]);
    const found = failureCause(several, SERVER);
    expect(found.code).to.equal('CONNECTION_REFUSED');
    expect(found.text).to.equal(
      'nothing listens there; check that the API server runs, and host and port of the server address ' +
        '(connect EADDRNOTAVAIL ::1:6443; connect ECONNREFUSED 127.0.0.1:6443)',
    );
  });

  it('is one line of bounded length for any text of the system', () => {
    const { text } = failureCause(systemError('X', `a\r\nb\u0000c\t${'d'.repeat(10_000)}`), SERVER);
    expect(text).to.match(/^the connection failed: a b c d+…$/);
    expect(text.length).to.be.lessThan(450);
    const many = new AggregateError(
      Array.from({ length: 50 }, (_, at) => systemError('X', `no ${at}`)),
    );
    expect(leavesOf(many)).to.have.length(8);
    expect(textOf([{ code: '', message: 'x'.repeat(400), error: null }])).to.equal('x'.repeat(400));
    expect(textOf([{ code: '', message: 'x'.repeat(401), error: null }])).to.equal(
      `${'x'.repeat(400)}…`,
    );
  });

  it('is read to a depth of eight causes, also through aggregated errors', () => {
    const nested = (wrap: (inner: Error) => Error): Error => {
      let error = new Error('9');
      for (let depth = 8; depth >= 0; depth -= 1)
        error = Object.assign(wrap(error), { message: String(depth) });
      return error;
    };
    const chain = nested((cause) => new Error('', { cause }));
    expect(leavesOf(chain).map(({ message }) => message)).to.deep.equal(['8']);
    const tree = nested((inner) => new AggregateError([inner]));
    expect(leavesOf(tree).map(({ message }) => message)).to.deep.equal(['8']);
  });

  it('is unknown where an error has neither a message nor a code', () => {
    const text = (error: unknown): string => textOf(leavesOf(error));
    for (const error of [
      undefined,
      null,
      'a text',
      {},
      { message: 1, code: 2 },
      new Error(' \n'),
    ]) {
      expect(text(error)).to.equal('unknown failure');
    }
    expect(text({ code: 'ECODE' })).to.equal('ECODE');
    expect(text(new AggregateError([], 'no errors'))).to.equal('no errors');
    expect(text(new Error('outer', { cause: 'a text' }))).to.equal('outer');
    expect(text(new Error('outer', { cause: null }))).to.equal('outer');
  });

  it('is kept with the code and the messages of the innermost errors alone, each message once', () => {
    const coded = Object.assign(new Error('one'), { code: 'ECODE', secret: 'canary' });
    const leaves = leavesOf(new AggregateError([coded, new Error('two'), new Error('one')]));
    const cause = plainCause(leaves);
    expect(cause.message).to.equal('one; two');
    expect(cause).to.have.property('code', 'ECODE').and.not.to.have.property('secret');
    expect(plainCause(leavesOf(new Error('one')))).not.to.have.property('code');
  });

  it('keeps the reason of OpenSSL, and neither its addresses nor its source files', () => {
    const words = (message: string): string =>
      leavesOf(systemError('EPROTO', message))[0]?.message ?? '';
    expect(
      words(
        'write EPROTO 80CC06254B7F0000:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:1601:SSL alert number 40\n',
      ),
    ).to.equal('TLS alert 40: sslv3 alert handshake failure');
    expect(words('error:0480006C:PEM routines::no start line')).to.equal(
      'PEM routines: no start line',
    );
    expect(
      words(
        '8071:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:c:1:\n',
      ),
    ).to.equal('SSL routines: wrong version number');
  });

  it('is found by the name of an alert in the code, in the spelling of each OpenSSL', () => {
    const refused = [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
      'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE',
      'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED',
    ];
    for (const code of refused) {
      expect(failureCause(systemError(code, 'no'), SERVER).code, code).to.equal('CERTIFICATE');
      expect(leavesOf(systemError(code)).some(isRefusedByAlert), code).to.equal(true);
    }
    for (const code of [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
    ]) {
      expect(failureCause(systemError(code, 'no'), SERVER).code, code).to.equal(
        'CONNECTION_FAILED',
      );
      expect(leavesOf(systemError(code)).some(isRefusedByAlert), code).to.equal(false);
    }
    expect(
      failureCause(systemError('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'no'), SERVER).text,
    ).to.equal('the server broke off the TLS handshake; look at its log (no)');
  });
});
