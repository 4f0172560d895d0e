import assert from 'node:assert/strict';
import { conformanceKey } from './conformance-pod.ts';
import { rejection, type ConformanceCase } from './storage-under-test.ts';

const key = conformanceKey('a/x');

/** Deletions with the object of a cache as a suggestion. */
export const deleteWithSuggestionCases: readonly ConformanceCase[] = [
  {
    title: 'deletes with a suggestion that is right',
    upstream: ['RunTestDeleteWithSuggestion'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x');
      await under.storage.delete(key, { cachedExisting });
      assert.equal(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'deletes the live object when the suggestion is stale',
    upstream: ['RunTestDeleteWithSuggestionAndConflict'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x');
      await under.move('a/x', 'n2');
      const deleted = await under.storage.delete(key, { cachedExisting });
      assert.equal(deleted.object.spec?.nodeName, 'n2');
      assert.equal(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'finds nothing when the suggested object is gone',
    upstream: ['RunTestDeleteWithSuggestionOfDeletedObject'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x');
      await under.delete('a/x');
      await rejection(under.storage.delete(key, { cachedExisting }), 'KEY_NOT_FOUND');
    },
  },
  {
    title: 'passes on a refusal of the current object, asked once',
    upstream: ['RunTestValidateDeletionWithSuggestion'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x');
      await under.storage.getList('/registry/pods/');
      const refusal = new Error('no');
      let asked = 0;
      const validate = (): never => {
        asked += 1;
        throw refusal;
      };
      const work = under.storage.delete(key, { cachedExisting, validate });
      assert.equal(await work.catch((error: unknown) => error), refusal);
      assert.equal(asked, 1);
      assert.notEqual(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'asks about the live object when a stale suggestion is refused',
    upstream: ['RunTestValidateDeletionWithSuggestion'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x', { nodeName: 'old' });
      await under.move('a/x', 'new');
      let asked = 0;
      await under.storage.delete(key, {
        cachedExisting,
        validate: ({ spec }) => {
          asked += 1;
          if (spec?.nodeName !== 'new') throw new Error('no');
        },
      });
      assert(asked <= 2);
      assert.equal(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'refuses when only the suggestion would pass',
    upstream: ['RunTestValidateDeletionWithOnlySuggestionValid'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x', { nodeName: 'old' });
      await under.move('a/x', 'new');
      const refusal = new Error('no');
      let asked = 0;
      const work = under.storage.delete(key, {
        cachedExisting,
        validate: ({ spec }) => {
          asked += 1;
          if (spec?.nodeName !== 'old') throw refusal;
        },
      });
      assert.equal(await work.catch((error: unknown) => error), refusal);
      assert(asked <= 2);
      assert.notEqual(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'deletes when the live object meets the precondition and the suggestion does not',
    upstream: ['RunTestPreconditionalDeleteWithSuggestion'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x', { uid: 'first' });
      await under.delete('a/x');
      await under.create('a/x', { uid: 'second' });
      await under.storage.delete(key, { cachedExisting, preconditions: { uid: 'second' } });
      assert.equal(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'keeps an object of which only the suggestion meets the precondition',
    upstream: ['RunTestPreconditionalDeleteWithOnlySuggestionPass'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x', { uid: 'first' });
      await under.delete('a/x');
      await under.create('a/x', { uid: 'second' });
      const work = under.storage.delete(key, { cachedExisting, preconditions: { uid: 'first' } });
      await rejection(work, 'INVALID_OBJECT');
      assert.equal((await under.find('a/x'))?.metadata.uid, 'second');
    },
  },
];
