import { expect } from 'chai';
import { acceptNames } from '../../../../lib/server/custom/definition/accepted-names.ts';

const NAMES = {
  plural: 'gadgets',
  singular: 'gadget',
  shortNames: ['ga', 'gd'],
  kind: 'Gadget',
  listKind: 'GadgetList',
};
const OTHER = {
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['wi', 'wd'],
  kind: 'Widget',
  listKind: 'WidgetList',
};

const definition = (
  names: object,
  acceptedNames?: object,
  group: string = 'example.io',
): object => ({
  spec: { group, names },
  status: acceptedNames === undefined ? {} : { acceptedNames },
});

function decided(names: object, other: object, acceptedNames?: object): unknown[] {
  const rivals = { others: [other], isBuiltIn: () => false };
  const found = acceptNames(definition(names, acceptedNames), rivals);
  return [found.names, found.conflict?.reason, found.conflict?.message];
}

describe('the names of a definition', () => {
  const other = definition(OTHER, OTHER);

  it('are all accepted when no other definition has one of them', () => {
    expect(decided(NAMES, other)).to.deep.equal([NAMES, undefined, undefined]);
  });

  for (const [field, value, reason, used] of [
    ['plural', 'widgets', 'PluralConflict', 'widgets'],
    ['plural', 'widget', 'PluralConflict', 'widget'],
    ['plural', 'wd', 'PluralConflict', 'wd'],
    ['singular', 'widgets', 'SingularConflict', 'widgets'],
    ['singular', 'wi', 'SingularConflict', 'wi'],
    ['shortNames', ['ga', 'wd'], 'ShortNamesConflict', 'wd'],
    ['shortNames', ['widget'], 'ShortNamesConflict', 'widget'],
    ['kind', 'Widget', 'KindConflict', 'Widget'],
    ['kind', 'WidgetList', 'KindConflict', 'WidgetList'],
    ['listKind', 'WidgetList', 'ListKindConflict', 'WidgetList'],
    ['listKind', 'Widget', 'ListKindConflict', 'Widget'],
  ] as const) {
    it(`do not have a ${field} ${String(value)} that another one of the group has`, () => {
      const wanted = { ...NAMES, [field]: value };
      const { [field]: _refused, ...accepted } = wanted;
      const message = `${JSON.stringify(used)} is already in use`;
      expect(decided(wanted, other)).to.deep.equal([accepted, reason, message]);
      expect(decided(wanted, definition(OTHER, OTHER, 'example.com'))[0]).to.deep.equal(wanted);
      expect(decided(wanted, definition(OTHER))[0], 'only wanted').to.deep.equal(wanted);
      expect(decided(wanted, other, wanted)[0], 'accepted before').to.deep.equal(wanted);
    });
  }

  it('keep what was accepted before in place of what is refused', () => {
    const wanted = { ...NAMES, kind: 'Widget', shortNames: ['wi'] };
    expect(decided(wanted, other, NAMES)).to.deep.equal([
      NAMES,
      'KindConflict',
      '"Widget" is already in use',
    ]);
  });
});
