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
    for (const holder of ['a', 'a', '', 'b']) report.observed(record(holder, 1));
    expect(leaders).to.deep.equal(['a', 'b']);
    report.observed(record('', 1));
    expect(report.leader).to.equal(undefined);
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
