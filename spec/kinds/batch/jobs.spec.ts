import { expect } from 'chai';
import type { FieldCause } from '../../../lib/meta/failure/failures.ts';
import { cronJobs } from '../../../lib/kinds/batch/jobs.ts';
import type { MutableObject } from '../../../lib/server/registry/rules/mutable-object.ts';

const PLACE = 'spec.schedule: Invalid value: "TZ=UTC * * * * *": ';

const cronJob = (schedule: string, timeZone?: string): MutableObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'a' },
  spec: {
    schedule,
    concurrencyPolicy: 'Allow',
    ...(timeZone === undefined ? {} : { timeZone }),
    jobTemplate: {
      spec: {
        template: {
          spec: {
            containers: [{ name: 'c', image: 'i' }],
            restartPolicy: 'Never',
          },
        },
      },
    },
  },
});

function linesOf(causes: readonly FieldCause[] | undefined): string[] {
  return (causes ?? [])
    .filter(({ field }) => field === 'spec.schedule')
    .map(({ field, message }) => `${field}: ${message}`);
}

describe('the schedule of a cron job with a time zone in it', () => {
  const zoned = 'TZ=UTC * * * * *';
  const updated = (after: MutableObject, before: MutableObject): string[] =>
    linesOf(cronJobs.strategy?.validateUpdate?.(after, before));

  it('is refused', () => {
    const refused = [`${PLACE}cannot use TZ or CRON_TZ in schedule, use timeZone field instead`];
    expect(linesOf(cronJobs.strategy?.validate?.(cronJob(zoned)))).to.deep.equal(refused);
    expect(updated(cronJob(zoned), cronJob('* * * * *'))).to.deep.equal(refused);
    expect(updated(cronJob('* * * * *'), cronJob(zoned))).to.deep.equal([]);
  });

  it('stays when it was stored before that rule, but not beside a time zone of its own', () => {
    expect(updated(cronJob(zoned), cronJob(zoned))).to.deep.equal([]);
    expect(updated(cronJob(zoned, 'Etc/UTC'), cronJob(zoned))).to.deep.equal([
      `${PLACE}cannot use both timeZone field and TZ or CRON_TZ in schedule`,
    ]);
  });
});
