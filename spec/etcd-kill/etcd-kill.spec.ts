import { expect } from 'chai';
import { etcdBinaries } from '../support/etcd.ts';
import { parseCommandLine } from './etcd-kill-options.ts';
import { runEtcdKill } from './etcd-kill-run.ts';
import { reportTable } from './etcd-kill-table.ts';

const KILLS = 4;

// The newest: etcd before 3.4.34 and 3.5.16 drops the event of a deletion at the compacted revision (etcd issue 18089).
const binary = etcdBinaries().at(-1);
if (binary === undefined) {
  console.log('      etcd-kill: no binary on PATH or in LISTWATCH_ETCD; its spec is skipped');
} else {
  describe(`a cluster of three members (${binary}) that are killed`, () => {
    it(`loses nothing, invents nothing and delivers nothing twice over ${KILLS} kills`, async () => {
      const report = await runEtcdKill({ binary, kills: KILLS, seed: '1', paceMs: 20 });
      console.log(reportTable(report).replaceAll(/^/gm, '      '));
      expect(report.kills).to.be.at.least(KILLS);
      expect(report.acknowledgedWrites).to.be.above(100);
      expect(report.watchEvents).to.be.above(100);
      expect(report.verdict, reportTable(report)).to.equal('passed');
    });
  });
}

describe('the command line of etcd-kill', () => {
  it('takes what it says and refuses anything else', () => {
    const args = ['--kills', '7', '--seed', 'x', '--binary', '/bin/etcd', '--json', 'out.json'];
    expect(parseCommandLine(args)).to.deep.equal({
      kills: 7,
      seed: 'x',
      binary: '/bin/etcd',
      json: 'out.json',
    });
    expect(parseCommandLine(['--binary', 'b'])).to.include({ kills: 50, seed: '20260101' });
    expect(() => parseCommandLine(['--binary', 'b', '--kills', 'many'])).to.throw('--kills');
    expect(() => parseCommandLine(['--binary', 'b', '--killss', '7'])).to.throw('--killss');
  });
});
