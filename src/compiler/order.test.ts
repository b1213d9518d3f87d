import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceFile } from '../source/document.ts';
import { runs } from '../testing/effort.ts';
import { readFixture } from '../testing/fixture.ts';
import type { Compilation } from './compilation.ts';
import { createCompiler } from './compile.ts';

const cases = ['rule-two-rules-merge', 'peer-workload-unset-with-ports', 'service-protocols', 'family-dual'];

describe('compile', () => {
  test.each(cases)('gives the same bytes whatever the order of the inputs (%s)', async (name) => {
    const { files, select, settings, bag } = await readFixture('fixtures/ok', name);
    const documents = files.flatMap(split);
    const expected = textsOf(createCompiler({ settings }).compile(documents, select, bag));
    fc.assert(
      fc.property(fc.shuffledSubarray(documents, { minLength: documents.length }), (shuffled) => {
        expect(textsOf(createCompiler({ settings }).compile(shuffled, select, bag))).toEqual(expected);
      }),
      runs(12),
    );
  });
});

/** One file a document, so that documents can change places. */
function split({ path, text }: SourceFile): SourceFile[] {
  return text.split(/^---\n/m).map((part, i) => ({ path: `${path}.${i}.yaml`, text: part }));
}

function textsOf(compilation: Compilation | undefined): string[] {
  if (compilation === undefined) throw new Error('the case does not compile');
  const configs = compilation.configs.flatMap(({ bootstrap, listeners, clusters, routes }) =>
    [bootstrap, ...listeners, ...clusters, ...routes].map(({ text }) => text),
  );
  return [...configs, JSON.stringify(compilation.mesh)];
}
