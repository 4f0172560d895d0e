import { expect } from 'chai';
import { ElectionReport } from '../../../lib/controller/election/election-report.ts';
import type { LeaseRecord } from '../../../lib/controller/election/lease-record.ts';
import { RecordedMetrics } from '../../client/support/recorded-metrics.ts';
import { lineLogger } from '../../support/line-logger.ts';

const LABELS = { name: 'program' };

function record(holder: string, epoch: number): LeaseRecord {
  return { uid: 'u', holder, instance: undefined, durationMs: 15_000, epoch, text: '' };
}

describe('ElectionReport', () => {
  let log: string[];
  let leaders: string[];
  let metrics: RecordedMetrics;
  let report: ElectionReport;

  beforeEach(() => {
    log = [];
    leaders = [];
    metrics = new RecordedMetrics();
    report = new ElectionReport({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      logger: lineLogger((line) => log.push(line), ['info', 'warn', 'error']),
      metrics,
      onLeader: (identity) => leaders.push(identity),
    });
  });

  it('logs a lasting failure once, and its end', () => {
    for (let times = 0; times < 3; times += 1) report.failed(new Error('no  answer'));
    expect(report.failure).to.equal('no answer');
    report.succeeded();
    report.succeeded();
    expect(report.failure).to.equal(undefined);
    expect(log).to.deep.equal([
      'lease failed: no answer (lease=default/program)',
      'lease is answered again (lease=default/program)',
    ]);
  });

  it('says whether this replica leads, and in which epoch', () => {
    const gauge = (name: string): unknown[] => metrics.values(name, LABELS);
    expect(gauge('leader_election_master_status')).to.deep.equal([0]);
    report.leads(4);
    expect(report).to.include({ leader: 'me', epoch: 4 });
    expect(gauge('leader_election_master_status')).to.deep.equal([0, 1]);
    report.stopped();
    expect(report.leader).to.equal(undefined);
    expect(gauge('leader_election_master_status')).to.deep.equal([0, 1, 0]);
    expect(log.at(-1)).to.equal('this replica leads no more (lease=default/program identity=me)');
  });

  it('logs each leader once', () => {
    for (const holder of ['a', 'a', '', 'b']) report.observed(record(holder, 1), false);
    expect(leaders).to.deep.equal(['a', 'b']);
    report.observed(record('', 1), false);
    expect(report.leader).to.equal(undefined);
  });

  it('logs that another replica leads, and that this one does', () => {
    report.observed(record('a', 1), false);
    report.observed(record('a', 2), false);
    report.leads(3);
    expect(log).to.deep.equal([
      'another replica leads; this one is a standby (lease=default/program identity=me leader=a)',
      'this replica leads (lease=default/program identity=me epoch=3)',
    ]);
    expect(leaders).to.deep.equal(['a', 'me']);
  });

  it('shows the epoch that was seen last, also of a lease without a holder', () => {
    report.observed(record('a', 1), false);
    report.observed(record('', 2), false);
    expect(report.epoch).to.equal(2);
    expect(metrics.values('listwatch_election_epoch', LABELS)).to.deep.equal([1, 2]);
    expect(leaders).to.deep.equal(['a']);
    report.observed(record('a', 2), false);
    expect(leaders, 'it leads again').to.deep.equal(['a', 'a']);
  });

  it('says once who is asked for the lease, and once to whom it is left', () => {
    for (const holder of ['a', 'a', 'b']) report.asks(holder);
    for (const by of ['laptop', 'laptop', 'other']) report.leavesTo(by);
    const asked = (holder: string): string =>
      `lease is asked for, by option preempt; programs of other libraries do not give it away (lease=default/program identity=me holder=${holder})`;
    const left = (by: string): string =>
      `lease is given to a replica that asks for it (lease=default/program by=${by})`;
    expect(log).to.deep.equal([asked('a'), asked('b'), left('laptop'), left('other')]);
  });

  it('says from which epoch a lease went back to which', () => {
    report.wentBack(record('a', 4));
    report.leads(7);
    report.wentBack(record('a', 4));
    const lines = log.filter((line) =>
      line.startsWith('lease went back: its storage was restored'),
    );
    expect(lines.map((line) => line.slice(line.lastIndexOf('(')))).to.deep.equal([
      '(lease=default/program from=0 to=4)',
      '(lease=default/program from=7 to=4)',
    ]);
  });

  it('says nothing of the end of a replica that did not lead, and keeps the leader', () => {
    report.observed(record('a', 1), false);
    log.splice(0);
    report.stopped();
    expect([log, report.leader]).to.deep.equal([[], 'a']);
  });

  it('logs a failure of the hook of the user, and goes on', () => {
    const failing = new ElectionReport({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      logger: lineLogger((line) => log.push(line)),
      metrics,
      onLeader: () => {
        throw new Error('no page');
      },
    });
    failing.leads(1);
    expect(failing.leader).to.equal('me');
    expect(log).to.have.length(1);
    expect(log[0]).to.include('onLeader').and.include('no page').and.include('default/program');
  });

  it('counts each request once', () => {
    report.request('renew', 'ok');
    report.request('renew', 'ok');
    report.request('renew', 'error');
    const counts = (result: string): unknown[] =>
      metrics.values('listwatch_election_requests_total', {
        ...LABELS,
        operation: 'renew',
        result,
      });
    expect([counts('ok'), counts('error')]).to.deep.equal([[1, 1], [1]]);
  });
});
