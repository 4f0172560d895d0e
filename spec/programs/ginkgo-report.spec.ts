import { expect } from 'chai';
import { readGinkgoReport } from './ginkgo-report.ts';

function spec(LeafNodeType: string, LeafNodeText: string, State: string, Message?: string): object {
  return {
    ContainerHierarchyTexts: LeafNodeType === 'It' ? ['client', 'Create'] : null,
    LeafNodeType,
    LeafNodeText,
    State,
    ...(Message === undefined ? {} : { Failure: { Message } }),
  };
}

function report(...SpecReports: object[]): string {
  return JSON.stringify([{ SuiteDescription: 'Suite', SuiteSucceeded: true, SpecReports }]);
}

describe('a report of Ginkgo', () => {
  it('names each spec by its path, and says why one failed', () => {
    const text = report(
      spec('It', 'writes', 'passed'),
      spec('It', 'reads', 'failed', 'Expected\n    true'),
    );
    expect(readGinkgoReport(text)).to.deep.equal([
      { step: 'Suite > client > Create > writes', failure: undefined },
      { step: 'Suite > client > Create > reads', failure: 'failed: Expected true' },
    ]);
  });

  it('leaves out what was not run, and hooks that passed', () => {
    const text = report(
      spec('It', 'later', 'pending'),
      spec('It', 'other', 'skipped'),
      spec('BeforeSuite', '', 'passed'),
    );
    expect(readGinkgoReport(text)).to.deep.equal([]);
  });

  it('has a hook that failed', () => {
    expect(readGinkgoReport(report(spec('BeforeSuite', '', 'panicked')))).to.deep.equal([
      { step: 'Suite > [BeforeSuite]', failure: 'panicked: no message' },
    ]);
  });
});
