import { expect } from 'chai';
import {
  difference,
  fieldAt,
  fieldsBelow,
  forEachField,
  hasElement,
  intersection,
  isFieldSet,
  recursiveDifference,
  setsEqual,
  sortedSet,
  union,
  type FieldSet,
} from '../../../lib/meta/fields/field-set.ts';

const labels: FieldSet = { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {}, 'f:tier': {} } } };

describe('field set', () => {
  it('has a name with nothing below it, and a name with a dot below it', () => {
    expect(hasElement(labels, 'f:metadata')).to.equal(false);
    expect(hasElement(labels['f:metadata']!, 'f:labels')).to.equal(true);
    expect(hasElement(fieldsBelow(labels['f:metadata']!, 'f:labels'), 'f:app')).to.equal(true);
  });

  it('joins two sets at every level', () => {
    const other = { 'f:metadata': { 'f:labels': { 'f:new': {} }, 'f:annotations': {} } };
    expect(union(labels, other)).to.deep.equal({
      'f:metadata': {
        'f:labels': { '.': {}, 'f:app': {}, 'f:tier': {}, 'f:new': {} },
        'f:annotations': {},
      },
    });
    expect(union({ 'f:a': {} }, { 'f:a': { 'f:b': {} } })).to.deep.equal({
      'f:a': { '.': {}, 'f:b': {} },
    });
  });

  it('keeps in an intersection the fields that are in both', () => {
    const other = { 'f:metadata': { 'f:labels': { 'f:app': {} } }, 'f:data': {} };
    expect(intersection(labels, other)).to.deep.equal({
      'f:metadata': { 'f:labels': { 'f:app': {} } },
    });
    expect(intersection(labels, { 'f:data': {} })).to.deep.equal({});
  });

  it('takes single fields away in a difference, and keeps the fields below them', () => {
    expect(difference(labels, fieldAt('metadata', 'labels'))).to.deep.equal({
      'f:metadata': { 'f:labels': { 'f:app': {}, 'f:tier': {} } },
    });
    expect(difference(labels, labels)).to.deep.equal({});
    expect(difference(labels, { 'f:data': {} })).to.equal(labels);
  });

  it('takes whole branches away in a recursive difference', () => {
    expect(recursiveDifference(labels, fieldAt('metadata', 'labels'))).to.deep.equal({});
    expect(recursiveDifference(labels, fieldAt('metadata', 'labels', 'app'))).to.deep.equal({
      'f:metadata': { 'f:labels': { '.': {}, 'f:tier': {} } },
    });
  });

  it('visits the fields of a level in order, and then those below them', () => {
    const paths: string[] = [];
    forEachField({ 'v:"b"': {}, 'f:z': { 'f:y': {}, '.': {} }, 'f:a': {} }, (path) =>
      paths.push(path.join('/')),
    );
    expect(paths).to.deep.equal(['f:a', 'f:z', 'v:"b"', 'f:z/f:y']);
  });

  it('sorts its names with the dot first', () => {
    const sorted = sortedSet({ 'f:b': { 'f:d': {}, '.': {}, 'f:c': {} }, 'f:a': {} });
    expect(JSON.stringify(sorted)).to.equal('{"f:a":{},"f:b":{".":{},"f:c":{},"f:d":{}}}');
  });

  it('is equal to a set with the same names in another order', () => {
    expect(setsEqual({ 'f:a': {}, 'f:b': {} }, { 'f:b': {}, 'f:a': {} })).to.equal(true);
    expect(setsEqual({ 'f:a': {} }, { 'f:a': { 'f:b': {} } })).to.equal(false);
  });

  it('is recognized among other values, to a bounded depth', () => {
    expect(isFieldSet(labels)).to.equal(true);
    for (const other of [null, [], 'f:a', { 'f:a': 1 }, { 'f:a': [] }]) {
      expect(isFieldSet(other)).to.equal(false);
    }
    expect(isFieldSet({ 'f:a': { 'f:b': {} } }, 2)).to.equal(false);
  });
});
