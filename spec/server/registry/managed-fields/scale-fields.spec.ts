import { expect } from 'chai';
import {
  fieldsOfScale,
  fieldsOfScaled,
} from '../../../../lib/server/registry/managed-fields/field-manager.ts';

const SCALED = { group: 'apps', apiVersion: 'apps/v1', replicasPath: ['spec', 'replicas'] };
const TIME = '2024-01-01T00:00:00Z';
const REPLICAS = { 'f:spec': { 'f:replicas': {} } };
const BOTH = { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } };
const REST = { 'f:spec': { 'f:paused': {} } };
const entry = (
  manager: string,
  operation: string,
  fieldsV1: object,
  more: object = {},
): object => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  time: TIME,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

describe('the managed fields of a scale', () => {
  it('are those of the managers that have the replicas', () => {
    const all = [
      entry('alpha', 'Apply', BOTH),
      entry('beta', 'Update', REST),
      entry('other', 'Update', REPLICAS, { apiVersion: 'extensions/v1' }),
    ];
    const apiVersion = 'autoscaling/v1';
    expect(fieldsOfScale(all, SCALED)).to.deep.equal([
      entry('alpha', 'Apply', REPLICAS, { apiVersion }),
    ]);
  });

  it('of the scaled object lose the entries of another API group', () => {
    const own = entry('beta', 'Update', REST);
    const others = [
      entry('gamma', 'Update', REST, { apiVersion: 'extensions/v1' }),
      entry('delta', 'Apply', REPLICAS, { apiVersion: 'v1' }),
    ];
    expect(fieldsOfScaled([own, ...others], undefined, SCALED)).to.deep.equal([own]);
  });

  it('take the replicas from a manager that lost them, and come without a time', () => {
    const scale = { apiVersion: 'autoscaling/v1', subresource: 'scale' };
    const after = fieldsOfScaled(
      [entry('alpha', 'Apply', BOTH)],
      [entry('beta', 'Update', REPLICAS, scale)],
      SCALED,
    );
    const [alpha, beta] = after ?? [];
    expect(alpha).to.deep.equal(entry('alpha', 'Apply', REST));
    expect(beta).to.include({ manager: 'beta', apiVersion: 'apps/v1', subresource: 'scale' });
    expect(beta).not.to.have.property('time');
  });

  it('leave the entry of an apply as it was, and make one of its own of the replicas of an update', () => {
    const applied = [entry('alpha', 'Apply', REPLICAS)];
    expect(fieldsOfScaled(applied, fieldsOfScale(applied, SCALED), SCALED)).to.deep.equal(applied);
    const updated = [entry('alpha', 'Update', BOTH)];
    const both = fieldsOfScaled(updated, fieldsOfScale(updated, SCALED), SCALED);
    expect(both?.map(({ time, fieldsV1 }) => [time, fieldsV1])).to.deep.equal([
      [undefined, REPLICAS],
      [TIME, REST],
    ]);
  });
});
