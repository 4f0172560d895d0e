import { mkdir, rm } from 'node:fs/promises';
import { expect } from 'chai';
import { AuditFile } from '../../../lib/cli/serve/audit-file.ts';
import { silentLogger, type LogFields } from '../../../lib/kernel/report/logger.ts';
import type { RequestRecord } from '../../../lib/server/api/port/request-record.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { until } from '../../support/until.ts';

const record = (more: Partial<RequestRecord> = {}): RequestRecord => ({
  startedMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  method: 'GET',
  url: '/api/v1/pods?limit=500&token=secret',
  user: 'jane',
  status: 200,
  durationMs: 1.26,
  ...more,
});

describe('an audit file', () => {
  let scratch: ScratchDirectory;
  let path: string;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    path = `${scratch.path}/audit`;
  });

  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const lines = async (name: string = 'audit'): Promise<Record<string, unknown>[]> =>
    (await scratch.read(name))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('has time, verb, path, user, status and duration of each request, and no query', async () => {
    const file = await AuditFile.open(path, { logger: silentLogger });
    file.add(record());
    file.add(record({ url: '/api', user: undefined, status: 401 }));
    await file.close();
    const time = '2026-01-02T03:04:05.006Z';
    expect(await lines()).to.deep.equal([
      { time, verb: 'list', path: '/api/v1/pods', user: 'jane', status: 200, durationMs: 1.3 },
      { time, verb: 'get', path: '/api', user: null, status: 401, durationMs: 1.3 },
    ]);
  });

  it('has the annotations of a request that has some', async () => {
    const file = await AuditFile.open(path, { logger: silentLogger });
    const annotations = { 'check.example.com/why': 'a new rule' };
    file.add(record({ annotations }));
    file.add(record());
    await file.close();
    const [first, second] = await lines();
    expect(first?.['annotations']).to.deep.equal(annotations);
    expect(second).not.to.have.property('annotations');
  });

  it('cuts a long path', async () => {
    const file = await AuditFile.open(path, { logger: silentLogger });
    file.add(record({ url: `/${'a'.repeat(100_000)}` }));
    await file.close();
    const [line] = await lines();
    expect(line?.['path']).to.equal(`/${'a'.repeat(1023)}...`);
  });

  it('keeps one file of the size limit and the one before', async () => {
    const file = await AuditFile.open(path, { logger: silentLogger, largestBytes: 300 });
    // Between the two files there is none of this name.
    const written = async (): Promise<string> => await scratch.read('audit').catch(() => '');
    for (let status = 1; status <= 20; status += 1) {
      file.add(record({ status }));
      await until('the line', async () => (await written()).includes(`"status":${status},`));
    }
    await file.close();
    const kept = [...(await lines('audit.1')), ...(await lines())].map(({ status }) => status);
    expect(kept.at(-1)).to.equal(20);
    expect(kept).to.deep.equal(Array.from(kept, (_, index) => 21 - kept.length + index));
    expect((await scratch.read('audit')).length).to.be.at.most(300);
    expect((await scratch.read('audit.1')).length).to.be.at.most(300);
    expect(kept.length).to.be.lessThan(20);
  });

  it('drops and counts what the disk does not take in time', async () => {
    const file = await AuditFile.open(path, { logger: silentLogger, mostPending: 1000 });
    // All in one turn: the disk has no chance.
    for (let count = 0; count < 100; count += 1) file.add(record());
    await file.close();
    const all = await lines();
    const written = all.filter(({ status }) => status === 200).length;
    const dropped = all.reduce((sum, line) => sum + Number(line['dropped'] ?? 0), 0);
    expect(dropped).to.be.greaterThan(0);
    expect(written + dropped).to.equal(100);
  });

  it('reports a write that failed, continues, and counts what was lost', async () => {
    const logged: LogFields[] = [];
    const logger = {
      ...silentLogger,
      error: (_message: string, fields: LogFields = {}) => {
        logged.push(fields);
      },
    };
    // A folder of the next name: the full file cannot be renamed.
    const file = await AuditFile.open(path, { logger, largestBytes: 150 });
    await mkdir(`${path}.1/inside`, { recursive: true });
    file.add(record());
    await until('the first line', async () => (await scratch.read('audit')) !== '');
    file.add(record());
    await until('the report', () => logged.length === 1);
    expect(logged[0]).to.include({ path, lines: 1 });
    await rm(`${path}.1`, { recursive: true });
    file.add(record({ status: 201 }));
    await file.close();
    const [last, lost] = await lines();
    expect(last).to.include({ status: 201 });
    expect(lost).to.deep.equal({ dropped: 1 });
  });
});
